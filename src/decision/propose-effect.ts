import type { Effect, EffectRequest, Frame, KeyIngredients } from '../model/effect.ts';
import { sha256 } from '../model/hash.ts';
import type { EffectKey } from '../model/ids.ts';
import { effectKey, requestText } from './effect-key.ts';

/** What a new ledger row is made of. */
export interface EffectProposal {
  readonly ingredients: KeyIngredients;
  readonly step: string;
  readonly frames: readonly Frame[];
  readonly request: EffectRequest;
  /** Absent = whoever holds the run sends it. */
  readonly queue?: string | undefined;
  readonly pivot: boolean;
  /** AUTHORIZED when nothing has to say yes first. */
  readonly state: 'PROPOSED' | 'AUTHORIZED';
  readonly approvalId: string | null;
  readonly compensates: EffectKey | null;
}

/** A new ledger row: key from its ingredients, request as canonical text with its hash, nothing sent yet. */
export function proposeEffect(proposal: EffectProposal): Effect {
  const request = requestText(proposal.request);
  return {
    key: effectKey(proposal.ingredients),
    step: proposal.step,
    frames: proposal.frames,
    ingredients: proposal.ingredients,
    action: proposal.request.action,
    contract: proposal.request.contract,
    ...(proposal.queue === undefined ? {} : { queue: proposal.queue }),
    pivot: proposal.pivot,
    request,
    requestHash: sha256(request),
    state: proposal.state,
    attempt: 0,
    countedAttempts: 0,
    code: null,
    failureClass: null,
    everUnknown: false,
    fence: 0,
    firstRequestedAtMs: null,
    requestedAtMs: null,
    sendByMs: null,
    notBeforeMs: null,
    unknownSinceMs: null,
    doubtSinceMs: null,
    resends: 0,
    queries: 0,
    doubt: null,
    lastError: null,
    output: undefined,
    externalId: null,
    receiptNo: null,
    settledAtMs: null,
    compensates: proposal.compensates,
    approvalId: proposal.approvalId,
  };
}
