import pg from 'pg';
import { StoreError } from '../../model/errors.ts';
import type { Numbers } from '../../model/numbers.ts';
import { createSockets, type DialOptions, dialOptions, PooledClient, type Sockets } from './dial.ts';
import type { Statement } from './sql/statement.ts';
import { isConnectionLost, storeErrorOf } from './sqlstate.ts';

/** How the store reaches its database. */
export interface ConnectionOptions extends DialOptions {
  /** Most connections of this process, at least 1. */
  readonly connections: number;
  /** `transaction`: statements are unnamed, and nothing is set at start-up (P13); settings belong to the role then. */
  readonly pooler: 'none' | 'transaction';
  readonly numbers: Numbers;
  /** Brings our own server back when nothing listens any more. */
  readonly revive?: () => Promise<void>;
  /** An idle connection broke; the pool replaces it. */
  readonly onBroken?: (error: Error) => void;
  /** As which role, and bound to which tenant, everything here is read; absent: as the user of the address, who also writes. */
  readonly reader?: { readonly role: string; readonly tenant: string };
  /** Looks at each new connection before anything travels on it (P14). @throws what refuses it. */
  readonly admit?: (client: pg.ClientBase) => Promise<void>;
}

/** Which connections a statement travels on: hot ones are planned once, heartbeats queue behind nobody. */
export type Lane = 'write' | 'read' | 'beat';

/** Result rows with numbers for bigint; the caller knows their shape. */
export type Row = Readonly<Record<string, unknown>>;

/** The connections of one store. */
export interface Connections {
  /** @throws PAWL_STORE_* ; the raw error of the server is its cause. */
  run<R = Row>(statement: Statement, values: readonly unknown[], lane?: Lane): Promise<R[]>;
  close(): Promise<void>;
}

/** One connection for the length of a transaction. */
export interface Session {
  /**
   * @param statement.deadlineMs how much longer than the engine's own statements it may go unanswered.
   * @throws PAWL_STORE_*: nothing of the transaction will be there.
   */
  query(
    statement: { readonly text: string; readonly deadlineMs: number },
    values?: readonly unknown[],
  ): Promise<readonly Row[]>;
  /** @throws PAWL_STORE_ANSWER_LOST when nobody knows whether it was done. */
  commit(): Promise<void>;
}

/** Connections for transactions. */
export interface Sessions {
  /** Lends a connection; one on which something was thrown is closed, and the server takes back what was open on it. */
  over<T>(work: (session: Session) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const IDLE_CLOSE_MS = 60_000;
const LIFETIME_SECONDS_MAX = 1_800;
const READ_TIMEOUT_MS = 30_000;
const INT8 = 20;

/** One plan for life, index scans only: generic plans on the values of the first batches go wrong with the tables. */
const PINNED = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
};

/** Fences, revisions and epoch milliseconds stay far below 2^53. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text')) as pg.CustomTypesConfig['getTypeParser'],
};

/** How long the server works on one statement at most, milliseconds. */
function statementTimeoutOf(lane: Lane, numbers: Numbers): number {
  return lane === 'read' ? READ_TIMEOUT_MS : numbers.statementTimeoutMs;
}

/**
 * How long a statement may go unanswered before its connection is given up, milliseconds: the server's own limit and a
 * heartbeat's time for the way there and back. A heartbeat itself must leave time for another one, on another connection,
 * while the seat still lives.
 */
function deadlineOf(lane: Lane, numbers: Numbers): number {
  const deadlineMs = statementTimeoutOf(lane, numbers) + numbers.heartbeatMs;
  return lane === 'beat' ? Math.min(deadlineMs, Math.floor(numbers.leaseMs / 2)) : deadlineMs;
}

function settingsFor(lane: Lane, { numbers, reader }: ConnectionOptions): Readonly<Record<string, string>> {
  return {
    ...(reader === undefined ? {} : { role: reader.role, 'pawl.tenant': reader.tenant }),
    ...(lane === 'read' ? { jit: 'off' } : PINNED),
    synchronous_commit: 'on',
    statement_timeout: String(statementTimeoutOf(lane, numbers)),
    lock_timeout: String(numbers.lockTimeoutMs),
    idle_in_transaction_session_timeout: String(numbers.statementTimeoutMs),
  };
}

function openPool(options: ConnectionOptions, sockets: Sockets, lane: Lane, max: number): pg.Pool {
  const settings = Object.entries(settingsFor(lane, options)).map(
    ([name, value]) => `-c ${name}=${value.replaceAll(/[\\\s]/g, String.raw`\$&`)}`,
  );
  const pool = new pg.Pool({
    ...dialOptions(options),
    Client: PooledClient,
    // Who waits for a free connection waits as long as a statement may: a busy database is no dead one.
    connectionTimeoutMillis: deadlineOf(lane, options.numbers),
    stream: sockets.open,
    max,
    idleTimeoutMillis: IDLE_CLOSE_MS,
    maxLifetimeSeconds: LIFETIME_SECONDS_MAX,
    types: TYPES,
    // The pool waits for it, whatever its types say.
    ...(options.admit === undefined ? {} : { onConnect: options.admit as (client: pg.ClientBase) => void }),
    ...(options.pooler === 'transaction' ? {} : { options: settings.join(' ') }),
  });
  // Without these listeners a broken connection ends the process.
  pool.on('error', (error) => options.onBroken?.(error));
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Which pool serves which lane, by how many connections there are; behind a pooler all are alike. */
function openLanes(options: ConnectionOptions, sockets: Sockets): Readonly<Record<Lane, pg.Pool>> {
  const { connections, pooler, reader } = options;
  if (reader !== undefined) {
    const readers = openPool(options, sockets, 'read', connections);
    return { write: readers, read: readers, beat: readers };
  }
  if (pooler === 'transaction' || connections < 2) {
    const one = openPool(options, sockets, 'write', Math.max(1, connections));
    return { write: one, read: one, beat: one };
  }
  const open = (lane: Lane, max: number): pg.Pool => openPool(options, sockets, lane, max);
  const beat = open('beat', 1);
  if (connections === 2) return { write: open('write', 1), read: beat, beat };
  return { write: open('write', connections - 2), read: open('read', 1), beat };
}

/** What is set for one read alone. Behind a pooler nothing of a connection outlives its transaction: there each has what binds it. */
function setForOne({ pooler, reader }: ConnectionOptions, { timeoutMs }: Statement): readonly string[] {
  const settings = timeoutMs === undefined ? [] : [`SET LOCAL statement_timeout = ${timeoutMs}`];
  if (reader === undefined || pooler !== 'transaction') return settings;
  const { role, tenant } = reader;
  const binding = [
    `SET LOCAL ROLE ${pg.escapeIdentifier(role)}`,
    `SET LOCAL pawl.tenant = ${pg.escapeLiteral(tenant)}`,
  ];
  return [...binding, ...settings];
}

/** A read in a transaction of its own, with what is set for it. */
async function readAlone(
  client: pg.PoolClient,
  settings: readonly string[],
  query: pg.QueryConfig & { readonly query_timeout: number },
): Promise<pg.QueryResult> {
  const { query_timeout } = query;
  await client.query({ text: ['BEGIN READ ONLY', ...settings].join('; '), query_timeout } as pg.QueryConfig);
  const result = await client.query(query);
  await client.query({ text: 'COMMIT', query_timeout } as pg.QueryConfig);
  return result;
}

/** Opens the pools of a store; a connection is made when it is first needed. */
export function openConnections(options: ConnectionOptions): Connections {
  const sockets = createSockets();
  const lanes = openLanes(options, sockets);
  let reviving: Promise<void> | null = null;

  const revive = async (): Promise<void> => {
    reviving ??= (options.revive?.() ?? Promise.resolve()).finally(() => {
      reviving = null;
    });
    await reviving;
  };

  const connect = async (lane: Lane): Promise<pg.PoolClient> => {
    try {
      return await lanes[lane].connect();
    } catch (error) {
      if (options.revive === undefined || !isConnectionLost(error)) throw storeErrorOf(error, 'connecting');
    }
    try {
      await revive();
      return await lanes[lane].connect();
    } catch (error) {
      throw storeErrorOf(error, 'connecting');
    }
  };

  return {
    run: async <R>(
      statement: Statement,
      values: readonly unknown[],
      lane: Lane = statement.hot ? 'write' : 'read',
    ): Promise<R[]> => {
      const client = await connect(lane);
      const query = {
        ...(options.pooler === 'transaction' ? {} : { name: `pawl_${statement.name}` }),
        text: statement.text,
        values: [...values],
        query_timeout: deadlineOf(lane, options.numbers),
      };
      const settings = setForOne(options, statement);
      const isAlone = settings.length > 0;
      try {
        const { rows } = await (isAlone ? readAlone(client, settings, query) : client.query(query));
        client.release();
        return rows as R[];
      } catch (error) {
        // Also after a deadline: an answer that came late would be taken for that of the next statement.
        client.release(isAlone || isConnectionLost(error));
        throw storeErrorOf(error, statement.writes ? 'writing' : 'reading');
      }
    },
    close: async () => {
      await Promise.all([...new Set(Object.values(lanes))].map((pool) => pool.end()));
      sockets.hangUp();
    },
  };
}

function sessionOf(client: pg.PoolClient, numbers: Numbers): Session {
  const limitMs = deadlineOf('write', numbers);
  return {
    query: async ({ text, deadlineMs }, values = []) => {
      try {
        const query = { text, values: [...values], query_timeout: limitMs + deadlineMs };
        return (await client.query<pg.QueryResultRow>(query)).rows;
      } catch (error) {
        throw storeErrorOf(error, 'reading');
      }
    },
    commit: async () => {
      const query = { text: 'COMMIT', query_timeout: limitMs };
      const { command } = await client.query<pg.QueryResultRow>(query).catch((error: unknown) => {
        throw storeErrorOf(error, 'writing');
      });
      if (command !== 'COMMIT')
        throw new StoreError('PAWL_STORE_FAILED', `COMMIT was answered ${command}: nothing was done`);
    },
  };
}

/** Opens connections for transactions, `max` at most. They are closed by whoever opened them. */
export function openSessions(options: ConnectionOptions, max: number): Sessions {
  const sockets = createSockets();
  const pool = openPool(options, sockets, 'write', max);
  return {
    over: async (work) => {
      const client = await pool.connect().catch((error: unknown) => {
        throw storeErrorOf(error, 'connecting');
      });
      let isSound = false;
      try {
        const result = await work(sessionOf(client, options.numbers));
        isSound = true;
        return result;
      } finally {
        client.release(!isSound);
      }
    },
    close: () => pool.end().then(sockets.hangUp),
  };
}
