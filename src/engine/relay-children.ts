import type { ChildEnd, ChildNews, ChildOrder, ChildStart } from '../model/child.ts';
import { PawlError, StoreError } from '../model/errors.ts';
import { hashJson } from '../model/hash.ts';
import type { RunId } from '../model/ids.ts';
import type { InboxPayload } from '../model/inbox-event.ts';
import type { Json } from '../model/json.ts';
import type { OutboxMessage } from '../model/outbox.ts';
import { partOf } from '../model/virtual-shard.ts';
import type { Engine } from './engine.ts';
import { relayShare } from './relay-shares.ts';
import { startChild } from './start-child.ts';

/** What reaches a run, and under which address: told again, it is heard once (V02). */
interface Letter {
  readonly to: RunId;
  readonly from: RunId;
  readonly eventId: string;
  readonly payload: InboxPayload;
}

/** A run that is not there has nothing to hear. Transaction: the store's own. */
async function post({ store }: Engine, { to, from, eventId, payload }: Letter): Promise<void> {
  const part = partOf(to, store.parts);
  const payloadHash = hashJson(payload as unknown as Json);
  await store.deliver(part, [{ part, runId: to, source: `run:${from}`, eventId, payload, payloadHash }]);
}

function postNews(engine: Engine, to: RunId, news: ChildNews): Promise<void> {
  const eventId = `${news.effectKey}:ended`;
  return post(engine, { to, from: news.childId, eventId, payload: { type: 'child.ended', news } });
}

/** What cannot be done for good is the end of the child, as its parent hears it. @throws what may go better later. */
async function start(engine: Engine, ask: ChildStart, nowMs: number): Promise<void> {
  try {
    await startChild(engine, ask, nowMs);
  } catch (error) {
    const { effectKey } = ask.parent;
    // What the database refuses says nothing of the child: an operator mends it.
    if (!(error instanceof PawlError) || error instanceof StoreError) throw error;
    if (error.retry !== 'never' || effectKey === null) throw error;
    const { code, message } = error;
    const failure = { code: wordOf(code), message, data: null };
    await postNews(engine, ask.parent.runId, {
      childId: ask.runId,
      effectKey,
      status: 'REFUSED',
      output: null,
      failure,
    });
  }
}

/** `PAWL_INPUT_INVALID` as authors catch it: `input-invalid`. */
function wordOf(code: string): string {
  return code
    .replace(/^PAWL_/, '')
    .toLowerCase()
    .replaceAll('_', '-');
}

/** An order as its child hears it: an end of what it does, or of what it has done (R10). */
function orderOf(
  topic: 'child.undo' | 'child.cancel',
  { effectKey, by, reason }: Omit<ChildOrder, 'runId'>,
): Pick<Letter, 'eventId' | 'payload'> {
  if (topic === 'child.cancel') return { eventId: `${effectKey}:cancel`, payload: { type: 'cancel', by, reason } };
  return { eventId: `${effectKey}:undo`, payload: { type: 'child.undo', effectKey, by, reason } };
}

/**
 * Brings a message of one run to another, at least once (V08, V09): a start by its key, orders and news by the address of
 * an inbox row, what is shared by the act's own row. Never one transaction over two runs. @throws PAWL_* what may go better later.
 */
export async function relayInside(engine: Engine, from: RunId, message: OutboxMessage, nowMs: number): Promise<void> {
  const { topic, body } = message;
  if (topic === 'share') {
    await relayShare(engine, from, message, nowMs);
    return;
  }
  const read = JSON.parse(body) as unknown;
  if (topic === 'child.start') await start(engine, read as ChildStart, nowMs);
  else if (topic === 'child.undo' || topic === 'child.cancel') {
    const { runId, ...order } = read as ChildOrder;
    await post(engine, { to: runId, from, ...orderOf(topic, order) });
  } else {
    const { parentId, news } = read as ChildEnd;
    await postNews(engine, parentId, news);
  }
}
