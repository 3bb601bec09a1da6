import { assertNever } from '../model/errors.ts';
import type { IssuedCommand } from '../model/kernel.ts';
import { compensateRun } from './compensate-run.ts';
import { drainStep } from './drain-step.ts';
import type { Draft } from './draft.ts';
import { endRun } from './end-run.ts';
import { enterStep } from './enter-step.ts';
import { holdStep } from './hold-step.ts';
import { leaveStep } from './leave-step.ts';
import { settleRun } from './settle-run.ts';

/** Turns what the machine asks for into rows, timers and approvals. */
export function handleCommand(draft: Draft, { command, data }: IssuedCommand): void {
  switch (command.type) {
    case 'step.enter':
      return enterStep(draft, command.step, data);
    case 'step.leave':
      return leaveStep(draft, command.step);
    case 'step.drain':
      return drainStep(draft, command.step);
    case 'step.held':
      return holdStep(draft, command.step, data);
    case 'run.settle':
      return settleRun(draft, data);
    case 'run.compensate':
      return compensateRun(draft, data);
    case 'run.end':
      return endRun(draft, data);
    default:
      return assertNever(command);
  }
}
