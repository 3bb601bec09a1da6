import type { PostgresStoreOptions } from '../../../src/store/postgres/postgres-store.ts';
import { findFaketime } from '../../support/faketime.ts';
import { findPgbouncer, startPgbouncer } from '../../support/pgbouncer.ts';

/** What is different in a world once it is open. */
export interface OpenWorld {
  /** How a store of this world reaches a database. @param url its address without detours. */
  storeOf(url: string): Pick<PostgresStoreOptions, 'url' | 'pooler' | 'connections' | 'hintsUrl'>;
  /** The environments of worker processes, one after the other; null = workers live in the test's own process. */
  readonly workers: readonly Readonly<Record<string, string>>[] | null;
  close(): Promise<void>;
}

/** A way in which somebody's database or clock differs from ours. */
export interface World {
  readonly name: string;
  /** What is missing on this system, and how it comes; null = nothing. */
  readonly lacks: string | null;
  /** @param server address of the server that all databases are on. */
  open(server: string): Promise<OpenWorld>;
}

const HOW = 'scripts/install-variant-tools.sh installs it on Debian';
const program = findPgbouncer();
const shift = findFaketime();
const nothing = (): Promise<void> => Promise.resolve();

/** Every world that the suite is played in. */
export const WORLDS: readonly World[] = [
  {
    name: 'behind pgbouncer in transaction mode',
    lacks: program === null ? `there is no pgbouncer; ${HOW}` : null,
    open: async (server) => {
      const pooler = await startPgbouncer(program ?? '', server);
      return {
        storeOf: (url) => ({ url: pooler.over(url), pooler: 'transaction' }),
        workers: null,
        close: () => pooler.close(),
      };
    },
  },
  {
    name: 'without hints',
    lacks: null,
    open: () => Promise.resolve({ storeOf: (url) => ({ url, hintsUrl: null }), workers: null, close: nothing }),
  },
  {
    name: 'with two connections a process',
    lacks: null,
    open: () => Promise.resolve({ storeOf: (url) => ({ url, connections: 2 }), workers: null, close: nothing }),
  },
  {
    name: 'with one worker an hour ahead and one an hour behind',
    lacks: shift === null ? `there is no libfaketime that shifts the clock of Node; ${HOW}` : null,
    open: () =>
      Promise.resolve({
        storeOf: (url) => ({ url }),
        workers: [1, -1].map((hours) => shift?.(hours) ?? {}),
        close: nothing,
      }),
  },
];
