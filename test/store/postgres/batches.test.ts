import { describe, expect, it } from 'vitest';
import { commitBatch } from '../../../src/store/postgres/commit-batch.ts';
import type { Connections, Row } from '../../../src/store/postgres/connections.ts';
import { deliverAndClaimOne, deliverBatch } from '../../../src/store/postgres/deliver-batch.ts';
import { storeErrorOf } from '../../../src/store/postgres/sqlstate.ts';
import { LEASE_MS, newRunId, newWorkerId, signalTo, stepOf } from '../../../src/testing/store-conformance/rows.ts';

/** A server that gives these answers one after the other, the last one again and again; a string is an error's code. */
function serverThat(
  ...answers: readonly (readonly Row[] | string)[]
): Connections & { readonly sendings: () => number } {
  let sendings = 0;
  return {
    sendings: () => sendings,
    run: <R>() => {
      const answer = answers[Math.min(sendings, answers.length - 1)] ?? [];
      sendings += 1;
      if (typeof answer !== 'string') return Promise.resolve([...answer] as R[]);
      return Promise.reject(storeErrorOf(Object.assign(new Error('refused'), { code: answer }), 'writing'));
    },
    close: () => Promise.resolve(),
  };
}

describe('Batches that the server does not answer as a whole', () => {
  it('An event that is neither stored nor found is looked at five times, then given back to be delivered again', async () => {
    const signal = signalTo(newRunId(), 'e-1');
    const address = { run_id: signal.runId, source: signal.source, event_id: signal.eventId };
    const invisible = { ...address, ord: 1, exists: true, stored: false, payload_hash: null, now_ms: 1 };
    const raced = { code: 'PAWL_STORE_FAILED', message: expect.stringContaining('deliver it again') };
    const several = serverThat([invisible]);
    await expect(deliverBatch(several, 0, [signal])).rejects.toMatchObject(raced);
    const one = serverThat([invisible]);
    await expect(deliverAndClaimOne(one, signal, newWorkerId(), LEASE_MS)).rejects.toMatchObject(raced);
    expect([several.sendings(), one.sendings()]).toEqual([5, 5]);
  });

  it('P02 a refused batch is sent member by member: each has its own answer, and one that nobody tells is busy', async () => {
    // P02: "The commit statement has four stages, each reading from the one before: lock the heads (sorted, FOR NO KEY UPDATE SKIP LOCKED)."
    const commits = Array.from({ length: 4 }, () => stepOf(newRunId(), 1, 1));
    const applied = { ord: 1, kind: 'applied', revision: 2, fence: 1, effect_key: null, now_ms: 7 };
    const server = serverThat('23514', [applied], '40P01', '22021', []);
    expect(await commitBatch(server, 0, newWorkerId(), commits)).toMatchObject([
      { kind: 'applied', revision: 2, atMs: 7 },
      { kind: 'busy' },
      { kind: 'failed' },
      { kind: 'busy' },
    ]);
  });

  it('P04 a server that goes away between the members leaves the fate of the batch open', async () => {
    // P04: "An answer lost at COMMIT: drop the connection, read back (revision, fence, journal)."
    const commits = [stepOf(newRunId(), 1, 1), stepOf(newRunId(), 1, 1)];
    await expect(commitBatch(serverThat('23514', '57P01'), 0, newWorkerId(), commits)).rejects.toMatchObject({
      code: 'PAWL_STORE_ANSWER_LOST',
    });
  });

  it('P02 a lone member that the server refuses is answered, not thrown; without the server it is thrown', async () => {
    // P02: "One member's fault touches no other."
    const commit = stepOf(newRunId(), 1, 1);
    const once = serverThat('40001');
    expect(await commitBatch(once, 0, newWorkerId(), [commit])).toEqual([{ kind: 'busy' }]);
    expect(once.sendings()).toBe(1);
    await expect(commitBatch(serverThat('57P01'), 0, newWorkerId(), [commit])).rejects.toMatchObject({
      code: 'PAWL_STORE_ANSWER_LOST',
    });
  });
});
