import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../../app/config.ts';
import { manageDatabase } from '../../app/manage-database.ts';
import { PawlError } from '../../model/errors.ts';
import { displayRunId } from '../../model/run-id.ts';
import type { JsonObject } from '../../model/json.ts';
import { isEnd } from '../../model/statuses.ts';
import { createRandom, type Random } from '../random.ts';
import { compareBook, type RunView } from './compare-book.ts';
import { type DemoHouse, openDemoHouse } from './demo-house.ts';
import type { DemoProcess } from './demo-process.ts';
import { comparisonLines } from './print-comparison.ts';
import { watchRun } from './watch-run.ts';

/** How many kills, from which seed. */
export interface KillPlan {
  readonly kills: number;
  readonly seed: number;
}

const VICTIMS = ['worker', 'worker', 'CLI', 'server'] as const;
const WORDS = [
  'ok',
  'lost-done then ok',
  'lost-not-done then ok',
  '503 then ok',
  'lost-done then lost-done then ok',
] as const;
/** The moment of a kill after the round began, milliseconds; an attempt whose answer is lost stays open for 2 s. */
const MOMENT_MS = 2_400;
const WITHIN_MS = 60_000;
const AGAIN_MS = 100;

interface Round {
  readonly no: number;
  readonly victim: (typeof VICTIMS)[number];
  readonly atMs: number;
  readonly hit: boolean;
  readonly runs: readonly RunView[];
}

/**
 * Kills a random process at a random moment, again and again, each time with two runs under way, and compares the book
 * with the ledger after each. Prints its seed.
 * @returns true when the book was equal after every kill and no run was parked.
 */
export async function runKills(env: Environment, plan: KillPlan, say: (line: string) => void): Promise<boolean> {
  say(`${plan.kills} kills, seed ${plan.seed}, lease 1500 ms`);
  const house = await openDemoHouse(env);
  try {
    for (const { file, text } of house.workflows) await house.app.publish({ text, file, by: 'demo' });
    return await killAll(house, env, plan, say);
  } finally {
    await house.close();
  }
}

async function killAll(
  house: DemoHouse,
  env: Environment,
  plan: KillPlan,
  say: (line: string) => void,
): Promise<boolean> {
  const random = createRandom(plan.seed);
  const workers = [await house.startWorker(), await house.startWorker()];
  const rounds: Round[] = [];
  let isGood = true;
  for (let no = 1; no <= plan.kills && isGood; no += 1) {
    const round = await playRound({ house, env, random, workers, no });
    rounds.push(round);
    const all = rounds.flatMap(({ runs }) => runs);
    const comparison = compareBook(all, await house.book());
    const ended = round.runs.map(({ status }) => status);
    isGood = comparison.isEqual && ended.every((status) => status === 'COMPLETED' || status === 'COMPENSATED');
    say(
      `${String(no).padStart(3)}  ${round.victim.padEnd(6)} at ${String(round.atMs).padStart(4)} ms  ${round.hit ? 'hit an open attempt' : '                   '}  ${ended.join(', ')}  book ${comparison.isEqual ? 'equal' : 'NOT EQUAL'}`,
    );
    if (!isGood) for (const line of comparisonLines(comparison)) say(line);
  }
  const hits = rounds.filter(({ hit }) => hit).length;
  const effects = rounds.flatMap(({ runs }) => runs).flatMap((run) => run.effects);
  const doubts = effects.filter(({ resends, queries }) => resends + queries > 0).length;
  say(
    `\n${rounds.length} kills, ${hits} hit an open attempt, ${effects.length} effects, ${doubts} settled after doubt, ${isGood ? 'book equal after each, no run parked' : 'FAILED'}`,
  );
  return isGood;
}

interface RoundPlan {
  readonly house: DemoHouse;
  readonly env: Environment;
  readonly random: Random;
  readonly workers: DemoProcess[];
  readonly no: number;
}

async function playRound(plan: RoundPlan): Promise<Round> {
  const { house, random, workers, no } = plan;
  const victim = random.pick(VICTIMS);
  const atMs = random.below(MOMENT_MS);
  await house.setScript({
    'warehouse/reserve': random.pick(WORDS),
    'psp/authorize': random.pick(WORDS),
    'carrier/shipments': random.pick(['ok', 'lost-done then ok', 'declined']),
    'psp/void': random.pick(WORDS),
  });
  const order = (key: string): JsonObject => ({
    orderId: key,
    customerId: 'c',
    currency: 'EUR',
    amount: 10,
    lines: [{ sku: 'tea', qty: 1 }],
  });
  const keys = [`O-${no}1`, `O-${no}2`];
  const [first = '', second = ''] = keys;
  const started = await startOrder(house, order(first));
  const cli = await house.startRun('order-fulfilment', order(second));
  await sleep(atMs);
  const hit = await hasOpenAttempt(house, keys);
  await kill(plan, victim, cli);
  workers.splice(0, workers.length, ...(await Promise.all(workers.map((worker) => reviveWorker(house, worker)))));
  const run = await watchRun(house.app, displayRunId(started.run.runId), isOver, WITHIN_MS);
  // The process that was to start the second run may have died before it did: starting it again finds it or makes it.
  const again = await startOrder(house, order(second));
  const other = await watchRun(house.app, displayRunId(again.run.runId), isOver, WITHIN_MS);
  await cli.stop();
  return { no, victim, atMs, hit, runs: [run, other] };
}

/** Starts an order; a database that is away is tried again, which the key makes harmless. */
async function startOrder(
  house: DemoHouse,
  input: JsonObject,
): Promise<Awaited<ReturnType<DemoHouse['app']['start']>>> {
  for (;;) {
    try {
      return await house.app.start({ workflow: 'order-fulfilment', version: null, input, by: 'demo' });
    } catch (error) {
      if (!(error instanceof PawlError) || error.httpStatus !== 503) throw error;
      await sleep(AGAIN_MS);
    }
  }
}

function isOver(run: RunView): boolean {
  return isEnd(run.status) || run.status === 'HELD';
}

async function hasOpenAttempt(house: DemoHouse, keys: readonly string[]): Promise<boolean> {
  for (const key of keys) {
    const run = await house.app.show(key).catch(() => null);
    if (run?.effects.some(({ state }) => state === 'REQUESTED') === true) return true;
  }
  return false;
}

async function kill(
  { house, env, random, workers }: RoundPlan,
  victim: Round['victim'],
  cli: DemoProcess,
): Promise<void> {
  if (victim === 'CLI') return cli.kill();
  if (victim === 'worker') return random.pick([workers[0] ?? cli, workers[1] ?? cli]).kill();
  const { pid } = await manageDatabase(house.app.config, env).status();
  if (pid !== null) process.kill(pid, 'SIGKILL');
}

/** Another worker in the place of one that is dead. */
function reviveWorker(house: DemoHouse, worker: DemoProcess): Promise<DemoProcess> {
  return worker.hasEnded() ? house.startWorker() : Promise.resolve(worker);
}
