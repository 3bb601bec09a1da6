import { compileSchema } from '../../definition/schema-validator.ts';
import type { ActionContract, Expression, Template } from '../../model/definition.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { generateValue } from './generate-value.ts';
import { answered } from '../simulator/answered.ts';
import type { Asked, LabJudge } from './judge.ts';
import type { Lab } from './lab.ts';
import { comparedFields, namedFields, variants } from './literals.ts';

/** What the lab cannot play without a word of the user. */
export class CannotPlay extends Error {}

const PICKS = [0, 1, 2, 3];

/** Something that happened, as an answer speaks of it. */
export interface Happening {
  readonly id: string;
  /** The number in its id. */
  readonly no: number;
  readonly body: JsonObject;
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fits(contract: ActionContract, value: Json | undefined): value is Json {
  return value !== undefined && compileSchema(contract.output)(value).length === 0;
}

/** The sources of everything that an action's contract asks of an answer. */
export function sourcesOf({ outcome, reconcile }: ActionContract): readonly string[] {
  const rules: readonly Expression[] = [...outcome, ...(reconcile?.outcome ?? [])].map(({ when }) => when);
  const found = reconcile?.found ?? null;
  return [...rules, ...(found === null ? [] : [found])]
    .map(({ source }) => source)
    .concat(templateSources(reconcile?.output ?? null));
}

function templateSources(template: Template | null): readonly string[] {
  return template?.kind === 'expression' ? [template.expression.source] : [];
}

/** The bodies that may say yes, the likeliest first: what the provider calls it, and what the output's schema wants. */
function candidates(
  contract: ActionContract,
  happening: Happening,
  given: Json | undefined,
  pick: number,
): readonly Json[] {
  const { id, no, body } = happening;
  const made = given ?? generateValue(contract.output, { no, pick, size: 1 });
  if (!isObject(made)) return made === undefined ? [body] : [made];
  const named = given === undefined && typeof made['id'] === 'string' ? { ...made, id } : made;
  const numbered = given === undefined && typeof made['id'] === 'number' ? { ...made, id: no } : made;
  return [{ ...body, ...named }, { ...body, ...numbered }, named, numbered, made];
}

/** Statuses of a yes, the likeliest first: a table may know only one of them. */
const YES_STATUSES = [200, 201] as const;

/** What a yes says, and why the action's own rules cannot read it; null = they take it for done. */
export interface Yes {
  /** null = a function's. */
  readonly status: number | null;
  readonly body: Json;
  readonly misread: string | null;
}

/** A statement that does what it should touches as many rows as are expected. */
function asManyRows({ transport }: ActionContract, body: Json): Json {
  if (transport.kind !== 'sql' || transport.expectRows === null || !isObject(body)) return body;
  return { ...body, rowCount: transport.expectRows };
}

/**
 * A yes: a body that fits the output's schema and that the action's own rules take for done. Where the rules that say no
 * fail on every body that those for a yes would take, it is one that they cannot read.
 * @throws CannotPlay when none was found.
 */
export function makeYes(
  lab: Lab,
  judge: LabJudge,
  asked: Asked,
  told: { readonly happening: Happening; readonly pick: number },
): Yes {
  const { contract } = asked;
  const given = lab.scenario.answers.get(contract.name);
  // An item of an enum may be the word for a no; another one is the yes.
  const picks = [told.pick, ...PICKS].flatMap((pick) => candidates(contract, told.happening, given, pick));
  const bodies = picks.filter((body) => fits(contract, body));
  const sources = given === undefined ? sourcesOf(contract) : [];
  const fields = [comparedFields(sources), namedFields(sources)];
  const statuses = contract.transport.kind === 'http' ? YES_STATUSES : [null];
  const possible = fields
    .flatMap((set) => bodies.flatMap((body) => variants(body, set)))
    .map((body) => asManyRows(contract, body))
    .filter((body) => fits(contract, body));
  for (const status of statuses) {
    const yes = possible.find((body) => judge.attempt(asked, answered(status, body)).kind === 'confirmed');
    if (yes !== undefined) return { status, body: yes, misread: null };
  }
  const [status] = statuses;
  for (const body of possible) {
    const misread = judge.misreads(asked, answered(status, body));
    if (misread !== null) return { status, body, misread };
  }
  throw new CannotPlay(
    `the lab cannot make an answer that ${contract.name} takes for done: say it in a scenario, answers: { ${contract.name}: … }`,
  );
}
