import type { JsonObject } from '../../model/json.ts';
import { isOutward, type OutboxRecord } from '../../model/outbox.ts';
import { messageIdOf } from '../enter-publish.ts';
import type { Finding, RowCheck } from './check.ts';
import type { CheckedRun } from './opened-run.ts';
import { isSameJson, storedJson } from './stored-json.ts';

type Message = CheckedRun['outbox'][number];

function rowName({ messageId }: Pick<OutboxRecord, 'messageId'>): string {
  return `message ${messageId}`;
}

/** What leaves the house says which message it is, of which run, from when; what it tells nothing else knows. */
function isOwnBody({ run }: CheckedRun, { topic, body, messageId, atMs }: Message): boolean {
  if (!isOutward(topic)) return true;
  const told = storedJson(body) as JsonObject | null;
  const { id = null, source = null, time = null } = told ?? {};
  return isSameJson([id, source, time], [messageId, `pawl/${run.workflow}/${run.runId}`, new Date(atMs).toISOString()]);
}

function writtenFaults(of: CheckedRun, message: Message): readonly Finding[] {
  const { run, head } = of;
  const { revision, topic, step, frames, messageId } = message;
  const isOwn = topic !== 'event' || (step !== null && messageId === messageIdOf(run, step, frames, 'event'));
  return [
    ...(isOwn ? [] : [{ row: rowName(message), what: 'its id is not that of its step' }]),
    ...(message.outward === isOutward(topic)
      ? []
      : [
          {
            row: rowName(message),
            what: `it is told ${message.outward ? 'outside' : 'inside'}, and its topic is ${topic}`,
          },
        ]),
    ...(isOwnBody(of, message) ? [] : [{ row: rowName(message), what: 'its body is of another message' }]),
    ...(revision > head.revision
      ? [{ row: rowName(message), what: `it is of revision ${revision}, the run of ${head.revision}` }]
      : []),
  ];
}

/** Whether an earlier message of the same key and direction is still on its way. */
function overtakes(message: OutboxRecord, before: readonly OutboxRecord[]): boolean {
  if (message.key === null || message.state !== 'delivered') return false;
  return before.some(
    (other) =>
      other.key === message.key &&
      isOutward(other.topic) === isOutward(message.topic) &&
      (other.state === 'waiting' || other.state === 'dead'),
  );
}

/** Steps whose journal says that they have published, without their message. */
function missingFaults({ journal, outbox, program }: CheckedRun): readonly Finding[] {
  const written = new Set(outbox.map(({ messageId }) => messageId));
  return journal.flatMap(({ event }) => {
    if (program?.steps.get(event.step ?? '')?.verb !== 'publish') return [];
    const { outcome } = event.detail as { readonly outcome?: { readonly output?: { readonly messageId?: string } } };
    const messageId = outcome?.output?.messageId;
    if (messageId === undefined || written.has(messageId)) return [];
    return [{ row: rowName({ messageId }), what: `it is missing, and step ${String(event.step)} has published it` }];
  });
}

/** Legal in between: a message that is delivered and not yet marked so; it is delivered again under the same id. */
export const OUTBOX: RowCheck = {
  name: 'outbox',
  rule: 'V09',
  promise:
    'What a step has published has its message, under the id of its step, told where its topic belongs; no message overtakes one of its key.',
  mend: 'one that is missing: tell whoever listens; one that was overtaken: `pawl outbox drop` or `retry`',
  find: (run) => [
    ...run.outbox.flatMap((message) => writtenFaults(run, message)),
    ...run.outbox.flatMap((message, index) =>
      overtakes(message, run.outbox.slice(0, index))
        ? [{ row: rowName(message), what: 'it is delivered, and an earlier one of its key is not' }]
        : [],
    ),
    ...missingFaults(run),
  ],
};
