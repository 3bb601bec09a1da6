import { canonicalJson } from '../model/canonical-json.ts';
import { hashJson } from '../model/hash.ts';
import type { Json } from '../model/json.ts';
import { isObject } from './pick-output.ts';

/** A provider's answer in its two storable forms. */
export interface RedactedBody {
  /** Without the redacted values (an element of a list becomes null): what expressions and outputs see. */
  readonly value: Json;
  /** With `sha256:<hex>` in their place: what the receipt keeps. */
  readonly proof: Json;
}

/** Takes values out of an answer before anything of it is kept; a pointer that names nothing does nothing. */
export function redactBody(body: Json, pointers: readonly string[]): RedactedBody {
  return pointers.reduce<RedactedBody>(
    (redacted, pointer) => {
      const path = pathOf(pointer);
      const replaced = (body: Json, replace: Replace): Json => replaceAt(body, path, replace) ?? null;
      return {
        value: replaced(redacted.value, () => undefined),
        proof: replaced(redacted.proof, (value) => `sha256:${hashJson(value)}`),
      };
    },
    { value: body, proof: body },
  );
}

/** The receipt's bytes of a value: its canonical JSON, base64. */
export function resultBytesOf(value: Json): string {
  return Buffer.from(canonicalJson(value), 'utf8').toString('base64');
}

function pathOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

type Replace = (value: Json) => Json | undefined;

/** Copies a value with the part at a path replaced; undefined takes it out. */
function replaceAt(value: Json, path: readonly string[], replace: Replace): Json | undefined {
  const [head, ...rest] = path;
  if (head === undefined) return replace(value);
  if (Array.isArray(value)) {
    return value.map((item: Json, index) => (String(index) === head ? (replaceAt(item, rest, replace) ?? null) : item));
  }
  if (!isObject(value) || !Object.hasOwn(value, head)) return value;
  const entries = Object.entries(value).flatMap(([name, item]): [string, Json][] => {
    const next = name === head ? replaceAt(item, rest, replace) : item;
    return next === undefined ? [] : [[name, next]];
  });
  return Object.fromEntries(entries);
}
