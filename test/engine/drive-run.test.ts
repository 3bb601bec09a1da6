import { describe, expect, it } from 'vitest';
import type { Desk } from '../../src/engine/desk.ts';
import { driveRun, type Hand, settle } from '../../src/engine/drive-run.ts';
import { packSnapshot, snapshotText } from '../../src/decision/snapshot-envelope.ts';
import type { SettledAnswer } from '../../src/engine/commit-runs.ts';
import { StoreError, UnknownOutcomeError } from '../../src/model/errors.ts';
import { numbersFor } from '../../src/model/numbers.ts';
import type { Outcome } from '../../src/model/outcome.ts';
import type { RunCommit } from '../../src/model/run-commit.ts';
import type { StoredRun } from '../../src/ports/store.ts';
import { Play, T0, workflow } from '../decision/support/play.ts';

const ONE = workflow('  - { id: a, call: do.a }');

/** A hand that holds a run for a while, with a commit that takes 700 ms to get its turn. */
function handOf(run: Play, time: { ms: number }): Hand {
  const desk: Desk = {
    part: 0,
    canSend: () => true,
    nowMs: () => T0 + time.ms,
    commit: (commit) => {
      time.ms += 700;
      return Promise.resolve({ kind: 'applied', revision: commit.revision + commit.transitions.length, atMs: 0 });
    },
    gateFor: () => () => true,
    outlet: { ask: () => ({ kind: 'pass', heard: () => undefined }) },
    signal: new AbortController().signal,
    left: () => undefined,
  };
  const engine = {
    clock: { monotonicMs: () => time.ms, sleep: () => Promise.resolve() },
    actions: { missing: () => [] },
    numbers: numbersFor(30_000),
  };
  const version = { compiled: run.compiled, functions: [] };
  return { engine, desk, version, isBusy: () => true, wakeSeen: () => null } as unknown as Hand;
}

describe('one decision of a held run', () => {
  it('E06 a request counts from the database time of its own decision, not of the load before it', async () => {
    // E06: "Quarantine: "not found" counts only when the action says `absent: final` and the database clock is past requestedAt + sendWithin + settlesWithin."
    const run = new Play(ONE, { canSend: false });
    const time = { ms: 60_000 };
    const driven = await driveRun(handOf(run, time), run.state, [{ type: 'due' }]);
    if (driven.kind !== 'kept') throw new Error('it left');
    expect(driven.orders.sends).toHaveLength(1);
    const [effect] = [...driven.state.effects.values()];
    expect(effect).toMatchObject({ state: 'REQUESTED', requestedAtMs: T0 + 60_000, sendByMs: T0 + 65_000 });
  });

  it('E05 the time to send counts from that decision too, however long the commit waited for its turn', async () => {
    // E05: "else the attempt is settled unavailable (not sent), which does not count against `attempts`: back to AUTHORIZED, not before 1 s."
    const run = new Play(ONE, { canSend: false });
    const driven = await driveRun(handOf(run, { ms: 60_000 }), run.state, [{ type: 'due' }]);
    expect(driven).toMatchObject({ kind: 'kept', decidedAtMs: 60_000 });
  });
});

/** The rows of a run as a store has them. */
function storedOf({ state }: Play, patch: Partial<StoredRun> = {}): StoredRun {
  const { run, revision, fence, status, snapshot, control, effects, timers, approvals } = state;
  const text = snapshotText(snapshot);
  return {
    run,
    revision,
    fence,
    owner: null,
    status,
    suspect: false,
    crashes: 0,
    snapshot: packSnapshot({ digest: run.digest, revision, snapshotText: text, control }),
    endedAtMs: null,
    prunedAtMs: null,
    output: undefined,
    failure: undefined,
    effects: [...effects.values()],
    timers: [...timers.values()],
    approvals: [...approvals.values()],
    inbox: [],
    lastReceiptNo: state.lastReceiptNo,
    lastReceiptHash: state.lastReceiptHash,
    ...patch,
  };
}

/** A holder whose commits are answered in this order (the last one again and again), over a store with this row. */
function holderOf(run: Play, answers: readonly SettledAnswer[], stored: StoredRun | null = storedOf(run)) {
  const commits: RunCommit[] = [];
  const observed: unknown[] = [];
  const logged: string[] = [];
  const hand = handOf(run, { ms: 0 });
  const log = (_: unknown, event: string): void => void logged.push(event);
  const engine = {
    ...hand.engine,
    logger: { info: log, warn: log, error: log },
    store: {
      load: () => Promise.resolve({ runs: stored === null ? [] : [stored], nowMs: T0 }),
      observe: (rows: readonly unknown[]) => Promise.resolve(void observed.push(...rows)),
    },
  };
  const desk = {
    ...hand.desk,
    commit: (commit: RunCommit) => {
      commits.push(commit);
      const answer = answers[Math.min(commits.length, answers.length) - 1];
      return Promise.resolve(answer ?? { kind: 'lost' });
    },
  };
  const version = { ...hand.version, stored: { digest: run.state.run.digest } };
  const held = { ...hand, engine, desk, version } as unknown as Hand;
  return { held, commits, observed, logged };
}

const APPLIED: SettledAnswer = { kind: 'applied', revision: 1, atMs: T0 };
const DUE = [{ type: 'due' }] as const;

describe('the answer to a commit of a held run', () => {
  it.each([['busy'], ['stale'], ['conflict']] as const)(
    'P02 %s: it is decided or sent again, and then applied',
    async (kind) => {
      // P02: "Per member: applied, stale, fenced, busy, conflict. One member's fault touches no other."
      const run = new Play(ONE, { canSend: false });
      const first = { kind, revision: 1, effectKey: null } as SettledAnswer;
      const { held, commits } = holderOf(run, [first, APPLIED]);
      const driven = await driveRun(held, run.state, DUE);
      expect([driven.kind, commits.length]).toEqual(['kept', 2]);
    },
  );

  it('P02 stale for ever: the run is let go after a bounded number of reloads, and that is logged', async () => {
    // P02: "Per member: applied, stale, fenced, busy, conflict. One member's fault touches no other."
    const run = new Play(ONE, { canSend: false });
    const { held, commits, logged } = holderOf(run, [{ kind: 'stale', revision: 1 }]);
    expect((await driveRun(held, run.state, DUE)).kind).toBe('left');
    expect([commits.length, logged]).toEqual([9, ['run.let-go']]);
  });

  it.each([['fenced'], ['lost']] as const)('P02 %s: the run has left these hands', async (kind) => {
    // P02: "Per member: applied, stale, fenced, busy, conflict. One member's fault touches no other."
    const run = new Play(ONE, { canSend: false });
    const { held, commits } = holderOf(run, [{ kind, fence: 9 } as SettledAnswer]);
    expect([(await driveRun(held, run.state, DUE)).kind, commits.length]).toEqual(['left', 1]);
  });

  it('P02 a run that is gone, another holder’s, or that does not fit any more is not decided again', async () => {
    // P02: "Per member: applied, stale, fenced, busy, conflict. One member's fault touches no other."
    const run = new Play(ONE, { canSend: false });
    const stale: SettledAnswer = { kind: 'stale', revision: 1 };
    for (const stored of [null, storedOf(run, { fence: 99 }), storedOf(run, { snapshot: '{}' })]) {
      const { held, commits } = holderOf(run, [stale], stored);
      expect([(await driveRun(held, run.state, DUE)).kind, commits.length]).toEqual(['left', 1]);
    }
  });

  it('E08 a run that cannot be read again is let go, and what its holder knows is filed', async () => {
    // E08: "Late answers (fenced worker, webhook, second query) are stored as observations, never overwrite."
    const run = new Play(ONE, { script: { 'do.a': ['hang'] } }).drive();
    const { key } = run.rowOf('a');
    const outcome = { kind: 'unknown', code: 'no-answer', message: 'reset', sent: true } as Outcome;
    const isGone = new StoreError('PAWL_STORE_UNAVAILABLE', 'the connection broke');
    const isLost = new UnknownOutcomeError('PAWL_STORE_ANSWER_LOST', 'the connection broke');
    for (const [answer, error] of [
      [{ kind: 'stale', revision: 9 }, isGone],
      [{ kind: 'stale', revision: 9 }, isLost],
      [{ kind: 'failed', message: 'a constraint' }, isGone],
    ] as const) {
      const { held, observed, logged } = holderOf(run, [answer]);
      const load = () => Promise.reject(error);
      const engine = { ...held.engine, store: { ...held.engine.store, load } };
      const late = { type: 'attempt.settled', effectKey: key, attempt: 1, outcome } as const;
      expect((await driveRun({ ...held, engine }, run.state, [late])).kind).toBe('left');
      expect(observed).toMatchObject([{ effectKey: key, source: 'late-answer' }]);
      expect(logged.slice(-2)).toEqual(['run.let-go', 'effect.late-answer']);
    }
  });

  it('E08 a fault that is ours while it is read is not taken for one of the store', async () => {
    // E08: "Late answers (fenced worker, webhook, second query) are stored as observations, never overwrite."
    const run = new Play(ONE, { canSend: false });
    const { held } = holderOf(run, [{ kind: 'stale', revision: 9 }]);
    const engine = {
      ...held.engine,
      store: { ...held.engine.store, load: () => Promise.reject(new TypeError('bug')) },
    };
    await expect(driveRun({ ...held, engine }, run.state, DUE)).rejects.toThrow('bug');
  });

  it('a commit that the database refuses for good parks the run for a person, loudly', async () => {
    const run = new Play(ONE, { canSend: false });
    const { held, commits, logged } = holderOf(run, [{ kind: 'failed', message: 'a constraint' }, APPLIED]);
    expect((await driveRun(held, run.state, DUE)).kind).toBe('left');
    expect(commits[1]?.head).toMatchObject({ status: 'HELD', needs: ['incident:poison'] });
    expect(logged).toEqual(['run.broken']);
  });

  it('a run that does not fit here any more is parked with its snapshot byte for byte; another holder’s is not touched', async () => {
    const run = new Play(ONE, { canSend: false });
    const failed: SettledAnswer = { kind: 'failed', message: 'a constraint' };
    const misfit = holderOf(run, [failed, APPLIED], storedOf(run, { snapshot: '{}' }));
    await driveRun(misfit.held, run.state, DUE);
    expect(misfit.commits[1]?.head).toMatchObject({ status: 'HELD', snapshot: '{}' });
    const fenced = holderOf(run, [failed], storedOf(run, { fence: 99 }));
    await driveRun(fenced.held, run.state, DUE);
    expect(fenced.commits).toHaveLength(1);
  });

  it('a decision that cannot be made parks the run in the same way', async () => {
    const run = new Play(ONE, { canSend: false });
    const { held, commits } = holderOf(run, [APPLIED]);
    const engine = {
      ...held.engine,
      actions: {
        missing: () => {
          throw new Error('a bug');
        },
      },
    };
    await driveRun({ ...held, engine } as unknown as Hand, run.state, DUE);
    expect(commits[0]?.head).toMatchObject({ status: 'HELD', needs: ['incident:poison'] });
  });

  it('P14 a run that stands before what was decided on it is let go: what its inbox has again is unknown to its holder', async () => {
    // P14: "A changed timeline or system identifier opens recovery mode: nothing but effects with a remembered key is sent until an operator has reconciled the window."
    const run = new Play(ONE, { canSend: false });
    const stored = storedOf(run);
    const ahead = { ...run.state, revision: stored.revision + 1 };
    const { held, commits } = holderOf(run, [{ kind: 'stale', revision: stored.revision }, APPLIED], stored);
    expect((await driveRun(held, ahead, DUE)).kind).toBe('left');
    expect(commits).toHaveLength(1);
  });
});

describe('an answer to a commit', () => {
  /** What is done when a commit decided for revision 3 was applied to a run at revision 2. */
  function settled(more: Partial<RunCommit>) {
    const commit = { runId: 'r', transitions: [], head: null, lease: { kind: 'keep' }, ...more };
    const sent = { decision: { next: { revision: 3 } }, commit, decidedAtMs: T0, answer: APPLIED_AT_2 };
    return settle({} as Hand, {} as Parameters<typeof settle>[1], sent as unknown as Parameters<typeof settle>[2]);
  }
  const APPLIED_AT_2: SettledAnswer = { kind: 'applied', revision: 2, atMs: 0 };

  it('P14 one that moves nothing and met a database that has lost commits has the run looked at again', async () => {
    // P14: "A changed timeline or system identifier opens recovery mode: nothing but effects with a remembered key is sent until an operator has reconciled the window."
    expect(await settled({})).toBe(null);
  });

  it('P02 one that moves the run is never applied elsewhere than it was decided', async () => {
    // P02: "… guards (revision, fence, every row the decision assumed) …"
    const moved = { transitions: [{}] } as unknown as Partial<RunCommit>;
    await expect(settled(moved)).rejects.toThrow('a commit was applied at another revision');
  });
});
