import type { Json, JsonObject } from './json.ts';

/** A statement of a `sql` action, read without a database: where its values go, and what it gives back. */
export interface SqlStatement {
  /** The text between the values, one piece more than there are values. */
  readonly pieces: readonly string[];
  /** The name of each value, in the order of the text; a name may come more than once. */
  readonly names: readonly string[];
  /** Whether it gives rows back, as opposed to a count alone. */
  readonly returnsRows: boolean;
  /** Why it cannot be carried out; null = nothing is known to be wrong. */
  readonly fault: string | null;
}

/** A statement as it travels: the text holds none of the values. */
export interface BoundStatement {
  /** `$1` is the list of values, as jsonb. */
  readonly text: string;
  readonly values: readonly Json[];
}

/** What may stand there as a whole: nothing that changes the schema, ends the transaction, or holds longer than it. */
const VERBS: ReadonlySet<string> = new Set(['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'MERGE', 'VALUES']);

/**
 * The parts of a text in which nothing is a value, each as one match: comments, texts with and without escapes, quoted names,
 * texts between dollars, casts. Then what matters: values, positions, words, and signs.
 */
const TOKEN = new RegExp(
  [
    String.raw`(?<comment>--[^\n]*|/\*)`,
    String.raw`(?<text>(?<![\w$])[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|(?<![\w$])\$(?<tag>[A-Za-z_]\w*)?\$[\s\S]*?\$\k<tag>\$)`,
    '(?<cast>::|:=)',
    String.raw`(?<![\w:]):(?<name>[A-Za-z_]\w*)`,
    String.raw`(?<position>(?<![\w$])\$\d+)`,
    String.raw`(?<word>[A-Za-z_][\w$]*)`,
    `(?<sign>[();'"])`,
  ].join('|'),
  'g',
);

/** Where a comment ends that began at `from`; PostgreSQL nests them. Null = nowhere. */
function endOfComment(text: string, from: number): number | null {
  const mark = /\/\*|\*\//g;
  mark.lastIndex = from;
  let depth = 0;
  for (let match = mark.exec(text); match !== null; match = mark.exec(text)) {
    depth += match[0] === '/*' ? 1 : -1;
    if (depth === 0) return mark.lastIndex;
  }
  return null;
}

/** What a reading has found so far. */
class Reading {
  readonly pieces: string[] = [];
  readonly names: string[] = [];
  /** Words outside of all parentheses. */
  readonly words: string[] = [];
  fault: string | null = null;
  depth = 0;
  /** Where the piece in hand begins. */
  from = 0;
  /** Where the statement has ended; null = it goes on. */
  endedAt: number | null = null;

  fail(why: string): void {
    this.fault ??= why;
  }

  sign(sign: string, at: number): void {
    if (sign === '(') this.depth += 1;
    else if (sign === ')') this.depth -= 1;
    else if (sign === ';') this.endedAt ??= at;
    else this.fail(`a ${sign} is never closed`);
  }
}

type Groups = Readonly<Record<string, string | undefined>>;

/** Whether a match is more than a comment, a cast or the end of a statement. */
function isMeant({ text, name, position, word, sign }: Groups): boolean {
  return [text, name, position, word, sign].some((part) => part !== undefined && part !== ';');
}

function take(reading: Reading, text: string, match: RegExpExecArray): void {
  const groups = match.groups as Groups;
  const { name, position, word, sign } = groups;
  if (reading.endedAt !== null && isMeant(groups)) reading.fail('it is more than one statement');
  if (position !== undefined) reading.fail(`${position} is the place of no value: values are named, as :name`);
  if (word !== undefined && reading.depth === 0) reading.words.push(word.toUpperCase());
  if (sign !== undefined) reading.sign(sign, match.index);
  if (name === undefined) return;
  reading.names.push(name);
  reading.pieces.push(text.slice(reading.from, match.index));
  reading.from = match.index + match[0].length;
}

/** Reads a statement; what it means only the database knows. */
export function readStatement(text: string): SqlStatement {
  const reading = new Reading();
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    if (match[0] !== '/*') take(reading, text, match);
    else {
      const end = endOfComment(text, match.index);
      if (end === null) reading.fail('a comment is never closed');
      TOKEN.lastIndex = end ?? text.length;
    }
  }
  reading.pieces.push(text.slice(reading.from, reading.endedAt ?? text.length));
  const { pieces, names, words } = reading;
  return { pieces, names, returnsRows: givesRows(words), fault: reading.fault ?? faultOf(words) };
}

/** The verb of a statement: what follows its `WITH`, or its first word. */
function verbOf(words: readonly string[]): string | undefined {
  return words[0] === 'WITH' ? words.find((word) => VERBS.has(word)) : words[0];
}

function givesRows(words: readonly string[]): boolean {
  const verb = verbOf(words);
  return verb === 'SELECT' || verb === 'VALUES' || words.includes('RETURNING');
}

function faultOf(words: readonly string[]): string | null {
  const verb = verbOf(words);
  if (verb === undefined) return 'there is no statement in it';
  if (!VERBS.has(verb)) return `${verb} is none of ${[...VERBS].join(', ')}, nor are they behind a WITH`;
  return verb === 'SELECT' && words.includes('INTO') ? 'SELECT … INTO makes a table' : null;
}

/** A value where it is used, with the type that JSON gives it; null has whatever type is wanted there. */
function placeOf(value: Json, index: number): string {
  if (value === null) return 'NULL';
  if (typeof value === 'object') return `($1->${index})`;
  const type = typeof value === 'string' ? '' : typeof value === 'boolean' ? '::boolean' : numberType(value);
  return `(($1->>${index})${type})`;
}

function numberType(value: number): string {
  return Number.isInteger(value) ? '::bigint' : '::numeric';
}

/**
 * Puts the places of the values into a statement; the values themselves stay beside it.
 * @param given the `with` of the call.
 * @returns the name of the first value that is not there, instead.
 */
export function bindStatement({ pieces, names }: SqlStatement, given: JsonObject): BoundStatement | string {
  const missing = names.find((name) => !Object.hasOwn(given, name));
  if (missing !== undefined) return missing;
  const values = names.map((name) => given[name] as Json);
  const places = values.map(placeOf);
  return { text: pieces.map((piece, index) => `${piece}${places[index] ?? ''}`).join(''), values };
}
