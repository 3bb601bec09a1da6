import type { ChildNews } from '../model/child.ts';
import type { Effect } from '../model/effect.ts';
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

/** Of a child that failed its own code; of one that could not be undone whole, what stands in the way. */
function codeOf(effect: Effect, { status, failure }: ChildNews): string {
  const isUndo = !startsChild(effect.action) && status !== 'REFUSED';
  if (isUndo) return status === 'COMPENSATED_WITH_ERRORS' ? 'child-stands' : `child-${status.toLowerCase()}`;
  return failure?.code ?? status.toLowerCase();
}
