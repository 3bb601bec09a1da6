import { nextGeneration } from '../../../src/decision/compensation-plan.ts';
import type { CheckedRun } from '../../../src/decision/invariants/opened-run.ts';
import type { Approval } from '../../../src/model/approval.ts';
import type { Effect } from '../../../src/model/effect.ts';
import type { EffectKey, WorkerId } from '../../../src/model/ids.ts';
import type { HeadRecord, InboxRecord } from '../../../src/model/run-records.ts';
import type { Timer } from '../../../src/model/run.ts';
import { checkedRun, withEffects } from './checked-run.ts';
import { Play, T0, workflow } from './play.ts';

const EVENTS = 'events: { item: { keep: 30m }, go: {} }';
const TWO = workflow('  - { id: a, call: do.a }\n  - { id: b, call: do.b }');
const THREE = workflow('  - { id: a, call: do.a }\n  - { id: b, call: do.b }\n  - { id: c, call: do.c }');
const PIVOT = workflow('  - { id: a, call: do.a }\n  - { id: p, call: do.b, pivot: true }');
const LISTEN = workflow('  - { id: e, await: go, timeout: 20m }', `${EVENTS}\ntimeout: 1h`);
const ASK = workflow(
  "  - { id: ok, approve: 'Pay?', from: ['role:desk'], quorum: 2, expires: 1h, timeout: 90m }\n  - { id: pay, call: do.a, authorizedBy: ok }",
);
const READ = workflow(
  '  - { id: r, call: look.up }',
  '  look.up: { function: look-up@1, effect: read, retry: { attempts: 3, delay: 10s } }',
);

export const OTHER_KEY = 'f'.repeat(64) as EffectKey;
export const isUndo = ({ compensates }: Effect): boolean => compensates !== null;
export const isOf =
  (step: string) =>
  (effect: Effect): boolean =>
    effect.step === step && effect.compensates === null;

export const done = (): CheckedRun => checkedRun(new Play(TWO).drive());
export const undone = (): CheckedRun => checkedRun(new Play(TWO, { script: { 'do.b': ['declined'] } }).drive());
export const undoing = (): CheckedRun =>
  checkedRun(new Play(THREE, { script: { 'do.c': ['declined'], 'undo.b': ['hang'] } }).drive());
export const doubting = (): CheckedRun =>
  checkedRun(
    new Play(workflow('  - { id: a, call: do.a, onUnknown: review }'), { script: { 'do.a': ['lost-done'] } }).drive(),
  );
export const resending = (): CheckedRun => checkedRun(new Play(TWO, { script: { 'do.a': ['lost-done'] } }).drive());
export const reading = (): CheckedRun => checkedRun(new Play(READ, { script: { 'look.up': ['503'] } }).drive());
export const sleeping = (): CheckedRun => checkedRun(new Play(workflow('  - { id: w, wait: 1h }')));
export const listening = (): CheckedRun => {
  const play = new Play(LISTEN);
  play.signal('item', { n: 1 }, { id: 'i1' });
  return checkedRun(play);
};
export const asking = (): CheckedRun => {
  const play = new Play(ASK);
  play.vote('ann', 'approve');
  return checkedRun(play);
};
export const allowed = (): CheckedRun => {
  const play = new Play(ASK);
  play.vote('ann', 'approve');
  play.vote('bob', 'approve');
  return checkedRun(play);
};
export const cancelling = (): CheckedRun => {
  const play = new Play(PIVOT, { script: { 'do.b': ['hang'] } }).drive();
  play.cancel();
  return checkedRun(play);
};
export const stopped = (): CheckedRun => {
  const play = new Play(TWO, { script: { 'do.b': ['lost-done'] } }).drive();
  play.terminate();
  return checkedRun(play);
};

export const withHead = (run: CheckedRun, patch: Partial<HeadRecord>): CheckedRun => ({
  ...run,
  head: { ...run.head, ...patch },
});
export const withApproval = (run: CheckedRun, patch: Partial<Approval>): CheckedRun => ({
  ...run,
  approvals: run.approvals.map((approval) => ({ ...approval, ...patch })),
});
export const withInbox = (run: CheckedRun, patch: Partial<InboxRecord>): CheckedRun => ({
  ...run,
  inbox: run.inbox.map((row) => ({ ...row, ...patch })),
});
export const withTimers = (run: CheckedRun, patch: Partial<Timer>): CheckedRun => ({
  ...run,
  timers: run.timers.map((timer) => ({ ...timer, ...patch })),
});
export const withJournal = (
  run: CheckedRun,
  at: number,
  patch: Partial<CheckedRun['journal'][number]>,
): CheckedRun => ({
  ...run,
  journal: run.journal.map((row, index) => (index === at ? { ...row, ...patch } : row)),
});
export const heldBy = (run: CheckedRun, patch: Partial<NonNullable<CheckedRun['lease']>>): CheckedRun => ({
  ...withHead(run, { owner: 'w1' as WorkerId }),
  lease: { workerId: 'w1' as WorkerId, fence: run.head.fence, claimedAtMs: T0, seatUntilMs: T0, ...patch },
});
export const keyed = (startKey: Partial<NonNullable<CheckedRun['startKey']>> | null): CheckedRun => {
  const run = checkedRun(new Play(TWO, { key: 'O-1' }).drive());
  if (startKey === null) return run;
  const { runId } = run.run;
  return { ...run, startKey: { runId, startNumber: 1, requestHash: '', ...startKey } };
};
export const secondUndo = (state: Effect['state'], first: Effect['state']): CheckedRun => {
  const run = undone();
  const next = run.effects.filter(isUndo).map((undo) => ({ ...nextGeneration(undo), state }));
  const before = withEffects(run, isUndo, { state: first });
  return { ...before, effects: [...before.effects, ...next] };
};
export const timerRow = (
  payload: Partial<Timer>,
  eventId: string,
  outcome: InboxRecord['outcome'] = 'applied',
): InboxRecord => ({
  source: 'timer',
  eventId,
  payload: { type: 'timer', name: 'w:wait', generation: 1, dueAtMs: T0, ...payload },
  payloadHash: '',
  receivedAtMs: T0,
  outcome,
  code: null,
  detail: null,
  consumed: outcome !== null,
  consumedRevision: outcome === null ? null : 1,
});
