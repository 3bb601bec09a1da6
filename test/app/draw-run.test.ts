import { describe, expect, it } from 'vitest';
import { drawRun } from '../../src/app/draw-workflow.ts';
import { A, B, file, Household, LATE, PART } from '../engine/support/household.ts';

const EVENTS = 'events: { go: {}, back: {}, end: {} }';
const MACHINE = `
machine:
  initial: open
  states:
    open: { on: { go: shut } }
    shut: { on: { back: open, end: over } }
    over: { type: final }
`;

/** The classes of a Mermaid picture, by the titles of what has them. */
function livesIn(text: string): Readonly<Record<string, string>> {
  const titles = new Map(
    [...text.matchAll(/^\s*(n\d+)[^\w\s"]+"([^"<]*)/gm)].map(([, id = '', title = '']) => [id, title]),
  );
  const rows = [...text.matchAll(/^\s*class (\S+) (taken|now|undone|held|failed)$/gm)];
  return Object.fromEntries(
    rows.flatMap(([, ids = '', live = '']) => ids.split(',').map((id) => [titles.get(id) ?? id, live] as const)),
  );
}

describe('a run drawn as it was', () => {
  it('has gone up to that revision, and what was undone later is not undone yet', async () => {
    const home = new Household();
    home.refused.add('do.late');
    const run = await home.begin(PART, file('whole', [A, B, LATE]));
    await home.until('whole', 'COMPENSATED');
    const at = async (revision?: number) =>
      livesIn(await home.house.settled(drawRun(home.verbs, run, { format: 'mermaid', revision })));
    expect(await at(2)).toMatchObject({ a: 'taken', b: 'now' });
    expect(await at(3)).toMatchObject({ a: 'taken', b: 'taken', late: 'now' });
    expect(await at(4)).toMatchObject({ a: 'taken', b: 'taken', late: 'failed' });
    expect(await at()).toMatchObject({ a: 'undone', b: 'undone', late: 'failed' });
    expect(await at(6)).toEqual(await at());
    await expect(at(7)).rejects.toMatchObject({ code: 'PAWL_REVISION_NOT_FOUND', details: { revision: 7 } });
  });

  it('stood in the states of its machine in which it was then', async () => {
    const home = new Household();
    const text = ['pawl: 1', 'workflow: door', 'version: 1', 'timeout: 9d', EVENTS, MACHINE].join('\n');
    const run = await home.begin(PART, text);
    for (const name of ['go', 'back', 'go'])
      await home.house.settled(
        home.verbs.signal(run, { name, data: {}, source: 'test', eventId: null, by: 'ana', waitMs: 0 }),
      );
    const at = async (revision?: number) =>
      livesIn(await home.house.settled(drawRun(home.verbs, run, { format: 'mermaid', revision })));
    expect([await at(1), await at(2), await at(3)]).toMatchObject([
      { open: 'now' },
      { open: 'taken', shut: 'now' },
      { open: 'now', shut: 'taken' },
    ]);
    expect(await at(4)).toEqual(await at());
    expect(await at()).toMatchObject({ open: 'taken', shut: 'now' });
  });
});
