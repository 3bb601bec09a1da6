import { compileSchema } from '../../definition/schema-validator.ts';
import { fillDefaults } from '../../definition/fill-defaults.ts';
import type { JsonSchema } from '../../model/definition.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { CannotPlay } from './answer-bodies.ts';
import { type Draw, generateValue } from './generate-value.ts';
import type { Lab, Story } from './lab.ts';
import { namedNumbers, withField } from './literals.ts';
import { play, type Played } from './play.ts';
import { timedAround } from './groups.ts';
import type { PlayedRow } from './play-records.ts';

/** A story with what comes of it when nothing goes wrong. */
export interface ToldStory {
  readonly story: Story;
  readonly calm: Played;
}

const NUMBERS_MAX = 6;
const PICKS = [0, 1, 2, 3];

/** Values to try: small first, then around the numbers that the workflow names, then each item of every enum. */
function draws(lab: Lab): readonly Draw[] {
  const { constants, steps } = lab.definition;
  const named = namedNumbers([
    JSON.stringify(constants),
    JSON.stringify(steps, ['when', 'source', 'branches', 'steps', 'catch', 'do', 'where']),
  ]);
  const sizes = [1, 100, ...named.map((value) => value + 1)].slice(0, NUMBERS_MAX);
  return [
    ...sizes.map((size) => ({ no: 1, pick: 0, size })),
    ...PICKS.slice(1).map((pick) => ({ no: 1, pick, size: 1 })),
  ];
}

/** @throws CannotPlay when no input can be made. */
function inputsOf(lab: Lab): readonly { readonly input: Json; readonly draw: Draw }[] {
  const { input: schema } = lab.definition;
  const { input: given } = lab.scenario;
  if (given !== undefined) return PICKS.map((pick) => ({ input: given, draw: { no: 1, pick, size: 1 } }));
  const made = draws(lab).flatMap((draw) => {
    const input = generateValue(schema, draw);
    return input === undefined ? [] : [{ input, draw }];
  });
  if (made.length > 0) return made;
  throw new CannotPlay('the lab cannot make an input that fits the schema: give one in a scenario, input: { … }');
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Names of the input that tell one run from another: those in the workflow's key, else those in the objects of its calls,
 * else the first that is called like a number of something.
 */
function keyPaths(lab: Lab): readonly (readonly string[])[] {
  const { key, input } = lab.definition;
  if (key !== null) return inputPaths(key.value.source);
  const objects = [...lab.compiled.steps.values()].flatMap((step) => (step.verb === 'call' ? [step.object] : []));
  const named = inputPaths(JSON.stringify(objects));
  if (named.length > 0) return named;
  const names =
    isObject(input as Json) && isObject((input as JsonObject)['properties'])
      ? Object.keys((input as JsonObject)['properties'] as JsonObject)
      : [];
  const first = names.find((name) => NUMBER_OF.test(name));
  return first === undefined ? [] : [[first]];
}

const NUMBER_OF = /(^|_)(id|no|nr|number|key|ref|reference|code|order)$|(Id|No|Nr|Number|Key|Ref|Reference|Code)$/;

function inputPaths(source: string): readonly (readonly string[])[] {
  return [...source.matchAll(/\binput\.([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)/g)].map(([, path = '']) => path.split('.'));
}

function schemaAt(schema: Json | undefined, path: readonly string[]): Json | undefined {
  const [name, ...rest] = path;
  if (name === undefined || !isObject(schema)) return schema;
  const properties = schema['properties'];
  return schemaAt(isObject(properties) ? properties[name] : undefined, rest);
}

/** The same but for its key: another run beside it. Null where its key cannot be changed. */
function neighbourOf(lab: Lab, input: Json): Json | null {
  const schema = lab.definition.input;
  const paths = keyPaths(lab);
  if (paths.length === 0) return lab.definition.key === null ? input : null;
  const other = paths.reduce<Json>((value, path) => {
    const at = schemaAt(schema as Json, path);
    const made = generateValue((at ?? {}) as JsonSchema, { no: 2, pick: 0, size: 2 });
    return made === undefined || isObject(made) ? value : withField(value, { path, value: made });
  }, input);
  const isOther = JSON.stringify(other) !== JSON.stringify(input);
  return isOther && compileSchema(schema)(fillDefaults(schema, other)).length === 0 ? other : null;
}

/** What a story has that the first has not, in words. */
function nameOf(first: Json, input: Json, pick: number): string {
  const fields =
    isObject(input) && isObject(first)
      ? Object.entries(input).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(first[name]))
      : [];
  const shown = fields.filter(([, value]) => !isObject(value) && !Array.isArray(value));
  if (shown.length > 0) return shown.map(([name, value]) => `${name} ${String(value)}`).join(', ');
  return pick === 0 ? 'another input' : `answers of kind ${pick + 1}`;
}

/** What a story reaches: its steps and its effects. */
function reachOf({ steps, rows }: Played): readonly string[] {
  return [
    ...[...steps].map((step) => `step ${step}`),
    ...rows.filter(({ state }) => state === 'CONFIRMED').map(({ label }) => label),
  ];
}

/** Plays one after the other and keeps those that reach something new. */
class Collection {
  readonly told: ToldStory[] = [];
  readonly problems = new Set<string>();
  readonly #lab: Lab;
  readonly #reached = new Set<string>();

  constructor(lab: Lab) {
    this.#lab = lab;
  }

  async tell(story: Story): Promise<ToldStory> {
    const calm = await play({ lab: this.#lab, story, trouble: null, withNeighbour: false });
    for (const problem of calm.problems) this.problems.add(problem);
    return { story, calm };
  }

  /** What it reaches is no news any more. */
  note({ calm }: ToldStory): void {
    for (const name of reachOf(calm)) this.#reached.add(name);
  }

  /** @returns whether it was kept. */
  keep(told: ToldStory): boolean {
    const fresh = reachOf(told.calm).filter((name) => !this.#reached.has(name));
    if (fresh.length === 0 && this.told.length > 0) return false;
    this.note(told);
    this.told.push(told);
    return true;
  }
}

async function tellHappy(lab: Lab, stories: Collection): Promise<void> {
  const inputs = inputsOf(lab);
  const told: ToldStory[] = [];
  const first = inputs[0]?.input ?? null;
  for (const { input, draw } of inputs) {
    const name = told.length === 0 ? 'as it should be' : nameOf(first, input, draw.pick);
    const story: Story = {
      name,
      input,
      neighbour: neighbourOf(lab, input),
      pick: draw.pick,
      declined: new Set(),
      away: new Set(),
      slow: new Map(),
      denied: new Set(),
    };
    told.push(await stories.tell(story));
  }
  // What goes through to its end is told first.
  const isGood = ({ calm }: ToldStory): boolean => calm.status === 'COMPLETED';
  for (const one of [...told.filter(isGood), ...told.filter((other) => !isGood(other))]) stories.keep(one);
}

/** Whether it is done in the calm and somebody may refuse it. Nobody refuses a child: it fails by what it does itself. */
function isRefusable({ compiled }: Lab, { action, isUndo, state }: PlayedRow): boolean {
  return !isUndo && state === 'CONFIRMED' && compiled.action(action).transport.kind !== 'child';
}

/** One step is refused, denied, or never comes. */
async function tellRefusals(lab: Lab, stories: Collection): Promise<readonly ToldStory[]> {
  const seen = new Set<string>();
  const refusals: ToldStory[] = [];
  for (const { story, calm } of [...stories.told]) {
    for (const row of calm.rows) {
      const { label } = row;
      if (!isRefusable(lab, row) || seen.has(label)) continue;
      seen.add(label);
      refusals.push(await stories.tell({ ...story, name: `${label} declined`, declined: new Set([label]) }));
    }
    for (const step of calm.steps) {
      const verb = lab.compiled.steps.get(step)?.verb;
      if (seen.has(step) || (verb !== 'approve' && verb !== 'await')) continue;
      seen.add(step);
      const name = verb === 'approve' ? `${step} denied` : `${step} never comes`;
      refusals.push(await stories.tell({ ...story, name, denied: new Set([step]) }));
    }
  }
  return refusals;
}

/** Calls that are tried more often than this are not played to their last attempt. */
const AWAY_ATTEMPTS_MAX = 20;

/** Whether a call whose provider is not there fails, and soon. */
function givesUp({ compiled }: Lab, { step, action }: PlayedRow): boolean {
  const known = compiled.steps.get(step);
  const { attempts } = (known?.verb === 'call' ? known.retry : null) ?? compiled.action(action).retry;
  return attempts !== null && attempts <= AWAY_ATTEMPTS_MAX;
}

/** A provider is never there: told only where that leads to a step that nothing else does. */
async function tellAbsences(lab: Lab, stories: Collection): Promise<void> {
  const seen = new Set<string>();
  for (const { story, calm } of [...stories.told]) {
    for (const row of calm.rows) {
      const { label } = row;
      if (!isRefusable(lab, row) || seen.has(label) || !givesUp(lab, row)) continue;
      seen.add(label);
      stories.keep(await stories.tell({ ...story, name: `${label} away`, away: new Set([label]) }));
    }
  }
}

/** How much longer a call takes than the time that is left to it, milliseconds. */
const TOO_LONG_MS = 1_000;

/** A call takes longer than a group around it may: crashed only where that leads to something new, warned of in any case. */
async function tellDelays(lab: Lab, stories: Collection): Promise<readonly ToldStory[]> {
  const seen = new Set<string>();
  const delays: ToldStory[] = [];
  for (const { story, calm } of [...stories.told]) {
    for (const row of calm.rows) {
      const { label, step } = row;
      const timeoutMs = timedAround(lab, step)?.timeoutMs ?? null;
      if (!isRefusable(lab, row) || seen.has(label) || timeoutMs === null) continue;
      seen.add(label);
      const slow = new Map([[label, timeoutMs + TOO_LONG_MS]]);
      const told = await stories.tell({ ...story, name: `${label} takes too long`, slow });
      stories.keep(told);
      delays.push(told);
    }
  }
  return delays;
}

/** The stories of a workflow, what they lack, and what they do not reach. */
export interface Stories {
  readonly told: readonly ToldStory[];
  /** Calls that take too long for what is around them. */
  readonly delays: readonly ToldStory[];
  readonly problems: readonly string[];
  /** Calls, approvals and awaits that no story comes to. */
  readonly unreached: readonly string[];
}

/**
 * Finds the ways through a workflow: inputs that reach every step, and for each step what happens when it is refused.
 * @throws CannotPlay when no input can be made.
 */
export async function findStories(lab: Lab): Promise<Stories> {
  const stories = new Collection(lab);
  await tellHappy(lab, stories);
  const refusals = await tellRefusals(lab, stories);
  for (const one of refusals) stories.note(one);
  const before = stories.told.length;
  await tellAbsences(lab, stories);
  const delays = await tellDelays(lab, stories);
  const told = [...stories.told.slice(0, before), ...refusals, ...stories.told.slice(before)];
  const reached = new Set(told.flatMap(({ calm }) => [...calm.steps]));
  const outside = [...lab.compiled.steps.values()].filter(
    ({ verb }) => verb === 'call' || verb === 'approve' || verb === 'await',
  );
  return {
    told,
    delays,
    problems: [...stories.problems],
    unreached: outside.map(({ id }) => id).filter((id) => !reached.has(id)),
  };
}
