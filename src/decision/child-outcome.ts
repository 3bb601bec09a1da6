import type { ChildNews } from '../model/child.ts';
import type { Effect } from '../model/effect.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { Outcome } from '../model/outcome.ts';
import { startsChild } from './child-run.ts';

/** Ends of a child after which nothing of it stands. */
const UNDONE: readonly ChildNews['status'][] = ['COMPENSATED', 'FAILED', 'CANCELLED'];

/** What the end of a child means for the row that waits for it: of its start, or of its undo. */
export function outcomeOfNews(effect: Effect, news: ChildNews): Outcome {
  const starts = startsChild(effect.action);
  const isDone = starts ? news.status === 'COMPLETED' : UNDONE.includes(news.status);
  return {
    kind: isDone ? 'confirmed' : 'rejected',
    code: isDone ? null : codeOf(effect, news),
    class: 'child',
    message: news.failure?.message ?? `the child ended ${news.status}`,
    output: isDone && starts ? news.output : (news.failure?.data ?? null),
    named: true,
    retryAfterMs: null,
    externalId: news.childId,
    resultBase64: '',
    sent: true,
  };
}

/** Ends of a child after which acts of it may stand that were to be undone. */
const LEAVING: ReadonlySet<Json | undefined> = new Set<ChildNews['status']>(['TERMINATED', 'COMPENSATED_WITH_ERRORS']);

/** Whether a row is that of a child that has ended badly and left something standing, or in doubt: nobody undoes that any more. */
export function isLeftByChild({ action, state, failureClass, output }: Effect): boolean {
  if (!startsChild(action) || state !== 'FAILED' || failureClass !== 'child') return false;
  const { status, standing, unknown } = (output ?? {}) as JsonObject;
  return LEAVING.has(status) && [standing, unknown].some((steps) => Array.isArray(steps) && steps.length > 0);
}

/** Of a child that failed its own code; of one that could not be undone whole, what stands in the way. */
function codeOf(effect: Effect, { status, failure }: ChildNews): string {
  const isUndo = !startsChild(effect.action) && status !== 'REFUSED';
  if (isUndo) return status === 'COMPENSATED_WITH_ERRORS' ? 'child-stands' : `child-${status.toLowerCase()}`;
  return failure?.code ?? status.toLowerCase();
}
