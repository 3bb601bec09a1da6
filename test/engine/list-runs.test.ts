import { describe, expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { listRuns } from '../../src/engine/list-runs.ts';
import type { Json } from '../../src/model/json.ts';
import type { RunLine } from '../../src/ports/store.ts';
import { identity } from '../machine/support/driver.ts';

function lineOf(failure: Json | undefined): RunLine {
  return { run: identity, status: 'COMPLETED', revision: 3, needs: [], endedAtMs: 5_000, failure };
}

/** What a list shows of a run whose head says this. */
async function shown(failure: Json | undefined): Promise<readonly unknown[]> {
  const engine = { tenant: 'default', store: { listRuns: async () => [lineOf(failure)] } } as unknown as Engine;
  return listRuns(engine, { workflow: null, statuses: null, needsHuman: false, q: null, limit: 1 });
}

describe('a list of runs', () => {
  it('says of a run what its finally failed with, and nothing where it did not', async () => {
    const finallyFailed = { code: 'declined', message: 'no', step: 'tell' };
    expect(await shown({ finallyFailed })).toMatchObject([{ status: 'COMPLETED', finallyFailed }]);
    for (const line of await shown({ code: 'timeout', message: 'late' }))
      expect(line).not.toHaveProperty('finallyFailed');
    for (const line of await shown(undefined)) expect(line).not.toHaveProperty('finallyFailed');
  });
});
