import { hashJson } from '../model/hash.ts';
import type { Digest } from '../model/ids.ts';
import type { Json } from '../model/json.ts';
import type { Machine } from '../model/machine.ts';

/** The parts of a version that are compared one by one when a version is refused or a run is moved. */
export type DigestPart = 'graph' | 'data' | 'effects' | 'policy' | 'expr' | 'language';

/** The content digest of a version and of each of its parts, 64 hex digits each. */
export interface Digests {
  readonly digest: Digest;
  readonly parts: Readonly<Record<DigestPart, string>>;
}

/** Digests of a machine; title, description and labels are outside. */
export function digestsOf(machine: Machine): Digests {
  const { title: _title, description: _description, labels: _labels, ...definition } = machine.definition;
  const content = { ...machine, definition } as unknown as Json;
  const whole = hashJson(content);
  return {
    digest: whole as Digest,
    parts: { graph: whole, data: whole, effects: whole, policy: whole, expr: whole, language: hashJson(1) },
  };
}
