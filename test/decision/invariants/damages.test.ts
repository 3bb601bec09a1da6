import { describe, expect, it } from 'vitest';
import { findFaults } from '../../../src/decision/invariants/find-faults.ts';
import type { CheckedRun } from '../../../src/decision/invariants/opened-run.ts';
import type { Approval } from '../../../src/model/approval.ts';
import type { Digest, RunId, WorkerId } from '../../../src/model/ids.ts';
import { withControl, withEffects } from '../support/checked-run.ts';
import {
  OTHER_KEY,
  isUndo,
  isOf,
  done,
  undone,
  undoing,
  doubting,
  resending,
  reading,
  sleeping,
  listening,
  asking,
  allowed,
  cancelling,
  stopped,
  withHead,
  withApproval,
  withInbox,
  withTimers,
  withJournal,
  heldBy,
  keyed,
  secondUndo,
  timerRow,
} from '../support/checked-stories.ts';
import { timerRecord } from '../../../src/store/memory/records.ts';
import { T0 } from '../support/play.ts';

/** What is found, one line each. */
function told(run: CheckedRun, nowMs = T0): readonly string[] {
  return findFaults(run, nowMs).map(
    ({ check, row, what }) => `${check}: ${row.replace(/ [0-9a-f]{64}$/, '')}: ${what}`,
  );
}

describe('the invariants of a story', () => {
  it.each<[string, () => CheckedRun]>([
    ['is done', done],
    ['is undone', undone],
    ['undoes', undoing],
    ['waits for a review', doubting],
    ['waits to send again', resending],
    ['reads', reading],
    ['sleeps', sleeping],
    ['keeps an event', listening],
    ['asks people', asking],
    ['was allowed', allowed],
    ['has a cancel that waits', cancelling],
    ['was terminated in doubt', stopped],
    ['has a key', () => ({ ...keyed(null), startKey: { runId: 'later' as RunId, startNumber: 2, requestHash: '' } })],
    ['is HELD with an approval that is open', () => withHead(asking(), { status: 'HELD' })],
    ['has no wake-up and listens', () => ({ ...listening(), wakeUp: null })],
    ['has no wake-up and waits for a review', () => ({ ...doubting(), wakeUp: null })],
    ['has no wake-up and sleeps', () => ({ ...sleeping(), wakeUp: null })],
    ['is held', () => heldBy(done(), {})],
    ['is held by a worker without a seat', () => heldBy(done(), { seatUntilMs: null })],
  ])('hold of a run that %s', (_name, run) => {
    expect(told(run())).toEqual([]);
  });

  it.each<[string, () => CheckedRun]>([
    // Approvals.
    [
      'approval: approval ok: it is denied, and its votes do not say so',
      () => withApproval(asking(), { state: 'denied', decidedAtMs: T0 }),
    ],
    [
      'approval: approval ok: it is held, and its votes do not say so',
      () => withApproval(asking(), { state: 'held', decidedAtMs: T0 }),
    ],
    [
      'approval: approval ok: it is expired, and its votes do not say so',
      () => withApproval(asking(), { state: 'expired', decidedAtMs: T0, expiresAtMs: null }),
    ],
    [
      'approval: approval ok: it is approved, and its votes do not say so',
      () => withApproval(asking(), { state: 'approved', decidedAtMs: T0 }),
    ],
    ['approval: approval ok: it is open and has a time of decision', () => withApproval(asking(), { decidedAtMs: T0 })],
    [
      'approval: approval ok: it is cancelled and has no time of decision',
      () => withApproval(asking(), { state: 'cancelled' }),
    ],
    ['approval: effect pay: approval ok is denied', () => withApproval(allowed(), { state: 'denied' })],
    ['approval: effect pay: approval ok is not there', () => ({ ...allowed(), approvals: [] })],
    ['approval: effect pay: approval ok was for another request', () => withApproval(allowed(), { authorizes: [] })],
    // Arrivals.
    [
      'arrival: journal 2: cancel person:op/x was never stored in the inbox',
      () => withJournal(done(), 1, { event: { type: 'cancel', id: 'person:op/x', step: null, detail: null } }),
    ],
    [
      'arrival: journal 3: timer w:wait#1 moves the run a second time',
      () => {
        const event = { type: 'timer', id: 'w:wait#1', step: null, detail: null };
        return withJournal(withJournal(done(), 1, { event }), 2, { event });
      },
    ],
    ['its sender was told refused', () => withInbox(stopped(), { outcome: 'refused' })],
    ['its sender was told nothing', () => withInbox(stopped(), { outcome: null })],
    // Compensations.
    [
      'compensation: effect undo of a: it undoes an effect that is not there',
      () => withEffects(undone(), isUndo, { compensates: OTHER_KEY }),
    ],
    [
      'effect-key: effect undo of a: its key is of the undo of another row',
      () => withEffects(undone(), isUndo, { compensates: OTHER_KEY }),
    ],
    [
      'effect-key: effect other: its key is of another run, step or frame',
      () => withEffects(done(), isOf('a'), { step: 'other' }),
    ],
    ['compensation: effect undo of a: the effect was undone before', () => secondUndo('CONFIRMED', 'CONFIRMED')],
    [
      'compensation: effect undo of a: a generation before it is still open',
      () => secondUndo('CONFIRMED', 'AUTHORIZED'),
    ],
    [
      'compensation: effect undo of a: it is of generation 1, and 0 came before',
      () => {
        const run = secondUndo('CONFIRMED', 'FAILED');
        return {
          ...run,
          effects: run.effects.filter((effect) => !isUndo(effect) || effect.ingredients.generation === 1),
        };
      },
    ],
    [
      'compensation: effect undo of b: it is requested, and c is not settled',
      () => withEffects(undoing(), isOf('c'), { state: 'UNKNOWN' }),
    ],
    [
      'compensation: effect undo of a: another undo is under way',
      () => withEffects(undoing(), isUndo, { state: 'AUTHORIZED' }),
    ],
    // Effects and receipts.
    [
      'effect-state: effect a: it is CONFIRMED and has no time of settling',
      () => withEffects(done(), isOf('a'), { settledAtMs: null }),
    ],
    [
      'effect-state: effect a: it counts more attempts than it has',
      () => withEffects(done(), isOf('a'), { resends: 5 }),
    ],
    [
      'receipt-row: effect a: the row names another external id than its receipt',
      () => withEffects(done(), isOf('a'), { externalId: 'other' }),
    ],
    ['receipt-row: receipt 2: it is of effect', () => ({ ...done(), effects: done().effects.filter(isOf('a')) })],
    // What an ended run says.
    [
      'ended: effect b: it is AUTHORIZED, and the run has ended',
      () => withEffects(done(), isOf('b'), { state: 'AUTHORIZED' }),
    ],
    [
      'ended: effect b: it is UNKNOWN, and the run has ended without saying so',
      () => withHead(stopped(), { failure: { unknown: 'b', standing: ['a'] } }),
    ],
    [
      'ended: effect a: it stands in the world, and the ended run does not say so',
      () => withHead(stopped(), { failure: { unknown: ['b'] } }),
    ],
    [
      'ended: head: it says that step x stands in the world, and the ledger does not',
      () => withHead(undone(), { failure: { standing: ['x'] } }),
    ],
    // Inbox.
    [
      'inbox: inbox signal:outside i1: its payload is not the one that was hashed',
      () => withInbox(listening(), { payloadHash: 'x' }),
    ],
    [
      'inbox: inbox timer w:wait#7: its name is not that of its timer and generation',
      () => ({ ...sleeping(), inbox: [timerRow({}, 'w:wait#7')] }),
    ],
    [
      'kept: inbox timer w:wait#2: it fired a generation that was never armed',
      () => ({ ...sleeping(), inbox: [timerRow({ generation: 2 }, 'w:wait#2')] }),
    ],
    [
      'kept: inbox timer w:wait#1: it is kept for nothing',
      () => ({ ...sleeping(), inbox: [timerRow({}, 'w:wait#1', 'kept')] }),
    ],
    [
      'kept: inbox signal:outside i1: it is kept, and the run has ended',
      () => ({ ...done(), inbox: listening().inbox }),
    ],
    ['the run waits with it for the pivot, and its answer is none', () => withInbox(cancelling(), { outcome: null })],
    [
      'the run waits with it for the pivot, and its answer is applied',
      () => withInbox(cancelling(), { outcome: 'applied' }),
    ],
    // Journal and head.
    ['journal: head: it has no first transition', () => withHead({ ...done(), journal: [] }, { revision: 0 })],
    ['journal: journal 2: it is beyond the head', () => withHead(done(), { revision: 1 })],
    ['journal: journal 1: its fence 9 is above the next', () => withJournal(done(), 0, { fence: 9 })],
    ['snapshot: head: it is of revision', () => withHead(done(), { revision: 99 })],
    ['snapshot: head: the stored snapshot is not JSON', () => withHead(done(), { snapshot: '{' })],
    ["snapshot: head: the stored snapshot's format does not fit", () => withHead(done(), { snapshot: 'null' })],
    [
      'status: head: it is FAILED, and its end and its ledger say COMPLETED',
      () => withHead(done(), { status: 'FAILED' }),
    ],
    [
      'status: head: it is COMPLETED, and its position and its ledger say',
      () => withHead(sleeping(), { status: 'COMPLETED', endedAtMs: T0 }),
    ],
    [
      'status: head: its phase is settling, and its position says forward',
      () => withHead(sleeping(), { phase: 'settling' }),
    ],
    ['status: head: it has ended and says not when', () => withHead(done(), { endedAtMs: null })],
    ['status: head: it says when it ended and goes on', () => withHead(sleeping(), { endedAtMs: T0 })],
    // Leases.
    ['lease: head: w1 holds it, and there is no lease', () => withHead(done(), { owner: 'w1' as WorkerId })],
    ['lease: lease w1: the head names nobody as its holder', () => withHead(heldBy(done(), {}), { owner: null })],
    ['lease: lease w2: the head names w1 as its holder', () => heldBy(done(), { workerId: 'w2' as WorkerId })],
    ["lease: lease w1: its fence is 9, the head's", () => heldBy(done(), { fence: 9 })],
    // People.
    [
      'held: head: it is HELD, and there is nothing that a person could act on',
      () => withHead(sleeping(), { status: 'HELD' }),
    ],
    ['held: head: it lists [], and needs [incident:unknown]', () => withHead(doubting(), { needs: [] })],
    ['held: incident unknown:', () => ({ ...doubting(), effects: [] })],
    [
      'held: effect a: people are asked about it, and nothing of it waits for them',
      () => withEffects(doubting(), isOf('a'), { doubt: 'event' }),
    ],
    [
      'held: effect a: it waits for a person, and no incident says so',
      () => withControl(doubting(), { incidents: [] }),
    ],
    // Settlements.
    ['settlement: journal 2: it settles effect', () => ({ ...done(), effects: [] })],
    [
      'settlement: journal 2: it settles step x, and the effect is of a',
      () => {
        const run = done();
        const event = run.journal[1]?.event ?? { type: '', id: '', detail: null };
        return withJournal(run, 1, { event: { ...event, step: 'x' } });
      },
    ],
    [
      'settlement: journal 2: it settles step -, and the effect is of a',
      () => {
        const run = done();
        const event = run.journal[1]?.event ?? { type: '', id: '', detail: null };
        return withJournal(run, 1, { event: { ...event, step: null } });
      },
    ],
    ['it settles an effect that is UNKNOWN in the ledger', () => withEffects(done(), isOf('a'), { state: 'UNKNOWN' })],
    [
      'it tells the machine that the effect succeeded, and the ledger says FAILED',
      () => withEffects(done(), isOf('a'), { state: 'FAILED' }),
    ],
    [
      'it tells the machine that the effect failed, and the ledger says CONFIRMED',
      () => withEffects(undone(), isOf('b'), { state: 'CONFIRMED' }),
    ],
    // Starts.
    ['start-key: start key story O-1: it is missing', () => keyed(null)],
    [
      'start-key: start key story O-1: it names run other, start 1; this is start 1',
      () => keyed({ runId: 'other' as RunId }),
    ],
    ['start-key: start key story O-1: its request is not the one of this run', () => keyed({})],
    ['pin: version story@1: it is not published', () => ({ ...done(), publishedDigest: null })],
    ['pin: version story@1: it has digest x', () => ({ ...done(), publishedDigest: 'x' as Digest })],
    ['pin: version story@1: what is stored of it is not what its digest says', () => ({ ...done(), program: null })],
    // Timers.
    [
      'timer: timer run:deadline: the run has ended',
      () => ({ ...done(), timers: [timerRecord({ name: 'run:deadline', dueAtMs: T0, generation: 1 })] }),
    ],
    [
      'timer: timer run:deadline: forward work is over',
      () => ({ ...undoing(), timers: [timerRecord({ name: 'run:deadline', dueAtMs: T0, generation: 1 })] }),
    ],
    [
      'timer: timer keep:signal:outside/i1: no event is kept under that name',
      () => withInbox(listening(), { outcome: 'applied' }),
    ],
    ['timer: timer gone:wait: step gone is not active', () => withTimers(sleeping(), { name: 'gone:wait' })],
    [
      'timer: timer w:wait: generation 1 has fired already',
      () => ({ ...sleeping(), inbox: [timerRow({}, 'w:wait#1')] }),
    ],
    [
      'timer: timer w:wait: it is of generation 7, the run waits for 1',
      () => withTimers(sleeping(), { generation: 7 }),
    ],
    [
      'timer: timer w:wait: it is of generation 1, the run waits for none',
      () => withControl(sleeping(), { timerGenerations: {} }),
    ],
    ['timer-missing: timer w:wait: step w waits for it', () => ({ ...sleeping(), timers: [] })],
    ['timer-missing: timer e:timeout: step e waits for it', () => ({ ...listening(), timers: [] })],
    ['timer-missing: timer run:deadline: the run waits for it', () => ({ ...listening(), timers: [] })],
    ['timer-missing: timer ok:expires: approval ok waits for it', () => ({ ...asking(), timers: [] })],
    [
      'timer-missing: timer keep:signal:outside/i1: inbox signal:outside i1 waits for it',
      () => ({ ...listening(), timers: [] }),
    ],
    // Wake-ups.
    [
      'wake-up: effect undo of b: it is in flight, and nobody awaits its answer, and the run has no holder',
      () => ({ ...undoing(), wakeUp: null }),
    ],
    [
      'wake-up: effect a: it is UNKNOWN and to be sent, and the run has no holder',
      () => ({ ...resending(), wakeUp: null }),
    ],
    [
      'wake-up: effect a: it is UNKNOWN and to be asked about',
      () => ({ ...withEffects(resending(), isOf('a'), { doubt: 'query', notBeforeMs: null }), wakeUp: null }),
    ],
    ['wake-up: read r: it is to be asked, and the run has no holder', () => ({ ...reading(), wakeUp: null })],
    [
      'wake-up: read r: it is to be asked',
      () => {
        const run = reading();
        const progress = { attempts: 1, firstAtMs: T0, notBeforeMs: null, serial: 1, closed: false };
        return { ...withControl(run, { reads: { r: progress } }), wakeUp: null };
      },
    ],
    [
      'wake-up: head: events of its own wait to be applied',
      () => ({ ...withControl(sleeping(), { pending: [{}] }), wakeUp: null }),
    ],
    [
      'wake-up: inbox signal:outside i1: it waits to be decided',
      () => ({ ...withInbox(listening(), { outcome: null }), wakeUp: null }),
    ],
    [
      'wake-up: wake-up: it is missing: nothing is left that would ever move this run on',
      () => ({ ...withEffects(undoing(), isUndo, { state: 'CONFIRMED' }), wakeUp: null }),
    ],
    [
      'wake-up: wake-up: it is missing',
      () => ({ ...withEffects(resending(), isOf('a'), { state: 'CONFIRMED' }), wakeUp: null }),
    ],
    ['wake-up: wake-up: it is due', () => ({ ...resending(), wakeUp: { dueAtMs: T0 + 3_600_000, wake: 1 } })],
  ])('name what breaks them: %s', (expected, damaged) => {
    expect(told(damaged()).join('\n')).toContain(expected);
  });

  it('name a worker that has long been gone', () => {
    expect(told(heldBy(done(), {}), T0 + 3_600_000)).toContain(
      'lease: lease w1: its worker is gone, and nobody has taken over',
    );
  });

  it.each<[string, Partial<Approval>]>([
    ['expired', { state: 'expired', onExpire: 'deny' }],
    ['held at its expiry', { state: 'held', onExpire: 'hold' }],
    ['approved by its expiry', { state: 'approved', onExpire: 'approve' }],
    ['cancelled', { state: 'cancelled' }],
  ])('let an approval be %s without votes that say so', (_name, patch) => {
    const found = told(withApproval(asking(), { ...patch, decidedAtMs: T0 }));
    expect(found.filter((line) => line.startsWith('approval:'))).toEqual([]);
  });

  it('let a proof that came late contradict what the machine was told, once a receipt says so', () => {
    const run = withEffects(undone(), isOf('b'), { state: 'CONFIRMED' });
    const again = run.receipts.filter(({ effectKey }) =>
      run.effects.some((row) => isOf('b')(row) && row.key === effectKey),
    );
    const found = told({ ...run, receipts: [...run.receipts, ...again] });
    expect(found.filter((line) => line.startsWith('settlement:'))).toEqual([]);
  });

  it('let a person confirm later what was withdrawn without a receipt, and not in the moment in which the machine was told', () => {
    const row = undone().journal.find(({ event }) => event.type === 'effect' && event.step === 'b');
    const settled = (afterMs: number) =>
      told(withEffects(undone(), isOf('b'), { state: 'CONFIRMED', settledAtMs: (row?.atMs ?? 0) + afterMs })).filter(
        (line) => line.startsWith('settlement:'),
      );
    expect(settled(1)).toEqual([]);
    expect(settled(0)).toEqual([expect.stringContaining('the effect failed, and the ledger says CONFIRMED')]);
  });

  it('let a run that was set aside be HELD whatever its position says', () => {
    for (const run of [sleeping(), done()]) {
      const aside = withHead(run, { status: 'HELD', needs: ['incident:poison'], phase: 'forward' });
      expect(told(aside).filter((line) => /^(status|held|wake-up)/.test(line))).toEqual([]);
    }
  });

  it('say nothing of a wake-up where nobody can say what a step waits for', () => {
    expect(told({ ...sleeping(), wakeUp: null, program: null })).toEqual([
      'pin: version story@1: what is stored of it is not what its digest says',
    ]);
  });

  it('let a late proof hold a run that has ended', () => {
    const incident = {
      id: 'x',
      kind: 'late-proof',
      sinceMs: T0,
      step: 'a',
      effectKey: null,
      message: '',
      from: [],
      acts: [],
    } as const;
    const run = withHead(withControl(done(), { incidents: [incident] }), {
      status: 'HELD',
      needs: ['incident:late-proof'],
    });
    expect(told(run)).toEqual([]);
  });
});
