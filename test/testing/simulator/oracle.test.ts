import { describe, expect, it } from 'vitest';
import type { RunStatus } from '../../../src/model/statuses.ts';
import type { StoredRun } from '../../../src/ports/store.ts';
import { type Evidence, judgeRun } from '../../../src/testing/simulator/oracle.ts';

const ROW = { key: 'k1', step: 'pay', action: 'do.pay', state: 'PROPOSED', compensates: null };

/** What is found where the book has an act that the row of its run does not know to be sent. */
async function judged(status: RunStatus, isForgotten: boolean): Promise<readonly string[]> {
  const stored = { run: { part: 0, runId: 'r1' }, status, prunedAtMs: null, effects: [ROW] } as unknown as StoredRun;
  const nothing = async (): Promise<readonly never[]> => [];
  const evidence = {
    all: [stored],
    provider: { entriesOf: () => [{ effect: 'k1' }] },
    store: { journal: nothing, observations: nothing, receipts: nothing, inbox: nothing },
    hearsay: { of: () => [] },
    host: { loss: () => null, forgotten: () => (isForgotten ? ROW : null), hasLost: () => false },
    misjudged: new Set(),
    kindOf: () => 'lookup',
  } as unknown as Evidence;
  return (await judgeRun(stored, evidence)).map(({ rule }) => rule);
}

describe('what the oracle says of an act that no row knows to be sent', () => {
  it('It is unasked, wherever its run stands', async () => {
    expect(await judged('HELD', false)).toEqual(['unasked']);
    expect(await judged('COMPLETED', false)).toEqual(['unasked']);
  });

  it('What a database has lost waits to be doubted while its run waits, and is unasked once the run has ended without', async () => {
    expect(await judged('HELD', true)).toEqual([]);
    expect(await judged('COMPLETED', true)).toEqual(['unasked']);
  });
});
