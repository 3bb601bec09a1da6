import type { ActionContract } from '../../model/definition.ts';
import { exposureOf } from './exposure.ts';
import type { ToldStory } from './find-stories.ts';
import { actsOnRead, type Lab, type Story, untruthOf } from './lab.ts';
import type { Target } from './lab-report.ts';
import { keyNamesOf, makesKey } from './own-keys.ts';
import type { PlayedRow } from './play-records.ts';
import { earlyTroubles, readTroubles, type Trouble, troublesOf } from './trouble.ts';

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
  const keyNames = keyNamesOf(lab);
  const placed = [...calm.rows].sort((left, right) => placeOf(order, left) - placeOf(order, right));
  const rows = new Map(placed.filter(({ state }) => SENT.has(state)).map((row) => [row.label, row]));
  return [...rows.values()].flatMap(({ label, action, isUndo }): readonly Case[] => {
    const effect = nameOf(story, label);
    if (seen.has(effect)) return [];
    seen.add(effect);
    const contract = lab.compiled.action(action);
    const is = { undo: isUndo, ...liesOf(lab, action) };
    const target = { label, effect, action, story: story.name, calm };
    return [
      {
        target,
        told,
        troubles: [...ownTroubles(label, contract, is), ...(isUndo ? earlyOf(lab, calm, label) : [])],
        withNeighbour: contract.reconcile !== null || makesKey(lab, contract, keyNames),
      },
    ];
  });
}

/** In which ways a provider lies by what it shows and answers. */
function liesOf(lab: Lab, action: string): { readonly open: boolean; readonly noes: boolean } {
  return { open: untruthOf(lab, 'open', action) !== null, noes: untruthOf(lab, 'noes', action) !== null };
}

/** An effect, and how its provider stands to it in a story. */
function nameOf({ declined, away }: Story, label: string): string {
  if (declined.has(label)) return `${label} (declined)`;
  return away.has(label) ? `${label} (away)` : label;
}

/** Nothing of a statement or of a child's start is on its way: it is where the commit is, and its worker dies only there (E13, V08). */
function isInside({ transport }: ActionContract): boolean {
  return transport.kind === 'sql' || transport.kind === 'child';
}

/** Everything that is tried with an effect by its own contract. */
function ownTroubles(
  label: string,
  contract: ActionContract,
  is: Parameters<typeof exposureOf>[2],
): readonly Trouble[] {
  const all = troublesOf(exposureOf(label, contract, is));
  return isInside(contract) ? all.filter(({ commit }) => commit !== null) : all;
}

/** An undo that comes before what it undoes is done. */
function earlyOf(lab: Lab, { rows }: ToldStory['calm'], undo: string): readonly Trouble[] {
  const forward = rows.find((row) => `undo ${row.label}` === undo);
  if (forward === undefined) return [];
  const contract = lab.compiled.action(forward.action);
  if (isInside(contract)) return [];
  const is = { undo: false, ...liesOf(lab, forward.action) };
  return earlyTroubles(exposureOf(forward.label, contract, is));
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
    if (!actsOnRead(lab, lab.compiled.action(step.action))) return [];
    seen.add(id);
    const target = { label: id, effect: id, action: step.action, story: story.name, calm };
    return [{ target, told, troubles: readTroubles(id), withNeighbour: false }];
  });
}
