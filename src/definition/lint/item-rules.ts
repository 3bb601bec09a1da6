import type { MapStep, Step } from '../../model/definition.ts';
import { allSteps } from '../../model/step-lists.ts';
import { reservedNames } from '../expression/names.ts';
import {
  expressionsAt,
  expressionsAtEnd,
  expressionsIn,
  expressionsOfCatch,
  expressionsOfHandlers,
} from './expressions-of.ts';
import type { LintContext } from './lint-context.ts';
import { placeOf, type Read, readsOf } from './reads.ts';

/** Names of items: allowed, told apart from those of maps around, and read inside their maps only. */
export function lintItems(context: LintContext): void {
  const maps = context.graph.steps.flatMap(({ step }) => (step.verb === 'map' ? [step] : []));
  if (maps.length === 0) return;
  for (const map of maps) lintName(context, map, maps);
  lintItemReads(context, maps);
  for (const map of maps) lintItemKeys(context, map);
}

function namesOf({ as }: MapStep): readonly [string, string] {
  return [as, `${as}Index`];
}

function lintName({ report }: LintContext, map: MapStep, maps: readonly MapStep[]): void {
  const pointer = `${map.pointer}/as`;
  const help = 'choose another name for the item with `as:`';
  const word = namesOf(map).find((name) => reservedNames.has(name));
  if (word !== undefined)
    report({ code: 'PAWL-113', pointer, message: `\`${word}\` is a word of the expression language`, help });
  const inside = allSteps(map.steps);
  const inner = maps.find(
    (other) => inside.includes(other) && namesOf(other).some((name) => namesOf(map).includes(name)),
  );
  if (inner !== undefined)
    report({
      code: 'PAWL-201',
      pointer: `${inner.pointer}/as`,
      message: `the items of "${inner.id}" have the name of those around them: "${map.as}"`,
      help,
    });
}

function lintItemReads(context: LintContext, maps: readonly MapStep[]): void {
  const named = new Set(maps.flatMap(namesOf));
  const insides = maps.map((map) => ({ names: namesOf(map), steps: new Set(allSteps(map.steps)) }));
  const known = (step: Step): ReadonlySet<string> =>
    new Set(insides.flatMap(({ names, steps }) => (steps.has(step) ? names : [])));
  for (const { step } of context.graph.steps) {
    const around = known(step);
    const keys = step.verb === 'map' ? readsOf(step.key) : [];
    const own = new Set(step.verb === 'map' ? [...around, ...namesOf(step)] : []);
    const all = [...expressionsAt(step), ...expressionsAtEnd(step), ...expressionsOfCatch(step)];
    const others = all.filter((expression) => step.verb !== 'map' || expression !== step.key);
    lintReads(context, keys, { named, known: own });
    lintReads(context, others.flatMap(readsOf), { named, known: around });
  }
  const { on = [], output } = context.definition;
  const document = [...expressionsOfHandlers(on), ...expressionsIn(output)].flatMap(readsOf);
  lintReads(context, document, { named, known: new Set() });
}

interface Names {
  readonly named: ReadonlySet<string>;
  readonly known: ReadonlySet<string>;
}

function lintReads({ report }: LintContext, reads: readonly Read[], { named, known }: Names): void {
  for (const read of reads) {
    const [root = ''] = read.path;
    if (!named.has(root) || known.has(root)) continue;
    report({
      code: 'PAWL-403',
      ...placeOf(read),
      message: `\`${root}\` can be read inside its map only`,
      help: 'read the output of the map: a list with the key, status, code and output of each item',
    });
  }
}

/** The place of an item is not what it is: a list that grows or is sorted would make other acts of the same items (R09). */
function lintItemKeys({ report }: LintContext, map: MapStep): void {
  const index = `${map.as}Index`;
  const calls = allSteps(map.steps).flatMap((step) => (step.verb === 'call' ? [step] : []));
  const expressions = [map.key, ...calls.flatMap(({ object, intent }) => [object, intent].flatMap(expressionsIn))];
  for (const read of expressions.flatMap(readsOf)) {
    if (read.path[0] !== index) continue;
    report({
      code: 'PAWL-221',
      ...placeOf(read),
      message: `\`${index}\` is a place in the list and cannot be part of a key`,
      help: 'read something that belongs to the item itself, for example its id',
    });
  }
}
