import type { Json } from '../../model/json.ts';

/** A field that an expression compares with a literal. */
export interface ComparedField {
  /** Names from the body (or the event's data, or an item) inward. */
  readonly path: readonly string[];
  readonly value: Json;
}

const PATH = String.raw`([A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[\d+\])*)`;
const LITERAL = String.raw`"[^"]*"|'[^']*'|-?\d+(?:\.\d+)?|true|false`;
const EQUAL = new RegExp(String.raw`${PATH}\s*==\s*(${LITERAL})`, 'g');
const UNEQUAL = new RegExp(String.raw`${PATH}\s*!=\s*(${LITERAL})`, 'g');
const LISTED = new RegExp(String.raw`${PATH}\s+in\s+\[([^\]]*)\]`, 'g');

function readLiteral(text: string): Json {
  if (text.startsWith("'") || text.startsWith('"')) return text.slice(1, -1);
  return JSON.parse(text) as Json;
}

/** The names of a path behind `response.body`, a list's item, `event.data` or a bound name. */
function namesOf(path: string): readonly string[] {
  return path
    .replace(/^response\.body\b|^event\.data\b|^[A-Za-z_]\w*/, '')
    .replace(/^.*\[\d+\]/, '')
    .split('.')
    .filter((name) => name !== '');
}

function fieldsBy(pattern: RegExp, source: string): readonly ComparedField[] {
  return [...source.matchAll(pattern)].flatMap(([, path = '', literals = '']) => {
    const names = namesOf(path);
    const values = literals.match(new RegExp(LITERAL, 'g')) ?? [];
    return names.length === 0 ? [] : values.map((value) => ({ path: names, value: readLiteral(value) }));
  });
}

/**
 * What expressions want fields to be: `response.body.status == "done"`, `r.status in ['done']`, `event.data.ok == true`.
 * @returns each field by its path behind `response.body`, a list's item, `event.data` or a bound name.
 */
export function comparedFields(sources: readonly string[]): readonly ComparedField[] {
  return sources.flatMap((source) => [...fieldsBy(EQUAL, source), ...fieldsBy(LISTED, source)]);
}

/** The same, with what expressions want fields not to be. */
export function namedFields(sources: readonly string[]): readonly ComparedField[] {
  return [...comparedFields(sources), ...sources.flatMap((source) => fieldsBy(UNEQUAL, source))];
}

/** A value with one field set, objects on the way made. */
export function withField(value: Json, { path, value: set }: ComparedField): Json {
  const [name, ...rest] = path;
  if (name === undefined) return set;
  const object = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  const inner = (object as Readonly<Record<string, Json>>)[name] ?? {};
  return { ...object, [name]: withField(inner, { path: rest, value: set }) };
}

/** The value, with each one of the fields set, and with all of them. */
export function variants(value: Json, fields: readonly ComparedField[]): readonly Json[] {
  const all = fields.reduce<Json>(withField, value);
  return [value, ...fields.map((field) => withField(value, field)), all];
}

/** Whole numbers that a definition's constants and expressions name. */
export function namedNumbers(texts: readonly string[]): readonly number[] {
  const found = texts.flatMap((text) =>
    [...text.matchAll(/(?<![\w.])\d{1,9}(?![\w.])/g)].map(([digits]) => Number(digits)),
  );
  return [...new Set(found)];
}
