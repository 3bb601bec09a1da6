import { expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { listHeld } from '../../src/engine/list-needs.ts';
import type { RunFilter } from '../../src/ports/store.ts';

it('what is held for the same is looked for through all pages, and only such runs are loaded', async () => {
  const asked: unknown[] = [];
  const loaded: string[] = [];
  const lines = Array.from({ length: 401 }, (_, n) => ({
    run: { runId: `r${n}`, part: 0, startedAtMs: 1_000 - n },
    needs: [n % 200 === 0 ? 'incident:poison' : 'approval:ask'],
  }));
  const store = {
    listRuns: ({ after, limit, needsHuman, workflow }: RunFilter) => {
      asked.push([needsHuman, workflow, after?.startedAtMs]);
      const from = lines.findIndex(({ run }) => run.runId === after?.runId) + 1;
      return Promise.resolve(lines.slice(from, from + limit));
    },
    load: (_: number, ids: readonly string[]) => {
      loaded.push(...ids);
      return Promise.resolve({ runs: [], nowMs: 0 });
    },
  };
  expect(await listHeld({ store, tenant: 't' } as unknown as Engine, 'poison', 'w')).toEqual([]);
  expect(loaded).toEqual(['r0', 'r200', 'r400']);
  expect(asked).toEqual([
    [true, 'w', undefined],
    [true, 'w', 801],
    [true, 'w', 601],
  ]);
});
