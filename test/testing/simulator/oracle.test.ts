import { describe, expect, it } from 'vitest';
import { packSnapshot } from '../../../src/decision/snapshot-envelope.ts';
import type { Json } from '../../../src/model/json.ts';
import type { EffectState, RunStatus } from '../../../src/model/statuses.ts';
import type { StoredRun } from '../../../src/ports/store.ts';
import { type Evidence, judgeRun } from '../../../src/testing/simulator/oracle.ts';

const REQUEST = JSON.stringify({ body: { no: 'O-1' } });
const ROW = { key: 'k1', step: 'pay', action: 'do.pay', state: 'PROPOSED', compensates: null, request: REQUEST };

/** The one row of a run, whose act is in the book. */
interface Told {
  readonly status: RunStatus;
  readonly state?: EffectState;
  /** The row is older than what a database has lost; a run with such a row is. */
  readonly isForgotten?: boolean;
  readonly hasLost?: boolean;
  /** What the book says was asked for. */
  readonly words?: Json;
  /** A process has heard that it happened and filed that at this time; the row is in doubt since 5, and a person is asked. */
  readonly provedAtMs?: number;
  /** Why the row is in doubt. */
  readonly code?: string;
}

const ASKED = { id: 'unknown:k1', kind: 'unknown', effectKey: 'k1' };

/** What is found where the book has an act. */
async function judged(told: Told): Promise<readonly string[]> {
  const { status, state = 'PROPOSED', isForgotten = false, hasLost = false, words = { no: 'O-1' } } = told;
  const { provedAtMs = null, code = null } = told;
  const proofs = provedAtMs === null ? [] : [{ payload: { type: 'proof', effectKey: 'k1' }, receivedAtMs: provedAtMs }];
  const snapshot = packSnapshot({
    digest: 'd1',
    revision: 1,
    snapshotText: '{}',
    control: { incidents: proofs.length === 0 ? [] : [ASKED] },
  } as unknown as Parameters<typeof packSnapshot>[0]);
  const effects = [{ ...ROW, state, code, unknownSinceMs: 5 }];
  const run = { part: 0, runId: 'r1', digest: 'd1' };
  const stored = { run, status, prunedAtMs: null, effects, snapshot } as unknown as StoredRun;
  const nothing = async (): Promise<readonly never[]> => [];
  const evidence = {
    all: [stored],
    provider: { entriesOf: () => [{ effect: 'k1', request: words }] },
    store: { journal: nothing, observations: nothing, receipts: nothing, inbox: async () => proofs },
    hearsay: { of: () => proofs.map(() => ({ runId: 'r1', key: 'k1', atMs: 4 })) },
    host: { loss: () => null, forgotten: () => (isForgotten ? ROW : null), hasLost: () => hasLost },
    misjudged: new Set(),
    kindOf: () => 'lookup',
  } as unknown as Evidence;
  return (await judgeRun(stored, evidence)).map(({ rule }) => rule);
}

describe('what the oracle says of an act that no row knows to be sent', () => {
  it('It is unasked, wherever its run stands', async () => {
    expect(await judged({ status: 'HELD' })).toEqual(['unasked']);
    expect(await judged({ status: 'COMPLETED' })).toEqual(['unasked']);
  });

  it('What a database has lost waits to be doubted while its run waits, and is unasked once the run has ended without', async () => {
    expect(await judged({ status: 'HELD', isForgotten: true })).toEqual([]);
    expect(await judged({ status: 'COMPLETED', isForgotten: true })).toEqual(['unasked']);
  });
});

describe('what the oracle says of an act whose row says that it did not happen', () => {
  it('It is denied', async () => {
    expect(await judged({ status: 'FAILED', state: 'FAILED' })).toEqual(['denied']);
    expect(await judged({ status: 'FAILED', state: 'FAILED', words: { no: 'O-2' } })).toEqual(['denied']);
    expect(await judged({ status: 'FAILED', state: 'FAILED', hasLost: true })).toEqual(['denied']);
  });

  it('A run that is lost had asked for it in other words: these were refused, and did not happen', async () => {
    expect(await judged({ status: 'FAILED', state: 'FAILED', hasLost: true, words: { no: 'O-2' } })).toEqual([]);
  });
});

describe('what the oracle says of a proof that a process has heard and filed', () => {
  it('It is unheard while its row is in doubt: it would have settled it', async () => {
    expect(await judged({ status: 'HELD', state: 'UNKNOWN', provedAtMs: 4 })).toEqual(['unheard']);
    expect(await judged({ status: 'HELD', state: 'UNKNOWN', code: 'forgotten', provedAtMs: 6 })).toEqual(['unheard']);
  });

  it('Of what recovery mode held back it is the word that puts it in doubt, and a person is asked (P14)', async () => {
    expect(await judged({ status: 'HELD', state: 'UNKNOWN', code: 'forgotten', provedAtMs: 4 })).toEqual([]);
  });
});
