import { cutText } from '../model/cut-text.ts';
import type { Json } from '../model/json.ts';
import { closestWord } from './closest-word.ts';
import type { SchemaError } from './file-schema.ts';
import type { Finding } from './report-problem.ts';
import { childPointer, lastToken } from './source-map.ts';
import { switchMeant } from './switch-words.ts';
import { kindWords, valueKind } from './value-kind.ts';

const SHOWN_MAX = 40;
/** A length that every kind of name may have. */
const SHORT_LENGTH = 20;
const DIGITS_HELP = 'write it in digits, for example 2';

/** `timeout`, or `item 3 of steps` for a list item. */
function nameOf(error: SchemaError): string {
  const token = lastToken(error.pointer);
  if (error.propertyName !== null) return `the name \`${error.propertyName}\``;
  if (!/^\d+$/.test(token)) return error.pointer === '' ? 'the file' : `\`${token}\``;
  const list = lastToken(error.pointer.slice(0, error.pointer.lastIndexOf('/')));
  return `item ${Number(token) + 1} of \`${list}\``;
}

function form(error: SchemaError): string | null {
  const note = error.schema['x-form'];
  return typeof note === 'string' ? note : null;
}

function typeFinding(error: SchemaError): Finding {
  const { pointer, data, schema, rule } = error;
  if (schema['x-kind'] === 'duration' && typeof data === 'number') {
    const message = `${nameOf(error)} is a duration, and ${data} has no unit`;
    return {
      code: 'PAWL-023',
      pointer,
      message,
      help: `write ${data}s for seconds, ${data}m for minutes, or for example 1h30m`,
    };
  }
  const types = (Array.isArray(rule) ? rule : [rule]).map((type: Json) => String(type));
  const wanted = schema['x-kind'] === 'duration' ? 'a duration such as 30s' : (form(error) ?? kindWords(types));
  const isName = typeof data === 'number' && NAME_FORM.test(wanted);
  return {
    code: 'PAWL-103',
    pointer,
    message: `${nameOf(error)} must be ${wanted} (found ${valueKind(data)})`,
    help: isName
      ? nameHelp(String(data), String(schema['pattern']))
      : (failHelp(error) ?? typeHelp(data, types) ?? `write ${wanted}`),
  };
}

const CODE_FORM = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

/** A code alone is no failure yet: it is one key of it. */
function failHelp({ pointer, data }: SchemaError): string | null {
  if (lastToken(pointer) !== 'fail' || typeof data !== 'string') return null;
  if (CODE_FORM.test(data)) return `write \`fail: { code: ${data} }\``;
  return 'write a code and what a person reads: `fail: { code: no-stock, message: "…" }`';
}

/** Words for an end that is bad: it has a code, and is another verb. */
const FAILURES: ReadonlySet<string> = new Set(['failed', 'fail', 'failure', 'error', 'aborted', 'rejected']);

/** What is meant by an end that is no word of ours. */
function endHelp({ pointer, data }: SchemaError): string | null {
  if (lastToken(pointer) !== 'end' || typeof data !== 'string') return null;
  if (FAILURES.has(data.toLowerCase())) return 'a run fails by `fail: { code: no-stock }` in place of `end`';
  if (!CODE_FORM.test(data)) return null;
  return `write done or cancelled; an end with a name of its own is \`end: { as: ${data} }\``;
}

function switchHelp(written: string): string {
  const meant = switchMeant(written);
  return meant === null ? 'write true or false' : `YAML 1.2 reads \`${written}\` as text: write \`${meant}\``;
}

/** How a value becomes one of the type that is wanted; null = by writing another one. */
function typeHelp(data: Json, types: readonly string[]): string | null {
  if (data === null) return 'write a value after the colon, or leave the key out';
  if (types.includes('string') && typeof data !== 'object') return `quote it if it is meant as text: "${String(data)}"`;
  if (types.includes('array')) return 'write a list: [ … ], or lines that begin with `- `';
  if (types.includes('object') && typeof data !== 'object')
    return 'write a map: { key: value }, or its keys on lines of their own';
  if (typeof data === 'number' && types.includes('integer'))
    return `write it without a fraction, for example ${Math.ceil(data)}`;
  if (typeof data !== 'string') return null;
  if (types.includes('boolean')) return switchHelp(data);
  return /^-?\d+(?:\.\d+)?$/.test(data) ? `write ${data} without quotes` : DIGITS_HELP;
}

function wordFinding(error: SchemaError): Finding {
  const { pointer, data, rule } = error;
  const words = (Array.isArray(rule) ? rule : [rule]).map((word: Json) => String(word));
  const found =
    typeof data === 'string'
      ? `\`${cutText(data, SHOWN_MAX)}\``
      : typeof data === 'number'
        ? String(data)
        : valueKind(data);
  const near = typeof data === 'string' ? closestWord(data, words) : null;
  const wanted = form(error) ?? (words.length === 1 ? `${words[0]}` : `one of ${words.join(', ')}`);
  return {
    code: typeof data === 'string' || words.length === 1 ? 'PAWL-104' : 'PAWL-103',
    pointer,
    message: `${nameOf(error)} must be ${wanted} (found ${found})`,
    help: isCollection(data) && form(error) !== null ? `write ${wanted}` : wordsHelp(error, near, words),
  };
}

function wordsHelp(error: SchemaError, near: string | null, words: readonly string[]): string {
  const meant = near ?? (words.length === 1 ? words[0] : undefined);
  return wordHelp(meant, error.data) ?? endHelp(error) ?? `write ${words.join(' or ')}`;
}

/** Whoever writes a list or a map does not mean a word. */
function isCollection(data: Json): boolean {
  return typeof data === 'object' && data !== null;
}

function wordHelp(meant: string | undefined, data: Json): string | null {
  if (meant === undefined) return null;
  return meant === data ? `write ${meant} without quotes` : `did you mean \`${meant}\`?`;
}

/** The nearest name of the form that a pattern wants: `my-step` -> `myStep`, `My Flow` -> `my-flow`, `1st` -> `n1st`. */
function nameHelp(written: string, pattern: string): string {
  const words = written
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/ß/g, 'ss')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());
  const [first = '', ...rest] = words;
  const camel =
    first.replace(/^(?=\d)/, 'n') + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  const forms = [camel, words.join('-').replace(/^[\d-]+/, ''), written.replace(/[^A-Za-z0-9_.-]/g, '-')];
  const fitting = forms.find((form) => new RegExp(pattern).test(form));
  if (fitting !== undefined) return `for example ${fitting}`;
  const short = forms.map((form) => cutText(form, SHORT_LENGTH)).find((form) => new RegExp(pattern).test(form));
  return short === undefined ? 'use the letters a to z' : `shorten it, for example ${short}`;
}

/** How a text comes to have its form. */
function formHelp(wanted: string): string {
  return /whole number/.test(wanted) ? DIGITS_HELP : `write ${wanted}`;
}

const NAME_FORM = /identifier|name of|dotted name|begins with/;

function patternFinding(error: SchemaError): Finding {
  const { pointer, data, propertyName } = error;
  const wanted = String(error.schema['x-form']);
  const isName = propertyName !== null || NAME_FORM.test(wanted);
  const written = propertyName ?? String(data);
  const help = isName ? nameHelp(written, String(error.rule)) : formHelp(wanted);
  if (propertyName !== null) {
    const message = `${nameOf(error)} is not ${wanted}`;
    return { code: 'PAWL-112', pointer: childPointer(pointer, propertyName), at: 'key', message, help };
  }
  return { code: isName ? 'PAWL-112' : 'PAWL-106', pointer, message: `${nameOf(error)} must be ${wanted}`, help };
}

/** The ranges that the schemas of files have: what must be there, and how to get there. */
function rangeWords(keyword: string, limit: string): { readonly wanted: string; readonly help: string } {
  switch (keyword) {
    case 'minItems':
      return { wanted: 'a list with something in it', help: 'write at least one item: lines that begin with `- `' };
    case 'minProperties':
      return { wanted: 'a map with something in it', help: 'write at least one key' };
    case 'maxItems':
      return { wanted: `a list of at most ${limit}`, help: `leave out what is beyond ${limit}` };
    case 'minimum':
      return { wanted: `at least ${limit}`, help: `write ${limit} or more` };
    default:
      return { wanted: `at most ${limit}`, help: `write ${limit} or less` };
  }
}

function rangeFinding(error: SchemaError, code: 'PAWL-105' | 'PAWL-107'): Finding {
  const { wanted, help } = rangeWords(error.keyword, String(error.params['limit']));
  const found = typeof error.data === 'number' ? ` (found ${error.data})` : '';
  return { code, pointer: error.pointer, message: `${nameOf(error)} must be ${wanted}${found}`, help };
}

/** What a schema says against one value. */
export function explainValue(error: SchemaError): Finding {
  switch (error.keyword) {
    case 'type':
      return typeFinding(error);
    case 'enum':
    case 'const':
      return wordFinding(error);
    case 'pattern':
      return patternFinding(error);
    case 'minItems':
    case 'maxItems':
    case 'minProperties':
      return rangeFinding(error, 'PAWL-107');
    default:
      return rangeFinding(error, 'PAWL-105');
  }
}
