import { readYamlFile } from '../../definition/read-yaml-file.ts';
import { compileSchema } from '../../definition/schema-validator.ts';
import type { JsonSchema, WorkflowDefinition } from '../../model/definition.ts';
import { parseDuration } from '../../model/duration.ts';
import { DefinitionError, RefusedError } from '../../model/errors.ts';
import type { Json } from '../../model/json.ts';
import { parseScript, type Script } from '../provider/script.ts';
import type { Untruth } from './lies.ts';

/** An event that is sent at a time; null = when the run waits for it. */
export interface GivenEvent {
  readonly name: string;
  readonly data: Json;
  readonly atMs: number | null;
  /** The sender's own; null = another for each. */
  readonly id: string | null;
}

/** A vote that is cast at a time; null = when the run asks for it. */
export interface GivenVote {
  readonly by: string;
  readonly roles: readonly string[];
  readonly decision: 'approve' | 'deny';
  readonly atMs: number | null;
  /** What is filled in; absent = nothing. */
  readonly form?: Json;
}

/** How a lookup answers, as templates: `$items`, `$item`, `$id`, `$key` and `$request` stand for what happened. */
export interface LookupBodies {
  readonly found: Json;
  readonly absent: Json;
  readonly absentStatus: number;
}

/** What a user says of the world around the workflow; everything may be left out. */
export interface Scenario {
  readonly input: Json | undefined;
  /** By action: what the provider does with its calls, in order. */
  readonly scripts: ReadonlyMap<string, Script>;
  /** By action: what a yes of it says. */
  readonly answers: ReadonlyMap<string, Json>;
  /** By action: how long its answers take, milliseconds. */
  readonly takes: ReadonlyMap<string, number>;
  readonly untruths: readonly Untruth[];
  readonly lookups: ReadonlyMap<string, LookupBodies>;
  readonly events: readonly GivenEvent[];
  /** null = everything is approved. */
  readonly votes: readonly GivenVote[] | null;
}

/** Without a scenario: honest providers, generated input, everything awaited comes, everything is approved. */
export const NO_SCENARIO: Scenario = {
  input: undefined,
  scripts: new Map(),
  answers: new Map(),
  takes: new Map(),
  untruths: [],
  lookups: new Map(),
  events: [],
  votes: null,
};

const DURATION: JsonSchema = { type: 'string' };

const SCHEMA: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    input: {},
    provider: { type: 'object', additionalProperties: { type: ['string', 'integer', 'array'] } },
    answers: { type: 'object' },
    keys: {
      anyOf: [
        { enum: ['honoured', 'ignored'] },
        { type: 'object', additionalProperties: { enum: ['honoured', 'ignored'] } },
      ],
    },
    settles: { type: 'object', additionalProperties: DURATION },
    lookup: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        properties: {
          lag: DURATION,
          open: { enum: ['shown', 'hidden'] },
          empty: { enum: ['shown', 'hidden'] },
          found: {},
          absent: {},
          absentStatus: { type: 'integer', minimum: 200, maximum: 599 },
        },
        dependentRequired: { found: ['absent'], absent: ['found'] },
      },
    },
    reads: { type: 'object', additionalProperties: { enum: ['acts', 'only-reads'] } },
    events: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['name'],
        properties: { name: { type: 'string' }, data: {}, at: DURATION, id: { type: 'string' } },
      },
    },
    approve: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['by'],
        properties: {
          by: { type: 'string' },
          roles: { type: 'array', items: { type: 'string' } },
          decision: { enum: ['approve', 'deny'] },
          at: DURATION,
          form: { type: 'object' },
        },
      },
    },
  },
};

/** The file's own form. */
interface ScenarioFile {
  readonly input?: Json;
  readonly provider?: Readonly<Record<string, Json>>;
  readonly answers?: Readonly<Record<string, Json>>;
  readonly keys?: string | Readonly<Record<string, string>>;
  readonly settles?: Readonly<Record<string, string>>;
  readonly lookup?: Readonly<Record<string, LookupEntry>>;
  readonly reads?: Readonly<Record<string, string>>;
  readonly events?: readonly {
    readonly name: string;
    readonly data?: Json;
    readonly at?: string;
    readonly id?: string;
  }[];
  readonly approve?: readonly {
    readonly by: string;
    readonly roles?: readonly string[];
    readonly decision?: 'approve' | 'deny';
    readonly at?: string;
    readonly form?: Json;
  }[];
}

interface LookupEntry {
  readonly lag?: string;
  readonly open?: 'shown' | 'hidden';
  readonly empty?: 'shown' | 'hidden';
  readonly found?: Json;
  readonly absent?: Json;
  readonly absentStatus?: number;
}

function refuse(file: string, message: string): RefusedError {
  return new RefusedError('PAWL_CONFIG_INVALID', `scenario ${file}: ${message}`, { file });
}

/** A script as it is read: a status may stand in it as a number. */
function scriptOf(words: Json): Json {
  if (Array.isArray(words)) return words.map((word: Json) => (typeof word === 'number' ? String(word) : word));
  return typeof words === 'number' ? String(words) : words;
}

function timeOf(text: string | undefined): number | null {
  return text === undefined ? null : parseDuration(text);
}

function untruthsOf({ keys, settles, lookup, reads }: ScenarioFile): readonly Untruth[] {
  const named = (lie: Untruth['lie'], entries: readonly (readonly [string, number | null])[]): readonly Untruth[] =>
    entries.map(([action, byMs]) => ({ lie, action, byMs }));
  const ignored = typeof keys === 'object' ? Object.entries(keys).filter(([, word]) => word === 'ignored') : [];
  return [
    ...(keys === 'ignored' ? [{ lie: 'keys', action: null, byMs: null } as const] : []),
    ...named(
      'keys',
      ignored.map(([action]) => [action, null]),
    ),
    ...named(
      'late',
      Object.entries(settles ?? {}).map(([action, text]) => [action, parseDuration(text)]),
    ),
    ...named(
      'lookup',
      Object.entries(lookup ?? {}).flatMap(([action, { lag }]) =>
        lag === undefined ? [] : [[action, parseDuration(lag)]],
      ),
    ),
    ...named(
      'open',
      Object.entries(lookup ?? {}).flatMap(([action, { open }]) => (open === 'shown' ? [[action, null]] : [])),
    ),
    ...named(
      'empty',
      Object.entries(lookup ?? {}).flatMap(([action, { empty }]) => (empty === 'shown' ? [[action, null]] : [])),
    ),
    ...named(
      'reads',
      Object.entries(reads ?? {}).flatMap(([action, word]) => (word === 'acts' ? [[action, null]] : [])),
    ),
  ];
}

function lookupsOf({ lookup = {} }: ScenarioFile): Scenario['lookups'] {
  return new Map(
    Object.entries(lookup).flatMap(([action, { found, absent, absentStatus = 200 }]) =>
      found === undefined || absent === undefined ? [] : [[action, { found, absent, absentStatus }]],
    ),
  );
}

/** Every name that a scenario uses must be one of the workflow's. */
function checkNames(file: string, value: ScenarioFile, definition: WorkflowDefinition): void {
  const actions = definition.actions.map(({ name }) => name);
  const events = definition.events.map(({ name }) => name);
  const { provider, answers, keys, settles, lookup, reads } = value;
  const named = [provider, answers, typeof keys === 'object' ? keys : {}, settles, lookup, reads];
  for (const name of named.flatMap((part) => Object.keys(part ?? {}))) {
    if (!actions.includes(name)) throw refuse(file, `there is no action ${name}; there are ${actions.join(', ')}`);
  }
  for (const { name } of value.events ?? []) {
    if (!events.includes(name))
      throw refuse(file, `there is no event ${name}; there are ${events.join(', ') || 'none'}`);
  }
}

/**
 * Reads a scenario.
 * @param file the name that messages carry.
 * @throws PAWL_DEFINITION_INVALID with the place of what is no YAML; PAWL_CONFIG_INVALID for anything else that is wrong.
 */
export function readScenario(text: string, file: string, definition: WorkflowDefinition): Scenario {
  const yaml = readYamlFile(text, file);
  if (yaml.value === undefined || yaml.problems.some(({ severity }) => severity === 'error'))
    throw new DefinitionError(yaml.problems);
  const [misfit] = compileSchema(SCHEMA)(yaml.value);
  if (misfit !== undefined) throw refuse(file, misfit.message);
  const value = yaml.value as unknown as ScenarioFile;
  checkNames(file, value, definition);
  return {
    input: value.input,
    scripts: new Map(
      Object.entries(value.provider ?? {}).map(([name, words]) => [name, parseScript(name, scriptOf(words))]),
    ),
    answers: new Map(Object.entries(value.answers ?? {})),
    takes: NO_SCENARIO.takes,
    untruths: untruthsOf(value),
    lookups: lookupsOf(value),
    events: (value.events ?? []).map(({ name, data = {}, at, id = null }) => ({ name, data, atMs: timeOf(at), id })),
    votes:
      value.approve?.map(({ by, roles = [], decision = 'approve', at, form }) => ({
        by,
        roles,
        decision,
        atMs: timeOf(at),
        ...(form === undefined ? {} : { form }),
      })) ?? null,
  };
}
