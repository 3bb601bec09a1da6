import { canonicalJson } from '../model/canonical-json.ts';
import type { AttemptReport } from '../model/outcome.ts';
import { findUnstorable } from '../model/storable.ts';
import type { Told } from '../model/told.ts';

/**
 * The word as a report, for the action's contract to judge. What is said to be done is an answer like any other: the action's
 * `outcome` reads its body, its schema is asked, and what cannot be read or stored is kept as bytes and settles nothing (E12).
 */
export function toldReport(told: Told, bytesMax: number): AttemptReport {
  const { outcome, output, code, afterMs } = told;
  const unstorable = findUnstorable(output);
  const text = unstorable === null ? canonicalJson(output) : JSON.stringify(output);
  const bytes = Buffer.from(text, 'utf8');
  const isTooLarge = bytes.length > bytesMax;
  const unreadable = unstorable?.reason ?? (isTooLarge ? `too-large: more than ${bytesMax} bytes` : null);
  const data = unreadable === null ? output : null;
  if (outcome !== 'confirmed') return { kind: 'declared', outcome, code, afterMs, data };
  return {
    kind: 'answered',
    status: null,
    headers: {},
    body: unreadable === null ? output : undefined,
    bodyBytes: bytes.subarray(0, bytesMax),
    unreadable,
  };
}
