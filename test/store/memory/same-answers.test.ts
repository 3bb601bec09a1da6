import assert from 'node:assert/strict';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunId } from '../../../src/model/ids.ts';
import type { ClaimedRun, DrainedRun, Store } from '../../../src/ports/store.ts';
import { choicesFrom } from './support/choices.ts';
import { anyCommand, type Command, lastLook } from './support/commands.ts';
import { openPinnedPostgres, type PinnedPostgres } from './support/pinned-postgres.ts';
import { createWorld, hiddenRowsOf, LEASE_MS } from './support/world.ts';

/** `PAWL_SAME_ANSWERS=5000 npx vitest run test/store/memory/same-answers.test.ts` is the whole of it. */
const SEQUENCES = Number(process.env['PAWL_SAME_ANSWERS'] ?? 300);
const SEED = Number(process.env['PAWL_SEED'] ?? Date.now() % 2 ** 31);
const COMMANDS_MAX = 25;
const BYTES = { minLength: 200, maxLength: 600, size: 'max' } as const;
/** Sequences under way at a time, each lane on a database and a clock of its own. */
const LANES = 2;

let lanes: PinnedPostgres[];
beforeAll(async () => {
  lanes = await Promise.all(Array.from({ length: LANES }, () => openPinnedPostgres(LEASE_MS)));
});
afterAll(() => Promise.all(lanes.map((lane) => lane.close())));

function byRun<T>(rows: readonly T[], runIdOf: (row: T) => RunId): T[] {
  return [...rows].sort((a, b) => (runIdOf(a) < runIdOf(b) ? -1 : 1));
}

/** What an answer promises: not the order where there is none, not the words of a refusal, not the rows of other parts. */
function promised({ verb }: Command, part: number, answer: unknown): unknown {
  switch (verb) {
    case 'claim':
      return byRun(answer as readonly ClaimedRun[], ({ run }) => run.run.runId);
    case 'drain':
      return byRun(answer as readonly DrainedRun[], ({ runId }) => runId);
    case 'sweep':
      return byRun(answer as readonly RunId[], (runId) => runId);
    case 'workers':
      return (answer as Awaited<ReturnType<Store['workers']>>).filter((worker) => worker.part === part);
    case 'commit':
      return (answer as Awaited<ReturnType<Store['commit']>>).map((one) => (one.kind === 'failed' ? one.kind : one));
    default:
      return answer;
  }
}

async function answerOf(store: Store, command: Command, part: number): Promise<unknown> {
  const verb = store[command.verb] as (...args: readonly unknown[]) => Promise<unknown>;
  try {
    return promised(command, part, await verb(...command.args));
  } catch (error) {
    return { refused: (error as { readonly code?: string }).code ?? error };
  }
}

/** Asks both stores the same; every answer must be the same, and at the end every row. @returns how many were asked. */
async function compareSequence(postgres: PinnedPostgres, number: number, bytes: Uint8Array): Promise<number> {
  const world = createWorld(number);
  const choices = choicesFrom(bytes);
  const asked: unknown[] = [];
  const compare = async (command: Command): Promise<void> => {
    asked.push(command);
    const [ours, theirs] = [
      await answerOf(world.store, command, world.part),
      await answerOf(postgres.store, command, world.part),
    ];
    assert.deepEqual(ours, theirs, `memory (+) and PostgreSQL (-) differ after ${JSON.stringify(asked, null, 1)}`);
  };
  await postgres.setTime(world.nowMs);
  while (asked.length < COMMANDS_MAX && !choices.areUsedUp()) {
    const command = anyCommand(choices, world);
    if (command.verb !== 'clock') {
      await compare(command);
      continue;
    }
    asked.push(command);
    world.nowMs = command.toMs;
    await postgres.setTime(command.toMs);
  }
  const hidden = await postgres.hiddenRows(world.part);
  assert.deepEqual(hiddenRowsOf(world.dump()), hidden, `rows differ after ${JSON.stringify(asked, null, 1)}`);
  for (const command of lastLook(world)) await compare(command);
  return asked.length;
}

it('P02 both stores give the same answers and hold the same rows after random commands', async () => {
  console.log(`same answers: ${SEQUENCES} sequences, PAWL_SEED=${SEED}`);
  let asked = 0;
  const compareOn = async (postgres: PinnedPostgres, lane: number): Promise<void> => {
    let next = 0;
    const sequences = fc.asyncProperty(fc.uint8Array(BYTES), async (bytes) => {
      next += 1;
      asked += await compareSequence(postgres, next, bytes);
    });
    await fc.assert(sequences, { seed: SEED + lane, numRuns: Math.ceil(SEQUENCES / LANES), endOnFailure: false });
  };
  await Promise.all(lanes.map(compareOn));
  console.log(`same answers: ${asked} commands compared`);
  expect(asked).toBeGreaterThan(SEQUENCES);
}, 3_600_000);
