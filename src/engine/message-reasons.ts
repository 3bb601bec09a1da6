import type { OutboxRecord } from '../model/outbox.ts';
import { messageView, type MessageView } from './list-messages.ts';
import { A_WORKER, OPERATOR, type Reason, START_ONE } from './why-reason.ts';

/** What is known of the messages of a run, and of those who would send them. */
export interface MessageFacts {
  /** The run, as commands name it. */
  readonly run: string;
  /** What it has sent. */
  readonly messages: readonly OutboxRecord[];
  /** Whether this process has somebody to tell what is published. */
  readonly hasReceiver: boolean;
  /** Living workers of its part. */
  readonly workers: number;
  readonly nowMs: number;
}

/** What a project writes down to have its messages sent; the name of the secret is its own to choose. */
const RECEIVER_LINE = "publish: { url: 'https://HOST/PATH', secret: signingKey }";
const NO_RECEIVER = `no receiver is configured here; put ${RECEIVER_LINE} into pawl.config.yaml, and the key into PAWL_SECRET_SIGNING_KEY`;

/** Who moves a message that was not given up: nobody before there is a receiver, else a worker, or time after a failure. */
function ofWaiting(
  facts: MessageFacts,
  { id, event, topic, dueAt, lastError }: MessageView,
): Omit<Reason, 'kind' | 'step' | 'since'> {
  const text = `message ${event ?? topic} has not arrived`;
  if (event !== null && !facts.hasReceiver)
    return { text: `${text}: ${NO_RECEIVER}`, until: null, by: OPERATOR, command: null };
  const isLater = dueAt !== null && Date.parse(dueAt) > facts.nowMs;
  const told = lastError === null ? text : `${text}: ${lastError}`;
  if (facts.workers === 0) return { text: told, until: null, by: OPERATOR, command: START_ONE };
  const again = lastError !== null && isLater ? `pawl outbox retry ${facts.run} ${id} --reason TEXT` : null;
  return { text: told, until: isLater ? dueAt : null, by: A_WORKER, command: again };
}

/** What was sent and has not arrived; the run itself does not wait for it. */
export function messageReasons(facts: MessageFacts): readonly Reason[] {
  const open = facts.messages.filter(({ state }) => state === 'waiting' || state === 'dead').map(messageView);
  return open.map((message): Reason => {
    const { id, event, topic, step, state, at, lastError } = message;
    const about = { kind: 'message', step, since: at } as const;
    if (state !== 'dead') return { ...about, ...ofWaiting(facts, message) };
    const command = `pawl outbox retry ${facts.run} ${id} --reason TEXT`;
    const text = `message ${event ?? topic} was given up: ${String(lastError)}`;
    return { ...about, text, until: null, by: OPERATOR, command };
  });
}
