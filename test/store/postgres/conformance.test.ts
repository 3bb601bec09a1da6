import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { storeConformance } from '../../../src/testing/store-conformance.ts';
import { LEASE_MS } from '../../../src/testing/store-conformance/rows.ts';
import { numbersFor } from '../../../src/model/numbers.ts';
import { openTestStore, type TestStore } from '../../support/postgres.ts';

/** Roles are the cluster's: this file has its own. */
const ROLE = `s_${randomBytes(6).toString('hex')}`;

let shared: TestStore;
beforeAll(async () => {
  shared = await openTestStore({ numbers: numbersFor(LEASE_MS), statements: { role: ROLE } });
});
afterAll(() => shared.close());

storeConformance('PostgreSQL', {
  describe,
  it,
  open: async () => {
    await shared.reset();
    const { store, advance } = shared;
    return { store, advance, again: () => shared.again(), close: () => Promise.resolve() };
  },
});
