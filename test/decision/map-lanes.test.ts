import { describe, expect, it } from 'vitest';
import { findFaults } from '../../src/decision/invariants/find-faults.ts';
import type { Effect } from '../../src/model/effect.ts';
import { checkedRun } from './support/checked-run.ts';
import { Play, type Setting, workflow } from './support/play.ts';

const STEPS =
  '{ id: a, call: do.a, with: { of: =item } }, { id: b, call: do.b, with: { of: =item, after: =steps.a.output.id } }';

/** Two calls for each of three items, two of them side by side, and a call behind the map. */
const lanes = (more = '', steps = STEPS, head = '', lanes = 2): string =>
  workflow(
    `  - { id: m, map: '["x", "y", "z"]', key: item, concurrency: ${lanes}, steps: [${steps}]${more} }\n  - { id: c, call: do.c }`,
    head,
  );

const play = (text: string, script: Setting['script'] = {}): Play => new Play(text, { script }).drive();

const faultsOf = (run: Play): readonly string[] =>
  findFaults(checkedRun(run), run.nowMs).map(({ row, what }) => `${row}: ${what}`);

/** What was done of which item, in the order of the ledger: `a x`. */
const rows = (run: Play, state?: string): readonly string[] =>
  [...run.state.effects.values()]
    .filter((row) => row.compensates === null && (state === undefined || row.state === state))
    .map(({ step, frames }) => `${step} ${frames.flatMap(([kind, key]) => (kind === 'm' ? [key] : [])).join('/')}`);

const statuses = (run: Play): readonly string[] =>
  (run.output('m') as readonly { readonly key: string; readonly status: string }[]).map(
    ({ key, status }) => `${key} ${status}`,
  );

const answer = (run: Play, action: string, word: 'ok' | 'declined' = 'ok'): void => {
  run.provider.says(action, word);
  run.drive();
};

describe('a map with lanes', () => {
  it('has as many items under way as it says, and begins the next one as soon as one of them is over', () => {
    const run = new Play(lanes(), { script: { 'do.b': ['hang'] } });
    expect(rows(run, 'REQUESTED')).toEqual(['a x', 'a y']);
    run.drive();
    expect(rows(run, 'REQUESTED')).toEqual(['b x', 'b y']);
    expect(faultsOf(run)).toEqual([]);
    answer(run, 'do.b');
    expect(rows(run, 'CONFIRMED')).toEqual(['a x', 'a y', 'b x', 'b y', 'a z', 'b z', 'c ']);
    expect(statuses(run)).toEqual(['x succeeded', 'y succeeded', 'z succeeded']);
    expect([run.state.status, faultsOf(run)]).toEqual(['COMPLETED', []]);
  });

  it('R09 the lane is no part of a key: the same acts have the same keys one after the other and side by side', () => {
    // R09: "reordering or growing the items changes no key."
    const keys = (count: number): readonly string[] => play(lanes('', STEPS, '', count)).provider.keys.toSorted();
    expect(keys(2)).toEqual(keys(1));
    expect(keys(10)).toEqual(keys(1));
    expect(new Set(keys(1)).size).toBe(7);
  });

  it('each item reads what its own steps gave, and none of what another lane has left', () => {
    const steps = `{ id: seen, call: do.d, with: { of: '\${ or(steps.b.output.id, "nothing") }' } }, { id: a, call: do.a }, { id: w, wait: 1m }, { id: b, call: do.b, with: { after: =steps.a.output.id } }`;
    const run = play(lanes('', steps)).wait('5m');
    const of = (step: string): readonly Effect[] => [...run.state.effects.values()].filter((row) => row.step === step);
    const given = (row: Effect): unknown => (JSON.parse(row.request) as { readonly with: unknown }).with;
    expect(of('seen').map(given)).toEqual(['x', 'y', 'z'].map(() => ({ of: 'nothing' })));
    const ids = new Map(of('a').map(({ frames, output }) => [JSON.stringify(frames), output] as const));
    for (const row of of('b'))
      expect(given(row)).toEqual({ after: (ids.get(JSON.stringify(row.frames)) as { readonly id: string }).id });
    expect([of('b').length, run.state.status]).toEqual([3, 'COMPLETED']);
  });

  it.each(['drain', 'cancel'])(
    'V07 with `siblings: %s` no item is begun once too many have failed, and those on their way settle first',
    (siblings) => {
      // V07: "Joins settle all that they must, then decide."
      const run = play(lanes(`, siblings: ${siblings}, catch: [{ on: [declined] }]`), { 'do.a': ['declined', 'hang'] });
      expect([rows(run), run.state.status]).toEqual([['a x', 'a y'], 'RUNNING']);
      answer(run, 'do.a');
      expect([rows(run), run.state.status]).toEqual([['a x', 'a y', 'c '], 'COMPLETED']);
      expect(run.state.snapshot.data.steps['m']).toMatchObject({ code: 'declined' });
    },
  );

  it('R08 what a failed item has done is undone while the others go on', () => {
    // R08: "losers of a race settle and their confirmed effects are compensated before the next step starts."
    const run = play(lanes(', tolerate: 1'), { 'do.b': ['declined', 'ok', 'ok'], 'undo.a': ['hang'] });
    expect(rows(run, 'CONFIRMED')).toEqual(['a x', 'a y', 'b y', 'a z', 'b z']);
    expect([run.state.status, faultsOf(run)]).toEqual(['RUNNING', []]);
    answer(run, 'undo.a');
    expect([run.state.status, statuses(run)]).toEqual(['COMPLETED', ['x failed', 'y succeeded', 'z succeeded']]);
  });

  it('R08 each failed item is undone in its own lane, and waits for nothing of another one', () => {
    // R08: "losers of a race settle and their confirmed effects are compensated before the next step starts."
    const run = play(lanes(', tolerate: 2'), { 'do.b': ['declined', 'declined', 'ok'], 'undo.a': ['ok', 'hang'] });
    expect(run.happened).toEqual(['do.a', 'do.a', 'undo.a', 'do.a', 'do.b']);
    expect([run.state.status, faultsOf(run)]).toEqual(['RUNNING', []]);
    answer(run, 'undo.a');
    expect([run.state.status, run.happened.slice(5)]).toEqual(['COMPLETED', ['undo.a', 'do.c']]);
  });

  it('R04 two items that are being undone when their run is stopped go on, each before the rest is undone', () => {
    // R04: "Sibling in flight: nothing new starts, it is awaited to settlement, then compensation begins."
    const run = play(lanes(', tolerate: 2'), { 'do.b': ['declined', 'declined', 'hang'], 'undo.a': ['hang'] });
    expect([rows(run, 'CONFIRMED'), faultsOf(run)]).toEqual([['a x', 'a y'], []]);
    run.cancel();
    expect([run.state.status, faultsOf(run)]).toEqual(['COMPENSATING', []]);
    expect(run.state.control.undosCarried).toHaveLength(2);
    answer(run, 'undo.a');
    expect([run.state.status, run.happened]).toEqual(['CANCELLED', ['do.a', 'do.a', 'undo.a', 'undo.a']]);
    expect(faultsOf(run)).toEqual([]);
  });

  it('R05 `siblings: finish` lets those under way come to their ends when others have won, and begins no other', () => {
    // R05: "`finish`: branches run to their end first."
    const run = play(lanes(', join: any, siblings: finish'));
    expect(rows(run)).toEqual(['a x', 'a y', 'b x', 'b y', 'c ']);
    expect([statuses(run), run.happened.slice(4)]).toEqual([
      ['x succeeded', 'y stopped', 'z stopped'],
      ['undo.b', 'undo.a', 'do.c'],
    ]);
  });

  it.each([
    ['any', 10, ['x succeeded', 'y stopped', 'z stopped'], ['undo.b', 'undo.b', 'undo.a', 'undo.a']],
    ['{ count: 2 }', 10, ['x succeeded', 'y succeeded', 'z stopped'], ['undo.b', 'undo.a']],
    ['{ percent: 34 }', 2, ['x succeeded', 'y succeeded', 'z stopped'], ['undo.a']],
  ])(
    'R08 with `join: %s` in %i lanes the first are the winners, and what the others have done is undone',
    (join, count, ends, undone) => {
      // R08: "losers of a race settle and their confirmed effects are compensated before the next step starts."
      const run = play(lanes(`, join: ${join}`, STEPS, '', count));
      expect(statuses(run)).toEqual(ends);
      expect(run.happened.filter((name) => name.startsWith('undo.'))).toEqual(undone);
      expect([run.happened.at(-1), faultsOf(run)]).toEqual(['do.c', []]);
    },
  );

  it('R08 with `losers: keep` the next step starts at once, and the run ends when what is on its way has settled', () => {
    // R08: "`keep`: the next step starts at once; the run does not end, and nothing is compensated, before they settle."
    const run = play(lanes(', join: any, losers: keep', '{ id: a, call: do.a }'), { 'do.a': ['ok', 'hang'] });
    expect([run.happened, run.state.status]).toEqual([['do.a', 'do.c'], 'RUNNING']);
    answer(run, 'do.a');
    expect([run.happened, run.state.status]).toEqual([['do.a', 'do.c', 'do.a'], 'COMPLETED']);
    expect(faultsOf(run)).toEqual([]);
  });

  it.each([
    ['drain', ['do.a', 'do.a'], ['a y', 'b x']],
    ['cancel', ['do.a'], ['b x']],
    ['finish', ['do.a', 'undo.a', 'do.a', 'do.b'], ['a y', 'b x', 'b y']],
  ])('R05 `siblings: %s` says what becomes of a retry of another item', (siblings, happened, sent) => {
    // R05: "`siblings: cancel`: rows not in flight become CANCELLED at once, retries and waits stop"
    const steps = '{ id: a, call: do.a, retry: { attempts: 3, delay: 10s } }, { id: b, call: do.b }';
    const text = workflow(
      `  - { id: m, map: '["x", "y"]', key: item, siblings: ${siblings}, catch: [{ on: [declined] }], steps: [${steps}] }`,
    );
    const run = play(text, { 'do.a': ['ok', '503', 'ok'], 'do.b': ['declined', 'ok'] }).wait('1m');
    expect([run.happened, run.state.status]).toEqual([happened, 'COMPLETED']);
    expect(
      rows(run)
        .filter((row) => row !== 'a x' && sent.includes(row))
        .toSorted(),
    ).toEqual(sent);
    expect(faultsOf(run)).toEqual([]);
  });

  it('V01 an event goes to the item whose `match` fits, whichever lane it is in', () => {
    // V01: "Store first, match later"
    const head = 'events: { paid: { schema: { type: object }, by: event.data.of, keep: 7d } }';
    const run = play(
      lanes('', '{ id: w, await: paid, match: =item, timeout: 1h }, { id: b, call: do.b, with: { of: =item } }', head),
    );
    expect(run.signal('paid', { of: 'z' })?.outcome).toBe('kept');
    expect(run.signal('paid', { of: 'y' })).toMatchObject({ outcome: 'applied', detail: { step: 'w' } });
    // The lane of y has begun z, and that was kept for it.
    expect(rows(run)).toEqual(['b y', 'b z']);
    expect(run.signal('paid', { of: 'x' })?.outcome).toBe('applied');
    expect([rows(run), run.state.status]).toEqual([['b y', 'b z', 'b x', 'c '], 'COMPLETED']);
  });

  it('V01 a run whose last item waits in another lane than the first waits for an event, whoever looks at it', () => {
    // V01: "an event before its wait is kept for its `keep` and matched"
    const head = 'events: { paid: { schema: { type: object }, by: event.data.of, keep: 7d } }';
    const run = play(lanes('', '{ id: w, await: paid, match: =item }', head));
    for (const of of ['x', 'z']) run.signal('paid', { of });
    expect(Object.keys(run.state.control.activeSinceMs)).toContain('w@1');
    expect(findFaults({ ...checkedRun(run), wakeUp: null }, run.nowMs)).toEqual([]);
  });

  it('A01 each item asks for itself, under its own name', () => {
    // A01: "Reaching an approval step twice finds the same approval; one request, one notification."
    const run = play(
      lanes(
        ', tolerate: 1',
        '{ id: ask, approve: Send it, from: [role:desk], expires: 1h }, { id: b, call: do.b, authorizedBy: ask, with: { of: =item } }',
        '',
        10,
      ),
    );
    expect([...run.state.approvals.keys()]).toEqual(['ask.v0.mx', 'ask.v0.my', 'ask.v0.mz']);
    expect(run.state.approvals.get('ask.v0.mz')?.subject).toMatchObject({ effects: [{ step: 'b' }] });
    run.vote('ann', 'approve', { approvalId: 'ask.v0.mz' });
    run.vote('ann', 'deny', { approvalId: 'ask.v0.mx' });
    expect([rows(run, 'CONFIRMED'), faultsOf(run)]).toEqual([['b z'], []]);
    run.vote('ann', 'approve', { approvalId: 'ask.v0.my' });
    expect([rows(run, 'CONFIRMED'), statuses(run)]).toEqual([
      ['b y', 'b z', 'c '],
      ['x failed', 'y succeeded', 'z succeeded'],
    ]);
  });

  it('V06 the time of the map ends all lanes, and what items have done is undone by its clause', () => {
    // V06: "A commit that leaves the state deletes its timers"
    const run = play(
      lanes(', timeout: 5m, catch: [{ on: [timeout], undo: true }]', '{ id: a, call: do.a }, { id: w, wait: 10m }'),
    );
    expect([...run.state.timers.keys()].toSorted()).toEqual(['m:timeout', 'w:wait', 'w@1:wait']);
    run.wait('5m');
    expect([run.happened, run.state.timers.size]).toEqual([['do.a', 'do.a', 'undo.a', 'undo.a', 'do.c'], 0]);
    expect([run.state.status, faultsOf(run)]).toEqual(['COMPLETED', []]);
  });

  it('R18 a cancel in the middle settles what is on its way in every lane, then undoes it all', () => {
    // R18: "Later: settle, undo, CANCELLED."
    const run = play(lanes(), { 'do.b': ['ok', 'hang'] });
    run.cancel();
    expect([run.state.phase, rows(run)]).toEqual(['settling', ['a x', 'a y', 'b x', 'b y', 'a z', 'b z']]);
    answer(run, 'do.b');
    expect([run.state.status, run.happened.filter((name) => name.startsWith('undo.')).length]).toEqual([
      'CANCELLED',
      6,
    ]);
    expect(faultsOf(run)).toEqual([]);
  });

  it('R06 undoes by the order in which the items were done, not by their place', () => {
    // R06: "Completion order is the receipt number, not a wall clock, not the start order."
    const steps = `{ id: a, call: do.a, when: 'item != "x"' }, { id: d, call: do.d, when: 'item == "x"' }`;
    const run = play(lanes('', steps, '', 10), { 'do.d': ['hang'], 'do.c': ['declined'] });
    answer(run, 'do.d');
    const undone = [...run.state.effects.values()].filter(({ compensates }) => compensates !== null);
    const byReceipt = undone.toSorted((one, other) => (one.receiptNo ?? 0) - (other.receiptNo ?? 0));
    expect(byReceipt.map(({ frames }) => frames[1]?.[1])).toEqual(['x', 'z', 'y']);
  });

  it('R13 a process that dies with items in all lanes sends each again under its own key', () => {
    // R13: "Two workers, a crash loop, a double call: one row, at most one effect."
    const run = play(lanes(', join: { count: 3 }'), { 'do.a': ['hang'] });
    run.provider.says('do.a', 'ok');
    run.crash().drive().wait('5m');
    expect([rows(run, 'CONFIRMED').length, run.state.status]).toEqual([7, 'COMPLETED']);
    expect(new Set(run.provider.keys).size).toBe(run.happened.length);
  });

  it('R20 a person lets a held map go on, and items that were done are not done again, whatever lane takes them', () => {
    // R20: "After the confirmed pivot nothing compensates by itself: failures retry, then HELD."
    const only = (key: string, id: string, action: string): string =>
      `{ id: ${id}, call: do.${action}, when: 'item == "${key}"' }`;
    const steps = `{ id: a, call: do.a }, ${only('x', 'e', 'e')}, ${only('y', 'b', 'b')}, ${only('y', 'f', 'b')}, ${only('z', 'd', 'd')}`;
    const run = play(lanes('', steps, 'onFailure: hold'), { 'do.e': ['hang'], 'do.d': ['hang', 'declined', 'ok'] });
    // The first lane is busy, so the second one takes the last item.
    expect(Object.values(run.state.control.lanes ?? {})).toEqual(['d@1']);
    answer(run, 'do.e');
    answer(run, 'do.d', 'declined');
    expect([run.state.status, run.incidents]).toEqual(['HELD', ['failure']]);
    run.provider.says('do.d', 'hang');
    expect(run.retry('m')?.outcome).toBe('applied');
    // Now the first lane is through with its item before the second one is.
    expect([rows(run, 'REQUESTED'), run.state.control.lanes]).toEqual([['d z'], {}]);
    answer(run, 'do.d');
    expect([run.state.status, run.happened]).toEqual([
      'COMPLETED',
      ['do.a', 'do.a', 'do.b', 'do.b', 'do.a', 'do.e', 'do.d', 'do.c'],
    ]);
    expect(faultsOf(run)).toEqual([]);
  });

  it('E11 an act that two items share is that of the item which asked for it first', () => {
    // E11: "only the owner sends; its settlement is told to all users"
    const run = play(lanes(', tolerate: 2', '{ id: a, call: do.a, reach: workflow, object: one, intent: same }'));
    const [row] = [...run.state.effects.values()];
    if (row === undefined) throw new Error('no row');
    expect([rows(run), row.state]).toEqual([['a x'], 'PROPOSED']);
    run.act({
      type: 'share.told',
      news: { effectKey: row.key, word: 'owner', undoKey: null, of: null, outcome: null },
    });
    expect([run.happened, statuses(run)]).toEqual([
      ['do.a', 'do.c'],
      ['x succeeded', 'y failed', 'z failed'],
    ]);
    expect(run.state.status).toBe('COMPLETED');
  });

  it('maps and branches stand in items, each with the lanes of its own', () => {
    const inner = `{ id: n, map: '["1", "2"]', as: one, key: one, concurrency: 2, steps: [{ id: b, call: do.b, with: { of: '\${ item + one }' } }] }`;
    const forks =
      '{ id: p, parallel: { l: [{ id: d, call: do.d }], r: [{ id: e, call: do.e, with: { of: =steps.a.output.id } }] } }';
    const run = play(lanes('', `{ id: a, call: do.a }, ${inner}, ${forks}`), { 'do.c': ['declined'] });
    expect(
      rows(run)
        .filter((row) => row.startsWith('b'))
        .toSorted(),
    ).toEqual(['b x/1', 'b x/2', 'b y/1', 'b y/2', 'b z/1', 'b z/2']);
    expect([run.state.status, run.happened.filter((name) => name.startsWith('undo.')).length]).toEqual([
      'COMPENSATED',
      15,
    ]);
    expect(new Set(run.provider.keys).size).toBe(31);
    expect(faultsOf(run)).toEqual([]);
  });

  it('E09 the journal says of which item a step was settled', () => {
    // E09: "An effect moves its run once"
    const run = play(lanes());
    const told = run.stored.journal.flatMap(({ event }) => {
      const { item } = event.detail as { readonly item?: string };
      return event.step === 'b' ? [item] : [];
    });
    expect(told).toEqual(['x', 'y', 'z']);
    expect(run.state.snapshot.data.steps).not.toHaveProperty('b@1');
    expect(run.state.control.lanes).toEqual({});
  });

  it('of many items has a head that stays small, and undoes them in one pair of receipts', () => {
    const list = Array.from({ length: 200 }, (_, no) => `item-${no}`);
    const text = workflow(
      '  - { id: m, map: input.list, key: item, steps: [{ id: a, call: do.a, with: { of: =item } }] }\n  - { id: c, call: do.c }',
    );
    const run = new Play(text, { input: { list }, script: { 'do.c': ['declined'] }, compares: false }).drive();
    expect([run.state.status, run.happened.filter((name) => name === 'undo.a').length]).toEqual(['COMPENSATED', 200]);
    expect(run.state.control.plan).toEqual([[200, 1]]);
    expect(Math.max(...run.commits.map(({ head }) => head?.snapshot.length ?? 0))).toBeLessThan(8_192);
  });
});
