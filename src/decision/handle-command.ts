import { assertNever } from '../model/errors.ts';
import type { IssuedCommand } from '../model/kernel.ts';
import { closeRun } from './close-run.ts';
import { compensateRun } from './compensate-run.ts';
import type { Draft } from './draft.ts';
import { endRun } from './end-run.ts';
import { enterGroup, leaveGroup } from './enter-group.ts';
import { enterStep } from './enter-step.ts';
import { holdStep } from './hold-step.ts';
import { leaveStep } from './leave-step.ts';
import { settleRun } from './settle-run.ts';
import { undoGroup } from './undo-steps.ts';

/** Turns what the machine asks for into rows, timers and approvals. */
export function handleCommand(draft: Draft, { command, data }: IssuedCommand): void {
  switch (command.type) {
    case 'step.enter':
      enterStep(draft, command.step, data);
      return;
    case 'step.leave':
      leaveStep(draft, command.step);
      return;
    case 'step.drain':
      // Only what is on its way is drained, and that settles as any row does.
      return;
    case 'step.held':
      holdStep(draft, command.step, data);
      return;
    case 'group.enter':
      enterGroup(draft, command.step);
      return;
    case 'group.leave':
      leaveGroup(draft, command.step);
      return;
    case 'group.undo':
      undoGroup(draft, command.step, data);
      return;
    case 'run.settle':
      settleRun(draft, data);
      return;
    case 'run.compensate':
      compensateRun(draft, data);
      return;
    case 'run.close':
      closeRun(draft, data);
      return;
    case 'run.end':
      endRun(draft, data);
      return;
    default:
      assertNever(command);
  }
}
