import { assertNever } from '../../model/errors.ts';
import type { Machine } from '../../model/machine.ts';
import { describeMachine } from '../diagram.ts';
import { toMermaid } from '../mermaid.ts';
import { toDot } from './to-dot.ts';
import { toScxml } from './to-scxml.ts';
import { toXStateConfig, toXStateModule } from './to-xstate.ts';

/** What a machine can be written as for others. */
export const EXPORT_FORMATS = ['xstate', 'json', 'mermaid', 'dot', 'scxml'] as const;
/** One of them. */
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** A machine as text for other tools: `xstate` a module, `json` its config, `mermaid` and `dot` the picture, `scxml` the standard's XML. */
export function exportMachine(machine: Machine, format: ExportFormat): string {
  switch (format) {
    case 'xstate':
      return toXStateModule(machine);
    case 'json':
      return `${JSON.stringify(toXStateConfig(machine), null, 2)}\n`;
    case 'mermaid':
      return toMermaid(describeMachine(machine));
    case 'dot':
      return toDot(describeMachine(machine));
    case 'scxml':
      return toScxml(machine);
    default:
      return assertNever(format);
  }
}
