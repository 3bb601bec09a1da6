import { expect, it } from 'vitest';
import { fileForPruned } from '../../src/decision/on-pruned.ts';
import type { InboxEvent, InboxPayload } from '../../src/model/inbox-event.ts';
import { RUN } from './ledger-fixtures.ts';

function arrived(payload: InboxPayload): InboxEvent {
  return { source: 's', eventId: payload.type, payload, payloadHash: 'h', receivedAtMs: 1, outcome: null, code: null };
}

it('P10 news of a pruned run is filed, what somebody wants of it is refused, and a proof is an observation of its key', () => {
  // P10: nothing of a run that was pruned moves, and nothing that comes is lost.
  const by = { by: 'ops', reason: 'r' };
  const proof = {
    type: 'proof',
    effectKey: 'k',
    turn: 'query:2:fence:7',
    observedBy: 'query',
    message: 'm',
    output: null,
    externalId: 'x',
    resultBase64: 'AA==',
  } as const;
  const { inbox, observations } = fileForPruned(RUN, [
    arrived({ type: 'signal', name: 'paid', data: 1, by: 'psp' }),
    arrived({ type: 'timer', name: 't', generation: 1, dueAtMs: 1 }),
    arrived({ type: 'cancel', ...by }),
    arrived({ type: 'compensate', ...by, planHash: null }),
    arrived({ type: 'reconcile', effectKey: 'k', by: 'ops' }),
    arrived(proof),
  ]);
  expect(inbox.map(({ eventId, outcome }) => [eventId, outcome])).toEqual([
    ['signal', 'ended'],
    ['timer', 'ended'],
    ['cancel', 'refused'],
    ['compensate', 'refused'],
    ['reconcile', 'refused'],
    ['proof', 'ended'],
  ]);
  expect(inbox.every(({ code, consumed }) => code === 'pruned' && consumed)).toBe(true);
  const { runId, part } = RUN;
  const detail = { kind: 'confirmed', code: null, message: 'm', externalId: 'x', resultBase64: 'AA==' };
  expect(observations).toEqual([
    { part, runId, effectKey: 'k', source: 'late-query', sourceId: 'query:2:fence:7', detail },
  ]);
});
