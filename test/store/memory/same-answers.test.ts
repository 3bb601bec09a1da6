import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { fc } from '../../support/fast-check.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunId } from '../../../src/model/ids.ts';
import type { LockGrant } from '../../../src/model/lock.ts';
import type { ClaimedRun, DeliveryAnswer, DrainedRun, StartAnswer, Store } from '../../../src/ports/store.ts';
import { choicesFrom } from './support/choices.ts';
import { anyCommand, type Command, lastLook } from './support/commands.ts';
import { openPinnedPostgres, type PinnedPostgres } from './support/pinned-postgres.ts';
import { createWorld, rawRowsOf, LEASE_MS } from './support/world.ts';

/** `PAWL_SAME_ANSWERS=5000 npx vitest run test/store/memory/same-answers.test.ts` is the whole of it. */
const SEQUENCES = Number(process.env['PAWL_SAME_ANSWERS'] ?? 300);
const SEED = Number(process.env['PAWL_SEED'] ?? Date.now() % 2 ** 31);
const COMMANDS_MAX = 40;
const BYTES = fc.noBias(fc.uint8Array({ minLength: 1_000, maxLength: 2_400, size: 'max' }));
/** Sequences under way at a time, each lane on a database and a clock of its own. */
const LANES = 4;

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
    case 'joinLock':
    case 'leaveLock':
    case 'limitLock':
    case 'sweepLocks':
      return byRun(answer as readonly LockGrant[], ({ runId }) => runId);
    case 'claimSchedules': {
      const { due, ...rest } = answer as Awaited<ReturnType<Store['claimSchedules']>>;
      return { ...rest, due: [...due].sort((a, b) => (a.address.workflow < b.address.workflow ? -1 : 1)) };
    }
    case 'workers':
      return (answer as Awaited<ReturnType<Store['workers']>>).filter((worker) => worker.part === part);
    case 'commit':
      return (answer as Awaited<ReturnType<Store['commit']>>).map((one) => (one.kind === 'failed' ? one.kind : one));
    case 'start':
      return (answer as readonly StartAnswer[]).map(({ refused, ...rest }) => (refused === null ? rest : refused.code));
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

/** What came of a command, in a word: so that it can be said what was compared. */
function kindsOf({ verb }: Command, answer: unknown): readonly string[] {
  if (Object.hasOwn(Object(answer), 'refused')) return [`${verb} refused`];
  switch (verb) {
    case 'commit':
      return (answer as readonly (string | { readonly kind: string })[]).map((one) =>
        typeof one === 'string' ? one : one.kind,
      );
    case 'claim':
      return (answer as readonly ClaimedRun[]).map(({ suspect }) => (suspect ? 'claimed a suspect' : 'claimed'));
    case 'claimRun':
      return answer === null ? [] : ['claimed by name'];
    case 'deliver':
      return (answer as readonly DeliveryAnswer[]).map(
        ({ event, exists }) => `delivered ${exists ? event : 'nowhere'}`,
      );
    case 'start':
      return (answer as readonly (string | StartAnswer)[]).map((one) => {
        if (typeof one === 'string') return 'start refused';
        return one.created ? 'started' : 'found';
      });
    case 'fireTimers':
      return answer === 0 ? [] : ['fired'];
    case 'sweep':
      return (answer as readonly RunId[]).map(() => 'swept');
    case 'prune':
      return (answer as readonly RunId[]).map(() => 'pruned');
    case 'disown':
      return answer === 0 ? [] : ['disowned'];
    default:
      return [verb];
  }
}

/** Asks both stores the same; every answer must be the same, and at the end every row. */
async function compareSequence(
  postgres: PinnedPostgres,
  number: number,
  bytes: Uint8Array,
  tell: (kind: string) => void,
): Promise<void> {
  const world = createWorld(number);
  const choices = choicesFrom(bytes);
  const asked: unknown[] = [];
  const same = (ours: unknown, theirs: unknown): void => {
    if (isDeepStrictEqual(ours, theirs)) return;
    assert.deepEqual(ours, theirs, `memory (+) and PostgreSQL (-) differ after ${JSON.stringify(asked, null, 1)}`);
  };
  const compare = async (command: Command): Promise<void> => {
    asked.push(command);
    const [ours, theirs] = [
      await answerOf(world.store, command, world.part),
      await answerOf(postgres.store, command, world.part),
    ];
    same(ours, theirs);
    kindsOf(command, ours).forEach(tell);
  };
  if (world.part === 0) await postgres.empty();
  await postgres.setTime(world.nowMs);
  while (asked.length < COMMANDS_MAX && !choices.areUsedUp()) {
    const command = anyCommand(choices, world, asked.length);
    if (command.verb !== 'clock') {
      await compare(command);
      continue;
    }
    asked.push(command);
    world.nowMs = command.toMs;
    await postgres.setTime(command.toMs);
  }
  await compare(lastLook(world));
  const rows = await postgres.rawRows(world.part);
  same(rawRowsOf(world.dump()), rows);
}

/** Kinds of answers that must have been compared, or the comparison says little. */
const MUST_COME = [
  ...['applied', 'stale', 'fenced', 'busy', 'conflict', 'failed', 'start refused', 'deliver refused'],
  ...['started', 'found', 'claimed', 'claimed a suspect', 'claimed by name', 'fired', 'swept', 'disowned', 'pruned'],
  ...['delivered new', 'delivered same', 'delivered other', 'delivered nowhere'],
];

it('P02 both stores give the same answers and hold the same rows after random commands', async () => {
  // P02: "Per member: applied, stale, fenced, busy, conflict. One member's fault touches no other."
  console.log(`same answers: ${SEQUENCES} sequences, PAWL_SEED=${SEED}`);
  const told = new Map<string, number>();
  const tell = (kind: string): void => {
    told.set(kind, (told.get(kind) ?? 0) + 1);
  };
  const compareOn = async (postgres: PinnedPostgres, lane: number): Promise<void> => {
    let next = 0;
    const sequences = fc.asyncProperty(BYTES, async (bytes) => {
      next += 1;
      await compareSequence(postgres, next, bytes, tell);
    });
    await fc.assert(sequences, { seed: SEED + lane, numRuns: Math.ceil(SEQUENCES / LANES), endOnFailure: false });
  };
  await Promise.all(lanes.map(compareOn));
  console.log(`same answers: ${JSON.stringify(Object.fromEntries([...told].sort()))}`);
  expect(MUST_COME.filter((kind) => !told.has(kind))).toEqual([]);
}, 3_600_000);
