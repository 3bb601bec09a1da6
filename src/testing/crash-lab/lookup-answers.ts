import type { ActionContract } from '../../model/definition.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { AttemptReport } from '../../model/outcome.ts';
import { CannotPlay, sourcesOf } from './answer-bodies.ts';
import { answered } from '../simulator/answered.ts';
import type { Asked, LabJudge } from './judge.ts';
import { type ComparedField, comparedFields, variants, withField } from './literals.ts';
import type { LookupBodies } from './scenario-file.ts';

/** Something that a lookup shows. */
export interface ShownRow {
  /** As a yes speaks of it. */
  readonly body: Json;
  /** What it says although it is not done; null = it is done. */
  readonly says: ComparedField | null;
  /** Whose doing it is. */
  readonly action: ActionContract;
}

/** How a lookup answers with what is there, and with nothing. */
export interface LookupShape {
  found(rows: readonly ShownRow[]): AttemptReport;
  absent(): AttemptReport;
  /** With 200 and nothing in it; as `absent` where it is said how it answers. */
  empty(): AttemptReport;
}

const LISTS = ['items', 'data', 'results'];

/** Names that stand right behind `response.body` in the action's expressions. */
function bodyNames(sources: readonly string[]): readonly string[] {
  return sources.flatMap((source) =>
    [...source.matchAll(/response\.body\.([A-Za-z_]\w*)/g)].map(([, name = '']) => name),
  );
}

type Shape = (items: readonly Json[]) => Json;

/** Bodies that may hold what was found: lists under a name, a list, the thing itself. */
function shapes(names: readonly string[]): readonly Shape[] {
  const lists = [...new Set([...LISTS.filter((name) => names.includes(name)), ...names, ...LISTS])];
  return [
    ...lists.map(
      (name): Shape =>
        (items) => ({ [name]: items, count: items.length, total: items.length, found: items.length > 0 }),
    ),
    (items) => items,
    (items) => items[0] ?? null,
    ...names.map(
      (name): Shape =>
        (items) => ({ [name]: items[0] ?? null }),
    ),
    ...names.map(
      (name): Shape =>
        (items) => ({ [name]: items.length }),
    ),
  ];
}

function attempts(fields: readonly ComparedField[]): readonly (readonly ComparedField[])[] {
  return [[], ...fields.map((field) => [field]), fields];
}

/** What may say that nothing was found, the likeliest first. */
function absences(shape: Shape, fields: readonly ComparedField[]): readonly AttemptReport[] {
  const nothing = shape([]);
  return [
    answered(200, nothing),
    answered(404, { error: 'not-found' }),
    ...variants({ error: 'not-found' }, fields).map((body) => answered(200, body)),
  ];
}

type Form = (rows: readonly ShownRow[]) => Json;

/** A row as its own action's lookup would have it. */
function dressed({ body, says, action }: ShownRow, own: string, set: readonly ComparedField[]): Json {
  const fields = action.name === own ? set : comparedFields(sourcesOf(action));
  return [...fields, ...(says === null ? [] : [says])].reduce<Json>(withField, body);
}

/** A shape with the fields that are asked for set in each item, or beside the items. */
function forms(shape: Shape, fields: readonly ComparedField[], own: string): readonly Form[] {
  return attempts(fields).flatMap((set): readonly Form[] => [
    (rows) => shape(rows.map((row) => dressed(row, own, set))),
    (rows) => {
      const said = rows.flatMap(({ says }) => (says === null ? [] : [says]));
      return [...set, ...said].reduce<Json>(withField, shape(rows.map((row) => dressed(row, own, []))));
    },
  ]);
}

/**
 * Finds out how a lookup must answer so that the action's own `found` and `outcome` understand it.
 * @param item what happened, as a yes speaks of it.
 * @throws CannotPlay when they understand none of the usual forms.
 */
export function findShape(judge: LabJudge, asked: Asked, item: Json): LookupShape {
  const { contract } = asked;
  const sources = sourcesOf(contract);
  const fields = comparedFields(sources);
  const row: ShownRow = { body: item, says: null, action: contract };
  for (const shape of shapes(bodyNames(sources))) {
    const absent = absences(shape, fields).find((report) => judge.query(asked, report) === 'absent');
    if (absent === undefined) continue;
    const form = forms(shape, fields, contract.name).find(
      (made) => judge.query(asked, answered(200, made([row]))) === 'confirmed',
    );
    if (form === undefined) continue;
    const nothing = answered(200, shape([]));
    return { found: (rows) => answered(200, form(rows)), absent: () => absent, empty: () => nothing };
  }
  throw cannotAsk(contract);
}

function cannotAsk({ name }: ActionContract): CannotPlay {
  return new CannotPlay(
    `the lab cannot play the lookup of ${name}: no usual answer is understood by its "found" or "outcome" both as there and ` +
      `as not there (what it shows must fit "output": by "reconcile: { output: … }" where it is a list); say how it answers in a scenario, lookup: { ${name}: { found: …, absent: … } }`,
  );
}

/** What the words of a scenario's templates stand for. */
function wordsOf(items: readonly Json[]): JsonObject {
  const [first = null] = items;
  const item = typeof first === 'object' && first !== null && !Array.isArray(first) ? (first as JsonObject) : {};
  const { id = null, key = null, request = null } = item;
  return { $items: [...items], $item: first, $id: id, $key: key, $request: request };
}

/** A template of a scenario with what happened put in for its words. */
function fill(template: Json, items: readonly Json[]): Json {
  if (typeof template === 'string') return wordsOf(items)[template] ?? template;
  if (typeof template !== 'object' || template === null) return template;
  if (Array.isArray(template)) return template.map((part: Json) => fill(part, items));
  return Object.fromEntries(Object.entries(template).map(([name, part]) => [name, fill(part, items)]));
}

/**
 * The form that a scenario gives a lookup.
 * @throws CannotPlay when the action's expressions do not understand it.
 */
export function givenShape(judge: LabJudge, asked: Asked, bodies: LookupBodies, item: Json): LookupShape {
  const { found, absent, absentStatus } = bodies;
  const row: ShownRow = { body: item, says: null, action: asked.contract };
  const nothing = (): AttemptReport => answered(absentStatus, fill(absent, []));
  const shape: LookupShape = {
    found: (rows) =>
      answered(
        200,
        fill(
          found,
          rows.map((row) => dressed(row, asked.contract.name, [])),
        ),
      ),
    absent: nothing,
    empty: nothing,
  };
  const isUnderstood =
    judge.query(asked, shape.found([row])) === 'confirmed' && judge.query(asked, shape.absent()) === 'absent';
  if (isUnderstood) return shape;
  throw new CannotPlay(
    `the scenario's lookup of ${asked.contract.name} is not understood by its "found" or "outcome": its found must come ` +
      'out as confirmed, its absent as absent',
  );
}
