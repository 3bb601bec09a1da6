import { RefusedError } from './errors.ts';
import type { Json } from './json.ts';

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
    const reason = error instanceof Error ? error.message : 'unreadable';
    throw new RefusedError('PAWL_VALUE_NOT_STORABLE', `${what} is not JSON: ${reason}`, { what }, error);
  }
  scan(text, what);
  return value;
}

/** Walks the tokens of valid JSON with the pointer of each. */
function scan(text: string, what: string): void {
  const levels: Level[] = [];
  const pointer = (): string =>
    levels
      .map(
        (level) =>
          `/${(level.kind === 'map' ? level.member : String(level.index)).replaceAll('~', '~0').replaceAll('/', '~1')}`,
      )
      .join('');
  for (const [token] of text.matchAll(TOKEN)) {
    const level = levels.at(-1);
    if (token === '{' || token === '[')
      levels.push({
        kind: token === '{' ? 'map' : 'list',
        keys: new Set(),
        member: '',
        index: 0,
        expectsKey: token === '{',
      });
    else if (token === '}' || token === ']') levels.pop();
    else if (token === ',' && level !== undefined) nextMember(level);
    else if (token.startsWith('"') && level?.expectsKey === true)
      readKey(level, token, () => refuse(what, pointer(), 'is there twice'));
    else if (/^-?\d/.test(token) && !isExact(token))
      refuse(what, pointer(), `holds ${token}, which cannot be kept exactly: send it as a text`);
  }
}

function nextMember(level: Level): void {
  level.index += 1;
  level.expectsKey = level.kind === 'map';
}

function readKey(level: Level, token: string, twice: () => void): void {
  level.member = JSON.parse(token) as string;
  level.expectsKey = false;
  if (level.keys.has(level.member)) twice();
  level.keys.add(level.member);
}

/** Whether a number's text means the same as the double that stands for it. */
function isExact(token: string): boolean {
  const value = Number(token);
  if (!Number.isFinite(value)) return false;
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
