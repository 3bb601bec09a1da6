import { setTimeout as pass } from 'node:timers/promises';
import type { Random } from '../random.ts';
import type { ChaosHouse, Place } from './chaos-house.ts';
import { troubledScripts } from './chaos-workflows.ts';
import type { Figures } from './figures.ts';
import type { FateChooser, RequestFate } from './tcp-proxy.ts';

/** What a storm needs. */
export interface StormPlan {
  readonly house: ChaosHouse;
  readonly random: Random;
  readonly figures: Figures;
  readonly leaseMs: number;
  say(line: string): void;
}

type Trouble = (plan: StormPlan) => Promise<void>;

/** Holds the heads of all open runs for a moment, as somebody at a console may. */
const HOLD_HEADS =
  'BEGIN; SELECT 1 FROM pawl.run_head WHERE ended_at IS NULL FOR NO KEY UPDATE; SELECT pg_sleep(0.3); COMMIT';
/** Share of calls that meet trouble at a provider. */
const TROUBLE_SHARE = 0.2;
const LULL_MS = 700;
/** Bounds of how late a late request gets there: about when its sender looks what became of it, or long after. */
const LATE_MS = [80, 650] as const;

/** Has a worker in every place. */
export async function refill({ places, fill }: ChaosHouse): Promise<void> {
  await Promise.all(places.map(fill));
}

/** How many of the attempts that a dead worker had under way are open in the ledger: its lease is not over yet. */
async function openInLedger(house: ChaosHouse, sent: ReadonlyMap<string, string>): Promise<number> {
  const looked = [...sent].map(async ([key, run]) => {
    const view = await house.app.show(run).catch(() => null);
    return view?.effects.some((effect) => effect.key === key && effect.state === 'REQUESTED') === true;
  });
  return (await Promise.all(looked)).filter(Boolean).length;
}

/** Kills whoever works in a place, counts what that hit, and has another one come meanwhile. */
export async function killAt({ house, figures }: StormPlan, place: Place): Promise<void> {
  const { worker, open } = place;
  if (worker === null || worker.hasEnded()) return;
  await worker.kill();
  figures.add('kills');
  void house.fill(place);
  const attempts = await openInLedger(house, new Map(open));
  figures.add('attempts open at a kill', attempts);
  if (attempts > 0) figures.add('kills that hit an open attempt');
}

const kill: Trouble = async (plan) => {
  const place = busiest(plan.house);
  if (place !== undefined) await killAt(plan, place);
};

const pause: Trouble = async ({ house, random, figures, leaseMs }) => {
  const { worker } = pickPlace({ house, random });
  figures.add('pauses past the lease');
  worker?.pause();
  await pass(leaseMs * (1.2 + 0.8 * random.next()));
  worker?.goOn();
};

const crashServer: Trouble = async ({ house, figures }) => {
  figures.add('server stopped at once');
  await house.crashServer();
};

const blackHole: Trouble = async ({ house, random, figures }) => {
  figures.add('black holes');
  pickPlace({ house, random }).proxy.blackHole(1_000 + random.below(2_500));
};

const holdHeads: Trouble = async ({ house, figures }) => {
  figures.add('locks held at a console');
  // A server that is stopped meanwhile ends this one, too.
  await house.console(HOLD_HEADS).catch(() => undefined);
};

function pickPlace({ house, random }: Pick<StormPlan, 'house' | 'random'>): Place {
  const [first, ...rest] = house.places;
  if (first === undefined) throw new RangeError('there is no place for a worker');
  return random.pick([first, ...rest]);
}

/** One round of the storm: everything comes once, in an order of its own, some things more often. */
const ROUND: readonly (readonly [string, Trouble])[] = [
  ['SIGKILL', kill],
  ['SIGKILL', kill],
  ['SIGKILL', kill],
  ['SIGSTOP', pause],
  ['SIGSTOP', pause],
  ['heads locked', holdHeads],
  ['heads locked', holdHeads],
  ['black hole', blackHole],
  ['server stopped', crashServer],
];

/** The troubles of a round, in an order of its own. */
export function nextRound(random: Random): typeof ROUND {
  return ROUND.map((item) => ({ item, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/** Lets trouble come, one after the other, until the time is over. */
export async function rage(plan: StormPlan, forMs: number): Promise<void> {
  const { house, random, say } = plan;
  const beganAtMs = performance.now();
  const isOver = (): boolean => performance.now() - beganAtMs > forMs;
  while (!isOver()) {
    for (const provider of house.providers) provider.setScript(troubledScripts(random, TROUBLE_SHARE));
    for (const [name, trouble] of nextRound(random)) {
      if (isOver()) break;
      await trouble(plan);
      await refill(house);
      const seconds = ((performance.now() - beganAtMs) / 1_000).toFixed(0);
      say(`${seconds.padStart(4)} s  ${name}`);
      await pass(random.below(LULL_MS));
    }
  }
}

/** Whoever has most sendings under way. */
export function busiest({ places }: ChaosHouse): Place | undefined {
  return [...places].sort((a, b) => b.open.size - a.open.size)[0];
}

/** Fates of requests: while it is not calm, some break before, after, or arrive late; commits more often than the rest. */
export function createFates(random: Random, figures: Figures, isCalm: () => boolean): FateChooser {
  const draw = (isCommit: boolean): RequestFate => {
    const at = random.next() * (isCommit ? 1 : 6);
    if (at < 0.02) return { kind: 'dropped before' };
    if (at < 0.05) return { kind: 'dropped after' };
    if (at < 0.08) return { kind: 'late', ms: random.below(random.pick(LATE_MS)) };
    if (at < 0.12) return { kind: 'delayed', ms: random.below(1_200) };
    return { kind: 'pass' };
  };
  return (isCommit) => {
    const fate = isCalm() ? ({ kind: 'pass' } as const) : draw(isCommit);
    if (fate.kind !== 'pass') figures.add(fate.kind);
    return fate;
  };
}
