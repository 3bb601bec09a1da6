import { describe, it } from 'vitest';
import type { StatementScript } from '../../../src/store/memory/act.ts';
import { openMemoryStore } from '../../../src/store/memory/memory-store.ts';
import { storeConformance } from '../../../src/testing/store-conformance.ts';
import { answered } from '../../../src/testing/simulator/answered.ts';
import { GIVEN_BACK } from '../../../src/testing/store-conformance/acts.ts';
import { LEASE_MS } from '../../../src/testing/store-conformance/rows.ts';

/** The one statement that the suite asks for, as a database answers it. */
const statements: StatementScript = async ({ request, contract: { transport } }) => {
  if (transport.kind !== 'sql' || transport.statement !== GIVEN_BACK) throw new Error('another statement');
  return { report: answered(null, { rows: [request.with], rowCount: 1 }) };
};

storeConformance('Memory', {
  describe,
  it,
  open: async () => {
    let nowMs = 1_800_000_000_000;
    const clock = {
      nowMs: () => {
        nowMs += 1;
        return nowMs;
      },
    };
    const store = openMemoryStore({ clock, parts: 4, leaseMs: LEASE_MS, statements });
    return {
      store,
      again: async () => store,
      advance: async (ms) => {
        nowMs += ms;
      },
      close: () => store.close(),
    };
  },
});
