import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RunCommit } from '../../src/model/run-commit.ts';
import type { StartRequest } from '../../src/ports/store.ts';
import { type House, openHouse, type Process, untilRun, untilStatus } from '../engine/support/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterEach(() => house.rest());
afterAll(() => house.close());

const sagaNamed = (name: string): string => `
pawl: 1
workflow: ${name}
version: 1
timeout: 1h
actions:
${['a', 'b', 'c'].map((name) => `  ${name}:\n    function: ${name}@1\n    idempotency: { remembers: 1h }\n    compensate: none`).join('\n')}
steps:
  - { id: first, call: a }
  - { id: second, call: b }
  - { id: third, call: c }
output: { done: true }
`;

const functions = Object.fromEntries(
  ['a@1', 'b@1', 'c@1'].map((name) => [name, { send: () => Promise.resolve({ name }) }]),
);

async function open(name: string): Promise<Process> {
  const process = await house.process({ functions, numbers: { leaseMs: 60_000 } });
  await process.app.publish({ text: sagaNamed(name), file: 'three.pawl.yaml', by: 'ana' });
  await process.app.runWorker();
  return process;
}

const start = async (process: Process, workflow: string): Promise<string> =>
  (await process.app.start({ workflow, version: 1, input: {}, by: 'ana' })).run.runId;

type Writes = ReturnType<Process['watched']['writes']>;

const membersOf = (calls: Writes): number =>
  calls.reduce((sum, call) => sum + (call.args.at(-1) as readonly unknown[]).length, 0);

/** The writes since then; a run can be seen to have ended before the answer of its last commit is back. */
async function writesFrom(process: Process, before: number, isEnough: (calls: Writes) => boolean): Promise<Writes> {
  while (!isEnough(process.watched.writes().slice(before))) await process.watched.next();
  return process.watched.writes().slice(before);
}

describe('commits', () => {
  it('P17 n effects cost n + 1 commits: a lone 3-step saga is done in four, claims included', async () => {
    // P17: "… so that n effects cost n + 1 commits (writing transactions, claims included)."
    const process = await open('lone');
    const before = process.watched.writes().length;
    const run = await start(process, 'lone');
    await untilStatus(process, run, 'COMPLETED');
    const writes = await writesFrom(process, before, (calls) => calls.length >= 4);
    expect(writes.map((call) => call.verb)).toEqual(['start', 'commit', 'commit', 'commit']);
  });

  it('at 128 at once a 3-step saga costs at most one commit a run', async () => {
    const process = await open('many');
    const before = process.watched.writes().length;
    const runs = await Promise.all(Array.from({ length: 128 }, () => start(process, 'many')));
    for (const run of runs) await untilStatus(process, run, 'COMPLETED');
    const writes = await writesFrom(process, before, (calls) => membersOf(calls) >= 128 * 4);
    expect(writes.length).toBeLessThanOrEqual(128);
    expect(membersOf(writes)).toBe(128 * 4);
  });

  it('P01 one transition, one transaction: what is sent was REQUESTED in a commit that was answered before', async () => {
    // P01: "One transition, one transaction; nothing outside happens before commit."
    const seen: string[] = [];
    const process = await house.process({
      numbers: { leaseMs: 60_000 },
      functions: Object.fromEntries(
        Object.keys(functions).map((name) => [name, { send: ({ key }) => Promise.resolve(seen.push(`sent ${key}`)) }]),
      ),
    });
    process.watched.hooks = {
      around: async (verb, args, run) => {
        const result = await run();
        const members =
          verb === 'start' || verb === 'commit' ? (args.at(-1) as readonly (RunCommit | StartRequest)[]) : [];
        for (const { effects } of members)
          for (const { effect } of effects) if (effect.state === 'REQUESTED') seen.push(`stored ${effect.key}`);
        return result;
      },
    };
    await process.app.publish({ text: sagaNamed('order'), file: 'three.pawl.yaml', by: 'ana' });
    await process.app.runWorker();
    await untilRun(process, await start(process, 'order'), (view) => view.status === 'COMPLETED');
    const [a, b, c] = [...new Set(seen.map((line) => line.split(' ')[1]))];
    expect(seen).toEqual([`stored ${a}`, `sent ${a}`, `stored ${b}`, `sent ${b}`, `stored ${c}`, `sent ${c}`]);
  });
});
