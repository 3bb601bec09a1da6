import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { begin, type House, openHouse, type Process, untilStatus } from '../engine/support/house.ts';

const HEAD = 'pawl: 1\nworkflow: saga\nversion: 1\ntimeout: 10d\n';
const EVENT = 'events: { go: { schema: { type: object } } }\n';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterEach(() => house.rest());
afterAll(() => house.close());

async function worker(): Promise<Process> {
  const process = await house.process();
  await process.app.runWorker();
  return process;
}

/** Does something in the database as its superuser. */
async function asSuperuser(act: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: house.url });
  await client.connect();
  await act(client).finally(() => client.end());
}

async function tablesOf(client: Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'pawl' ORDER BY 1",
  );
  return rows.map(({ name }) => name);
}

/** Keeps what every table holds now. */
async function dump(client: Client): Promise<void> {
  await client.query('DROP SCHEMA IF EXISTS dumped CASCADE; CREATE SCHEMA dumped');
  for (const table of await tablesOf(client)) await client.query(`CREATE TABLE dumped.${table} AS TABLE pawl.${table}`);
}

/** Puts back what was kept, under the feet of whoever works. */
async function restore(client: Client): Promise<void> {
  await client.query('BEGIN; SET LOCAL session_replication_role = replica; SET LOCAL lock_timeout = 0');
  for (const table of await tablesOf(client)) {
    await client.query(`DELETE FROM pawl.${table}; INSERT INTO pawl.${table} SELECT * FROM dumped.${table}`);
  }
  await client.query('COMMIT');
}

const CHARGE = (url: string): string =>
  `actions:\n  charge: { http: { method: POST, url: '${url}/charge' }, idempotency: { header: Idempotency-Key, remembers: 24h }, settlesWithin: 1s, compensate: none }\n`;

describe('bug 25 a database that was restored under workers', () => {
  it('fires its timers again: nothing that a worker remembers outranks the rows', async () => {
    const process = await worker();
    const runs: string[] = [];
    for (let no = 0; no < 10; no += 1)
      runs.push(
        await begin(
          process,
          `${HEAD}${CHARGE(house.provider.url)}steps:\n  - { id: rest, wait: 2s }\n  - { id: charge, call: charge, with: { no: ${no} } }\n`,
        ),
      );
    await asSuperuser(dump);
    for (const run of runs) await untilStatus(process, run, 'COMPLETED');
    await asSuperuser(restore);
    for (const run of runs) await untilStatus(process, run, 'COMPLETED');
    expect(house.happened().length).toBe(10);
  }, 60_000);
});

describe('bug 66 a text in which a step was inserted', () => {
  const steps = (version: number, ids: readonly string[]): string =>
    [
      'pawl: 1',
      'workflow: letters',
      `version: ${version}`,
      'timeout: 1h',
      EVENT.trimEnd(),
      "vars: { took: { type: string, default: '' } }",
      'steps:',
      ...ids.flatMap((id) => [
        `  - { id: wait${id}, await: go }`,
        `  - { id: take${id}, set: { took: '\${ vars.took }${id}' } }`,
      ]),
      'output: { took: =vars.took }',
      '',
    ].join('\n');

  it('goes on with the old one where its runs wait, by name and not by number', async () => {
    const process = await house.process();
    const publish = (text: string) => process.app.publish({ text, file: 'letters.pawl.yaml', by: 'author' });
    const start = async (): Promise<string> =>
      (await process.app.start({ workflow: 'letters', version: null, input: {}, by: 'starter' })).run.runId;
    const go = async (run: string, eventId: string): Promise<unknown> =>
      (await process.app.signal(run, { name: 'go', data: {}, source: 's', eventId, by: 's', waitMs: 5_000 })).outcome;
    await publish(steps(1, ['A', 'B', 'C']));
    const old = await Promise.all(Array.from({ length: 20 }, start));
    for (const run of old) expect(await go(run, '1')).toBe('applied');
    await publish(steps(2, ['A', 'D', 'B', 'C']));
    const other = await house.process();
    for (const run of old) {
      expect((await other.app.show(run)).waitingFor).toMatchObject([{ step: 'waitB' }]);
      expect([await go(run, '2'), await go(run, '3')]).toEqual(['applied', 'applied']);
      expect(await other.app.show(run)).toMatchObject({ status: 'COMPLETED', version: 1, output: { took: 'ABC' } });
    }
    const young = await start();
    for (const event of ['1', '2', '3', '4']) expect(await go(young, event)).toBe('applied');
    expect((await other.app.show(young)).output).toEqual({ took: 'ADBC' });
  }, 60_000);
});

describe('bug 83 what is delivered twice', () => {
  const keyed = `${HEAD}key: input.order\ninput: { type: object, required: [order], properties: { order: { type: string }, sum: { type: integer } } }\n${EVENT}steps:\n  - { id: rest, await: go }\n`;

  it('is one run, in whatever order its fields come, and other content is a conflict that names it', async () => {
    const process = await house.process();
    const first = await begin(process, keyed, { order: 'O-1', sum: 5 });
    const { workflow } = await process.app.show(first);
    const start = (input: Record<string, string | number>) =>
      process.app.start({ workflow, version: 1, input, by: 'starter' });
    const again = await Promise.all([start({ sum: 5, order: 'O-1' }), start({ order: 'O-1', sum: 5 })]);
    expect(again).toMatchObject([
      { created: false, run: { runId: first } },
      { created: false, run: { runId: first } },
    ]);
    await expect(start({ order: 'O-1', sum: 6 })).rejects.toMatchObject({ code: 'PAWL_RUN_KEY_CONFLICT' });
  });

  it('is one event for life: fifty at once, after its use, and after the end; another content is a conflict', async () => {
    const process = await house.process();
    const run = await begin(process, keyed, { order: 'O-2' });
    const send = (data: Record<string, number>) =>
      process.app.signal(run, { name: 'go', data, source: 'shop', eventId: 'delivery-1', by: 'shop', waitMs: 5_000 });
    const told = await Promise.all(Array.from({ length: 50 }, () => send({ a: 1, b: 2 })));
    expect(told.filter(({ again }) => !again).length).toBe(1);
    expect(told.map(({ outcome }) => outcome)).toEqual(told.map(() => 'applied'));
    expect(await process.app.show(run)).toMatchObject({ status: 'COMPLETED' });
    expect(await send({ b: 2, a: 1 })).toMatchObject({ outcome: 'applied', again: true });
    await expect(send({ a: 1, b: 3 })).rejects.toMatchObject({ code: 'PAWL_EVENT_CONFLICT' });
    const { inbox, observations } = await process.app.history(run);
    expect(inbox.filter(({ eventId }) => eventId === 'delivery-1').length).toBe(1);
    expect(observations.length).toBeGreaterThan(0);
  }, 30_000);
});

describe('bug 89 connections that the database drops', () => {
  it('idle, in use and listening, again and again: the worker goes on, every run ends, each act once', async () => {
    const process = await worker();
    const text = `${HEAD}${CHARGE(house.provider.url)}${EVENT}steps:\n  - { id: rest, await: go }\n  - { id: charge, call: charge, with: { run: =run.id } }\n  - { id: pause, wait: 500ms }\n`;
    const runs: string[] = [];
    for (let no = 0; no < 12; no += 1) runs.push(await begin(process, text));
    const sender = await house.process();
    for (const run of runs) {
      await asSuperuser(async (client) => {
        await client.query(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
        );
      });
      const send = () =>
        sender.app.signal(run, { name: 'go', data: {}, source: 's', eventId: run, by: 's', waitMs: 0 });
      await send().catch(send);
    }
    for (const run of runs) await untilStatus(process, run, 'COMPLETED');
    expect(house.happened().length).toBe(runs.length);
    expect(process.logger.lines.some(({ event }) => event === 'loop.fault' || event.startsWith('store.'))).toBe(true);
  }, 90_000);
});

describe('F45 processes that all come back at once', () => {
  it('hold no more connections than their caps, also together on one outage, and finish what was there', async () => {
    const caps = { processes: 10, connections: 3, listeners: 1 };
    const cluster = new URL(house.url);
    const database = cluster.pathname.slice(1);
    cluster.pathname = '/postgres';
    const outside = new Client({ connectionString: cluster.href });
    await outside.connect();
    const first = await house.process();
    const text = `${HEAD}${CHARGE(house.provider.url)}steps:\n  - { id: rest, wait: 1s }\n  - { id: charge, call: charge, with: { run: =run.id } }\n`;
    const runs: string[] = [];
    for (let no = 0; no < 30; no += 1) runs.push(await begin(first, text));
    const stores = await Promise.all(
      Array.from({ length: caps.processes }, () =>
        openPostgresStore({ url: house.url, connections: caps.connections, applicationName: 'pawl-f45' }),
      ),
    );
    const workers = await Promise.all(stores.map((store) => house.process({ store })));
    const [watcher = first] = workers;
    await Promise.all(workers.map(({ app }) => app.runWorker()));
    await outside.query(`ALTER DATABASE ${database} ALLOW_CONNECTIONS false`);
    await outside.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [database]);
    await Promise.all(workers.map(({ watched }) => watched.next()));
    await outside.query(`ALTER DATABASE ${database} ALLOW_CONNECTIONS true`);
    let most = 0;
    let isOver = false;
    const watching = (async () => {
      while (!isOver) {
        const { rows } = await outside.query<{ open: number }>(
          "SELECT count(*)::int AS open FROM pg_stat_activity WHERE datname = $1 AND application_name = 'pawl-f45'",
          [database],
        );
        most = Math.max(most, rows[0]?.open ?? 0);
      }
    })();
    for (const run of runs) await untilStatus(watcher, run, 'COMPLETED');
    isOver = true;
    await watching;
    expect(house.happened().length).toBe(runs.length);
    await house.rest();
    await Promise.all(stores.map((store) => store.close()));
    await outside.end();
    expect(most).toBeGreaterThan(caps.processes);
    expect(most).toBeLessThanOrEqual(caps.processes * (caps.connections + caps.listeners));
  }, 60_000);
});

describe('bug 92 a start that the database refuses', () => {
  it('does nothing to its neighbours: 100 conflicts and 100 runs from 200 starts at once', async () => {
    const process = await house.process();
    const text = `${HEAD}key: input.k\ninput: { type: object, required: [k, n], properties: { k: { type: string }, n: { type: integer } } }\n${EVENT}steps:\n  - { id: rest, await: go }\n`;
    const first = await begin(process, text, { k: 'taken', n: -1 });
    const { workflow } = await process.app.show(first);
    const told = await Promise.allSettled(
      Array.from({ length: 200 }, (_, n) =>
        process.app.start({
          workflow,
          version: 1,
          input: { k: n % 2 === 0 ? `good-${n}` : 'taken', n },
          by: 'starter',
        }),
      ),
    );
    const good = told.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const codes = told.flatMap((one) => (one.status === 'rejected' ? [(one.reason as { code: string }).code] : []));
    expect(codes).toEqual(Array.from({ length: 100 }, () => 'PAWL_RUN_KEY_CONFLICT'));
    expect(new Set(good.map(({ run }) => run.runId)).size).toBe(100);
    for (const { run } of good.slice(0, 5)) expect((await process.app.show(run.runId)).status).toBe('WAITING');
    expect((await process.app.show(first)).input).toEqual({ k: 'taken', n: -1 });
  }, 60_000);
});

describe('bug 52 two questions at once', () => {
  it('a yes opens its own gate and no other; the record says who, when, to which question and why', async () => {
    const process = await house.process();
    const text = `${HEAD}steps:\n  - { id: eu, approve: 'Deploy to EU?', subject: { to: EU }, from: ['role:approver'], expires: 1h }\n  - { id: us, approve: 'Deploy to US?', subject: { to: US }, from: ['role:approver'], expires: 1h }\n`;
    const [first, second] = [await begin(process, text), await begin(process, text)];
    const [asked] = (await process.app.show(first)).approvals;
    const yes = { decision: 'approve', principal: 'kai', roles: ['approver'], comment: 'EU is ready' } as const;
    const subjectHash = asked?.subjectHash ?? '';
    expect(await process.app.vote(first, { ...yes, approval: 'eu', subjectHash })).toMatchObject({
      outcome: 'applied',
    });
    expect(await process.app.show(second)).toMatchObject({
      status: 'WAITING',
      approvals: [{ step: 'eu', state: 'open', votes: [] }],
    });
    const view = await process.app.show(first);
    expect(view).toMatchObject({
      status: 'WAITING',
      waitingFor: [{ kind: 'approval', step: 'us' }],
      approvals: [
        { step: 'eu', state: 'approved', votes: [{ principal: 'kai', comment: 'EU is ready' }] },
        { step: 'us', state: 'open', votes: [] },
      ],
    });
    // The words about the first question are no answer to the second.
    expect((await process.app.vote(first, { ...yes, approval: 'us', subjectHash })).outcome).not.toBe('applied');
    expect((await process.app.show(first)).status).toBe('WAITING');
  });
});
