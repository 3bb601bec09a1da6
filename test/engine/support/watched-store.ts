import type { Store } from '../../../src/ports/store.ts';

/** The verbs of a store, by name. */
export type StoreVerb = {
  [Key in keyof Store]-?: NonNullable<Store[Key]> extends (...args: never[]) => unknown ? Key : never;
}[keyof Store];

/** One call that came through. */
export interface StoreCall {
  readonly verb: StoreVerb;
  readonly args: readonly unknown[];
  readonly result: unknown;
}

/** What a test does to calls on their way: runs before or instead of the store, and sees what came back. */
export interface StoreHooks {
  /** Called with the verb and what would run it; may run it, run it and lose the answer, or not run it. */
  around?(verb: StoreVerb, args: readonly unknown[], run: () => Promise<unknown>): Promise<unknown>;
}

/** A store whose calls a test can see, count, wait for and break. */
export interface WatchedStore {
  readonly store: Store;
  /** Calls that were answered, in the order of their answers. */
  readonly calls: readonly StoreCall[];
  hooks: StoreHooks;
  /** Resolves after the next answered call. */
  next(): Promise<void>;
  /** Writing transactions so far: starts, commits, deliveries, and claims, firings, sweeps and disowns that changed something. */
  writes(): readonly StoreCall[];
}

function changed(call: StoreCall): boolean {
  switch (call.verb) {
    case 'start':
    case 'commit':
    case 'act':
    case 'deliver':
    case 'deliverAndClaim':
    case 'observe':
      return true;
    case 'claim':
    case 'sweep':
      return (call.result as readonly unknown[]).length > 0;
    case 'claimRun':
      return call.result !== null;
    case 'fireTimers':
    case 'disown':
      return (call.result as number) > 0;
    default:
      return false;
  }
}

/** Puts a window into a store. */
export function watchStore(inner: Store): WatchedStore {
  const calls: StoreCall[] = [];
  let waiting: (() => void)[] = [];
  const watched: WatchedStore & { hooks: StoreHooks } = {
    calls,
    hooks: {},
    store: inner,
    next: () => new Promise((resolve) => waiting.push(resolve)),
    writes: () => calls.filter(changed),
  };
  const intercept = async (verb: StoreVerb, args: readonly unknown[]): Promise<unknown> => {
    const method = inner[verb] as unknown as (...given: readonly unknown[]) => Promise<unknown>;
    const run = (): Promise<unknown> => method.apply(inner, args as unknown[]);
    const { around } = watched.hooks;
    try {
      const result = around === undefined ? await run() : await around(verb, args, run);
      calls.push({ verb, args, result });
      return result;
    } finally {
      const told = waiting;
      waiting = [];
      for (const resolve of told) resolve();
    }
  };
  const store = new Proxy(inner, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? (...args: readonly unknown[]) => intercept(key as StoreVerb, args) : value;
    },
  });
  return Object.assign(watched, { store });
}
