import type { EffectKey } from '../model/ids.ts';
import type { InboxEvent, InboxPayload } from '../model/inbox-event.ts';
import type { Draft } from './draft.ts';
import { BLANK } from './blank-outcome.ts';
import { fileLateAnswer } from './late-answer.ts';

type Proof = Extract<InboxPayload, { type: 'proof' }>;

/** What a fenced holder knew has come with the inbox: filed, and heeded like any late answer, also by a run that has ended (E08). */
export function onProof(draft: Draft, event: InboxEvent, proof: Proof): void {
  const { effectKey, observedBy, turn, message, output, externalId, resultBase64 } = proof;
  const outcome = { ...BLANK, kind: 'confirmed', code: null, message, output, externalId, resultBase64 } as const;
  fileLateAnswer(draft, { effectKey: effectKey as EffectKey, observedBy, turn, outcome });
  draft.answer(event, 'applied');
}
