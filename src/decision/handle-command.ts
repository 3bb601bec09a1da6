import { assertNever } from '../model/errors.ts';
import type { IssuedCommand } from '../model/kernel.ts';
import type { RunData } from '../model/run.ts';
import { closeRun } from './close-run.ts';
import { compensateRun } from './compensate-run.ts';
import type { Draft } from './draft.ts';
import { endRun } from './end-run.ts';
import { enterGroup, leaveGroup } from './enter-group.ts';
import { enterStep } from './enter-step.ts';
import { holdStep } from './hold-step.ts';
import { keepLosers } from './kept-losers.ts';
import { leaveStep } from './leave-step.ts';
import { settleRun } from './settle-run.ts';
import { stopBranches, undoLosers } from './stop-branches.ts';
import { tellEnd } from './tell-parent.ts';
import { recallChildren } from './tell-child.ts';
import { undoGroup, undoItem } from './undo-steps.ts';

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
      // Only what is on its way is drained, and that settles as any row does; a child is told to.
      recallChildren(draft, [command.step], 'recalled');
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
    case 'item.undo':
      undoItem(draft, command, data);
      return;
    default:
      handleOther(draft, { command, data });
  }
}

type Other = Extract<
  IssuedCommand['command'],
  { readonly type: 'branches.stop' | `losers.${string}` | `run.${string}` }
>;

/** What is asked of several branches at once, or of the whole run. */
function handleOther(draft: Draft, { command, data }: { readonly command: Other; readonly data: RunData }): void {
  switch (command.type) {
    case 'branches.stop':
      stopBranches(draft, command, data);
      return;
    case 'losers.undo':
      undoLosers(draft, command.step, data);
      return;
    case 'losers.keep':
      keepLosers(draft, command.step, data);
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
      if (data.ending !== null) tellEnd(draft, data.ending);
      return;
    default:
      assertNever(command);
  }
}
