import { cutText } from '../model/cut-text.ts';
import type { Expression, Template } from '../model/definition.ts';
import type { Json } from '../model/json.ts';

/** Something wrong in the form of a template, before any CEL is read. */
export interface TemplateProblem {
  readonly kind: 'unclosed' | 'empty' | 'path';
  readonly message: string;
  /** JSON pointer of the scalar. */
  readonly pointer: string;
  /** Offsets in the scalar's text, UTF-16 units, end exclusive. */
  readonly start: number;
  readonly end: number;
  readonly help: string;
}

/** A template, or why it is none. */
export type ParsedTemplate =
  | { readonly ok: true; readonly template: Template }
  | { readonly ok: false; readonly problems: readonly TemplateProblem[] };

/** What begins an expression inside a text; a `$` before it makes it literal. */
const OPEN = '$'.concat('{');

const PATH = /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*$/;

/**
 * Reads the expressions of a YAML value: `=path`, `==literal`, `${ CEL }` whole (typed) or embedded (text), `$${`.
 * @param value the YAML value as JSON; it is parsed once, here, and never again.
 * @param pointer JSON pointer of the value; pointers of the parts are made from it.
 */
export function parseTemplate(value: Json, pointer: string): ParsedTemplate {
  const problems: TemplateProblem[] = [];
  const template = read(value, pointer, problems);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, template };
}

function read(value: Json, pointer: string, problems: TemplateProblem[]): Template {
  if (typeof value === 'string') return readText(value, pointer, problems);
  if (value === null || typeof value !== 'object') return { kind: 'literal', value };
  if (Array.isArray(value)) {
    const items = value.map((item: Json, at) => read(item, `${pointer}/${at}`, problems));
    return items.every((item) => item.kind === 'literal')
      ? { kind: 'literal', value: items.map(literalOf) }
      : { kind: 'list', items };
  }
  const entries = Object.entries(value).map(
    ([key, item]) => [key, read(item, `${pointer}/${escapePointer(key)}`, problems)] as const,
  );
  return entries.every(([, item]) => item.kind === 'literal')
    ? { kind: 'literal', value: Object.fromEntries(entries.map(([key, item]) => [key, literalOf(item)])) }
    : { kind: 'map', entries };
}

function literalOf(template: Template): Json {
  return template.kind === 'literal' ? template.value : null;
}

/** A key as a token of a JSON pointer (RFC 6901). */
export function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function readText(text: string, pointer: string, problems: TemplateProblem[]): Template {
  if (text.startsWith('==')) return { kind: 'literal', value: text.slice(1) };
  if (text.startsWith('=')) return readPath(text, pointer, problems);
  if (!text.includes(OPEN)) return { kind: 'literal', value: text };
  return joinParts(splitText(text, pointer, problems), text);
}

const SHOWN_MAX = 60;

/** A text as messages show it, however long it is. */
function beginningOf(text: string): string {
  const shown = cutText(text, SHOWN_MAX);
  return shown === text ? text : `${shown}…`;
}

function readPath(text: string, pointer: string, problems: TemplateProblem[]): Template {
  const source = text.slice(1);
  if (PATH.test(source)) return { kind: 'expression', expression: { source, pointer, offset: 1 } };
  problems.push({
    kind: 'path',
    message: `\`=\` begins a path of names and dots, and \`${beginningOf(source)}\` is none`,
    pointer,
    start: 0,
    end: text.length,
    help: `write \${ … } for an expression, or == for a text that begins with =`,
  });
  return { kind: 'literal', value: text };
}

function splitText(text: string, pointer: string, problems: TemplateProblem[]): (string | Expression)[] {
  const parts: (string | Expression)[] = [];
  let plain = '';
  let at = 0;
  while (at < text.length) {
    if (text.startsWith(`$${OPEN}`, at)) {
      plain += OPEN;
      at += 3;
    } else if (text.startsWith(OPEN, at)) {
      const end = closingBrace(text, at + 2);
      const expression = takeExpression(text, { pointer, start: at, end }, problems);
      if (expression === null) return parts;
      if (plain !== '') parts.push(plain);
      plain = '';
      parts.push(expression);
      at = end + 1;
    } else {
      plain += text.charAt(at);
      at += 1;
    }
  }
  if (plain !== '') parts.push(plain);
  return parts;
}

interface Hole {
  readonly pointer: string;
  readonly start: number;
  /** Offset of the closing brace, -1 when there is none. */
  readonly end: number;
}

function takeExpression(text: string, hole: Hole, problems: TemplateProblem[]): Expression | null {
  const { pointer, start, end } = hole;
  if (end === -1) {
    problems.push({
      kind: 'unclosed',
      message: 'an expression that begins with ${ and is never closed',
      pointer,
      start,
      end: text.length,
      help: 'end it with a closing brace, or write $${ for a literal ${',
    });
    return null;
  }
  const inner = text.slice(start + 2, end);
  const source = inner.trim();
  if (source === '') {
    problems.push({
      kind: 'empty',
      message: 'an empty expression',
      pointer,
      start,
      end: end + 1,
      help: 'write an expression between the braces',
    });
    return null;
  }
  return { source, pointer, offset: start + 2 + (inner.length - inner.trimStart().length) };
}

/** The offset of the `}` that closes a hole: braces in texts and comments do not count, nested maps do. */
function closingBrace(text: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const char = text.charAt(at);
    if (char === '}' && depth === 0) return at;
    if (char === '{') depth += 1;
    else if (char === '}') depth -= 1;
    at = char === '"' || char === "'" ? afterQuoted(text, at) : at + 1;
  }
  return -1;
}

/** The offset after a CEL text that begins at `from`: single or triple quoted, raw or not. */
function afterQuoted(text: string, from: number): number {
  const quote = text.charAt(from);
  const long = text.startsWith(quote.repeat(3), from);
  const mark = long ? quote.repeat(3) : quote;
  let at = from + mark.length;
  while (at < text.length) {
    if (text.startsWith(mark, at)) return at + mark.length;
    at += text.charAt(at) === '\\' ? 2 : 1;
  }
  return text.length;
}

function joinParts(parts: readonly (string | Expression)[], text: string): Template {
  const [first, ...rest] = parts;
  if (first === undefined) return { kind: 'literal', value: text.replaceAll(`$${OPEN}`, () => OPEN) };
  if (rest.length === 0)
    return typeof first === 'string' ? { kind: 'literal', value: first } : { kind: 'expression', expression: first };
  return { kind: 'text', parts };
}
