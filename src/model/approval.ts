import type { EffectKey } from './ids.ts';
import type { Json } from './json.ts';

/** One person's answer; append-only (rule A02). */
export interface Vote {
  readonly principal: string;
  readonly decision: 'approve' | 'deny';
  readonly subjectHash: string;
  readonly roles: readonly string[];
  readonly comment: string | null;
  readonly atMs: number;
  /** What was filled in, with the defaults of the form; absent where the approval has none. */
  readonly form?: Json;
}

/** An effect whose request was computed when the decision was asked (rule A04). */
export interface AuthorizedRequest {
  readonly step: string;
  readonly effectKey: EffectKey;
  readonly action: string;
  /** As it was proposed and shown. */
  readonly request: string;
  readonly requestHash: string;
  /** What the form made of it, and who filled that in; absent = it goes out as it was shown. */
  readonly edited?: { readonly by: string; readonly request: string; readonly requestHash: string };
}

/** States of an approval. */
export const APPROVAL_STATES = ['open', 'approved', 'denied', 'expired', 'held', 'cancelled'] as const;

/** A decision by people, bound to the hash of what was shown. */
export interface Approval {
  /** `<step>` plus its frames: the same for every visit-and-step (rule A01). */
  readonly approvalId: string;
  readonly step: string;
  readonly state: (typeof APPROVAL_STATES)[number];
  readonly title: string;
  /** `{subject, effects: [{step, action, request}]}`; what people see and what is hashed. */
  readonly subject: Json;
  readonly subjectHash: string;
  readonly authorizes: readonly AuthorizedRequest[];
  readonly from: readonly string[];
  readonly quorum: number;
  readonly denials: number;
  readonly except: readonly string[];
  readonly askedAtMs: number;
  readonly expiresAtMs: number | null;
  readonly onExpire: 'deny' | 'approve' | 'hold';
  readonly votes: readonly Vote[];
  readonly decidedAtMs: number | null;
}
