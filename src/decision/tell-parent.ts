import { canonicalJson } from '../model/canonical-json.ts';
import type { ChildEnd, ChildNews } from '../model/child.ts';
import { invariant } from '../model/errors.ts';
import type { EffectKey } from '../model/ids.ts';
import type { Json } from '../model/json.ts';
import type { Ending } from '../model/run.ts';
import { childMessageId } from './child-run.ts';
import type { Draft } from './draft.ts';
import { endingRows, endOf } from './end-run.ts';
import { finalStatus } from './run-status.ts';

/** Tells a row of the parent what became of it: one message of an id, however often it is decided (V08). */
export function tellParent(draft: Draft, effectKey: EffectKey, news: Omit<ChildNews, 'childId' | 'effectKey'>): void {
  const { runId } = draft.base.run;
  const { parent } = draft.control;
  invariant(parent !== undefined, 'a run tells a parent that it does not have', { runId });
  const end: ChildEnd = { parentId: parent.runId, news: { childId: runId, effectKey, ...news } };
  draft.send({
    messageId: childMessageId(runId, effectKey, 'end'),
    topic: 'child.end',
    key: effectKey,
    step: null,
    frames: [],
    body: canonicalJson(end as unknown as Json),
  });
}

/** The run has come to an end: whoever waits for that, or for its undo, is told. */
export function tellEnd(draft: Draft, ending: Ending): void {
  const effectKey = draft.control.undoneFor ?? draft.control.parent?.effectKey ?? null;
  if (effectKey === null) return;
  tellParent(draft, effectKey, newsOf(draft, ending));
}

/** How a run ended, in the words that its parent hears. */
export function newsOf(draft: Draft, ending: Ending): Omit<ChildNews, 'childId' | 'effectKey'> {
  const status = finalStatus(ending, draft.effects.values());
  if (ending.kind === 'done') return { status, output: endingRows(draft).output ?? null, failure: null };
  const { code, message, ...data } = endOf(draft, ending);
  return { status, output: null, failure: { code, message, data: { status, ...data } } };
}
