import type { WorkflowDefinition } from '../../model/definition.ts';
import { actionsOf, type Lab } from '../crash-lab/lab.ts';
import { judgeCrash, type Miss } from './judge-scenario.ts';
import { playScenario } from './play-scenario.ts';
import type { Boundary } from './scenario-director.ts';
import type { Happening, Seen } from './seen.ts';
import type { TestScenario } from './test-scenario.ts';

/** What a crash has changed, and where the worker died. */
export interface CrashMiss {
  /** `after pay was sent`. */
  readonly words: string;
  readonly misses: readonly Miss[];
  readonly problems: readonly string[];
}

/** A scenario with a crash at each of its boundaries. */
export interface Crashed {
  readonly plays: number;
  readonly misses: readonly CrashMiss[];
}

/** What its children may do is named beside the workflow's own. */
export function childDefinitions({ children }: Lab): readonly WorkflowDefinition[] {
  return children.map(({ compiled }) => compiled.machine.definition);
}

/** Actions of which nobody can find out what a lost call did: their provider knows no key, and cannot be asked. */
function mutesOf(lab: Lab, { provider }: TestScenario): ReadonlySet<string> {
  const mutes = actionsOf(lab).filter(({ name, transport, idempotency, reconcile }) => {
    if (transport.kind === 'sql') return false;
    const script = provider.get(name);
    const hasKey = idempotency !== null && idempotency.kind !== 'none' && script?.isKeyIgnored !== true;
    return !hasKey && (reconcile === null || script?.isBlind === true);
  });
  return new Set(mutes.map(({ name }) => name));
}

function timesOf(happened: readonly Happening[], label: string): number {
  return happened.filter((one) => one.label === label).length;
}

/** A person is asked, or has said, what nobody can find out, and nothing was done more often than without the crash. */
function isLeftToPerson(mutes: ReadonlySet<string>, crashed: Seen, calm: Seen): boolean {
  const asked = crashed.status === 'HELD' ? crashed.doubted : crashed.decided;
  if (!asked.some((action) => mutes.has(action))) return false;
  return crashed.happened.every(({ label }) => timesOf(crashed.happened, label) <= timesOf(calm.happened, label));
}

/**
 * What a play with a crash has missed of what is expected; nothing where it meets what a crash may lead to instead, whatever those
 * were told who sent something: they heard it of another way.
 */
function missesOf(lab: Lab, scenario: TestScenario, seen: Seen): readonly Miss[] {
  const { compiled } = lab;
  const children = childDefinitions(lab);
  const own = judgeCrash({ scenario, seen, compiled, children });
  const isOther = scenario.crashed.some((expect) =>
    judgeCrash({ scenario: { ...scenario, expect }, seen, compiled, children }).every(({ what }) => what === 'answer'),
  );
  return isOther ? [] : own;
}

/** Of moments that one effect comes to again and again, how many are played from each end. */
const FROM_EACH_END = 2;

/**
 * The moments that are played. An effect that is tried a hundred times comes a hundred times to the same one: the first two
 * and the last two stand for all.
 */
function chosenOf(boundaries: readonly Boundary[]): readonly Boundary[] {
  const rows = new Map<string, Boundary[]>();
  for (const boundary of boundaries) {
    const { row: effect, kind, no, words } = boundary;
    const name = effect === null ? `${kind} ${no}` : `${effect} ${words}`;
    const row = rows.get(name) ?? [];
    row.push(boundary);
    rows.set(name, row);
  }
  const chosen = new Set(
    [...rows.values()].flatMap((row) => [...row.slice(0, FROM_EACH_END), ...row.slice(-FROM_EACH_END)]),
  );
  return boundaries.filter((boundary) => chosen.has(boundary));
}

/**
 * Plays a scenario once for each moment at which its worker can die: with a call on its way, before and after each state
 * is stored; whoever comes next dies at the next such moment.
 * @param calm the same without a crash.
 * @param onPlay told of each as it begins: which it is, from 1, of how many.
 */
export async function crashScenario(
  lab: Lab,
  scenario: TestScenario,
  calm: { readonly seen: Seen; readonly boundaries: readonly Boundary[] },
  onPlay: (no: number, plays: number) => void,
): Promise<Crashed> {
  const mutes = mutesOf(lab, scenario);
  const misses: CrashMiss[] = [];
  const chosen = chosenOf(calm.boundaries);
  for (const [at, boundary] of chosen.entries()) {
    onPlay(at + 1, chosen.length);
    const { seen } = await playScenario(lab, scenario, { boundary, calm: calm.seen });
    const { problems } = seen;
    const own = missesOf(lab, scenario, seen);
    if (problems.length === 0 && (own.length === 0 || isLeftToPerson(mutes, seen, calm.seen))) continue;
    misses.push({ words: boundary.words, misses: own, problems });
  }
  return { plays: chosen.length, misses };
}
