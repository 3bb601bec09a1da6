import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { caught } from '../model/caught.ts';
import type { JsonSchema } from '../model/definition.ts';
import { invariant, RefusedError } from '../model/errors.ts';
import { hashJson } from '../model/hash.ts';
import type { Json } from '../model/json.ts';
import { compilePattern } from './expression/linear-pattern.ts';

/**
 * One thing in which a value does not fit its schema: where, and what was found there, in words that begin with the
 * place; never the value itself.
 */
export interface Misfit {
  readonly pointer: string;
  readonly message: string;
}

/** Checks a value; the empty list says that it fits. The value is never changed. */
export type SchemaCheck = (value: Json) => readonly Misfit[];

/** The formats that are checked; any other is refused when the schema is compiled. */
export const FORMATS = [
  'date',
  'date-time',
  'time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'json-pointer',
  'uri',
  'uri-reference',
  'uuid',
] as const;

/** Schemas kept compiled: as many as a process has versions and actions in use; the map is emptied beyond. */
const COMPILED_MAX = 1_000;
const byHash = new Map<string, SchemaCheck>();
const byIdentity = new WeakMap<object, SchemaCheck>();

/** A RE2 matcher where ajv wants a RegExp: patterns of definitions run in time linear in the text. */
function linearRegExp(pattern: string): { test(text: string): boolean; toString(): string } {
  const compiled = compilePattern(pattern.replace(/\\u([0-9A-Fa-f]{4})/g, '\\x{$1}'));
  if (compiled === null)
    throw new Error(
      `the pattern ${JSON.stringify(pattern)} is not RE2: look-around and back references are not supported`,
    );
  // ajv keeps the matchers of a schema by their text: without one all patterns would be the first.
  return { test: (text) => compiled.matches(text), toString: () => pattern };
}
linearRegExp.code = 'linearRegExp';

function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    allErrors: true,
    strictTypes: false,
    strictRequired: false,
    strictTuples: false,
    allowUnionTypes: true,
    ownProperties: true,
    meta: false,
    validateSchema: false,
    coerceTypes: false,
    useDefaults: false,
    multipleOfPrecision: 9,
    logger: false,
    code: { regExp: linearRegExp },
  });
  formats.default(ajv, { formats: [...FORMATS], mode: 'fast' });
  return ajv;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function childOf(pointer: string, key: unknown): string {
  return `${pointer}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** What is at a pointer of the value. */
function valueAt(value: Json, pointer: string): unknown {
  let at: unknown = value;
  for (const token of pointer.split('/').slice(1)) {
    at = (at as Record<string, unknown>)[token.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return at;
}

function misfitOf(error: ErrorObject, value: Json): Misfit {
  const pointer = error.instancePath;
  const params: Readonly<Record<string, unknown>> = error.params;
  if (error.keyword === 'required') {
    const missing = childOf(pointer, params['missingProperty']);
    return { pointer: missing, message: `${missing} is required (found nothing)` };
  }
  if (error.keyword === 'additionalProperties' || error.keyword === 'unevaluatedProperties') {
    const extra = childOf(pointer, params['additionalProperty'] ?? params['unevaluatedProperty']);
    return { pointer: extra, message: `${extra} is not allowed` };
  }
  const allowed = error.keyword === 'enum' ? `: ${JSON.stringify(params['allowedValues'])}` : '';
  const found = kindOf(valueAt(value, pointer));
  return {
    pointer,
    message: `${pointer === '' ? '/' : pointer} ${String(error.message)}${allowed} (found ${found})`,
  };
}

/** As many misfits are named of one value: a large one may have one in every part. */
const MISFITS_MAX = 20;

/** Keywords whose own error follows those of the choices that they tried: it says what they do not. */
const CHOICES: readonly string[] = ['anyOf', 'oneOf', 'contains', 'propertyNames'];

function isWithin(pointer: string, of: string): boolean {
  return pointer === of || pointer.startsWith(`${of}/`);
}

/** The errors that say most: of a choice the choice itself, of `if` what its branch says. */
function leadingErrors(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const leading: ErrorObject[] = [];
  for (const error of errors) {
    if (error.keyword === 'if') continue;
    if (CHOICES.includes(error.keyword)) {
      leading.length = leading.findLastIndex((other) => !isWithin(other.instancePath, error.instancePath)) + 1;
    }
    leading.push(error);
  }
  return leading.slice(0, MISFITS_MAX);
}

function compile(schema: JsonSchema): SchemaCheck {
  const validate = createAjv().compile(schema);
  return (value) => {
    if (validate(value)) return [];
    const misfits = leadingErrors(validate.errors ?? []).map((error) => misfitOf(error, value));
    invariant(misfits.length > 0, 'a value was refused without a reason');
    return misfits;
  };
}

const TOLD_MAX = 5;

/** Misfits in one line; many are counted. */
export function tellMisfits(misfits: readonly Misfit[]): string {
  const told = misfits.slice(0, TOLD_MAX).map(({ message }) => message);
  const more = misfits.length - told.length;
  return more > 0 ? `${told.join('; ')}; and ${more} more` : told.join('; ');
}

/**
 * Compiles a JSON Schema 2020-12 of a definition, strictly: unknown keywords and formats, remote references and patterns
 * that are not linear are refused. Compiled schemas are kept, by identity and by content.
 * @throws PAWL_DEFINITION_INVALID when the schema cannot be used; `validateWorkflow` has told that of every published one.
 */
export function compileSchema(schema: JsonSchema): SchemaCheck {
  if (typeof schema === 'boolean')
    return (value) => (schema ? [] : [{ pointer: '', message: `/ is not allowed (found ${kindOf(value)})` }]);
  const known = byIdentity.get(schema);
  if (known !== undefined) return known;
  const hash = hashJson(schema);
  const check = byHash.get(hash) ?? compileNew(schema);
  if (byHash.size >= COMPILED_MAX) byHash.clear();
  byHash.set(hash, check);
  byIdentity.set(schema, check);
  return check;
}

function compileNew(schema: JsonSchema): SchemaCheck {
  try {
    return compile(schema);
  } catch (error) {
    const reason = caught(error, Error).message;
    throw new RefusedError('PAWL_DEFINITION_INVALID', `the JSON Schema cannot be used: ${reason}`, { reason }, error);
  }
}
