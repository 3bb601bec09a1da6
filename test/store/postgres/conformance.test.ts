import { afterAll, beforeAll, describe, it } from 'vitest';
import { storeConformance } from '../../../src/testing/store-conformance.ts';
import { LEASE_MS } from '../../../src/testing/store-conformance/rows.ts';
import { numbersFor } from '../../../src/model/numbers.ts';
import { openTestStore, type TestStore } from '../../support/postgres.ts';

let shared: TestStore;
beforeAll(async () => {
  shared = await openTestStore({ numbers: numbersFor(LEASE_MS) });
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
