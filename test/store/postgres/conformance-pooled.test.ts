import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { numbersFor } from '../../../src/model/numbers.ts';
import { storeConformance } from '../../../src/testing/store-conformance.ts';
import { LEASE_MS } from '../../../src/testing/store-conformance/rows.ts';
import { openTestStore, type TestStore } from '../../support/postgres.ts';

/** Roles are the cluster's: this file has its own. */
const ROLE = `s_${randomBytes(6).toString('hex')}`;

let shared: TestStore;
beforeAll(async () => {
  shared = await openTestStore({
    numbers: numbersFor(LEASE_MS),
    statements: { role: ROLE },
    pooler: 'transaction',
    connections: 2,
  });
});
afterAll(() => shared.close());

storeConformance('P13 unnamed statements, nothing pinned, a pool of 2', {
  describe,
  it,
  open: async () => {
    await shared.reset();
    const { store, advance } = shared;
    return { store, advance, again: () => shared.again(), close: () => Promise.resolve() };
  },
});
