import type { ActionContract } from '../../model/definition.ts';
import type { ToldStory } from './find-stories.ts';
import { type Lab, untruthOf } from './lab.ts';
import type { Target } from './lab-report.ts';
import { namedNumbers } from './literals.ts';
import type { PlayedRow } from './play.ts';
import { type Exposure, readTroubles, type Trouble, troublesOf } from './trouble.ts';

const DAY_MS = 24 * 3_600_000;
/** Answers that say nothing certain; the others are asked for only where the action has rules of its own. */
const DOUBTFUL = [500];
const DOUBTFUL_WITH_RULES = [500, 502, 504, 408];
/** Refusals that say nothing of the request itself. */
const UNCERTAIN: ReadonlySet<number> = new Set([401, 403, 408, 429]);

function remembersMs({ idempotency }: ActionContract): number | null {
  if (idempotency === null || idempotency.kind === 'none') return null;
  return idempotency.kind === 'natural' ? DAY_MS : idempotency.remembersMs;
}

/** What can go wrong with an effect, by its action's contract. */
export function exposureOf(target: string, contract: ActionContract): Exposure {
  return {
    target,
    isHttp: contract.transport.kind === 'http',
    remembersMs: remembersMs(contract),
    doubtful: contract.outcome.length === 0 ? DOUBTFUL : DOUBTFUL_WITH_RULES,
    repeats: refusalsNamed(contract),
    isAcceptedNo: contract.outcome.some(({ when, is }) => NO.has(is) && namedNumbers([when.source]).includes(ACCEPTED)),
  };
}

/** By itself it says: not done yet, and it will be. */
const ACCEPTED = 202;
/** What a table says of an answer that it takes for "it was not done". */
const NO: ReadonlySet<string> = new Set(['unavailable', 'throttled', 'rejected', 'absent']);

/** How a provider may say that it knows a request already: by a status that the action's own table names, or by its words. */
function refusalsNamed({ outcome }: ActionContract): readonly number[] {
  const named = namedNumbers(outcome.map(({ when }) => when.source)).filter((value) => value >= 100 && value < 600);
  if (outcome.length > 0 && named.length === 0) return [409];
  return named.filter((status) => status >= 400 && status < 500 && !UNCERTAIN.has(status));
}

/** A target with its story and everything that is tried with it. */
export interface Case {
  readonly target: Target;
  readonly told: ToldStory;
  readonly troubles: readonly Trouble[];
  readonly withNeighbour: boolean;
}

const SENT: ReadonlySet<string> = new Set(['CONFIRMED', 'FAILED', 'ABSENT', 'UNKNOWN']);

/** Every effect once: in the first story in which it comes, and where it is refused. */
export function listCases(lab: Lab, told: readonly ToldStory[]): readonly Case[] {
  const seen = new Set<string>();
  return told.flatMap((one) => [...effectCases(lab, one, seen), ...readCases(lab, one, seen)]);
}

function effectCases(lab: Lab, told: ToldStory, seen: Set<string>): readonly Case[] {
  const { story, calm } = told;
  const order = [...lab.compiled.steps.keys()];
  const placed = [...calm.rows].sort((left, right) => placeOf(order, left) - placeOf(order, right));
  const rows = new Map(placed.filter(({ state }) => SENT.has(state)).map((row) => [row.label, row]));
  return [...rows.values()].flatMap(({ label, action }): readonly Case[] => {
    const effect = story.declined.has(label) ? `${label} (declined)` : label;
    if (seen.has(effect)) return [];
    seen.add(effect);
    const contract = lab.compiled.action(action);
    const target = { label, effect, action, story: story.name, calm };
    return [
      { target, told, troubles: troublesOf(exposureOf(label, contract)), withNeighbour: contract.reconcile !== null },
    ];
  });
}

/** Steps in the order of the file, undos after them and the other way round. */
function placeOf(order: readonly string[], { step, isUndo }: PlayedRow): number {
  const at = order.indexOf(step);
  return isUndo ? 2 * order.length - at : at;
}

/** Reads have no row: the lab plays those that are said to act. */
function readCases(lab: Lab, told: ToldStory, seen: Set<string>): readonly Case[] {
  const { story, calm } = told;
  return [...calm.steps].flatMap((id): readonly Case[] => {
    const step = lab.compiled.steps.get(id);
    if (step?.verb !== 'call' || lab.compiled.action(step.action).effect !== 'read' || seen.has(id)) return [];
    if (untruthOf(lab, 'reads', step.action) === null) return [];
    seen.add(id);
    const target = { label: id, effect: id, action: step.action, story: story.name, calm };
    return [{ target, told, troubles: readTroubles(id), withNeighbour: false }];
  });
}
