import type { EffectKey } from '../model/ids.ts';
import type { InboxEvent, InboxPayload } from '../model/inbox-event.ts';
import type { InboxAnswer, Observation, RunCommit } from '../model/run-commit.ts';
import type { RunIdentity } from '../model/run.ts';

/** What a person, or a run above, wants of a run: it is refused. Everything else is news, and is filed. */
const WISHES: readonly InboxPayload['type'][] = [
  'vote',
  'cancel',
  'terminate',
  'compensate',
  'retry',
  'pause',
  'resume',
  'resolve',
  'reconcile',
  'child.undo',
];

/** Where what a fenced holder has heard is filed, by what it heard it with. */
const LATE_SOURCES = { response: 'late-answer', query: 'late-query' } as const;

function answerTo({ source, eventId, payload }: InboxEvent): InboxAnswer {
  const outcome = WISHES.includes(payload.type) ? 'refused' : 'ended';
  return { source, eventId, outcome, code: 'pruned', detail: null, consumed: true };
}

/** That an effect happened after all is knowledge about a row whose key is kept (E08). */
function observationOf({ part, runId }: RunIdentity, { payload }: InboxEvent): readonly Observation[] {
  if (payload.type !== 'proof') return [];
  const { turn: sourceId, observedBy, message, externalId, resultBase64 } = payload;
  const detail = { kind: 'confirmed', code: null, message, externalId, resultBase64 };
  const source = LATE_SOURCES[observedBy];
  return [{ part, runId, effectKey: payload.effectKey as EffectKey, source, sourceId, detail }];
}

/** Answers what has come for a run whose state was pruned: nothing of it is lost, nothing of the run moves (V04, P10). */
export function fileForPruned(
  run: RunIdentity,
  events: readonly InboxEvent[],
): Pick<RunCommit, 'inbox' | 'observations'> {
  return { inbox: events.map(answerTo), observations: events.flatMap((event) => observationOf(run, event)) };
}
