import { PRUNED_REQUEST } from '../../model/retention.ts';
import { isEnd } from '../../model/statuses.ts';
import { isOpen } from '../effect-lifecycle.ts';
import type { Finding, RowCheck } from './check.ts';
import { type CheckedRun, effectRow } from './opened-run.ts';

/** What was on its way when the state was taken: nobody can go on with it. */
function lostIn({ effects, timers, outbox, approvals }: CheckedRun): readonly Finding[] {
  return [
    ...effects.filter(({ state }) => isOpen(state)).map((effect) => ({ row: effectRow(effect), what: 'it is open' })),
    ...timers.map(({ name }) => ({ row: `timer ${name}`, what: 'it is armed' })),
    ...outbox
      .filter(({ state }) => state === 'waiting' || state === 'dead')
      .map(({ messageId }) => ({ row: `message ${messageId}`, what: 'it has not arrived' })),
    ...approvals
      .filter(({ state }) => state === 'open')
      .map(({ approvalId }) => ({ row: `approval ${approvalId}`, what: 'it is open' })),
  ];
}

/** What pruning takes is gone whole. */
function leftIn({ run, head, journal, effects, outbox }: CheckedRun): readonly Finding[] {
  const isLeft = (broken: boolean, row: string): readonly Finding[] => (broken ? [{ row, what: 'it is left' }] : []);
  return [
    ...isLeft(run.input !== null, 'input'),
    ...isLeft(head.snapshot !== '', 'snapshot'),
    ...isLeft(head.output !== undefined, 'output'),
    ...journal.map(({ revision }) => ({ row: `journal ${revision}`, what: 'it is left' })),
    ...effects
      .filter(({ request, output }) => request !== PRUNED_REQUEST || output !== undefined)
      .map((effect) => ({ row: effectRow(effect), what: 'its request or its output is left' })),
    ...outbox
      .filter(({ state }) => state === 'delivered')
      .map(({ messageId }) => ({ row: `message ${messageId}`, what: 'it is left' })),
  ];
}

/** P10, V19: state goes once nothing needs it, and then all of it, in one commit. */
export const PRUNED: RowCheck = {
  name: 'pruned',
  rule: 'P10, V19',
  promise: 'A run whose state was pruned had ended, nothing of it is on its way, and nothing of its state is left.',
  mend: null,
  find: (run) => {
    const { status, endedAtMs, prunedAtMs } = run.head;
    if (prunedAtMs === null) return [];
    const had = isEnd(status) && endedAtMs !== null;
    return [...(had ? [] : [{ row: 'head', what: 'it had not ended' }]), ...lostIn(run), ...leftIn(run)];
  },
};
