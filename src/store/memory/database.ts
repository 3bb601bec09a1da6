import { StoreError } from '../../model/errors.ts';
import type { RunId } from '../../model/ids.ts';
import type { Delivery, DeliveryAnswer } from '../../ports/store.ts';
import { noChanges } from './changes.ts';
import { storeDeliveries, wakesOf } from './deliver.ts';
import { copyOf, keyOf, type OpenDelivery, type Statement, type Tables } from './tables.ts';
import { WaitsForDelivery } from './wake-ups.ts';

/** The database's clock, whole milliseconds; it may differ from every worker's. */
export interface DatabaseClock {
  nowMs(): number;
}

/** A delivery whose statement has run and whose transaction is open: others do not see its rows, its wake-ups are locked. */
export interface BegunDelivery {
  commit(): Promise<readonly DeliveryAnswer[]>;
  /** Takes it back, as a lost connection does. */
  abort(): void;
}

/** Runs statements: each reads the clock once, sees all tables, changes a copy, and takes effect at once or not at all. */
export interface Database {
  read<T>(query: (statement: Statement) => T): T;
  /** Done again, from its beginning, when an open delivery that it had to wait for has ended. */
  write<T>(change: (statement: Statement) => T): Promise<T>;
  begin(part: number, deliveries: readonly Delivery[]): Promise<BegunDelivery>;
  /** From now on it has these rows and no others; what is open breaks. */
  restore(rows: Tables): void;
}

async function whenFree<T>(attempt: () => T): Promise<T> {
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!(error instanceof WaitsForDelivery)) throw error;
      await error.ended;
    }
  }
}

/** A promise and what resolves it. */
function signal(): { readonly given: Promise<void>; readonly give: () => void } {
  let give: () => void = () => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

/** An empty database. */
export function createDatabase(clock: DatabaseClock): Database {
  let tables: Tables = {
    versions: new Map(),
    runs: new Map(),
    seats: new Map(),
    startKeys: new Map(),
    locks: new Map(),
    shares: new Map(),
    queues: new Map(),
    places: new Map(),
    schedules: new Map(),
    deprecations: new Map(),
    pauses: new Map(),
    keys: new Map(),
    batches: new Map(),
    changes: noChanges(),
    acts: new Map(),
  };
  const open = new Map<RunId, OpenDelivery>();
  let restores = 0;

  const run = <T>(nowMs: number, change: (statement: Statement) => T): T => {
    const copy = copyOf(tables);
    const answer = change({ ...copy, open, nowMs });
    tables = copy;
    return answer;
  };

  const begin = (part: number, deliveries: readonly Delivery[]): BegunDelivery => {
    const nowMs = clock.nowMs();
    const wakes = wakesOf({ ...tables, open, nowMs }, part, deliveries);
    const { given: ended, give: tellEnded } = signal();
    const restoresBefore = restores;
    const events = new Set(deliveries.map(({ source, eventId }) => keyOf(source, eventId)));
    for (const runId of wakes) open.set(runId, { locks: tables.runs.get(runId)?.wakeUp !== null, events, ended });
    const end = (): void => {
      for (const runId of wakes) open.delete(runId);
      tellEnded();
    };
    return {
      commit: async () => {
        end();
        if (restores > restoresBefore) throw new StoreError('PAWL_STORE_UNAVAILABLE', 'the database was restored');
        return run(nowMs, (statement) => storeDeliveries(statement, part, deliveries, wakes));
      },
      abort: end,
    };
  };

  return {
    read: (query) => query({ ...tables, open, nowMs: clock.nowMs() }),
    write: (change) => whenFree(() => run(clock.nowMs(), change)),
    begin: (part, deliveries) => whenFree(() => begin(part, deliveries)),
    restore: (rows) => {
      restores += 1;
      tables = copyOf(rows);
    },
  };
}
