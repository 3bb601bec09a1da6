import { invariant, RefusedError } from './errors.ts';
import type { Json } from './json.ts';
import { findJsonFault } from './json-fault.ts';

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[{}[\],:]|true|false|null/g;

interface Level {
  readonly kind: 'map' | 'list';
  readonly keys: Set<string>;
  /** Token of the member that is being read: a key or an index. */
  member: string;
  index: number;
  expectsKey: boolean;
}

/**
 * Reads JSON from outside without losing anything: what `JSON.parse` would change silently is refused with its place.
 * @param what names the text in messages, for example `--input`.
 * @throws PAWL_VALUE_NOT_STORABLE for JSON that cannot be read, a number that cannot be kept exactly, or a key that is there twice.
 */
export function readJson(text: string, what: string): Json {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    const fault = findJsonFault(text);
    invariant(fault !== null, 'a text that is not JSON has no fault', { what });
    const { line, column, reason } = fault;
    throw new RefusedError(
      'PAWL_VALUE_NOT_STORABLE',
      `${what} is not JSON: at line ${line}, column ${column} ${reason}`,
      { what, line, column },
      error,
    );
  }
  scan(text, what);
  return value;
}

/** Walks the tokens of valid JSON with the pointer of each. */
function scan(text: string, what: string): void {
  const levels: Level[] = [];
  for (const [token] of text.matchAll(TOKEN)) {
    if (/^[{}[\],]$/.test(token)) moveLevel(levels, token);
    else scanScalar(levels, token, what);
  }
}

function moveLevel(levels: Level[], token: string): void {
  const level = levels.at(-1);
  if (token === '{' || token === '[') levels.push(openLevel(token));
  else if (token === ',' && level !== undefined) nextMember(level);
  else levels.pop();
}

function scanScalar(levels: readonly Level[], token: string, what: string): void {
  const level = levels.at(-1);
  if (token.startsWith('"') && level?.expectsKey === true) {
    if (readKey(level, token)) refuse(what, pointerOf(levels), 'is there twice');
  } else if (/^-?\d/.test(token) && !isExact(token)) {
    refuse(what, pointerOf(levels), `holds ${token}, which cannot be kept exactly: send it as a text`);
  }
}

function openLevel(token: '{' | '['): Level {
  return { kind: token === '{' ? 'map' : 'list', keys: new Set(), member: '', index: 0, expectsKey: token === '{' };
}

function pointerOf(levels: readonly Level[]): string {
  return levels
    .map((level) => (level.kind === 'map' ? level.member : String(level.index)))
    .map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

function nextMember(level: Level): void {
  level.index += 1;
  level.expectsKey = level.kind === 'map';
}

/** Reads a key; true when the map has it already. */
function readKey(level: Level, token: string): boolean {
  level.member = JSON.parse(token) as string;
  level.expectsKey = false;
  const isTwice = level.keys.has(level.member);
  level.keys.add(level.member);
  return isTwice;
}

/** Whether a number's text means the same as the double that stands for it. */
function isExact(token: string): boolean {
  const value = Number(token);
  if (!Number.isFinite(value) || (value === 0 && /^[^eE]*[1-9]/.test(token))) return false;
  return /[.eE]/.test(token)
    ? Math.abs(value) <= Number.MAX_SAFE_INTEGER || !Number.isInteger(value)
    : Number.isSafeInteger(value);
}

function refuse(what: string, pointer: string, reason: string): never {
  throw new RefusedError('PAWL_VALUE_NOT_STORABLE', `${what}: ${pointer === '' ? '/' : pointer} ${reason}`, {
    what,
    pointer,
  });
}
