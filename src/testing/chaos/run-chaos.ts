import type { Environment } from '../../app/config.ts';
import { createRandom, type Random } from '../random.ts';
import { type ChaosHouse, openChaosHouse } from './chaos-house.ts';
import { chaosWorkflows, type ChaosWorkflow, healedScripts, paymentWorkflows } from './chaos-workflows.ts';
import { type FigureName, Figures, KILL_FIGURES, STORM_FIGURES } from './figures.ts';
import { countEffects, judge } from './judge.ts';
import { killAgainAndAgain } from './kills.ts';
import { measurePace } from './pace.ts';
import { createFates, rage, refill } from './storm.ts';
import { keepFlowing, openTraffic, type Traffic } from './traffic.ts';

/** What is played: a storm for some minutes, or so many kills. */
export interface ChaosAsk {
  readonly seed: number;
  readonly minutes: number;
  /** null = the whole storm. */
  readonly kills: number | null;
  /** Runs under way at a time. */
  readonly inflight: number;
}

const WORKERS = 4;
/** What a dead worker had under way is tried alone, one run per living worker at a time: more of them settle it sooner. */
const WORKERS_OF_KILLS = 8;
const PROGRESS_MS = 10_000;
/** On a quiet machine, milliseconds; on a slow one as many times longer as it is slower. */
const LEASE_MS = 1_500;
/** How long an answer is on its way where the kills alone count: so long its attempt is open. */
const ANSWER_MS = 500;
/** By then everything is quiet after the last heal. */
const TAIL_MS = 240_000;
/** What is left of the minutes for the end, milliseconds. */
const END_MS = 15_000;
/** A storm in which something was not seen yet goes on for so long, again and again, but not longer than that, milliseconds. */
const MORE_MS = 10_000;
const MORE_MS_MAX = 240_000;
/** Of the kills, at least this share must have met a sending under way. */
const HIT_SHARE = 0.6;

/** Each workflow's name as often as it is to be drawn. */
function namesOf(workflows: readonly ChaosWorkflow[]): readonly [string, ...string[]] {
  const [first = '', ...rest] = workflows.flatMap(({ name, weight }) => Array.from({ length: weight }, () => name));
  return [first, ...rest];
}

interface Play {
  readonly ask: ChaosAsk;
  readonly house: ChaosHouse;
  readonly traffic: Traffic;
  readonly random: Random;
  readonly figures: Figures;
  readonly names: readonly [string, ...string[]];
  /** How many times slower than a quiet machine this one is. */
  readonly pace: number;
  readonly leaseMs: number;
  say(line: string): void;
}

function missingOf(figures: Figures, needed: readonly FigureName[]): readonly FigureName[] {
  return needed.filter((name) => figures.of(name) === 0);
}

/** What is to be seen and was not, neither in the figures nor in the ledgers as they are now. */
async function missingNow({ traffic, figures }: Play): Promise<readonly FigureName[]> {
  const settled = new Figures();
  countEffects(await traffic.readAll(), settled);
  return missingOf(figures, STORM_FIGURES).filter((name) => settled.of(name) === 0);
}

async function playStorm(play: Play): Promise<void> {
  const { ask, traffic, say } = play;
  const dry = keepFlowing(traffic, { ...play, inflight: ask.inflight });
  await rage(play, Math.max(ask.minutes * 60_000 - END_MS, ask.minutes * 30_000));
  const beganAtMs = performance.now();
  for (;;) {
    const missing = await missingNow(play);
    if (missing.length === 0 || performance.now() - beganAtMs > MORE_MS_MAX) break;
    say(`      it goes on: nothing was seen yet of ${missing.join(', ')}`);
    await rage(play, MORE_MS);
  }
  await dry();
}

async function playKills(play: Play, kills: number): Promise<void> {
  const { figures, traffic, ask, pace } = play;
  const tell = (): string =>
    `${figures.of('kills')} kills, ${figures.of('kills that hit an open attempt')} hit an open attempt, ${figures.of('attempts open at a kill')} attempts; ${traffic.openRuns()} payments are being settled`;
  const stopTelling = keepTelling(play.say, tell);
  await killAgainAndAgain({ ...play, kills, inflight: ask.inflight, answerMs: ANSWER_MS * pace });
  stopTelling();
}

/** Says where it stands every ten seconds. @returns what ends it. */
function keepTelling(say: Play['say'], tell: () => string): () => void {
  const beganAtMs = performance.now();
  const telling = setInterval(() => {
    const seconds = ((performance.now() - beganAtMs) / 1_000).toFixed(0);
    say(`${seconds.padStart(5)} s  ${tell()}`);
  }, PROGRESS_MS);
  return () => clearInterval(telling);
}

/** Nothing is at fault any more: whatever is under way must come to its end. */
async function endWell(play: Play): Promise<boolean> {
  const { house, traffic, figures, say, ask } = play;
  for (const provider of house.providers) provider.setScript(healedScripts());
  await refill(house);
  const healedAtMs = performance.now();
  const stopTelling = keepTelling(say, () => `healed; ${traffic.openRuns()} runs still open`);
  const isQuiet = await traffic.untilQuiet(TAIL_MS * play.pace);
  const seconds = ((performance.now() - healedAtMs) / 1_000).toFixed(0);
  stopTelling();
  await traffic.stop();
  if (!isQuiet) {
    say(`✘ ${traffic.openRuns()} runs are still open ${seconds} s after the last heal; seed ${ask.seed}`);
    return false;
  }
  const runs = await traffic.readAll();
  const { faults, table } = await judge(house, runs, figures);
  const needed = ask.kills === null ? STORM_FIGURES : KILL_FIGURES;
  for (const line of [...figures.lines(needed), ...table]) say(line);
  const held = runs.filter(({ status }) => status === 'HELD');
  for (const { id, incidents } of held)
    say(`review  ${id} ${incidents.map(({ kind, message }) => `${kind}: ${message}`).join('; ')}`);
  const missing = missingOf(figures, needed);
  for (const fault of [...faults, ...missing.map((name) => `nothing was seen of: ${name}`)]) say(`✘ ${fault}`);
  say(
    `${runs.length} runs, ${held.length} wait for a person by name; quiet ${seconds} s after the last heal; ${faults.length} violations; seed ${ask.seed}`,
  );
  return faults.length === 0 && missing.length === 0 && hitsEnough(play);
}

function hitsEnough({ ask, figures, say }: Play): boolean {
  if (ask.kills === null) return true;
  const share = figures.of('kills that hit an open attempt') / figures.of('kills');
  say(`${(share * 100).toFixed(0)} % of the kills hit an open attempt`);
  return share >= HIT_SHARE;
}

/**
 * Plays with real processes, a real database behind wires that break, and providers with books of their own.
 * @returns true when after the last heal everything ended or named a review, every book equals its ledger, every receipt
 * verifies, and nothing that was to be seen is missing.
 * @param signal ends it early; whatever it started is ended then, too.
 */
export async function runChaos(
  env: Environment,
  ask: ChaosAsk,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<boolean> {
  const { kills } = ask;
  const pace = await measurePace();
  const leaseMs = LEASE_MS * pace;
  const workers = kills === null ? WORKERS : WORKERS_OF_KILLS;
  const random = createRandom(ask.seed);
  const figures = new Figures();
  let isCalm = true;
  let workflows: readonly ChaosWorkflow[] = [];
  let note: Traffic['add'] = () => undefined;
  const house = await openChaosHouse(env, {
    workers,
    leaseMs,
    workflows: (urls) => {
      workflows = kills === null ? chaosWorkflows(urls) : paymentWorkflows(urls);
      return workflows;
    },
    choose: kills === null ? createFates(random, figures, () => isCalm) : null,
    figures,
    answerMs: kills === null ? 0 : ANSWER_MS * pace,
    onStarted: (no, run) => note(no, run),
  });
  const playAll = async (): Promise<boolean> => {
    say(
      `seed ${ask.seed}: ${workers} workers, ${ask.inflight} runs under way, lease ${leaseMs} ms${pace > 1 ? ` (the machine is ${pace} times slower than a quiet one)` : ''}`,
    );
    await refill(house);
    const attended = new Set(workflows.filter(({ isAttended }) => isAttended).map(({ name }) => name));
    const traffic = openTraffic({ house, random, figures, attended });
    note = (no, run) => traffic.add(no, run);
    const play: Play = { ask, house, traffic, random, figures, names: namesOf(workflows), pace, leaseMs, say };
    isCalm = false;
    await (kills === null ? playStorm(play) : playKills(play, kills));
    isCalm = true;
    return endWell(play);
  };
  const stopped = new Promise<false>((resolve) => {
    if (signal.aborted) resolve(false);
    signal.addEventListener('abort', () => resolve(false), { once: true });
  });
  try {
    return await Promise.race([playAll(), stopped]);
  } finally {
    await house.close();
  }
}
