import type { EffectKey, RunId } from './ids.ts';

/** Crockford's base 32, lower case: no i, l, o, u. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** 26 digits of 5 bits carry 130 bits: a UUID's 128 behind two zero bits. */
const DIGITS = 26;
const DISPLAYED = /^run_([0-7][0-9a-hjkmnp-tv-z]{25})$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Enough of an effect's key to tell the effects of one run apart on a screen. */
const EFFECT_DIGITS = 12;

/** Writes 128 bits as five groups of hexadecimal digits. */
function toUuid(bits: bigint): string {
  const hex = bits.toString(16).padStart(32, '0');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/**
 * The form of a run's id that people see: `run_` and 26 digits of Crockford's base 32, lower case. Display only: keys,
 * hashes and rows hold the UUID (rule E01).
 */
export function displayRunId(runId: RunId): string {
  let bits = BigInt(`0x${runId.replaceAll('-', '')}`);
  let digits = '';
  for (let digit = 0; digit < DIGITS; digit += 1) {
    digits = ALPHABET.charAt(Number(bits & 31n)) + digits;
    bits >>= 5n;
  }
  return `run_${digits}`;
}

/**
 * Reads either form of a run's id, in any case, with Crockford's look-alikes (`o` for 0, `i` and `l` for 1).
 * @returns the UUID in lower case, or null when the text is neither form (it may be a run key then).
 */
export function parseRunId(text: string): RunId | null {
  const lower = text.trim().toLowerCase();
  if (UUID.test(lower)) return lower as RunId;
  if (!lower.startsWith('run_')) return null;
  const digits = DISPLAYED.exec(`run_${lower.slice(4).replaceAll('o', '0').replaceAll(/[il]/g, '1')}`)?.[1];
  if (digits === undefined) return null;
  let bits = 0n;
  for (const digit of digits) bits = (bits << 5n) | BigInt(ALPHABET.indexOf(digit));
  return toUuid(bits) as RunId;
}

/** The short form of an effect's key that people see: `eff_` and its first 12 hexadecimal digits. Display only. */
export function displayEffectKey(key: EffectKey): string {
  return `eff_${key.slice(0, EFFECT_DIGITS)}`;
}

/** Most runs that are looked up under one key; a key of more is told as one of at least so many. */
export const FOUND_RUNS_MAX = 20;
