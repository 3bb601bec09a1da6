import { describe, expect, it } from 'vitest';
import { relayMessages, relayWaitMs, SENDINGS_MAX } from '../../src/engine/relay-messages.ts';
import type { Engine } from '../../src/engine/engine.ts';
import type { RunId } from '../../src/model/ids.ts';
import type { OutboxRecord } from '../../src/model/outbox.ts';
import type { OutgoingMessage, Publisher } from '../../src/ports/publisher.ts';
import { BEGIN_MS, NEVER, openSmallHouse, type SmallHouse } from './support/small-house.ts';

const TELLS = `
pawl: 1
workflow: tells
version: 1
timeout: 1d
steps:
  - { id: one, publish: told.first, key: "'k'", data: { n: 1 } }
  - { id: two, publish: told.second, key: "'k'" }
  - { id: other, publish: told.other }
`;

/** Whoever listens: keeps what came, in order, and answers what it is told to. */
function listener(
  answer: (message: OutgoingMessage, sending: number) => string | null | Promise<never> = () => null,
): Publisher & {
  readonly heard: OutgoingMessage[];
} {
  const heard: OutgoingMessage[] = [];
  return {
    heard,
    send: async (message) => {
      heard.push(message);
      return answer(message, heard.filter(({ id }) => id === message.id).length);
    },
  };
}

function messagesOf(house: SmallHouse, run: string): readonly OutboxRecord[] {
  return [
    ...(house.store
      .peek()
      .runs.get(run as RunId)
      ?.outbox.values() ?? []),
  ];
}

const typeOf = ({ body }: OutgoingMessage): string => (JSON.parse(body) as { type: string }).type;
const isOver = (messages: readonly OutboxRecord[]): boolean => messages.every(({ state }) => state === 'delivered');

describe('the relay', () => {
  it('V09 what a run has published reaches whoever listens, those of one key in their order', async () => {
    // V09: "order is promised per (run, key); relayed at least once"
    const house = openSmallHouse();
    const publisher = listener();
    const { verbs } = house.process({ works: true, publisher });
    const run = await house.begin(verbs, TELLS);
    await house.until(() => messagesOf(house, run).length === 3 && isOver(messagesOf(house, run)));
    const types = publisher.heard.map(typeOf);
    expect([...types].sort()).toEqual(['told.first', 'told.other', 'told.second']);
    expect(types.indexOf('told.first')).toBeLessThan(types.indexOf('told.second'));
    const [first] = publisher.heard;
    expect(first?.id).toBe(messagesOf(house, run).find(({ body }) => body === first?.body)?.messageId);
    expect(first?.atMs).toBeGreaterThanOrEqual(BEGIN_MS);
  });

  it('V09 a message that does not arrive is sent again with growing waits, under one id, and the next of its key waits', async () => {
    // V09: "with retries"
    const house = openSmallHouse();
    const publisher = listener((message, sending) =>
      typeOf(message) === 'told.first' && sending < 4 ? 'no answer' : null,
    );
    const process = house.process({ works: true, publisher });
    const run = await house.begin(process.verbs, TELLS);
    await house.until(() => publisher.heard.length === 6);
    const first = publisher.heard.filter((message) => typeOf(message) === 'told.first');
    expect(new Set(first.map(({ id, body }) => `${id} ${body}`)).size).toBe(1);
    const waits = first.slice(1).map(({ atMs }, index) => atMs - (first[index]?.atMs ?? 0));
    for (const [index, wait] of waits.entries()) expect(wait).toBeGreaterThanOrEqual(relayWaitMs(index + 1));
    expect(publisher.heard.map(typeOf).lastIndexOf('told.first')).toBeLessThan(
      publisher.heard.map(typeOf).indexOf('told.second'),
    );
    expect(process.logged.filter(({ event }) => event === 'message.failed')).toHaveLength(3);
    await house.until(() => isOver(messagesOf(house, run)));
    expect([relayWaitMs(1), relayWaitMs(2), relayWaitMs(SENDINGS_MAX)]).toEqual([1_000, 2_000, 3_600_000]);
  });

  it('V09 a message that was given up waits for a person and holds back those of its key', async () => {
    // V09: "a dead-letter list"
    const house = openSmallHouse();
    const silent = house.process({ works: true });
    const run = await house.begin(silent.verbs, TELLS);
    silent.kill();
    const publisher = listener((message) => (typeOf(message) === 'told.first' ? 'gone' : null));
    const logged: string[] = [];
    const tell = (_facts: unknown, event: string) => void logged.push(event);
    const logger = { info: tell, warn: tell, error: tell };
    // Messages that leave the house need nothing else of it.
    const engine = { store: house.store, publisher, logger } as unknown as Engine;
    const desk = { part: 0, signal: new AbortController().signal, nowMs: () => BEGIN_MS, nudge: () => undefined };
    for (let hours = 0; hours < SENDINGS_MAX + 1; hours += 1) {
      while ((await relayMessages(engine, desk)) > 0);
      await house.world.run(() => false, house.world.nowMs() + 3_600_000);
    }
    const stateOf = (step: string) => messagesOf(house, run).find((message) => message.step === step)?.state;
    expect([stateOf('one'), stateOf('two'), stateOf('other')]).toEqual(['dead', 'waiting', 'delivered']);
    expect(publisher.heard.filter((message) => typeOf(message) === 'told.first')).toHaveLength(SENDINGS_MAX);
    expect(logged.filter((event) => event === 'message.dead')).toHaveLength(1);
    expect(logged).toHaveLength(SENDINGS_MAX);
  });

  it('V09 the claim of a process that dies while it sends is over by itself: another one sends the message again', async () => {
    // V09: "relayed at least once"
    const house = openSmallHouse();
    const lost = listener(() => NEVER);
    const first = house.process({ works: true, publisher: lost });
    const run = await house.begin(first.verbs, TELLS);
    await house.until(() => lost.heard.length === 2);
    first.kill();
    const publisher = listener();
    house.process({ works: true, publisher });
    await house.until(() => isOver(messagesOf(house, run)));
    expect(publisher.heard).toHaveLength(3);
    expect(publisher.heard.map(({ id }) => id)).toEqual(expect.arrayContaining(lost.heard.map(({ id }) => id)));
  });

  it('Without a configured receiver nothing is sent, and what was published stays in the outbox', async () => {
    const house = openSmallHouse();
    const { verbs } = house.process({ works: true });
    const run = await house.begin(verbs, TELLS);
    await house.world.run(() => false, house.world.nowMs() + 60_000);
    expect(messagesOf(house, run).map(({ state, attempts }) => [state, attempts])).toEqual([
      ['waiting', 0],
      ['waiting', 0],
      ['waiting', 0],
    ]);
  });
});
