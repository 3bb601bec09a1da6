import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/ports/store.ts';
import { A, file, Household, LATE, PART } from './support/household.ts';

const ANY = { workflow: null, statuses: null, needsHuman: false, q: null, limit: 10 };
const WAIT = '  - { id: rest, wait: 1h }';

/** The workflows of the runs that are listed, newest first. */
async function workflowsOf(home: Household, wanted: object): Promise<readonly string[]> {
  const lines = await home.house.settled(home.verbs.list({ ...ANY, ...wanted }));
  return lines.map(({ workflow }) => workflow);
}

describe('the list of runs', () => {
  it('has those that stand at a step: they wait there, or a person must act; none that has passed it', async () => {
    const home = new Household();
    home.refused.add('do.late');
    await home.begin(PART, file('slow', [A, WAIT, LATE]));
    await home.begin(PART, file('held', [LATE], ['onFailure: hold']));
    await home.begin(PART, file('done', [A]));
    const each =
      "  - { id: each, map: '[1, 2, 3]', as: one, key: string(one), concurrency: 2, steps: [{ id: a, call: do.a }, { id: nap, wait: 1h }] }";
    await home.begin(PART, file('many', [each]));
    await home.until('held', 'HELD');
    await home.until('done', 'COMPLETED');
    await home.until('many', 'WAITING');
    await home.until('slow', 'WAITING');
    expect(await workflowsOf(home, { step: 'rest' })).toEqual(['slow']);
    expect(await workflowsOf(home, { step: 'late' })).toEqual(['held']);
    expect(await workflowsOf(home, { step: 'a' })).toEqual([]);
    expect(await workflowsOf(home, { step: 'nap' })).toEqual(['many']);
    expect(await workflowsOf(home, { step: 'each' })).toEqual(['many']);
    expect(await workflowsOf(home, { step: 'rest', statuses: ['COMPLETED'] })).toEqual([]);
    expect(await workflowsOf(home, { step: 'nowhere' })).toEqual([]);
  });

  it('has machines that rest in a state', async () => {
    const home = new Household();
    const machine =
      'machine: { initial: open, states: { open: { on: { go: shut } }, shut: { on: { end: over } }, over: { type: final } } }';
    const run = await home.begin(
      PART,
      ['pawl: 1', 'workflow: door', 'version: 1', 'timeout: 9d', 'events: { go: {}, end: {} }', machine, ''].join('\n'),
    );
    expect(await workflowsOf(home, { step: 'open' })).toEqual(['door']);
    const go = { name: 'go', data: {}, source: 'test', eventId: null, by: 'ana', waitMs: 0 };
    await home.house.settled(home.verbs.signal(run, go));
    expect([await workflowsOf(home, { step: 'open' }), await workflowsOf(home, { step: 'shut' })]).toEqual([
      [],
      ['door'],
    ]);
  });

  it('goes on behind a place, past runs that stand elsewhere', async () => {
    const home = new Household();
    await home.publish(PART);
    const ask = { workflow: 'slow', version: 1, input: {}, by: 'starter' };
    await home.publish(file('slow', [A, WAIT]));
    await home.publish(file('other', [WAIT.replace('rest', 'elsewhere')]));
    for (let no = 0; no < 260; no += 1)
      await home.house.settled(home.verbs.start({ ...ask, workflow: no % 130 === 0 ? 'slow' : 'other' }));
    await home.house.until(() => home.all('slow').every(({ head }) => head.status === 'WAITING'));
    const lines = await home.house.settled(home.verbs.list({ ...ANY, step: 'rest' }));
    expect(lines).toHaveLength(2);
    const [first] = await home.house.settled(home.verbs.list({ ...ANY, step: 'rest', limit: 1 }));
    expect(first?.id).toBe(lines[0]?.id);
  });

  it('asks for less where more than 20,000 runs would be looked at, and names the way', async () => {
    const home = new Household();
    await home.begin(PART, file('slow', [A, WAIT]));
    await home.until('slow', 'WAITING');
    const { store } = home.house;
    const [line] = await store.listRuns({ ...ANY, tenant: 'default' });
    const endless: Store = {
      ...store,
      listRuns: async ({ limit }) => (line === undefined ? [] : Array.from({ length: limit }, () => line)),
      load: async () => ({ runs: [], nowMs: 0 }),
    };
    const { verbs } = home.house.process({ works: false, store: endless });
    await expect(home.house.settled(verbs.list({ ...ANY, step: 'nowhere' }))).rejects.toMatchObject({
      code: 'PAWL_LIST_TOO_WIDE',
      message:
        'more than 20,000 runs would have to be looked at for those at step nowhere: name a workflow, a status or a time as well',
    });
  });

  it('has those of versions with all labels that are named, which count no more than their text says', async () => {
    const home = new Household();
    await home.begin(PART, file('pay', [A], ['labels: { team: payments, tier: 1, live: true }']));
    await home.begin(PART, file('mail', [A], ['labels: { team: post, tier: 1 }']));
    await home.begin(PART, file('plain', [A]));
    expect(await workflowsOf(home, { labels: { team: 'payments' } })).toEqual(['pay']);
    expect(await workflowsOf(home, { labels: { tier: '1' } })).toEqual(['mail', 'pay']);
    expect(await workflowsOf(home, { labels: { tier: '1', live: 'true' } })).toEqual(['pay']);
    expect(await workflowsOf(home, { labels: { team: 'nobody' } })).toEqual([]);
    const { limit: _limit, ...asked } = ANY;
    expect(await home.house.settled(home.verbs.count({ ...asked, labels: { tier: '1' } }, 10))).toBe(2);
  });
});
