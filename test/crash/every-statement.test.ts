import { describe, expect, it } from 'vitest';
import type { StatementScript } from '../../src/store/memory/act.ts';
import { openMemoryStore } from '../../src/store/memory/memory-store.ts';
import { createRandom } from '../../src/testing/random.ts';
import { answered } from '../../src/testing/simulator/answered.ts';
import { createWorld } from '../../src/testing/simulator/world.ts';
import { faultsOf, isCrash, type StatementFault, worthBreaking } from './support/crash-store.ts';
import { playStory, type Stage, type Told } from './support/play-story.ts';
import { STORIES, type Story } from './support/stories.ts';

const EPOCH_MS = Date.UTC(2026, 0, 1);
const LEASE_MS = 1_500;

function openStage(): Stage {
  const random = createRandom(1);
  const world = createWorld(random);
  const written: string[] = [];
  const statements: StatementScript = async ({ effect: { action }, request }) => ({
    report: answered(null, { rows: [], rowCount: 1 }),
    keep: () => written.push(`${action} ${JSON.stringify(request.with)}`),
  });
  const store = openMemoryStore({
    statements,
    clock: { nowMs: () => EPOCH_MS + Math.floor(world.nowMs()) },
    parts: 1,
    leaseMs: LEASE_MS,
  });
  return { world, store, leaseMs: LEASE_MS, written: async () => written };
}

/** What is told where nothing was done and a person says so. */
async function toldOtherwise(story: Story): Promise<readonly Told[]> {
  if (story.undone === null) return [];
  const { told } = await playStory(openStage(), { ...story, scripts: story.undone }, null);
  expect(told).toMatchObject({ status: 'FAILED', book: [], faults: [] });
  return [told];
}

describe('a story, with each of its statements broken in each way', () => {
  it.each(STORIES)(
    '$name: the same ledger and the same book, whatever became of any statement',
    async (story) => {
      const { told, statements } = await playStory(openStage(), story, null);
      expect(told).toMatchObject({ status: story.ends, faults: [] });
      expect(told.book.length).toBeGreaterThan(0);
      const allowed = [told, ...(await toldOtherwise(story))];
      const beganAtMs = performance.now();
      const counts = new Map<StatementFault, number>();
      for (const at of worthBreaking(statements)) {
        const verb = statements[at - 1] ?? '';
        for (const fault of faultsOf(verb)) {
          const { told: heard, processes } = await playStory(openStage(), story, { at, fault });
          expect(heard, `${fault} at statement ${at} (${verb})`).toBeOneOf(allowed);
          // Two more come in any case; those that died of the fault are beside them.
          expect(processes).toBeGreaterThanOrEqual(isCrash(fault) ? 4 : 3);
          counts.set(fault, (counts.get(fault) ?? 0) + 1);
        }
      }
      const seconds = ((performance.now() - beganAtMs) / 1_000).toFixed(1);
      const plays = [...counts].map(([fault, count]) => `${fault} ${count}`).join(', ');
      console.info(`${story.name}: ${statements.length} statements, ${seconds} s; ${plays}`);
    },
    120_000,
  );
});
