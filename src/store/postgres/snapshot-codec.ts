import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { invariant } from '../../model/errors.ts';

/** Snapshots above this many bytes are deflated (measured: below it the saving is not worth the time). */
const DEFLATE_ABOVE_BYTES = 2_048;
/** How a snapshot's bytes are to be read: as they are, or inflated. */
const CODEC = { raw: 0, deflate: 1 } as const;

/** A snapshot as stored. */
export interface PackedSnapshot {
  readonly codec: number;
  readonly bytes: Buffer;
}

/** Packs a snapshot's canonical JSON. */
export function packSnapshot(text: string): PackedSnapshot {
  const raw = Buffer.from(text, 'utf8');
  if (raw.length <= DEFLATE_ABOVE_BYTES) return { codec: CODEC.raw, bytes: raw };
  return { codec: CODEC.deflate, bytes: deflateRawSync(raw, { level: 1 }) };
}

/** Reads a packed snapshot. @throws PAWL_INVARIANT for an unknown codec. */
export function unpackSnapshot(packed: PackedSnapshot): string {
  if (packed.codec === CODEC.raw) return packed.bytes.toString('utf8');
  invariant(packed.codec === CODEC.deflate, 'a snapshot is packed in a way that this code does not know', {
    codec: packed.codec,
  });
  return inflateRawSync(packed.bytes).toString('utf8');
}
