import type { JsonObject } from '../../model/json.ts';
import type { Machine } from '../../model/machine.ts';
import { initialData } from '../advance.ts';
import { xstateConfig } from '../xstate-config.ts';
import { stepNotes } from './step-notes.ts';

/** A machine as an XState v5 config that other tools read: plain JSON, with `meta.pawl` and words on its arrows. */
export function toXStateConfig(machine: Machine): JsonObject {
  const data = JSON.parse(JSON.stringify(initialData(machine.definition))) as JsonObject;
  return { ...xstateConfig(machine, stepNotes(machine)), context: { data } };
}

/** The same as a module: guards and actions are names with parameters, which `machine.provide` fills in. */
export function toXStateModule(machine: Machine): string {
  const config = JSON.stringify(toXStateConfig(machine), null, 2);
  return [
    "import { createMachine } from 'xstate';",
    '',
    `/** ${machine.definition.workflow}, version ${machine.definition.version}. */`,
    `export const machine = createMachine(${config});`,
    '',
  ].join('\n');
}
