/**
 * The benchmark of the API: reads, starts and streams over loopback, beside the least that a server can answer and beside the
 * same start without HTTP, in the same run. Ratios are what counts; figures of one machine are not those of another.
 * `npm run bench:api [-- --seconds N]`; docs/reference/load.md says what the figures mean.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import autocannon from 'autocannon';
import { openServer } from '../dist/api/server.js';
import { createKey } from '../dist/app/api-keys.js';
import { createApp, loadConfig } from '../dist/index.js';
import { manageDatabase } from '../dist/app/manage-database.js';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '6' } } });
/** Each figure is the sum of so many turns, between the turns of the others: what disturbs one disturbs all. */
const TURNS = 3;
const seconds = Math.max(1, Math.round(Number(values.seconds) / TURNS));
const CONNECTIONS = 16;
const RUNS = 1_000;
const LISTENERS = [0, 10, 50];
const WORKFLOW = `pawl: 1
workflow: bench
version: 1
timeout: 1h
key: input.id
input: { type: object, required: [id], properties: { id: { type: string } } }
steps: [{ id: pause, wait: 30m }]
`;

const folder = mkdtempSync(path.join(tmpdir(), 'pawl-bench-api-'));
chmodSync(folder, 0o755);
const env = { PATH: process.env.PATH };
const app = await createApp({ config: loadConfig({ folder, env }), env });
const server = openServer({ app, authentication: 'keys', release: 'bench' });

let ids = 0;
function nextId() {
  ids += 1;
  return `id-${ids}`;
}

/** Calls that are under way at once, one behind the other, for one turn. */
async function directly(act) {
  const at = performance.now();
  const until = at + seconds * 1_000;
  const tookMs = [];
  const loop = async () => {
    while (performance.now() < until) {
      const began = performance.now();
      await act();
      tookMs.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, loop));
  return { tookMs: performance.now() - at, latencies: tookMs };
}

/** The same over HTTP, from a thread of its own. */
async function overHttp(url, options) {
  const told = await autocannon({ url, connections: CONNECTIONS, duration: seconds, workers: 1, ...options });
  const bad = told.non2xx + told.errors + told.timeouts;
  if (bad > 0) throw new Error(`${url}: ${bad} calls were not answered as they should`);
  return { count: told['2xx'], tookMs: told.duration * 1_000, p50: told.latency.p50, p99: told.latency.p99 };
}

const percentile = (sorted, p) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))];

/** Takes turns among some measurements. @returns calls a second and latencies of each. */
async function inTurns(measurements) {
  const sums = new Map(Object.keys(measurements).map((name) => [name, []]));
  for (let turn = 0; turn < TURNS; turn += 1)
    for (const [name, measure] of Object.entries(measurements)) sums.get(name).push(await measure());
  return Object.fromEntries(
    [...sums].map(([name, turns]) => {
      const tookMs = turns.reduce((sum, one) => sum + one.tookMs, 0);
      const latencies = turns.flatMap((one) => one.latencies ?? []).sort((a, b) => a - b);
      const count = latencies.length || turns.reduce((sum, one) => sum + one.count, 0);
      // Of turns that tell only their own percentiles the middle one.
      const middle = (key) => turns.map((one) => one[key]).sort((a, b) => a - b)[Math.floor(TURNS / 2)];
      const p50 = latencies.length > 0 ? percentile(latencies, 0.5) : middle('p50');
      const p99 = latencies.length > 0 ? percentile(latencies, 0.99) : middle('p99');
      return [name, { perS: (count * 1_000) / tookMs, p50, p99 }];
    }),
  );
}

function tell(title, figures, base) {
  console.log(
    `\n${title}\n${'calls/s'.padStart(44)}${'p50 ms'.padStart(9)}${'p99 ms'.padStart(9)}${'ratio'.padStart(8)}`,
  );
  for (const [name, { perS, p50, p99 }] of Object.entries(figures)) {
    const ratio = (perS / figures[base].perS).toFixed(2);
    const cells = [
      perS.toFixed(0).padStart(10),
      p50.toFixed(1).padStart(9),
      p99.toFixed(1).padStart(9),
      ratio.padStart(8),
    ];
    console.log(`${name.padEnd(34)}${cells.join('')}`);
  }
}

/** Opens streams from a thread of its own. @returns what ends them, with how many events each was told on average. */
async function listen(url, authorization, count) {
  if (count === 0) return async () => 0;
  const code = `
    const { parentPort, workerData: { url, authorization, count } } = require('node:worker_threads');
    const { request } = require('node:http');
    let told = 0, open = 0;
    const calls = Array.from({ length: count }, () => {
      const call = request(url + '/v1/stream', { headers: { authorization } }, (answer) => {
        if (answer.statusCode !== 200) throw new Error('a stream is answered ' + answer.statusCode);
        answer.setEncoding('utf8').on('data', (text) => { told += text.split('event: run').length - 1; });
        answer.on('error', () => {});
        open += 1;
        if (open === count) parentPort.postMessage('open');
      });
      call.on('error', () => {});
      call.end();
      return call;
    });
    parentPort.on('message', () => {
      for (const call of calls) call.destroy();
      parentPort.postMessage(told / count);
      parentPort.close();
    });`;
  const thread = new Worker(code, { eval: true, workerData: { url, authorization, count } });
  const said = () =>
    new Promise((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('error', reject);
    });
  await said();
  return async () => {
    const answer = said();
    thread.postMessage('end');
    return answer;
  };
}

try {
  await app.publish({ text: WORKFLOW, file: 'bench.pawl.yaml', by: 'bench' });
  const { key } = await createKey(app, {
    principal: 'bench',
    roles: ['operator'],
    scopes: [],
    forMs: null,
    by: 'bench',
  });
  const authorization = `Bearer ${key}`;
  const url = await server.listen('127.0.0.1', 0);
  const direct = () => app.start({ workflow: 'bench', version: 1, input: { id: nextId() }, by: 'bench' });
  const started = [];
  for (let no = 0; no < RUNS; no += 50) started.push(...(await Promise.all(Array.from({ length: 50 }, direct))));
  const run = started[0].run.runId;
  const read = (route) => () => overHttp(`${url}${route}`, { headers: { authorization } });
  const start = () =>
    overHttp(`${url}/v1/runs`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', 'idempotency-key': 'bench' },
      body: JSON.stringify({ workflow: 'bench', input: { id: '[<id>]' } }),
      idReplacement: true,
    });
  console.log(`${CONNECTIONS} connections, ${TURNS} turns of ${seconds} s each; server and database on this machine`);
  const reads = await inTurns({
    'GET /healthz': read('/healthz'),
    'GET /v1/runs/{run}': read(`/v1/runs/${run}`),
    [`GET /v1/runs?limit=50, of ${RUNS}`]: read('/v1/runs?limit=50'),
  });
  tell('reads', reads, 'GET /healthz');
  const starts = await inTurns({ 'start, without HTTP': () => directly(direct), 'POST /v1/runs': start });
  tell('starts', starts, 'start, without HTTP');
  const told = new Map();
  const watched = await inTurns(
    Object.fromEntries(
      LISTENERS.map((count) => [
        `POST /v1/runs, ${count} streams`,
        async () => {
          const end = await listen(url, authorization, count);
          const figures = await start();
          told.set(count, (told.get(count) ?? 0) + (await end()));
          return figures;
        },
      ]),
    ),
  );
  tell('starts while others watch', watched, 'POST /v1/runs, 0 streams');
  for (const count of LISTENERS.filter((one) => one > 0))
    console.log(`each of ${count} streams was told ${told.get(count).toFixed(0)} events while it was open`);
} finally {
  await server.close(1_000);
  await app.close();
  await manageDatabase(app.config, env).stop();
  rmSync(folder, { recursive: true, force: true });
}
