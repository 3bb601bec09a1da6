import { describe, it } from 'vitest';
import { openMemoryStore } from '../../../src/store/memory/memory-store.ts';
import { storeConformance } from '../../../src/testing/store-conformance.ts';
import { LEASE_MS } from '../../../src/testing/store-conformance/rows.ts';

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
    const store = openMemoryStore({ clock, parts: 4, leaseMs: LEASE_MS });
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
