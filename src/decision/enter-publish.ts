import { canonicalJson } from '../model/canonical-json.ts';
import type { PublishStep } from '../model/definition.ts';
import type { Frame } from '../model/effect.ts';
import { hashJson } from '../model/hash.ts';
import type { Json } from '../model/json.ts';
import type { RunData, RunIdentity } from '../model/run.ts';
import type { Draft } from './draft.ts';
import { atEntry, enqueueSettled } from './settle-step.ts';
import { framesAt, scopeAt } from './step-scope.ts';
import { authorOf } from '../machine/lane-steps.ts';

/**
 * The id of a message: of one step in one visit it is the same, however often it is decided, sent or asked for again.
 * @param kind what of the step is told: `event`, or `reminder/<n>`.
 */
export function messageIdOf(
  run: Pick<RunIdentity, 'runId'>,
  step: string,
  frames: readonly Frame[],
  kind: string,
): string {
  return `msg_${hashJson(['mk/1', run.runId, step, frames, kind]).slice(0, 40)}`;
}

/** What goes out, in the words of CloudEvents. */
export function envelopeOf(
  run: Pick<RunIdentity, 'runId' | 'workflow' | 'key'>,
  message: { readonly id: string; readonly type: string; readonly atMs: number; readonly data: Json },
): string {
  const { id, type, atMs, data } = message;
  const source = `pawl/${run.workflow}/${run.runId}`;
  return canonicalJson({
    specversion: '1.0',
    id,
    type,
    source,
    subject: run.key,
    time: new Date(atMs).toISOString(),
    data,
  });
}

/** What messages are ordered by: a text, or whatever else as it is written. */
function keyOf(key: Json): string {
  return typeof key === 'string' ? key : canonicalJson(key);
}

/** Writes the message down in the commit that takes the step (V09); with that the step is done, whenever it arrives. */
export function enterPublish(draft: Draft, step: PublishStep, data: RunData): void {
  const at = scopeAt(draft, step.id, data);
  const { evaluator } = draft.ctx.compiled;
  const { run } = draft.base;
  const told = atEntry(draft, step.id, () => ({
    data: step.data === null ? null : evaluator.render(step.data, at.site, at.scope),
    key: step.key === null ? null : keyOf(evaluator.evaluate(step.key, at.site, at.scope)),
  }));
  if (told === null) return;
  const frames = framesAt(draft, step.id, data);
  const author = authorOf(step.id);
  const messageId = messageIdOf(run, author, frames, 'event');
  const body = envelopeOf(run, { id: messageId, type: step.event, atMs: draft.atMs, data: told.data });
  draft.send({ messageId, topic: 'event', key: told.key, step: author, frames, body });
  enqueueSettled(draft, step.id, { ok: true, output: { messageId }, attempts: 0 });
}
