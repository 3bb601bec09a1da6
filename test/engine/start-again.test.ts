import { describe, expect, it } from 'vitest';
import type { Verbs } from '../../src/app/verbs.ts';
import type { Json } from '../../src/model/json.ts';
import { answered } from '../../src/testing/simulator/answered.ts';
import { openSmallHouse, type SmallHouse, type SmallProcess } from './support/small-house.ts';

const TEXT = `pawl: 1
workflow: again
version: 1
timeout: 1h
key: { value: input.id, again: afterFailure }
input: { type: object, required: [id], properties: { id: { type: string }, note: { type: string } } }
actions:
  pay:
    http: { method: POST, url: 'http://127.0.0.1:1/pay' }
    idempotency: { header: Idempotency-Key, remembers: 24h }
    compensate: none
steps:
  - { id: pay, call: pay }
`;

interface Story extends SmallHouse {
  readonly process: never;
  readonly verbs: Verbs;
  readonly keys: readonly string[];
  answers(status: number | null): void;
  start(input?: Json): ReturnType<Verbs['start']>;
  statusOf(run: string): Promise<string>;
}

/** A house in which the provider answers as it is told. */
async function openStory(text = TEXT): Promise<Omit<Story, 'process'>> {
  const house = openSmallHouse();
  const keys: string[] = [];
  let status: number | null = 422;
  const never = new Promise<never>(() => undefined);
  const worker: SmallProcess = house.process({
    works: true,
    outside: {
      send: ({ effect }) => {
        keys.push(effect.key);
        return status === null ? never : answered(status, {});
      },
    },
  });
  const { verbs } = worker;
  await house.settled(verbs.publish({ text, file: 'x', by: 'ana' }));
  return {
    ...house,
    verbs,
    keys,
    answers: (next) => {
      status = next;
    },
    start: (input = { id: 'k' }) => house.settled(verbs.start({ workflow: 'again', version: null, input, by: 'ana' })),
    statusOf: async (run) => (await house.settled(verbs.show(run))).status,
  };
}

async function untilEnded(story: Pick<Story, 'world' | 'statusOf'>, run: string): Promise<string> {
  for (let look = 0; look < 50; look += 1) {
    const status = await story.statusOf(run);
    if (status !== 'RUNNING' && status !== 'WAITING') return status;
    await story.world.run(() => false, story.world.nowMs() + 100);
  }
  throw new Error('the run does not end');
}

describe('a key that a failed run frees', () => {
  it('E01 the second run of a key has effect keys of its own, since the start number joins the run key', async () => {
    // E01: "The effect key is `sha256(JCS(["ek/1", tenant, reach, address, object, intent, generation]))`"
    const story = await openStory();
    const first = await story.start();
    expect(await untilEnded(story, first.run.runId)).toBe('FAILED');
    const second = await story.start();
    expect([second.created, second.run.startNumber]).toEqual([true, 2]);
    expect(await untilEnded(story, second.run.runId)).toBe('FAILED');
    expect(new Set(story.keys).size).toBe(2);
  });

  it('names the latest run, and earlier ones by their number', async () => {
    const story = await openStory();
    const first = await story.start();
    await untilEnded(story, first.run.runId);
    const second = await story.start();
    const idOf = async (name: string): Promise<string> => (await story.settled(story.verbs.find(name))).runId;
    expect(await idOf('k')).toBe(second.run.runId);
    expect(await idOf('k#1')).toBe(first.run.runId);
    expect(await idOf('k#2')).toBe(second.run.runId);
    for (const name of ['k#3', 'k#0', 'other#1'])
      await expect(story.settled(story.verbs.find(name))).rejects.toMatchObject({ code: 'PAWL_RUN_NOT_FOUND' });
    expect(await story.settled(story.verbs.show('k'))).toMatchObject({ startNumber: 2 });
    expect(await story.settled(story.verbs.show('k#1'))).not.toHaveProperty('startNumber');
  });

  it('makes one run of two starters at once', async () => {
    const story = await openStory();
    const first = await story.start();
    await untilEnded(story, first.run.runId);
    story.answers(null);
    const [one, other] = await Promise.all([story.start(), story.start()]);
    expect(one.run.runId).toBe(other.run.runId);
    expect([one.created, other.created].sort()).toEqual([false, true]);
  });

  it('is a conflict for other input while its run lives, and takes other input once it has failed', async () => {
    const story = await openStory();
    story.answers(null);
    await story.start();
    await expect(story.start({ id: 'k', note: 'other' })).rejects.toMatchObject({ code: 'PAWL_RUN_KEY_CONFLICT' });
    const freed = await openStory();
    await untilEnded(freed, (await freed.start()).run.runId);
    expect(await freed.start({ id: 'k', note: 'other' })).toMatchObject({ created: true, run: { startNumber: 2 } });
  });

  it('is not freed by a run that completed, nor where the key does not say so', async () => {
    const done = await openStory();
    done.answers(200);
    const { run } = await done.start();
    expect(await untilEnded(done, run.runId)).toBe('COMPLETED');
    expect(await done.start()).toMatchObject({ created: false, run: { runId: run.runId } });
    const never = await openStory(TEXT.replace('key: { value: input.id, again: afterFailure }', 'key: input.id'));
    const failed = await never.start();
    expect(await untilEnded(never, failed.run.runId)).toBe('FAILED');
    expect(await never.start()).toMatchObject({ created: false, run: { runId: failed.run.runId } });
  });
});
