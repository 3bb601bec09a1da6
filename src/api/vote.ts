import type { Caller } from '../app/caller.ts';
import type { Verbs } from '../app/verbs.ts';
import type { JsonSchema } from '../model/definition.ts';
import type { Json } from '../model/json.ts';
import { objectOf } from './schemas.ts';

type VoteAsk = Parameters<Verbs['vote']>[1];

/** What a person says of what an approval has shown. */
export const VOTE: JsonSchema = objectOf({
  decision: { enum: ['approve', 'deny'] },
  subjectHash: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  'comment?': { type: ['string', 'null'], maxLength: 2_000 },
  'form?': true,
});

/**
 * A vote of a caller, with the roles that they hold at this moment (A02).
 * @param body one that fits `VOTE`.
 */
export function voteOf(caller: Caller, body: Json, which: Pick<VoteAsk, 'approval' | 'link'>): VoteAsk {
  const {
    decision,
    subjectHash,
    comment = null,
    form,
  } = body as {
    readonly decision: 'approve' | 'deny';
    readonly subjectHash: string;
    readonly comment?: string | null;
    readonly form?: Json;
  };
  const { name: principal, held: roles } = caller;
  const ask = { ...which, decision, subjectHash, principal, roles, comment };
  return form === undefined ? ask : { ...ask, form };
}
