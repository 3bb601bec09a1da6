import type { RunId } from '../../model/ids.ts';
import { isOutward, type OutboxRecord } from '../../model/outbox.ts';
import type { OutgoingMessage, Publisher } from '../../ports/publisher.ts';
import type { MemoryStore } from '../../store/memory/memory-store.ts';
import type { FaultPlan } from './fault-plan.ts';
import type { Violation } from './oracle.ts';
import type { Owner, World } from './world.ts';

/** Whoever listens to what workflows publish: hears each message as often as it comes. */
export interface Listener {
  /** Ids in the order in which they came first. */
  readonly heard: readonly string[];
  /** The way of a process to it, with the troubles of the wires. */
  publisherFor(owner: Owner): Publisher;
}

/** How long a sending waits for its answer, milliseconds. */
const PATIENCE_MS = 10_000;

/** A listener that says yes to everything it hears. */
export function createListener(world: World, plan: FaultPlan): Listener {
  const heard: string[] = [];
  const hear = ({ id }: OutgoingMessage): void => {
    if (!heard.includes(id)) heard.push(id);
  };
  const send = (owner: Owner, message: OutgoingMessage): Promise<string | null> =>
    new Promise((resolve) => {
      const fate = plan.wireFate(PATIENCE_MS);
      const answer = (ms: number, error: string | null): void => void world.after(ms, owner, () => resolve(error));
      if (fate.kind === 'unreachable') return answer(fate.afterMs, 'nobody listens');
      if (fate.thereMs !== null) world.after(fate.thereMs, null, () => hear(message));
      if (fate.kind === 'silent') return answer(fate.brokenAfterMs ?? PATIENCE_MS, 'no answer');
      return answer(fate.thereMs + fate.backMs, null);
    });
  return { heard, publisherFor: (owner) => ({ send: (message) => send(owner, message) }) };
}

/** All messages that are stored, in the order of sending of each run. */
function storedMessages(store: MemoryStore): readonly (OutboxRecord & { readonly runId: RunId })[] {
  return store.dump().runs.flatMap(({ run: { runId }, outbox }) => outbox.map((message) => ({ ...message, runId })));
}

/** Whether nothing is on its way any more. */
export function isTold(store: MemoryStore): boolean {
  return storedMessages(store).every(({ state }) => state !== 'waiting');
}

/** V09: whatever was published came, and of one run and key in its order. */
export function judgeListener(store: MemoryStore, { heard }: Pick<Listener, 'heard'>): readonly Violation[] {
  const messages = storedMessages(store).filter(({ topic }) => isOutward(topic));
  return messages.flatMap(({ runId, messageId, state, key }, index): readonly Violation[] => {
    const at = heard.indexOf(messageId);
    const say = (message: string): Violation => ({ rule: 'V09', runId, subject: messageId, message });
    if (at < 0 || state !== 'delivered') return [say(`it is ${state} and came ${at < 0 ? 'never' : 'once at least'}`)];
    if (key === null) return [];
    const before = messages.slice(0, index).filter((other) => other.runId === runId && other.key === key);
    return before.some((other) => heard.indexOf(other.messageId) > at) ? [say('it overtook one of its key')] : [];
  });
}
