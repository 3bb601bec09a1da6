import type { ActionContract, JsonSchema, OutcomeRule } from '../../model/definition.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { comparedFields, type ComparedField, namedFields } from './literals.ts';

/** What a provider says of something that it has taken in and not done. */
export interface NotDone {
  readonly says: ComparedField;
  /** It may still be done; else it was refused. */
  readonly isOpen: boolean;
}

/** What a field is called whose yes nobody has to explain; any other is one by its words. */
const STATE = /^(status|state|phase|stage|result|outcome|progress)$/i;
const OPEN =
  /^(pending|processing|in[-_ ]?progress|queued|accepted|submitted|requested|scheduled|running|waiting|settling|in[-_ ]?flight)$/i;
const REFUSED = /^(failed|failure|declined|rejected|refused|denied|error|errored|cancell?ed|voided|expired|invalid)$/i;
/** Flags that say whether it was done at all. */
const SUCCESS = /^(ok|success|succeeded)$/i;
/** The words of a provider that has states, and whose own words nobody has said. */
const USUAL = ['pending', 'failed'] as const;

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The words that a schema lists for the fields of an answer. */
function listedFields(schema: JsonSchema): readonly ComparedField[] {
  const properties = typeof schema === 'boolean' ? undefined : schema['properties'];
  if (!isObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, property]): readonly ComparedField[] => {
    const words = isObject(property) && Array.isArray(property['enum']) ? (property['enum'] as readonly Json[]) : [];
    const isFlag = isObject(property) && property['type'] === 'boolean' && SUCCESS.test(name);
    return [...words, ...(isFlag ? [false] : [])].map((value) => ({ path: [name], value }));
  });
}

function isState({ path, value }: ComparedField): boolean {
  const name = path.at(-1) ?? '';
  if (typeof value !== 'string') return value === false && SUCCESS.test(name);
  return STATE.test(name) || OPEN.test(value) || REFUSED.test(value);
}

function notDone(fields: readonly ComparedField[]): readonly NotDone[] {
  const known = new Map(fields.filter(isState).map((says) => [JSON.stringify(says), says]));
  return [...known.values()].flatMap((says): readonly NotDone[] => {
    const word = String(says.value);
    return OPEN.test(word) || REFUSED.test(word) || says.value === false ? [{ says, isOpen: OPEN.test(word) }] : [];
  });
}

function ruleFields(rules: readonly OutcomeRule[]): readonly ComparedField[] {
  return namedFields(rules.map(({ when }) => when.source));
}

const STILL_OPEN: ReadonlySet<OutcomeRule['is']> = new Set(['pending', 'unknown']);

/** Words of which a rule itself says that they are no yes; a rule that asks for more than one field, or by a not, says less. */
function ruledWords({ when, is }: OutcomeRule): readonly NotDone[] {
  const words = comparedFields([when.source]).filter(({ value }) => typeof value === 'string');
  const isOpen = STILL_OPEN.has(is);
  const isPlain = !/!(?!=)|\?/.test(when.source) && new Set(words.map(({ path }) => path.join('.'))).size === 1;
  return isPlain && (isOpen || is === 'rejected') ? words.map((says) => ({ says, isOpen })) : [];
}

/** Each field and word once, as it was told first. */
function distinct(words: readonly NotDone[]): readonly NotDone[] {
  return [...new Map([...words].reverse().map((word) => [JSON.stringify(word.says), word])).values()].reverse();
}

/** What an answer to a sending may say although nothing is done: the words that the action's own table and schema know. */
export function answersNotDone({ outcome, output }: ActionContract): readonly NotDone[] {
  const ruled = outcome.flatMap(ruledWords).filter(({ says, isOpen }) => isOpen || isState(says));
  return distinct([...ruled, ...notDone([...ruleFields(outcome), ...listedFields(output)])]);
}

/** Whether an action's doings are looked up where others can be seen, too: functions say themselves what they found. */
export function isLookedUp({ reconcile }: ActionContract): boolean {
  return reconcile !== null && reconcile.transport.kind === 'http';
}

/**
 * What a row of the lookup may say of something that is not done: the action's own words, and where it speaks of states
 * at all, those that every provider with states has. An action that knows of no states has a provider without.
 * @param isOpen the lookup shows what is not done, whatever the action says.
 */
export function rowsNotDone(contract: ActionContract, isOpen: boolean): readonly NotDone[] {
  const { reconcile, outcome } = contract;
  if (!isLookedUp(contract) || reconcile === null) return [];
  const found = reconcile.found === null ? [] : namedFields([reconcile.found.source]);
  const looked = [...ruleFields(reconcile.outcome), ...found].filter(isState);
  const told = answersNotDone(contract);
  const isSlow = isOpen || told.some((word) => word.isOpen) || outcome.some(({ is }) => is === 'pending');
  if (looked.length === 0 && !isSlow) return [];
  const path = looked[0]?.path ?? told[0]?.says.path ?? ['status'];
  const ruled = told.map(({ says, isOpen: open }) => ({ says: { ...says, path }, isOpen: open }));
  const own = distinct([...reconcile.outcome.flatMap(ruledWords), ...ruled, ...notDone(looked)]);
  const usual = notDone(USUAL.map((value) => ({ path, value })));
  return [...own, ...usual.filter((word) => own.every((known) => known.isOpen !== word.isOpen))];
}
