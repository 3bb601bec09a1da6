import type { Store } from '../../ports/store.ts';

/** A store under test, empty, with a database clock that the test can step. */
export interface OpenedStore {
  readonly store: Store;
  /** Another store on the same rows, as another process would open it. */
  again(): Promise<Store>;
  /** Steps the store's time forward (or back), milliseconds; it runs on from there. */
  advance(ms: number): Promise<void>;
  close(): Promise<void>;
}

/** What a test framework and a kind of store bring to the suite. */
export interface ConformanceHarness {
  describe(name: string, body: () => void): void;
  it(name: string, body: () => Promise<void>): void;
  open(): Promise<OpenedStore>;
}

/** One rule's test: gets an empty store, which is closed after it. */
export type StoreTest = (opened: OpenedStore) => Promise<void>;

/** Registers a test that gets a store of its own. */
export function testWith(harness: ConformanceHarness): (name: string, body: StoreTest) => void {
  return (name, body) => {
    harness.it(name, async () => {
      const opened = await harness.open();
      try {
        await body(opened);
      } finally {
        await opened.close();
      }
    });
  };
}
