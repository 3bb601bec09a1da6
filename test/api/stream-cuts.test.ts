import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunChange } from '../../src/model/run-change.ts';
import { displayRunId } from '../../src/model/run-id.ts';
import { openMemoryStore } from '../../src/store/memory/memory-store.ts';
import { fc } from '../support/fast-check.ts';
import { type ApiHouse, openApiHouse } from './support/api-house.ts';
import { atLength } from './support/length.ts';
import { type Block, StreamReader } from './support/stream-reader.ts';
import { LISTEN, publishAll, startRun } from './support/workflows.ts';

/** Two parts, which outlive the servers before them. */
const store = openMemoryStore({ clock: { nowMs: () => Date.now() }, parts: 2, leaseMs: 9_000 });
const houses: ApiHouse[] = [];
beforeAll(async () => {
  houses.push(await openApiHouse({ store }));
  await publishAll(house(), [LISTEN]);
});
afterAll(() => house().close());

const house = (): ApiHouse => houses[0] as ApiHouse;
/** Another server in the place of this one: nothing of what it knew is left. */
async function restart(): Promise<void> {
  await houses.pop()?.close();
  houses.push(await openApiHouse({ store }));
}

const addresses = new Map<ApiHouse, string>();
/** Where a server listens, from the first call on. */
async function addressOf(listening: ApiHouse): Promise<string> {
  const address = addresses.get(listening) ?? (await listening.server.listen('127.0.0.1', 0));
  addresses.set(listening, address);
  return address;
}

let runs = 0;
/** Starts so many runs side by side, and ends every second one. */
async function write(count: number): Promise<void> {
  const keys = Array.from({ length: count }, (_, at) => `run-${runs + at}`);
  runs += count;
  await Promise.all(keys.map((key) => startRun(house(), 'listen', key)));
  const ending = keys.filter((_, at) => at % 2 === 0);
  const event = { type: 'paid', data: { amount: 1 } } as const;
  await Promise.all(ending.map((key) => house().post(`/v1/runs/${key}/events`, event)));
}

interface Told {
  readonly id: string;
  readonly revision: number;
  readonly status: string;
}
const lineOf = ({ id, revision, status }: Told): string => `${id} ${revision} ${status}`;

/** All that the store has kept behind some positions, read without any stream. */
async function keptSince(positions: readonly number[]): Promise<readonly string[]> {
  const found: RunChange[] = [];
  for (const [part, position] of positions.entries())
    found.push(...(await store.changes('default', part, { position, runId: null }, 100_000)).changes);
  return found.map(({ runId, revision, status }) => lineOf({ id: displayRunId(runId), revision, status }));
}

/** Where each part stands now. */
async function standing(): Promise<readonly number[]> {
  return Promise.all([0, 1].map(async (part) => (await store.changes('default', part, null, 1)).horizon));
}

/** A reader who is cut off after each so many events, and goes on behind the last one that it has seen. */
class CutReader {
  readonly lines: string[] = [];
  #after: string | undefined;

  /** Reads so many events, then loses the connection. */
  async read(count: number): Promise<void> {
    const address = await addressOf(house());
    const resume = this.#after === undefined ? {} : { 'last-event-id': this.#after };
    const headers = { authorization: `Bearer ${house().keyOf('viewer')}`, ...resume };
    const reader = await StreamReader.open(`${address}/v1/stream`, headers);
    if (typeof reader === 'number') throw new Error(`it is answered ${reader}`);
    this.#after ??= (await reader.nextOf('hello'))?.id;
    for (let no = 0; no < count; no += 1) {
      const block = (await reader.nextOf('run', 'resync')) as Block;
      expect(block.event).toBe('run');
      this.#after = block.id;
      this.lines.push(lineOf(JSON.parse(block.data) as Told));
    }
    reader.cut();
  }
}

type Act = readonly ['write', number] | readonly ['read', number] | readonly ['restart'];
const act: fc.Arbitrary<Act> = fc.oneof(
  { arbitrary: fc.tuple(fc.constant('write' as const), fc.integer({ min: 1, max: 6 })), weight: 3 },
  { arbitrary: fc.tuple(fc.constant('read' as const), fc.integer({ min: 1, max: 4 })), weight: 4 },
  { arbitrary: fc.tuple(fc.constant('restart' as const)), weight: 1 },
);

async function play(acts: readonly Act[]): Promise<void> {
  const reader = new CutReader();
  await reader.read(0);
  const positions = await standing();
  for (const [what, count = 0] of acts) {
    if (what === 'write') await write(count);
    else if (what === 'restart') await restart();
    else {
      const waiting = (await keptSince(positions)).length - reader.lines.length;
      await reader.read(Math.min(count, waiting));
    }
  }
  const kept = await keptSince(positions);
  while (reader.lines.length < kept.length) await reader.read(1);
  expect([...reader.lines].sort()).toEqual([...kept].sort());
  const revisions = new Map<string, number>();
  for (const line of reader.lines) {
    const [run = '', revision = ''] = line.split(' ');
    expect(Number(revision), line).toBeGreaterThanOrEqual(revisions.get(run) ?? 0);
    revisions.set(run, Number(revision));
  }
}

describe('a stream that is cut wherever it may be', () => {
  it('and goes on, also at another server, tells each change of two parts once, and those of a run in order', async () => {
    const property = fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 8 }), play);
    await fc.assert(property, {
      numRuns: atLength(300, 6),
      examples: [[[['write', 6], ['read', 3], ['restart'], ['read', 4], ['write', 2]]]],
    });
  }, 600_000);
});
