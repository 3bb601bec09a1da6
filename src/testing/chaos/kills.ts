import { setTimeout as pass } from 'node:timers/promises';
import type { Place } from './chaos-house.ts';
import { troubledScripts } from './chaos-workflows.ts';
import { busiest, killAt, type StormPlan } from './storm.ts';
import type { Traffic } from './traffic.ts';
import type { Payment } from './worker-news.ts';

/** Kills, and what goes on while they come. */
export interface KillPlan extends StormPlan {
  readonly traffic: Traffic;
  readonly kills: number;
  /** Payments under way at each kill. */
  readonly inflight: number;
  readonly names: readonly [string, ...string[]];
  /** How long an answer is on its way, milliseconds. */
  readonly answerMs: number;
}

/** Share of calls that meet trouble at a provider, beside the kills. */
const TROUBLE_SHARE = 0.25;
const SCRIPT_KILLS = 25;
/** So many generations of payments may be settling behind the one that is killed next. */
const GENERATIONS = 10;
/** By then the payments of a generation are sent, milliseconds; if not, the kill comes all the same. */
const OPEN_WITHIN_MS = 10_000;
/** One of so many kills comes at any moment, whatever is open: while payments are being written, too. */
const BLIND_KILLS = 10;
const BLIND_MS = 250;
const LOOK_MS = 5;

/** Looks until it is so, at most `withinMs`. */
async function until(isSo: () => boolean, withinMs: number): Promise<void> {
  const untilMs = performance.now() + withinMs;
  while (!isSo() && performance.now() < untilMs) await pass(LOOK_MS);
}

/** A worker at work; the one with the fewest sendings under way. */
async function readyPlace({ house }: KillPlan): Promise<Place> {
  for (;;) {
    const [place] = house.places
      .filter(({ worker }) => worker?.hasEnded() === false)
      .sort((a, b) => a.open.size - b.open.size);
    if (place !== undefined) return place;
    await pass(LOOK_MS);
  }
}

/**
 * Tells a worker to make payments, and waits for a moment to kill in.
 * @returns who is to die: the one with the most sendings under way, for a worker that is busy with somebody's remains
 * leaves new payments to others.
 */
async function pay(plan: KillPlan, place: Place, payments: readonly Payment[]): Promise<Place> {
  const { random, answerMs, house } = plan;
  for (const payment of payments) place.worker?.tell(JSON.stringify(payment));
  if (random.below(BLIND_KILLS) === 0) {
    await pass(random.below(BLIND_MS));
    return place;
  }
  const sent = (): number => house.places.reduce((sum, { open }) => sum + open.size, 0);
  await until(() => sent() >= payments.length, OPEN_WITHIN_MS);
  await pass(random.below(answerMs / 2));
  return busiest(house) ?? place;
}

/**
 * Kills workers, each with so many payments of its own under way; what it leaves behind is settled by the others
 * meanwhile, also by those that are killed next.
 */
export async function killAgainAndAgain(plan: KillPlan): Promise<void> {
  const { house, random, traffic, inflight, figures } = plan;
  // A worker that ended by itself before it was killed is not counted: another one is.
  for (let no = 0; figures.of('kills') < plan.kills; no += 1) {
    if (no % SCRIPT_KILLS === 0)
      for (const provider of house.providers) provider.setScript(troubledScripts(random, TROUBLE_SHARE));
    await until(() => traffic.openRuns() < GENERATIONS * inflight, Number.POSITIVE_INFINITY);
    const place = await readyPlace(plan);
    const payments = Array.from({ length: inflight }, (_, at) => ({
      workflow: random.pick(plan.names),
      no: `P-${no}-${at}`,
    }));
    await killAt(plan, await pay(plan, place, payments));
    // Whoever got no answer asks again; the key finds what was started, or starts it.
    const unanswered = payments.filter((payment) => !traffic.knows(payment.no));
    await Promise.all(unanswered.map((payment) => traffic.start(payment)));
  }
}
