import { fc } from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { finalStatus } from '../../src/decision/run-status.ts';
import { verifyReceipts } from '../../src/decision/receipt.ts';
import { isOpen } from '../../src/decision/effect-lifecycle.ts';
import { isEnd, type ReviewAnswer } from '../../src/model/statuses.ts';
import type { Word } from './support/provider.ts';
import { Play, workflow } from './support/play.ts';

const EVERYTHING = workflow(
  `  - { id: look, call: look.up }
  - { id: a, call: do.a, retry: { attempts: 3, delay: 1s } }
  - id: branch
    choose:
      - when: input.pick
        steps:
          - { id: e, await: item, timeout: 1h, on: [{ event: stop, next: f }], catch: [{ on: [timeout], do: [{ id: c, call: once }] }] }
          - { id: f, call: do.b, on: [{ event: stop, then: cancel }] }
      - else: [{ id: g, wait: 10m }]
    on: [{ event: item, set: { n: 2 } }]
  - { id: ok, approve: 'Go on?', from: ['role:desk'], quorum: 2, denials: 2, expires: 2h, onExpire: hold }
  - { id: d, call: do.c, authorizedBy: ok, onUnknown: review }
  - { id: p, call: ask.it, pivot: true }
  - { id: z, call: do.d }
  - { id: again, wait: 1m, when: 'vars.n == 2', next: ok, maxJumps: 1 }`,
  `  look.up: { function: look-up@1, effect: read }
  once: { function: once@1, idempotency: none, compensate: { call: undo.e, with: { key: =effect.key } } }
  ask.it: { function: ask-it@1, idempotency: none, settlesWithin: 1m, reconcile: { function: ask-it@1, absent: final, every: 1m }, compensate: { call: undo.d, with: { key: =effect.key } } }
timeout: 30d
vars: { n: { type: integer, default: 1 } }
input: { type: object, properties: { pick: { type: boolean } } }
events: { item: { keep: 30m }, stop: {} }`,
);

type Act =
  | { readonly do: 'answer'; readonly word: Word }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'sleep'; readonly ms: number }
  | { readonly do: 'forward' | 'late' }
  | { readonly do: 'crash' | 'cancel' | 'terminate' | 'compensate' | 'batch' | 'sends' }
  | { readonly do: 'signal'; readonly name: string }
  | { readonly do: 'vote'; readonly who: string; readonly yes: boolean }
  | { readonly do: 'retry'; readonly step: string }
  | { readonly do: 'resolve'; readonly as: ReviewAnswer; readonly index: number }
  | { readonly do: 'timer'; readonly index: number; readonly generation: number };

const word = fc.constantFrom<Word>(
  'ok',
  'ok',
  'ok',
  'ok',
  '503',
  '500',
  'declined',
  'lost-done',
  'lost-not-done',
  'unsent',
  'pending',
  'named',
);
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('answer' as const), word }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom('forward' as const, 'forward' as const, 'forward' as const, 'late' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1_000, 60_000, 600_000, 7_200_000) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('sleep' as const), ms: fc.constantFrom(30_000, 3_600_000, 86_400_000) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('crash' as const, 'crash' as const, 'batch' as const, 'sends' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom('cancel' as const, 'terminate' as const, 'compensate' as const, 'cancel' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('signal' as const), name: fc.constantFrom('item', 'stop', 'other') }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('vote' as const),
      who: fc.constantFrom('u1', 'u2', 'u3', 'u4'),
      yes: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('retry' as const),
      step: fc.constantFrom('a', 'ok', 'd', 'p', 'z', 'deadline', 'pin'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('resolve' as const),
      as: fc.constantFrom<ReviewAnswer>('confirmed', 'absent', 'rejected', 'keep-waiting', 'retry', 'undone', 'waived'),
      index: fc.nat(20),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('timer' as const), index: fc.nat(4), generation: fc.nat(3) }) },
);

const ACTIONS = [
  'do.a',
  'do.b',
  'do.c',
  'do.d',
  'once',
  'ask.it',
  'look.up',
  'undo.a',
  'undo.b',
  'undo.c',
  'undo.d',
  'undo.e',
];

/** Everything goes well for a while. */
function goForward(run: Play): void {
  for (const action of ACTIONS) run.provider.says(action, 'ok');
  run.drive();
  run.signal('item', {});
  run.wait(600_000);
  const open = [...run.state.approvals.values()].find((approval) => approval.state === 'open');
  if (open === undefined) return;
  run.vote('u2', 'approve', { approvalId: open.approvalId });
  run.vote('u3', 'approve', { approvalId: open.approvalId });
}

/** An answer that nobody waits for, to some row. */
function answerLate(run: Play): void {
  const row = [...run.state.effects.values()].at(-1);
  if (row !== undefined)
    run.decide([
      { type: 'attempt.settled', effectKey: row.key, attempt: 99, outcome: { ...SETTLED, kind: 'confirmed' } },
    ]);
}

function apply(run: Play, step: Act): void {
  switch (step.do) {
    case 'forward':
      goForward(run);
      return;
    case 'late':
      answerLate(run);
      return;
    case 'answer': {
      for (const action of ACTIONS) run.provider.says(action, step.word);
      const input = run.answerNext();
      if (input !== null) run.decide([input]);
      return;
    }
    case 'wait':
      run.wait(step.ms);
      return;
    case 'sleep':
      run.nowMs += step.ms;
      return;
    case 'crash':
      run.crash();
      return;
    case 'sends':
      run.canSend = !run.canSend;
      return;
    case 'batch':
      run.decide([
        { type: 'due' },
        ...run.dueTimers(),
        { type: 'inbox', event: run.signalRow('item') },
        { type: 'inbox', event: run.signalRow('stop') },
        { type: 'read.settled', step: 'look', attempt: 1, outcome: { ...SETTLED, kind: 'confirmed' } },
      ]);
      return;
    case 'cancel':
      run.cancel();
      return;
    case 'terminate':
      run.terminate();
      return;
    case 'compensate':
      run.compensate();
      return;
    case 'signal':
      run.signal(step.name, { n: 1 });
      return;
    case 'vote':
      run.vote(step.who, step.yes ? 'approve' : 'deny', {
        approvalId: run.state.approvals.has('ok.v1') ? 'ok.v1' : 'ok',
      });
      return;
    case 'retry':
      run.retry(step.step);
      return;
    case 'timer': {
      const timer = [...run.state.timers.values()][step.index];
      const payload = {
        type: 'timer',
        name: timer?.name ?? 'e:timeout',
        generation: step.generation,
        dueAtMs: run.nowMs,
      } as const;
      run.deliver(run.row('timer', `r${run.commits.length}`, payload));
      return;
    }
    case 'resolve': {
      const rows = [...run.state.effects.values()];
      const row = rows[step.index % Math.max(rows.length, 1)];
      if (row !== undefined) run.resolve(row, step.as, { output: {} });
      return;
    }
  }
}

const SETTLED = {
  code: null,
  message: '',
  output: {},
  named: false,
  retryAfterMs: null,
  externalId: null,
  resultBase64: '',
  sent: true,
} as const;

/** What holds after every act, whatever came before. The store's own guards are checked at every commit by the harness. */
function check(run: Play): void {
  const rows = [...run.state.effects.values()];
  const undoing = rows.filter(
    (row) =>
      row.compensates !== null && (row.state === 'AUTHORIZED' || row.state === 'REQUESTED' || row.state === 'UNKNOWN'),
  );
  expect(undoing.length).toBeLessThanOrEqual(1);
  for (const row of rows) {
    if (row.compensates === null || row.state === 'PROPOSED' || row.state === 'CANCELLED') continue;
    expect(run.state.effects.get(row.compensates)?.state).toBe('CONFIRMED');
  }
  if (undoing.length > 0) expect(rows.some((row) => row.compensates === null && isOpen(row.state))).toBe(false);
  expect(verifyReceipts({ runId: run.state.run.runId, receipts: run.stored.receipts, effects: rows })).toEqual([]);
  const { ending } = run.state.snapshot.data;
  if (isEnd(run.state.status) && ending !== null) expect(finalStatus(ending, rows)).toBe(run.state.status);
  if (run.state.phase === 'ended' && ending?.kind !== 'terminated')
    expect(rows.filter((row) => isOpen(row.state))).toEqual([]);
}

describe('decide', () => {
  it('never throws, never makes an illegal move of the ledger, and its next state is what a reload of its commits gives', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.array(act, { minLength: 5, maxLength: 40 }), (pick, acts) => {
        const run = new Play(EVERYTHING, { input: { pick } });
        for (const step of acts) {
          apply(run, step);
          check(run);
        }
      }),
      { numRuns: 60 },
    );
  }, 120_000);

  it('is a function: the same state and inputs give the same commit', () => {
    const [first, second] = [0, 1].map(() => {
      const run = new Play(EVERYTHING, {
        input: { pick: true },
        script: { 'do.a': ['503', 'ok'], once: ['lost-done'] },
      }).drive();
      run.signal('stop');
      run.wait('2h');
      return JSON.stringify(run.commits);
    });
    expect(first).toBe(second);
  });
});
