import { answerWords } from '../app/answer-words.ts';
import type { Verbs } from '../app/verbs.ts';
import type { ErrorCode } from '../model/errors.ts';
import { ApiError } from './api-error.ts';
import type { Answer } from './route.ts';

type Delivered = Awaited<ReturnType<Verbs['signal']>>;

/** Answers that say that somebody else must do this, or that it was meant for another revision; all others are conflicts. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  except: 'PAWL_API_FORBIDDEN',
  'not-eligible': 'PAWL_API_FORBIDDEN',
  moved: 'PAWL_RUN_MOVED',
};

/** Outcomes with which an order was not done; an event that came too late was received all the same (V04). */
const NOT_DONE: readonly Delivered['outcome'][] = ['refused', 'stale', 'already-decided'];

/** Why an act was not done, with what its decider said of it. */
function notDone({ code, ...delivered }: Delivered): ApiError {
  const words = code === null ? delivered.outcome : answerWords(code);
  const details = { ...delivered, answer: code };
  return new ApiError(CODES[code ?? ''] ?? 'PAWL_EVENT_REFUSED', words, { details });
}

/**
 * What became of an event, a vote or an order, as its sender is told (V11): 201 for what is new, 200 for what was there
 * before, 202 for what is stored and not decided yet.
 * @throws PAWL_EVENT_REFUSED, PAWL_API_FORBIDDEN, PAWL_RUN_MOVED with the answer of the run's decider.
 */
export function answerDelivered(delivered: Delivered, kind: 'event' | 'order'): Answer {
  const { outcome, again } = delivered;
  if (NOT_DONE.includes(outcome) || (kind === 'order' && outcome === 'ended')) throw notDone(delivered);
  if (outcome === 'pending') return { status: 202, body: delivered };
  if (!again && outcome !== 'duplicate') return { status: 201, body: delivered };
  return { status: 200, body: delivered, headers: { 'idempotency-replayed': 'true' } };
}
