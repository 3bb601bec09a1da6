import { effectView } from '../decision/effect-view.ts';
import type { AttemptReport } from '../model/outcome.ts';
import type { QueryOrder, SecretHeaders, SendOrder } from '../ports/action-adapter.ts';
import { linkRequest } from './link-request.ts';
import { sendWithSecrets } from './send-with-secrets.ts';
import { type Touch, touchScope } from './touch.ts';

/**
 * Performs one request of an effect, with its links signed and its secrets read now. Never throws for the world's faults.
 * @param call what touches the world, with the request as it goes out. Transaction: none.
 * @returns `unsent` where a link or a secret lacks.
 */
export async function performRequest<T extends SendOrder | QueryOrder>(
  touch: Touch,
  order: T,
  what: 'send' | 'query',
  call: (order: T, headers: SecretHeaders) => Promise<AttemptReport>,
): Promise<AttemptReport> {
  const { run, effect, contract, request: asked } = order;
  const linked = linkRequest(touch.engine, { runId: run.runId, effect, request: asked, nowMs: touch.nowMs() });
  if (linked.kind === 'missing') return { kind: 'unsent', reason: linked.reason, lacks: 'secret' };
  const { request, tokens } = linked;
  const scope = { ...touchScope(touch, run), with: request.with, effect: effectView(effect) };
  return sendWithSecrets(touch, { contract, what, scope, tokens }, (headers) => call({ ...order, request }, headers));
}
