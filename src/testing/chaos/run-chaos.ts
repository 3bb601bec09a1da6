import type { Environment } from '../../app/config.ts';
import { createRandom } from '../random.ts';
import { type ChaosHouse, openChaosHouse } from './chaos-house.ts';
import { chaosWorkflows, type ChaosWorkflow, healedScripts, paymentWorkflows } from './chaos-workflows.ts';
import { type FigureName, Figures, KILL_FIGURES, STORM_FIGURES } from './figures.ts';
import { judge } from './judge.ts';
import { createFates, killAgainAndAgain, rage, refill } from './storm.ts';
import { openTraffic, type Traffic } from './traffic.ts';

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
/** By then everything is quiet after the last heal, milliseconds. */
const TAIL_MS = 240_000;
const PROGRESS_MS = 10_000;

/** Each workflow's name as often as it is to be drawn. */
function namesOf(workflows: readonly ChaosWorkflow[]): readonly [string, ...string[]] {
  const [first = '', ...rest] = workflows.flatMap(({ name, weight }) => Array.from({ length: weight }, () => name));
  return [first, ...rest];
}

interface Play {
  readonly ask: ChaosAsk;
  readonly house: ChaosHouse;
  readonly traffic: Traffic;
  readonly figures: Figures;
  say(line: string): void;
}

/** Nothing is at fault any more: whatever is under way must come to its end. */
async function endWell({ house, traffic, figures, say, ask }: Play): Promise<boolean> {
  for (const provider of house.providers) provider.setScript(healedScripts());
  await refill(house);
  traffic.dry();
  const healedAtMs = performance.now();
  const progress = setInterval(() => say(`      healed; ${traffic.openRuns()} runs still open`), PROGRESS_MS);
  const runs = await traffic.untilQuiet(TAIL_MS);
  clearInterval(progress);
  await traffic.stop();
  if (runs === null) {
    say(`✘ ${traffic.openRuns()} runs are still open ${TAIL_MS / 1_000} s after the last heal`);
    return false;
  }
  const faults = await judge(house, runs, figures);
  const needed = ask.kills === null ? STORM_FIGURES : KILL_FIGURES;
  for (const line of figures.lines(needed)) say(line);
  const held = runs.filter(({ status }) => status === 'HELD');
  for (const { id, incidents } of held)
    say(`review  ${id} ${incidents.map(({ kind, message }) => `${kind}: ${message}`).join('; ')}`);
  for (const fault of faults) say(`✘ ${fault}`);
  const missing = missingOf(figures, needed);
  for (const name of missing) say(`✘ nothing was seen of: ${name}`);
  const seconds = ((performance.now() - healedAtMs) / 1_000).toFixed(0);
  say(
    `${runs.length} runs, ${held.length} wait for a person by name; quiet ${seconds} s after the last heal; ${faults.length} violations; seed ${ask.seed}`,
  );
  return faults.length === 0 && missing.length === 0 && hitsEnough(ask, figures, say);
}

function missingOf(figures: Figures, needed: readonly FigureName[]): readonly FigureName[] {
  return needed.filter((name) => figures.of(name) === 0);
}

/** Of the kills, at least this share must have met a sending under way. */
const HIT_SHARE = 0.6;

function hitsEnough({ kills }: ChaosAsk, figures: Figures, say: (line: string) => void): boolean {
  if (kills === null) return true;
  const share = figures.of('kills that hit an open attempt') / figures.of('kills');
  say(`${(share * 100).toFixed(0)} % of the kills hit an open attempt`);
  return share >= HIT_SHARE;
}

/**
 * Plays with real processes, a real database behind wires that break, and providers with books of their own.
 * @returns true when after the last heal everything ended or named a review, every book equals its ledger, every receipt
 * verifies, and nothing that was to be seen is missing.
 */
export async function runChaos(env: Environment, ask: ChaosAsk, say: (line: string) => void): Promise<boolean> {
  const random = createRandom(ask.seed);
  const figures = new Figures();
  let isCalm = true;
  let workflows: readonly ChaosWorkflow[] = [];
  const house = await openChaosHouse(env, {
    workers: WORKERS,
    workflows: (urls) => {
      workflows = ask.kills === null ? chaosWorkflows(urls) : paymentWorkflows(urls);
      return workflows;
    },
    choose: createFates(random, figures, () => isCalm || ask.kills !== null),
    figures,
  });
  try {
    say(`seed ${ask.seed}: ${WORKERS} workers, ${ask.inflight} runs under way, lease 1500 ms`);
    await refill(house);
    const traffic = openTraffic({ house, random, figures, inflight: ask.inflight, names: namesOf(workflows) });
    isCalm = false;
    const storm = { house, random, figures, say };
    await (ask.kills === null ? rage(storm, ask.minutes * 60_000) : killAgainAndAgain(storm, ask.kills));
    isCalm = true;
    return await endWell({ ask, house, traffic, figures, say });
  } finally {
    await house.close();
  }
}
