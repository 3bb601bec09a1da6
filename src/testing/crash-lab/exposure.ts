import type { ActionContract } from '../../model/definition.ts';
import { type ComparedField, comparedFields, namedNumbers } from './literals.ts';
import { answersNotDone, type NotDone, rowsNotDone } from './state-words.ts';

/** What decides which troubles an effect can have. */
export interface Exposure {
  readonly target: string;
  readonly isHttp: boolean;
  /** How long its key is remembered, milliseconds; null = not at all. */
  readonly remembersMs: number | null;
  /** Statuses that say nothing certain, and which the action's own table may name all the same. */
  readonly doubtful: readonly number[];
  /** Statuses by which the action's own table may know a repeat. */
  readonly repeats: readonly number[];
  /** Refusals that the action's own table may take for a yes. */
  readonly refusals: readonly number[];
  /** The action has rules of its own: a 202 goes by them. */
  readonly hasRules: boolean;
  /** Answers by which it is taken for not done, and that come although it is done; none where the provider keeps its word. */
  readonly noes: readonly number[];
  /** What an answer may say although nothing is done. */
  readonly answers: readonly NotDone[];
  /** What a row of its lookup may say although nothing is done. */
  readonly rows: readonly NotDone[];
  /** How often its lookup fails before it is heard; 0 where the action's own rules do not speak of its failures. */
  readonly failedLookups: number;
}

const DAY_MS = 24 * 3_600_000;
/** Answers that say nothing certain; the others are asked for only where the action has rules of its own. */
const DOUBTFUL = [500];
const DOUBTFUL_WITH_RULES = [500, 502, 504, 408];
/** Refusals that say nothing of the request itself. */
const UNCERTAIN: ReadonlySet<number> = new Set([401, 403, 408, 429]);
/** Refusals by which a provider may say that it is as it should be already. */
const ALREADY: ReadonlySet<number> = new Set([404, 409, 410]);
const CONFLICT = 409;
const UNAVAILABLE = 503;
/** What the default table takes for certain: done behind a proxy that lost its upstream, or by a form that sends its reader on. */
export const TRUSTED_NOES = [503, 303] as const;
const KNOWS_IT = /exist|duplicate|already|conflict|in.?use|known/i;
/** Longest quarantine that failing lookups outlast beside `settlesWithin`, milliseconds. */
const QUARANTINE_MS = 60_000;
const FAILED_LOOKUPS_MAX = 300;
const FAILED_LOOKUPS_MORE = 8;

function remembersMs({ idempotency }: ActionContract): number | null {
  if (idempotency === null || idempotency.kind === 'none') return null;
  return idempotency.kind === 'natural' ? DAY_MS : idempotency.remembersMs;
}

function isNatural({ idempotency }: ActionContract): boolean {
  return idempotency?.kind === 'natural';
}

/**
 * What an effect is exposed to, by its action's contract.
 * @param is whether it is an undo, whether its lookup shows what is not done, and whether its noes lie.
 */
export function exposureOf(
  target: string,
  contract: ActionContract,
  is: { readonly undo: boolean; readonly open: boolean; readonly noes: boolean },
): Exposure {
  const hasRules = contract.outcome.length > 0;
  const isForgotten = remembersMs(contract) === null;
  // Who knows a key can be asked again after a 503; who knows none must not take it for a no.
  const withRules = isForgotten ? [...DOUBTFUL_WITH_RULES, UNAVAILABLE] : DOUBTFUL_WITH_RULES;
  return {
    target,
    isHttp: contract.transport.kind === 'http',
    remembersMs: remembersMs(contract),
    doubtful: hasRules ? withRules : DOUBTFUL,
    repeats: repeatsOf(contract),
    refusals: noesNamed(contract, 300).filter((status) => !ALREADY.has(status) || !(is.undo || isNatural(contract))),
    hasRules,
    noes: is.noes ? TRUSTED_NOES : [],
    answers: answersNotDone(contract),
    rows: rowsNotDone(contract, is.open),
    failedLookups: failedLookups(contract),
  };
}

function sourcesOf({ outcome }: ActionContract): readonly string[] {
  return outcome.map(({ when }) => when.source);
}

function statusesNamed(contract: ActionContract): readonly number[] {
  return namedNumbers(sourcesOf(contract)).filter((value) => value >= 100 && value < 600);
}

function noesNamed(contract: ActionContract, from: 300 | 400): readonly number[] {
  return statusesNamed(contract).filter((status) => status >= from && status < 500 && !UNCERTAIN.has(status));
}

/** The words by which an action's own table knows a repeat. */
export function knownWords(contract: ActionContract): readonly ComparedField[] {
  return comparedFields(sourcesOf(contract)).filter(({ value }) => typeof value === 'string' && KNOWS_IT.test(value));
}

/**
 * How a provider may refuse a repeat. Under a key it gives its first answer again, or a conflict; what is harmless to
 * repeat is refused by a status that the action's own table names, or by its words.
 */
function repeatsOf(contract: ActionContract): readonly number[] {
  if (contract.outcome.length === 0) return [];
  if (!isNatural(contract)) return [CONFLICT];
  if (statusesNamed(contract).length > 0) return noesNamed(contract, 400);
  return knownWords(contract).length > 0 ? [CONFLICT] : [];
}

/** A lookup that fails speaks of itself; only an action's own rules can take that for more. */
function failedLookups({ reconcile, settlesWithinMs }: ActionContract): number {
  if (reconcile === null || reconcile.transport.kind !== 'http' || reconcile.outcome.length === 0) return 0;
  const needed = Math.ceil((settlesWithinMs + QUARANTINE_MS) / reconcile.everyMs) + FAILED_LOOKUPS_MORE;
  return Math.min(needed, FAILED_LOOKUPS_MAX);
}
