/**
 * The benchmark: a 3-step saga with function actions at 1, 16 and 128 concurrent runs, beside the bare commit statement in
 * the same run. Ratios are what counts; figures of one machine are not those of another.
 * `npm run bench` plays it and that of the API (`npm run bench:api`).
 */
import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { createApp, loadConfig } from '../dist/index.js';
import { createSystemClock } from '../dist/app/system-clock.js';
import { createSystemIds } from '../dist/app/system-ids.js';
import { numbersFor } from '../dist/model/numbers.js';
import { startDatabase } from '../dist/store/postgres/launcher/start-database.js';
import { stopDatabase } from '../dist/store/postgres/launcher/stop-database.js';
import { openPostgresStore } from '../dist/store/postgres/postgres-store.js';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '6' } } });
const seconds = Number(values.seconds);
const folder = mkdtempSync(path.join(tmpdir(), 'pawl-bench-'));
chmodSync(folder, 0o755);
const clock = createSystemClock();
const numbers = numbersFor(60_000);
const STEPS = ['a', 'b', 'c'];
const TURNS = 3;
const CHANGE = 'INSERT INTO pawl.change (';
const TOLD = /WHERE (\w+)\.told/g;
const WORKFLOW = `pawl: 1
workflow: bench
version: 1
timeout: 1h
input: { type: object, properties: { n: { type: integer } } }
actions:
${STEPS.map((name) => `  ${name}: { function: ${name}@1, idempotency: { remembers: 1h }, compensate: none }`).join('\n')}
steps:
${STEPS.map((name) => `  - { id: step_${name}, call: ${name}, with: { n: =input.n } }`).join('\n')}
`;

/** Commits that are written, runs that have ended: seen at the store's door. */
function watch(inner) {
  const waiting = new Map();
  const seen = { writes: 0, members: 0, sample: null };
  const onEnd = (runId) => new Promise((resolve) => waiting.set(runId, resolve));
  const early = new Set();
  const end = (runId) => {
    const resolve = waiting.get(runId);
    waiting.delete(runId);
    if (resolve) resolve();
    else early.add(runId);
  };
  const store = new Proxy(inner, {
    get(target, key) {
      const value = Reflect.get(target, key);
      if (key === 'commit')
        return async (part, workerId, commits) => {
          const answers = await value.call(target, part, workerId, commits);
          seen.writes += 1;
          seen.members += commits.length;
          for (const [index, commit] of commits.entries()) {
            if (answers[index].kind !== 'applied') continue;
            if (commit.receipts.length > 0 && commit.effects.length > 1) seen.sample ??= commit;
            if (commit.head?.endedAtMs != null) end(commit.runId);
          }
          return answers;
        };
      if (key === 'start')
        return (part, starts) => {
          seen.writes += 1;
          return value.call(target, part, starts);
        };
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { store, seen, ended: (runId) => (early.delete(runId) ? Promise.resolve() : onEnd(runId)) };
}

const percentile = (sorted, p) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))];

async function walBytes(client) {
  const { rows } = await client.query("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS bytes");
  return rows[0].bytes;
}

async function changeRows(client) {
  return Number((await client.query('SELECT count(*) AS rows FROM pawl.change')).rows[0].rows);
}

async function engineAt(app, watched, client, concurrency) {
  const latencies = [];
  const until = performance.now() + seconds * 1000;
  const before = { ...watched.seen, wal: await walBytes(client), cpu: process.cpuUsage(), at: performance.now() };
  let n = 0;
  const loop = async () => {
    while (performance.now() < until) {
      const at = performance.now();
      const { run } = await app.start({ workflow: 'bench', version: 1, input: { n: n++ }, by: 'bench' });
      await watched.ended(run.runId);
      latencies.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  const took = (performance.now() - before.at) / 1000;
  const cpu = process.cpuUsage(before.cpu);
  const runs = latencies.length;
  latencies.sort((x, y) => x - y);
  return {
    concurrency,
    runs,
    runsPerS: runs / took,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    cpuMsPerRun: (cpu.user + cpu.system) / 1000 / runs,
    commitsPerRun: (watched.seen.writes - before.writes) / runs,
    walBytesPerRun: ((await walBytes(client)) - before.wal) / runs,
  };
}

/** The commit statement alone, on runs of its own, as one process would send it one batch after the other. */
async function bareAt(store, sample, batch) {
  const ids = createSystemIds();
  const workerId = ids.newWorkerId();
  await store.takeSeat(0, workerId, 60_000);
  const members = [];
  const digest = (await store.listVersions('default'))[0].digest;
  while (members.length < batch) {
    const runId = ids.newRunId();
    members.push({ runId, revision: sample.revision, receiptNo: 0 });
    await store.start(0, [
      {
        run: {
          runId,
          part: 0,
          tenant: 'default',
          workflow: 'bench',
          version: 1,
          digest,
          key: runId,
          startNumber: 1,
          input: {},
          startedAtMs: Date.now(),
          startedBy: 'bench',
        },
        requestHash: '0'.repeat(64),
        again: 'never',
        head: sample.head,
        transitions: Array.from({ length: sample.revision }, (_, i) => ({ ...sample.transitions[0], revision: i + 1 })),
        effects: [],
        timers: [],
        approvals: [],
        receipts: [],
        audit: [],
        outbox: [],
        lease: { kind: 'keep', workerId },
      },
    ]);
  }
  const commitOf = (member) => {
    const [settled, next] = sample.effects;
    const fresh = (effect) => ({ expect: null, effect: { ...effect, key: randomBytes(32).toString('hex') } });
    member.receiptNo += 1;
    return {
      ...sample,
      runId: member.runId,
      part: 0,
      fence: 1,
      revision: member.revision,
      lease: { kind: 'keep' },
      inbox: [],
      timersSet: [],
      timersCleared: [],
      transitions: [{ ...sample.transitions[0], revision: ++member.revision }],
      effects: [fresh(next.expect === null ? next.effect : settled.effect)],
      receipts: [
        {
          ...sample.receipts[0],
          receiptNo: member.receiptNo,
          effectKey: createHash('sha256').update(member.runId).digest('hex'),
        },
      ],
    };
  };
  const until = performance.now() + (seconds * 1000) / 2;
  const at = performance.now();
  let done = 0;
  while (performance.now() < until) {
    const answers = await store.commit(0, workerId, members.map(commitOf));
    const bad = answers.find(({ kind }) => kind !== 'applied');
    if (bad) throw new Error(`the bare commit was answered ${JSON.stringify(bad)}`);
    done += answers.length;
  }
  await store.leaveSeat(0, workerId);
  return { perS: done / ((performance.now() - at) / 1000), members: done };
}

/** Connections that write no row of what has changed: its statements are the others without it. */
const silent = new WeakSet();
let isSilent = false;
{
  const { connect, query } = pg.Client.prototype;
  pg.Client.prototype.connect = function (...given) {
    if (isSilent) silent.add(this);
    return connect.apply(this, given);
  };
  pg.Client.prototype.query = function (asked, ...given) {
    const isTold = silent.has(this) && typeof asked?.text === 'string' && asked.text.includes(CHANGE);
    const text = isTold ? asked.text.replaceAll(TOLD, 'WHERE false AND $1.told') : null;
    return query.call(this, text === null ? asked : { ...asked, text }, ...given);
  };
}

/** The bare commit with the row that streams read, and without it, by turns. */
async function changeRow(stores, sample, client) {
  const sums = { with: { perS: 0, wal: 0 }, without: { perS: 0, wal: 0 } };
  for (let turn = 0; turn < TURNS; turn += 1)
    for (const [name, store] of Object.entries(stores)) {
      isSilent = name === 'without';
      const before = { wal: await walBytes(client), rows: await changeRows(client) };
      const { perS, members } = await bareAt(store, sample, 50);
      const rows = (await changeRows(client)) - before.rows;
      if (rows < members === (name === 'with')) throw new Error(`${rows} rows of what has changed ${name} them`);
      sums[name].perS += perS / TURNS;
      sums[name].wal += ((await walBytes(client)) - before.wal) / members / TURNS;
    }
  isSilent = false;
  return sums;
}

const databaseOptions = { dataDir: path.join(folder, 'data'), env: { PATH: process.env.PATH }, clock };
const database = await startDatabase(databaseOptions);
const inner = await openPostgresStore({
  url: database.url,
  numbers,
  revive: () => database.revive(),
  onBroken: () => {},
});
const watched = watch(inner);
const functions = new Map(STEPS.map((name) => [`${name}@1`, { send: async () => ({ name }) }]));
const app = await createApp({
  config: loadConfig({ folder, env: {}, flags: { leaseMs: 60_000 } }),
  env: {},
  store: watched.store,
  functions,
});
const client = new pg.Client({ connectionString: database.url });
try {
  await client.connect();
  await app.publish({ text: WORKFLOW, file: 'bench.pawl.yaml', by: 'bench' });
  const worker = await app.runWorker();
  await Promise.all(
    Array.from({ length: 200 }, async () =>
      watched.ended((await app.start({ workflow: 'bench', version: 1, input: { n: 0 }, by: 'bench' })).run.runId),
    ),
  );
  const rows = [];
  for (const concurrency of [1, 16, 128]) rows.push(await engineAt(app, watched, client, concurrency));
  // The runs of the bare commits lead nowhere: no worker is to find them when their seat is left.
  await worker.stop(10_000);
  const { sample } = watched.seen;
  const bare = { 1: (await bareAt(inner, sample, 1)).perS, 50: (await bareAt(inner, sample, 50)).perS };
  isSilent = true;
  const without = await openPostgresStore({ url: database.url, numbers });
  const changes = await changeRow({ with: inner, without }, sample, client);
  await without.close();
  console.log('3-step saga, function actions');
  console.log(
    'concurrent   runs/s   p50 ms   p99 ms   CPU ms/run   commits/run   WAL kB/run   transitions/s   of bare commit',
  );
  for (const row of rows) {
    const batch = row.concurrency === 1 ? 1 : 50;
    const transitions = row.runsPerS * 4;
    row.ratio = transitions / bare[batch];
    const cells = [
      row.concurrency,
      row.runsPerS.toFixed(0),
      row.p50Ms.toFixed(1),
      row.p99Ms.toFixed(1),
      row.cpuMsPerRun.toFixed(2),
      row.commitsPerRun.toFixed(2),
      (row.walBytesPerRun / 1000).toFixed(1),
      transitions.toFixed(0),
      `${row.ratio.toFixed(2)} (batch ${batch})`,
    ];
    console.log(cells.map((cell, i) => String(cell).padStart([10, 9, 9, 9, 13, 14, 13, 16, 17][i])).join(''));
  }
  const loss = 1 - changes.with.perS / changes.without.perS;
  console.log(`bare commit statement: ${bare[1].toFixed(0)} members/s at batch 1, ${bare[50].toFixed(0)} at batch 50`);
  console.log(
    `the row that streams read: ${changes.with.perS.toFixed(0)} members/s with it, ${changes.without.perS.toFixed(0)} without (${(loss * 100).toFixed(1)} % less); ${(changes.with.wal - changes.without.wal).toFixed(0)} bytes of WAL each`,
  );
} finally {
  await client.end();
  await app.close();
  await inner.close();
  await database.leave();
  await stopDatabase(databaseOptions);
  rmSync(folder, { recursive: true, force: true });
}
await import('./api.mjs');
