import { describe, expect, it } from 'vitest';
import { workerTimer } from '../../src/decision/hand-out.ts';
import type { Effect } from '../../src/model/effect.ts';
import type { InboxEvent, InboxPayload } from '../../src/model/inbox-event.ts';
import type { Json } from '../../src/model/json.ts';
import type { InboxAnswer } from '../../src/model/run-commit.ts';
import { outcome } from './support/provider.ts';
import { Play, T0 } from './support/play.ts';

const KEYED = 'idempotency: { remembers: 24h }, settlesWithin: 6m, timeout: 5m';
const MINUTE = 60_000;

/** A workflow whose acts are carried out by workers of the queue `desk`. */
function story(steps: string, more = ''): string {
  return `pawl: 1
workflow: story
version: 1
actions:
  do.a: { worker: desk, ${KEYED}, compensate: { call: undo.a, with: { of: =effect.key } } }
  undo.a: { worker: desk, ${KEYED}, compensate: none }
  once.b: { worker: desk, idempotency: none, settlesWithin: 6m, timeout: 5m, compensate: none }
  asked.c: { worker: desk, idempotency: none, settlesWithin: 6m, timeout: 5m, compensate: none, reconcile: { function: ask-c@1, absent: final, every: 1m } }
  do.f: { function: do-f@1, idempotency: { remembers: 24h }, compensate: none }
${more}
steps:
${steps}
`;
}

const ONE = story('  - { id: a, call: do.a, with: { n: 1 } }');
const ONCE = story('  - { id: b, call: once.b }');

let rows = 0;

function row(run: Play, payload: InboxPayload, atMs?: number): InboxEvent {
  rows += 1;
  return run.row('worker:w1', `e${rows}`, payload, atMs);
}

function pull(run: Play, effect: Effect, more: { leaseMs?: number; untilMs?: number } = {}): InboxAnswer | null {
  const { leaseMs = MINUTE, untilMs = run.nowMs + 5_000 } = more;
  return run.deliver(row(run, { type: 'pull', effectKey: effect.key, by: 'w1', leaseMs, untilMs }));
}

function extend(run: Play, effect: Effect, leaseMs: number): InboxAnswer | null {
  const { key: effectKey, attempt, fence } = effect;
  return run.deliver(row(run, { type: 'extend', effectKey, attempt, fence, by: 'w1', leaseMs }));
}

function settleRow(
  run: Play,
  { key: effectKey, attempt, fence }: Pick<Effect, 'key' | 'attempt' | 'fence'>,
  said = outcome('confirmed', { output: { id: 'x-1' } }),
): InboxEvent {
  const { output, ...rest } = said;
  const told = output === undefined ? rest : { ...rest, output };
  return row(run, { type: 'settle', effectKey, attempt, fence, by: 'w1', outcome: told });
}

function settle(
  run: Play,
  ...[effect, said]: [Effect, (typeof outcome extends (...args: never[]) => infer O ? O : never)?]
) {
  return run.deliver(settleRow(run, effect, said));
}

function offersOf(run: Play): readonly Json[] {
  const offers = run.commits.flatMap((commit) => commit.offers ?? []);
  return offers.map(({ queue, dueAtMs }) => [queue, dueAtMs]);
}

describe('an act of remote workers', () => {
  it('E03 is handed out only by a commit that has made it REQUESTED, and no holder of the run sends it', () => {
    // E03: "REQUESTED (attempt, fence, sendBy) is committed before the first byte leaves."
    const run = new Play(ONE);
    run.drive();
    expect(run.calls).toEqual([]);
    expect(run.rowOf('a')).toMatchObject({ state: 'AUTHORIZED', attempt: 0, queue: 'desk' });
    const answer = pull(run, run.rowOf('a'));
    expect(answer).toMatchObject({
      outcome: 'applied',
      detail: { attempt: 1, fence: run.stored.fence, leaseUntilMs: T0 + MINUTE, untilMs: T0 + 5 * MINUTE },
    });
    expect(run.commits.at(-1)?.effects).toMatchObject([
      { effect: { state: 'REQUESTED', attempt: 1, requestedAtMs: T0, sendByMs: T0 + MINUTE } },
    ]);
  });

  it('E03 of two workers that ask for one attempt one gets it', () => {
    // E03: "REQUESTED without outcome is UNKNOWN to every other holder": nobody else is handed it.
    const run = new Play(ONE);
    expect(pull(run, run.rowOf('a'))?.outcome).toBe('applied');
    expect(pull(run, run.rowOf('a'))).toMatchObject({ outcome: 'refused', code: 'taken' });
    expect(run.rowOf('a').attempt).toBe(1);
  });

  it('E03 is not handed out to whoever has stopped waiting', () => {
    // E03: "REQUESTED (attempt, fence, `sendBy`) is committed before the first byte leaves."
    const run = new Play(ONE);
    expect(pull(run, run.rowOf('a'), { untilMs: T0 - 1 })).toMatchObject({ outcome: 'refused', code: 'void' });
    expect(pull(run, run.rowOf('a'), { untilMs: T0 })?.outcome).toBe('applied');
  });

  it('E03 stays in the hands of its worker when the run changes hands, while its lease lasts', () => {
    // E03: "REQUESTED (attempt, fence, `sendBy`) is committed before the first byte leaves."
    const run = new Play(ONE);
    pull(run, run.rowOf('a'));
    run.crash();
    expect(run.rowOf('a')).toMatchObject({ state: 'REQUESTED', attempt: 1 });
    expect(settle(run, run.rowOf('a'))).toMatchObject({ outcome: 'applied', detail: { state: 'CONFIRMED' } });
    expect(run.state.status).toBe('COMPLETED');
    expect(run.output('a')).toEqual({ id: 'x-1' });
  });

  it('P17 holds nobody: the run waits, without a holder, while nobody asks and while a worker has it', () => {
    // P17: "the storer decides, commits and releases".
    const run = new Play(ONE);
    expect(run.state.status).toBe('WAITING');
    run.decide([{ type: 'due' }]);
    expect(run.commits.at(-1)?.lease).toMatchObject({ kind: 'release', readyAtMs: null });
    pull(run, run.rowOf('a'));
    expect(run.state.status).toBe('WAITING');
    expect(run.commits.at(-1)?.lease).toMatchObject({ kind: 'release', readyAtMs: null });
  });

  it('P01 is offered by the commit that authorizes it, and withdrawn by the commit that hands it out', () => {
    // P01: "One transition, one transaction; nothing outside happens before commit."
    const run = new Play(story('  - { id: f, call: do.f }\n  - { id: a, call: do.a }'));
    run.drive();
    expect(offersOf(run)).toEqual([['desk', T0]]);
    pull(run, run.rowOf('a'));
    expect(offersOf(run)).toEqual([
      ['desk', T0],
      ['desk', null],
    ]);
  });

  it('P01 a stale offer is withdrawn by whoever is told that there is nothing', () => {
    // P01: "One transition, one transaction; nothing outside happens before commit."
    const run = new Play(ONE);
    pull(run, run.rowOf('a'));
    settle(run, run.rowOf('a'));
    const before = offersOf(run).length;
    expect(pull(run, run.rowOf('a'))?.outcome).toBe('refused');
    expect(offersOf(run).slice(before)).toEqual([['desk', null]]);
  });
});

describe('a lease that ends', () => {
  it('E06 without a word leaves the outcome unknown, and the same request is offered again while its key is remembered', () => {
    // E06: "UNKNOWN: resend with the same bytes while the key is remembered"; "Never FAILED by assumption, never a fresh key."
    const run = new Play(ONE);
    pull(run, run.rowOf('a'));
    const first = run.rowOf('a');
    run.wait(MINUTE - 1);
    expect(run.rowOf('a').state).toBe('REQUESTED');
    run.wait(1);
    expect(run.rowOf('a')).toMatchObject({
      state: 'UNKNOWN',
      code: 'lease-lapsed',
      doubt: 'resend',
      everUnknown: true,
    });
    expect(pull(run, run.rowOf('a'))).toMatchObject({ outcome: 'refused', code: 'taken' });
    run.wait('1s');
    expect(pull(run, run.rowOf('a'))).toMatchObject({ outcome: 'applied', detail: { attempt: 2 } });
    const { key, requestHash } = run.rowOf('a');
    expect({ key, requestHash }).toEqual({ key: first.key, requestHash: first.requestHash });
    settle(run, run.rowOf('a'));
    expect(run.state.status).toBe('COMPLETED');
  });

  it('E07 of an act whose key nobody remembers is never handed out again: a person says what happened', () => {
    // E07: "`idempotency: none` without reconcile is never sent again after a sending whose outcome is not definite."
    const run = new Play(ONCE);
    pull(run, run.rowOf('b'));
    run.wait('1m');
    expect(run.rowOf('b')).toMatchObject({ state: 'UNKNOWN', doubt: 'review', attempt: 1 });
    expect(run.incidents).toEqual(['unknown']);
    expect(pull(run, run.rowOf('b'))?.outcome).toBe('refused');
  });

  it('E06 of an act that can be asked about is followed by the question', () => {
    // E06: "Never FAILED by assumption, never a fresh key."
    const run = new Play(story('  - { id: c, call: asked.c }'));
    pull(run, run.rowOf('c'));
    run.wait('1m');
    expect(run.rowOf('c').queries).toBeGreaterThan(0);
  });

  it('E06 "not found" counts only once the last who was handed it can have done nothing any more', () => {
    // E06: "not found" counts only when the database clock is past the end of the lease + settlesWithin.
    const run = new Play(story('  - { id: c, call: asked.c }'));
    pull(run, run.rowOf('c'));
    extend(run, run.rowOf('c'), 4 * MINUTE);
    expect(run.rowOf('c').sendByMs).toBe(T0 + 4 * MINUTE);
    run.wait(4 * MINUTE + 6 * MINUTE);
    expect(run.rowOf('c')).toMatchObject({ state: 'UNKNOWN', doubt: 'query' });
    run.wait('2m');
    expect(run.rowOf('c')).toMatchObject({ state: 'ABSENT' });
  });

  it('E06 a resend that nobody pulls is given up with the memory of its key', () => {
    // E06: "Never FAILED by assumption, never a fresh key."
    const run = new Play(ONE);
    pull(run, run.rowOf('a'));
    run.wait('21h');
    expect(run.rowOf('a')).toMatchObject({ state: 'UNKNOWN', doubt: 'resend' });
    run.wait('1h');
    expect(run.rowOf('a')).toMatchObject({ state: 'UNKNOWN', doubt: 'review' });
  });

  it('E06 nobody may begin a resend when the key is forgotten: its lease ends with the memory, however long it is', () => {
    // E06: "Resends … until 90 % of `remembers` since the first sending".
    const run = new Play(ONE);
    pull(run, run.rowOf('a'));
    run.wait('1m');
    const untilMs = T0 + 0.9 * 24 * 60 * MINUTE;
    run.wait(untilMs - 30_000 - run.nowMs);
    expect(pull(run, run.rowOf('a'))?.outcome).toBe('applied');
    expect(run.rowOf('a').sendByMs).toBe(untilMs);
    extend(run, run.rowOf('a'), MINUTE);
    expect(run.rowOf('a').sendByMs).toBe(untilMs);
    run.wait('30s');
    expect(run.rowOf('a')).toMatchObject({ state: 'UNKNOWN', doubt: 'review' });
  });

  it('V10 a word that came before the end goes before it, however late both are decided', () => {
    // V10: "Stored events, decisions and due timers of a run apply in the order of their database time; at a tie the event goes first".
    const run = new Play(ONE);
    pull(run, run.rowOf('a'));
    const said = settleRow(run, run.rowOf('a'));
    run.sleep('2m');
    const inputs = [...run.fire(), { type: 'inbox', event: said } as const];
    run.decide(inputs);
    expect(run.rowOf('a').state).toBe('CONFIRMED');
    expect(run.state.status).toBe('COMPLETED');
  });

  it('V06 has its timer from the hand-out to the settling, and no number is kept of it after that', () => {
    // V06: "A commit that leaves the state deletes its timers".
    const run = new Play(ONE);
    const name = workerTimer(run.rowOf('a').key);
    expect(run.state.timers.has(name)).toBe(false);
    pull(run, run.rowOf('a'));
    expect(run.state.timers.get(name)).toMatchObject({ dueAtMs: T0 + MINUTE });
    settle(run, run.rowOf('a'));
    expect(run.state.timers.has(name)).toBe(false);
    expect(Object.keys(run.state.control.timerGenerations)).not.toContain(name);
  });
});

describe('more time', () => {
  it('moves the end of the lease, and never beyond the timeout that began with the hand-out', () => {
    const run = new Play(ONE);
    pull(run, run.rowOf('a'));
    run.wait('50s');
    expect(extend(run, run.rowOf('a'), MINUTE)).toMatchObject({
      outcome: 'applied',
      detail: { leaseUntilMs: T0 + 110_000, untilMs: T0 + 5 * MINUTE },
    });
    run.wait('20s');
    expect(run.rowOf('a').state).toBe('REQUESTED');
    extend(run, run.rowOf('a'), 60 * MINUTE);
    expect(run.rowOf('a').sendByMs).toBe(T0 + 5 * MINUTE);
    run.wait('4m');
    expect(run.rowOf('a').state).toBe('UNKNOWN');
  });

  it('E08 is not given to whoever has lost the lease, nor to numbers that nobody was handed', () => {
    // E08: "Late answers … are stored as observations, never overwrite"
    const run = new Play(ONE);
    pull(run, run.rowOf('a'));
    const first = run.rowOf('a');
    run.wait('1m');
    expect(extend(run, first, MINUTE)).toMatchObject({ outcome: 'stale', code: 'late' });
    expect(extend(run, { ...first, fence: first.fence + 1 }, MINUTE)).toMatchObject({
      outcome: 'refused',
      code: 'never-handed-out',
    });
  });
});

describe('a word about a hand-out', () => {
  it('E08 that comes late is an observation, and overwrites nothing', () => {
    // E08: "Late answers … are stored as observations, never overwrite".
    const run = new Play(ONCE);
    pull(run, run.rowOf('b'));
    const first = run.rowOf('b');
    run.wait('1m');
    const answer = settle(run, first, outcome('rejected', { code: 'no-stock' }));
    expect(answer).toMatchObject({ outcome: 'stale', code: 'late', detail: { state: 'UNKNOWN' } });
    expect(run.rowOf('b')).toMatchObject({ state: 'UNKNOWN', doubt: 'review' });
    expect(run.commits.flatMap(({ observations }) => observations)).toMatchObject([
      { effectKey: first.key, source: 'late-answer', detail: { kind: 'rejected', code: 'no-stock' } },
    ]);
  });

  it('E08 that it did happen is heeded also after the lease', () => {
    // E08: "a proof against a row assumed absent or failed raises an incident"; what is only in doubt is settled by it.
    const run = new Play(ONCE);
    pull(run, run.rowOf('b'));
    const first = run.rowOf('b');
    run.wait('1m');
    expect(settle(run, first)).toMatchObject({ outcome: 'stale', code: 'late', detail: { state: 'CONFIRMED' } });
    expect(run.state.status).toBe('COMPLETED');
  });

  it('E08 of numbers that were never given names nothing', () => {
    // E08: "Late answers … are stored as observations, never overwrite"
    const run = new Play(ONE);
    pull(run, run.rowOf('a'));
    const { key, attempt, fence } = run.rowOf('a');
    for (const wrong of [
      { key, attempt: attempt + 1, fence },
      { key, attempt, fence: fence + 1 },
      { key, attempt, fence: fence - 1 },
    ])
      expect(run.deliver(settleRow(run, wrong))).toMatchObject({ outcome: 'refused', code: 'never-handed-out' });
    expect(run.rowOf('a').state).toBe('REQUESTED');
  });

  it('E09 that it was not done by a first worker is retried by the policy, and offered from that time on', () => {
    // E09: "An effect moves its run once"
    const retried = story('  - { id: a, call: do.a, retry: { attempts: 2, delay: 10s } }');
    const run = new Play(retried);
    pull(run, run.rowOf('a'));
    settle(run, run.rowOf('a'), outcome('unavailable', { code: 'printer-off' }));
    expect(run.rowOf('a')).toMatchObject({
      state: 'AUTHORIZED',
      countedAttempts: 1,
      notBeforeMs: T0 + 10_000,
      sendByMs: null,
    });
    expect(offersOf(run).at(-1)).toEqual(['desk', T0 + 10_000]);
    expect(pull(run, run.rowOf('a'))?.code).toBe('taken');
    run.wait('10s');
    pull(run, run.rowOf('a'));
    settle(run, run.rowOf('a'), outcome('rejected', { code: 'no-stock' }));
    expect(run.head().failure).toMatchObject({ code: 'no-stock' });
  });

  it('E15 of a second worker after a lapse does not turn "refused" into "never happened"', () => {
    // E15: "Once an attempt was UNKNOWN, `rejected` from a later attempt settles the row only if the action's own `outcome` names that answer".
    const run = new Play(ONE);
    pull(run, run.rowOf('a'));
    run.wait('61s');
    pull(run, run.rowOf('a'));
    settle(run, run.rowOf('a'), outcome('rejected', { code: 'exists' }));
    expect(run.rowOf('a')).toMatchObject({ state: 'UNKNOWN', doubt: 'review' });
  });

  it('E08 is heard also after the run was terminated, whose attempts go on to the end of their leases', () => {
    // E08: "Late answers … are stored as observations, never overwrite"
    const run = new Play(ONE);
    pull(run, run.rowOf('a'));
    const first = run.rowOf('a');
    run.terminate();
    expect(run.rowOf('a').state).toBe('REQUESTED');
    run.wait('1m');
    expect(run.rowOf('a').state).toBe('UNKNOWN');
    expect(pull(run, run.rowOf('a'))?.outcome).toBe('refused');
    settle(run, first);
    expect(run.rowOf('a').state).toBe('CONFIRMED');
    expect(run.state.status).toBe('TERMINATED');
  });
});

describe('an act that nobody has pulled', () => {
  it('R18 is withdrawn at once by a cancel', () => {
    // R18: "Before any effect: CANCELLED."
    const run = new Play(ONE);
    run.cancel();
    expect(run.state.status).toBe('CANCELLED');
    expect(run.rowOf('a').state).toBe('CANCELLED');
    expect(offersOf(run).at(-1)).toEqual(['desk', null]);
    expect(pull(run, run.rowOf('a'))?.outcome).toBe('refused');
  });

  it('R05 is not cancelled any more once it was handed out: a cancel waits for what becomes of it', () => {
    // R05: "a REQUESTED row is never cancelled locally."
    const run = new Play(ONE);
    pull(run, run.rowOf('a'));
    run.cancel();
    expect(run.rowOf('a').state).toBe('REQUESTED');
    settle(run, run.rowOf('a'));
    expect(run.ledger()).toEqual({ a: 'CONFIRMED', 'undo a': 'AUTHORIZED' });
    pull(run, run.rowOf('a', 'undo'));
    settle(run, run.rowOf('a', 'undo'));
    expect(run.state.status).toBe('CANCELLED');
  });

  it('R19 has definitely not happened when the time of its step is over: unavailable', () => {
    // R19: "A step's time-out after a byte was written is UNKNOWN, before it unavailable."
    const run = new Play(story('  - { id: a, call: do.a, timeout: 2m }'));
    expect(run.rowOf('a').sendByMs).toBe(T0 + 2 * MINUTE);
    run.wait('2m');
    expect(run.rowOf('a')).toMatchObject({ state: 'FAILED', attempt: 0, code: 'timeout', failureClass: 'unavailable' });
    expect(run.state.status).toBe('FAILED');
  });

  it('R19 waits as long as it takes where only the action has a time, which begins with the hand-out', () => {
    // R19: "A step's time-out after a byte was written is UNKNOWN, before it unavailable."
    const run = new Play(ONE);
    run.wait('9d');
    expect(pull(run, run.rowOf('a'))).toMatchObject({ outcome: 'applied' });
    expect(run.rowOf('a').sendByMs).toBe(T0 + 9 * 24 * 60 * MINUTE + MINUTE);
  });

  it('R19 fails as late when the retries have no time left', () => {
    // R19: "A step's time-out after a byte was written is UNKNOWN, before it unavailable."
    const run = new Play(story('  - { id: a, call: do.a, retry: { attempts: 5, delay: 10s, within: 1m } }'));
    pull(run, run.rowOf('a'));
    settle(run, run.rowOf('a'), outcome('unavailable', {}));
    expect(run.rowOf('a').sendByMs).toBe(T0 + MINUTE);
    run.wait('1m');
    expect(run.rowOf('a')).toMatchObject({ state: 'FAILED', failureClass: 'timeout' });
  });

  it('P07 is not handed out while the run is parked', () => {
    // P07: "mismatch: parked with the field named"
    const run = new Play(ONE, { missingFunctions: ['do-f@1'] });
    expect(run.incidents).toEqual(['pin']);
    expect(pull(run, run.rowOf('a'))).toMatchObject({ outcome: 'refused', code: 'taken' });
    expect(run.rowOf('a').state).toBe('AUTHORIZED');
    run.missingFunctions = [];
    run.decide([{ type: 'due' }]);
    expect(offersOf(run).at(-1)).toEqual(['desk', T0]);
    expect(pull(run, run.rowOf('a'))?.outcome).toBe('applied');
  });
});
