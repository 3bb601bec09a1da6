import net from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { numbersFor } from '../../../src/model/numbers.ts';
import { type ConnectionOptions, openConnections } from '../../../src/store/postgres/connections.ts';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { storeErrorOf } from '../../../src/store/postgres/sqlstate.ts';
import { LEASE_MS, loadOne, seated, startOneHeld, stepOf } from '../../../src/testing/store-conformance/rows.ts';
import { openTestStore, runSql, type TestStore } from '../../support/postgres.ts';

const SLEEP = { name: 'sleep', hot: true, writes: true, text: 'SELECT pg_sleep($1)' } as const;
const SETTINGS = {
  name: 'settings',
  hot: true,
  writes: false,
  text: `SELECT current_setting('synchronous_commit') AS durable, current_setting('enable_seqscan') AS scans, current_setting('plan_cache_mode') AS plans,
                current_setting('lock_timeout') AS locks, (SELECT count(*) FROM pg_prepared_statements) AS named`,
} as const;

let opened: TestStore;
beforeEach(async () => {
  opened = await openTestStore({ numbers: numbersFor(LEASE_MS) });
});
afterEach(() => opened.close());

function optionsFor(set: Partial<ConnectionOptions> = {}): ConnectionOptions {
  return {
    url: opened.url,
    connections: 3,
    pooler: 'none',
    applicationName: 'test-connections',
    numbers: numbersFor(LEASE_MS),
    ...set,
  };
}

async function killBackends(name: string): Promise<void> {
  await runSql(
    opened.url,
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 AND pid <> pg_backend_pid()',
    [name],
  );
}

/** A wire to the server that can drop the answers of one direction: what was sent arrives, the reply never comes back. */
async function openDroppingWire(): Promise<{ url: string; dropAnswers(): void; close(): Promise<void> }> {
  const to = new URL(opened.url);
  const socket = `${to.searchParams.get('host')}/.s.PGSQL.${to.searchParams.get('port')}`;
  const pairs = new Set<{ near: net.Socket; far: net.Socket }>();
  let dropping = false;
  const server = net.createServer((near) => {
    const far = net.connect(socket);
    const pair = { near, far };
    pairs.add(pair);
    near
      .on('error', () => undefined)
      .on('data', (bytes) => far.write(bytes))
      .on('close', () => far.end());
    far.on('error', () => undefined).on('close', () => near.destroy());
    // The reply itself shows that the statement was executed: it is dropped, then the wire is cut.
    far.on('data', (bytes) => (dropping ? near.destroy() : near.write(bytes)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  return {
    url: `postgresql://pawl@127.0.0.1:${port}${to.pathname}`,
    dropAnswers: () => {
      dropping = true;
    },
    close: async () => {
      for (const { near, far } of pairs) {
        near.destroy();
        far.destroy();
      }
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('Connections', () => {
  it('P14 a writer commits durably and plans once; a reader plans freely', async () => {
    // P14: "… A changed timeline or system identifier opens recovery mode …"
    const direct = openConnections(optionsFor());
    const [first, second] = [await direct.run(SETTINGS, []), await direct.run(SETTINGS, [])];
    expect(first[0]).toMatchObject({ durable: 'on', scans: 'off', plans: 'force_generic_plan', locks: '1s' });
    expect(second[0]).toMatchObject({ named: 1 });
    expect((await direct.run(SETTINGS, [], 'read'))[0]).toMatchObject({ durable: 'on', scans: 'on' });
    await direct.close();
  });

  it('P13 behind a pooler nothing is set at start-up and no statement has a name', async () => {
    // P13: "Right behind a transaction-mode pooler (no pinning, unnamed statements), without LISTEN/NOTIFY, with a pool of 2."
    const pooled = openConnections(optionsFor({ pooler: 'transaction', connections: 2 }));
    await pooled.run(SETTINGS, []);
    expect((await pooled.run(SETTINGS, []))[0]).toMatchObject({ scans: 'on', locks: '0', named: 0 });
    await pooled.close();
  });

  it('P14 behind a pooler a role whose commits may be lost is refused', async () => {
    // P14: "… A changed timeline or system identifier opens recovery mode …"
    await runSql(opened.url, `ALTER DATABASE ${new URL(opened.url).pathname.slice(1)} SET synchronous_commit = off`);
    await expect(openPostgresStore({ url: opened.url, pooler: 'transaction' })).rejects.toMatchObject({
      code: 'PAWL_CONFIG_INVALID',
    });
    const direct = await openPostgresStore({ url: opened.url });
    await direct.close();
  });

  it('P04 a commit whose answer is lost is reported as such, is there exactly once, and the trace shows it', async () => {
    // P04: "An answer lost at COMMIT: drop the connection, read back (revision, fence, journal)."
    const wire = await openDroppingWire();
    const store = await openPostgresStore({ url: wire.url, numbers: numbersFor(LEASE_MS), connections: 1 });
    const worker = await seated(store);
    const runId = await startOneHeld(store, worker);
    const commit = stepOf(runId, 1, 1);
    wire.dropAnswers();
    await expect(store.commit(0, worker, [commit])).rejects.toMatchObject({
      code: 'PAWL_STORE_ANSWER_LOST',
      retry: 'reconcile',
    });
    await wire.close();
    await store.close();
    const [trace] = await opened.store.trace(0, [{ runId, revision: 2 }]);
    expect(trace).toMatchObject({
      revision: 2,
      fence: 1,
      journal: { fence: 1, workerId: worker, stateHash: commit.transitions[0]?.stateHash },
    });
    expect((await loadOne(opened.store, runId)).revision).toBe(2);
  });

  it('An idle connection that breaks is told, replaced, and ends no process', async () => {
    const broken: string[] = [];
    const connections = openConnections(optionsFor({ onBroken: (error) => broken.push(error.message) }));
    await connections.run(SETTINGS, []);
    await killBackends('test-connections');
    await expect.poll(() => broken.length, { interval: 5 }).toBe(1);
    expect((await connections.run(SETTINGS, []))[0]).toMatchObject({ durable: 'on' });
    await connections.close();
  });

  it('A server that goes away under a statement leaves its fate open when it writes, and only unavailable when it reads', async () => {
    const connections = openConnections(optionsFor());
    const during = async (statement: Parameters<typeof connections.run>[0]): Promise<unknown> => {
      const running = connections.run(statement, [30]).catch((error: unknown) => error);
      await expect
        .poll(
          () =>
            runSql(
              opened.url,
              "SELECT 1 FROM pg_stat_activity WHERE application_name = 'test-connections' AND wait_event = 'PgSleep'",
            ),
          { interval: 5 },
        )
        .toHaveLength(1);
      await killBackends('test-connections');
      return running;
    };
    expect(await during(SLEEP)).toMatchObject({ code: 'PAWL_STORE_ANSWER_LOST' });
    expect(await during({ ...SLEEP, name: 'sleep_read', writes: false })).toMatchObject({
      code: 'PAWL_STORE_UNAVAILABLE',
    });
    await connections.close();
  });

  it('A statement that takes too long, or waits too long for a lock, did nothing and may be tried later; the connection stays good', async () => {
    const connections = openConnections(
      optionsFor({ connections: 1, numbers: numbersFor(LEASE_MS, { statementTimeoutMs: 50 }) }),
    );
    await expect(connections.run(SLEEP, [30])).rejects.toMatchObject({
      code: 'PAWL_STORE_UNAVAILABLE',
      retry: 'later',
      details: { sqlstate: '57014' },
    });
    expect((await connections.run(SETTINGS, []))[0]).toMatchObject({ durable: 'on' });
    await connections.close();
  });

  it('A read with a limit of its own has it from the server, alone: behind a pooler and without', async () => {
    const limit = { ...SETTINGS, hot: false, text: "SELECT current_setting('statement_timeout') AS at_most" };
    for (const pooler of ['none', 'transaction'] as const) {
      const connections = openConnections(optionsFor({ pooler, connections: 1 }));
      const [before] = await connections.run(limit, []);
      expect(await connections.run({ ...limit, name: 'limited', timeoutMs: 1_234 }, [])).toEqual([
        { at_most: '1234ms' },
      ]);
      const slow = { ...SLEEP, hot: false, writes: false, name: 'slow', timeoutMs: 50 };
      await expect(connections.run(slow, [30])).rejects.toMatchObject({ code: 'PAWL_STORE_UNAVAILABLE' });
      expect(await connections.run(limit, [])).toEqual([before]);
      await connections.close();
    }
  });

  it('Who waits for a free connection longer than a new one may take is served: a busy database is no dead one', async () => {
    const connections = openConnections(optionsFor({ numbers: numbersFor(60_000) }));
    const asked = [3.2, 0, 0].map((seconds) => connections.run(SLEEP, [seconds], 'read'));
    await expect(Promise.all(asked)).resolves.toHaveLength(3);
    await connections.close();
  });

  it('P02 a head that somebody else has locked leaves its member busy and its neighbours applied', async () => {
    // P02: "The commit statement has four stages, each reading from the one before: lock the heads (sorted, FOR NO KEY UPDATE SKIP LOCKED)."
    const { store } = opened;
    const worker = await seated(store);
    const [a, b] = [await startOneHeld(store, worker), await startOneHeld(store, worker)];
    const locker = new pg.Client({ connectionString: opened.url });
    await locker.connect();
    await locker.query('BEGIN');
    await locker.query('SELECT FROM pawl.run_head WHERE run_id = $1 FOR NO KEY UPDATE', [a]);
    const answers = await store.commit(0, worker, [stepOf(a, 1, 1), stepOf(b, 1, 1)]);
    expect(answers.map(({ kind }) => kind)).toEqual(['busy', 'applied']);
    await locker.query('ROLLBACK');
    await locker.end();
    expect((await store.commit(0, worker, [stepOf(a, 1, 1)])).map(({ kind }) => kind)).toEqual(['applied']);
  });

  it('When nothing listens, our own server is brought back once for all who ask', async () => {
    let revived = 0;
    const revive = async (): Promise<void> => {
      revived += 1;
      // Held until the other connection has failed too: it has nothing to wait for but a socket that is not there.
      for (let turn = 0; turn < 200; turn += 1) await nextTurn();
    };
    const lost = new URL(opened.url);
    lost.searchParams.set('host', '/nowhere');
    const connections = openConnections(optionsFor({ url: lost.toString(), revive }));
    const answers = await Promise.allSettled([connections.run(SETTINGS, []), connections.run(SETTINGS, [], 'read')]);
    expect(answers.map((answer) => (answer as PromiseRejectedResult).reason.code)).toEqual([
      'PAWL_STORE_UNAVAILABLE',
      'PAWL_STORE_UNAVAILABLE',
    ]);
    expect(revived).toBe(1);
    await connections.close();
  });
});

describe('SQLSTATEs', () => {
  it.each([
    ['40001', 'writing', 'PAWL_STORE_FAILED', 'later'],
    ['40P01', 'writing', 'PAWL_STORE_FAILED', 'later'],
    ['55P03', 'writing', 'PAWL_STORE_FAILED', 'later'],
    ['53100', 'writing', 'PAWL_STORE_UNAVAILABLE', 'later'],
    ['23505', 'writing', 'PAWL_STORE_CONFLICT', 'never'],
    ['22021', 'writing', 'PAWL_VALUE_NOT_STORABLE', 'never'],
    ['25006', 'writing', 'PAWL_STORE_UNAVAILABLE', 'later'],
    ['57P01', 'writing', 'PAWL_STORE_ANSWER_LOST', 'reconcile'],
    ['57P01', 'reading', 'PAWL_STORE_UNAVAILABLE', 'later'],
    ['ECONNRESET', 'writing', 'PAWL_STORE_ANSWER_LOST', 'reconcile'],
    ['ECONNREFUSED', 'connecting', 'PAWL_STORE_UNAVAILABLE', 'later'],
  ] as const)('%s while %s is %s, to be tried: %s', (code, place, expected, retry) => {
    const cause = Object.assign(new Error('x'), { code, constraint: 'c', table: 't' });
    expect(storeErrorOf(cause, place)).toMatchObject({ code: expected, retry, cause });
  });
});
