import { compileSchema, tellMisfits } from '../definition/schema-validator.ts';
import { RefusedError } from '../model/errors.ts';
import { readJson } from '../model/read-json.ts';

/** The head of a chain of acts, as it was sealed. */
export interface SealedChain {
  /** `run_…`, or `tenant NAME`. */
  readonly chain: string;
  /** How many acts it had. */
  readonly acts: number;
  /** Integrity of the last of them. */
  readonly head: string;
}

/** What was written down of all chains at an instant, to be kept where whoever can write the database cannot. */
export interface AuditSeal {
  /** RFC 3339 UTC, by the database's clock. */
  readonly at: string;
  readonly chains: readonly SealedChain[];
}

const CHAIN = {
  type: 'object',
  additionalProperties: false,
  required: ['chain', 'acts', 'head'],
  properties: {
    chain: { type: 'string' },
    acts: { type: 'integer', minimum: 1 },
    head: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  },
} as const;
const SEAL = {
  type: 'object',
  additionalProperties: false,
  required: ['at', 'chains'],
  properties: { at: { type: 'string' }, chains: { type: 'array', items: CHAIN } },
} as const;

/** Reads a seal. @param name what messages call it. @throws PAWL_USAGE for what is none; PAWL_VALUE_NOT_STORABLE for no JSON. */
export function readSeal(text: string, name: string): AuditSeal {
  const value = readJson(text, name);
  const misfits = compileSchema(SEAL)(value);
  if (misfits.length === 0) return value as unknown as AuditSeal;
  throw new RefusedError('PAWL_USAGE', `${name} is no seal of "pawl audit seal": ${tellMisfits(misfits)}`);
}
