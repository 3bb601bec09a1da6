import { canonicalJson } from '../model/canonical-json.ts';
import { RefusedError } from '../model/errors.ts';
import type { Digest } from '../model/ids.ts';
import type { Json } from '../model/json.ts';
import { KERNEL } from '../model/kernel.ts';
import type { KernelSnapshot, RunControl } from '../model/run.ts';
import type { RunPhase } from '../model/statuses.ts';

/** Version of the envelope's own layout. */
export const ENVELOPE_SCHEMA = 1;

/** What is stored of a run's position and data, with what is needed to know that it fits (P07). */
export interface SnapshotEnvelope {
  readonly format: 'xstate5';
  readonly kernel: string;
  readonly digest: Digest;
  readonly schema: number;
  readonly revision: number;
  readonly snapshot: KernelSnapshot;
  readonly control: RunControl;
}

/** Canonical JSON of a kernel snapshot; what a transition's `stateHash` covers. */
export function snapshotText(snapshot: KernelSnapshot): string {
  return canonicalJson(snapshot as unknown as Json);
}

/**
 * Canonical JSON of the envelope. The snapshot's text is put in as it is (keys in canonical order by hand), so that it
 * is made once for the hash and the row.
 */
export function packSnapshot(parts: {
  digest: Digest;
  revision: number;
  snapshotText: string;
  control: RunControl;
}): string {
  const control = canonicalJson(parts.control as unknown as Json);
  return (
    `{"control":${control},"digest":${JSON.stringify(parts.digest)},"format":"xstate5","kernel":"${KERNEL}",` +
    `"revision":${parts.revision},"schema":${ENVELOPE_SCHEMA},"snapshot":${parts.snapshotText}}`
  );
}

/**
 * Reads an envelope back; `machine/advance.ts` `checkSnapshot` then checks the snapshot against its machine.
 * @throws PAWL_SNAPSHOT_INVALID naming the field that does not fit.
 */
export function unpackSnapshot(text: string, digest: Digest): SnapshotEnvelope {
  const envelope = parse(text);
  const differs = (field: string, found: unknown) =>
    new RefusedError('PAWL_SNAPSHOT_INVALID', `the stored snapshot's ${field} does not fit`, {
      field,
      found: String(found),
    });
  if (envelope.format !== 'xstate5') throw differs('format', envelope.format);
  if (envelope.kernel !== KERNEL) throw differs('kernel', envelope.kernel);
  if (envelope.schema !== ENVELOPE_SCHEMA) throw differs('schema', envelope.schema);
  if (envelope.digest !== digest) throw differs('digest', envelope.digest);
  if (typeof envelope.snapshot !== 'object' || envelope.snapshot === null)
    throw differs('snapshot', typeof envelope.snapshot);
  if (typeof envelope.control !== 'object' || envelope.control === null)
    throw differs('control', typeof envelope.control);
  return envelope;
}

function parse(text: string): SnapshotEnvelope {
  try {
    // A text that is `null` is JSON, and no envelope.
    return (JSON.parse(text) ?? {}) as SnapshotEnvelope;
  } catch (cause) {
    throw new RefusedError('PAWL_SNAPSHOT_INVALID', 'the stored snapshot is not JSON', { field: 'snapshot' }, cause);
  }
}

/** The direction a run moves in, read from its position. */
export function phaseOf(snapshot: KernelSnapshot): RunPhase {
  switch (topState(snapshot.value)) {
    case '$settling':
      return 'settling';
    case '$compensating':
      return 'compensating';
    case '$closing':
    case '$finally':
      return 'finally';
    case '$ended':
    case '$completed':
      return 'ended';
    default:
      return 'forward';
  }
}

/** Name of the machine's root child that a run stands in. */
export function topState(value: Json): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Object.keys(value)[0] ?? '';
  return '';
}
