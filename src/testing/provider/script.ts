import { RefusedError } from '../../model/errors.ts';
import type { Json } from '../../model/json.ts';

/**
 * What the provider does with one call:
 * `ok` does it and answers; `declined` refuses for good (402); `refused` shuts the door, so that connections are
 * refused; `lost-done` does it and answers nothing; `lost-not-done` does nothing and answers nothing; `hang` does
 * nothing and leaves the caller waiting; a status from 300 to 599 answers it and does nothing.
 * Beyond the words of the cases: `late-done` answers nothing and does it later; `pending` answers 202 and does it
 * later; `unreadable-done` does it and answers a page of HTML.
 */
export type ScriptWord =
  | { readonly kind: (typeof NAMED)[number] }
  | { readonly kind: 'status'; readonly status: number }
  /** Given as data: that is answered. Below 300 a simulated provider has done what was asked. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly body: Json;
      /** How long the caller is asked to wait; absent = nothing is said. */
      readonly retryAfterSeconds?: number;
    };

/** Scripts by operation; each a text (`503 x2 then ok`, `lost-done, ok`) or a list of words. */
export type ScriptTexts = Readonly<Record<string, string | readonly string[]>>;

/** The words of one operation, in the order of its calls. */
export interface Script {
  readonly operation: string;
  readonly words: readonly ScriptWord[];
}

const NAMED = [
  'ok',
  'declined',
  'refused',
  'lost-done',
  'lost-not-done',
  'hang',
  'late-done',
  'pending',
  'unreadable-done',
] as const;
const STATUS = /^[345]\d\d$/;
const REPEATED = /^(\S+)\s+x\s*([1-9]\d{0,3})$/;
/** More words than any test needs; bounds what `x` can ask for. */
const WORDS_MAX = 10_000;

/** Reads one word. */
function parseWord(operation: string, text: string): ScriptWord {
  const kind = NAMED.find((word) => word === text);
  if (kind !== undefined) return { kind };
  if (STATUS.test(text)) return { kind: 'status', status: Number(text) };
  throw refuse(
    operation,
    `"${text}" is no word of a provider script; its words are ${NAMED.join(', ')}, or a status from 300 to 599`,
  );
}

function refuse(operation: string, message: string): RefusedError {
  return new RefusedError('PAWL_CONFIG_INVALID', `script of ${operation}: ${message}`, { operation });
}

/** One word, or a word and how often: `503 x2`. */
function parseItem(operation: string, text: string): readonly ScriptWord[] {
  const [, word = text, times = '1'] = REPEATED.exec(text) ?? [];
  return Array.from({ length: Number(times) }, () => parseWord(operation, word));
}

/** The words of a script as it was given; over HTTP anything may come. */
function itemsOf(operation: string, script: unknown): readonly string[] {
  if (typeof script === 'string') return script.split(/,|\bthen\b/);
  if (Array.isArray(script) && script.every((item) => typeof item === 'string')) return script;
  throw refuse(operation, 'it is a text or a list of words');
}

/**
 * Reads the script of one operation. Words are separated by commas or `then`; the last one repeats for ever.
 * @param script a text or a list of words, whatever came.
 * @throws PAWL_CONFIG_INVALID for a word that is none, naming the words, an empty script, or more than 10 000 words.
 */
export function parseScript(operation: string, script: unknown): Script {
  const words = itemsOf(operation, script).flatMap((item) => parseItem(operation, item.trim()));
  if (words.length === 0 || words.length > WORDS_MAX) throw refuse(operation, `it needs 1 to ${WORDS_MAX} words`);
  return { operation, words };
}

/**
 * Reads scripts that came as JSON: a map from operations to scripts.
 * @throws PAWL_CONFIG_INVALID for anything else.
 */
export function readScripts(value: Json): readonly Script[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RefusedError('PAWL_CONFIG_INVALID', 'scripts are a JSON object: { "charge": "503 x2 then ok" }');
  return Object.entries(value).map(([operation, script]) => parseScript(operation, script));
}

/**
 * The word for a call.
 * @param call how many calls of the operation came before it.
 */
export function wordFor(script: Script | undefined, call: number): ScriptWord {
  return script?.words[Math.min(call, script.words.length - 1)] ?? { kind: 'ok' };
}

/** A word as text. */
export function wordText(word: ScriptWord): string {
  return 'status' in word ? String(word.status) : word.kind;
}
