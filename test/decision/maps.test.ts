import { describe, expect, it } from 'vitest';
import { findFaults } from '../../src/decision/invariants/find-faults.ts';
import { checkedRun } from './support/checked-run.ts';
import { Play, workflow } from './support/play.ts';

const LIST = '["x", "y", "z"]';

/** Two calls for each item of a list, one item after the other, and a call behind the map. */
const each = (
  more = '',
  items = LIST,
  steps = '{ id: a, call: do.a }, { id: b, call: do.b, with: { of: =item } }',
): string =>
  workflow(
    `  - { id: m, map: '${items}', key: item, concurrency: 1, steps: [${steps}]${more} }\n  - { id: c, call: do.c }`,
  );

const frames = (run: Play, step: string) =>
  [...run.state.effects.values()].filter((row) => row.step === step).map((row) => row.frames);

describe('a map that does one item after the other', () => {
  it('does its steps for each item in the order of the list, and tells what became of each', () => {
    const run = new Play(each()).drive();
    expect(run.happened).toEqual(['do.a', 'do.b', 'do.a', 'do.b', 'do.a', 'do.b', 'do.c']);
    const output = run.output('m') as readonly object[];
    expect(output).toMatchObject(['x', 'y', 'z'].map((key) => ({ key, status: 'succeeded', code: null })));
    expect(findFaults(checkedRun(run), run.nowMs)).toEqual([]);
  });

  it('V07 of no items is done at once, with an empty list', () => {
    // V07: "An empty map completes at once with []."
    const run = new Play(each('', '[]')).drive();
    expect([run.happened, run.output('m')]).toEqual([['do.c'], []]);
  });

  it('R09 each item has keys of its own, by what it is and not by its place', () => {
    // R09: "reordering or growing the items changes no key."
    const run = new Play(each()).drive();
    expect(frames(run, 'b')).toEqual([
      [
        ['v', 0],
        ['m', 'x'],
      ],
      [
        ['v', 0],
        ['m', 'y'],
      ],
      [
        ['v', 0],
        ['m', 'z'],
      ],
    ]);
    const grown = new Play(each('', '["z", "w", "y", "x"]')).drive();
    const known = new Set(grown.provider.keys);
    expect(run.provider.keys.filter((key) => !known.has(key))).toEqual([]);
  });

  it('V12 two items with one key are a failure before any begins', () => {
    // V12: "Two map items with one key: failure before any item starts."
    const run = new Play(each(', catch: [{ on: [duplicate-item] }]', '["x", "y", "x"]')).drive();
    expect(run.happened).toEqual(['do.c']);
    expect(run.state.snapshot.data.steps['m']).toMatchObject({ code: 'duplicate-item' });
  });

  it('R09 undoes what each item has done, once each, the last item first', () => {
    // R09: "each item with a confirmed effect is compensated once, by item key, seeing its own request and receipt"
    const run = new Play(each(), { script: { 'do.c': ['declined'] } }).drive();
    expect(run.happened.slice(6)).toEqual(['undo.b', 'undo.a', 'undo.b', 'undo.a', 'undo.b', 'undo.a']);
    expect(new Set(run.provider.keys).size).toBe(13);
    expect(run.state.status).toBe('COMPENSATED');
  });

  it('fails with the failure of the item that failed, and begins none after it', () => {
    const run = new Play(each(), { script: { 'do.b': ['ok', 'declined'] } }).drive();
    expect(run.happened).toEqual(['do.a', 'do.b', 'do.a', 'undo.a', 'undo.b', 'undo.a']);
    expect(run.state.snapshot.data.ending?.failure).toMatchObject({ code: 'declined', step: 'm' });
  });

  it('R08 goes on past an item that may fail, once what that item has done is undone', () => {
    // R08: "losers of a race settle and their confirmed effects are compensated before the next step starts."
    const run = new Play(each(', tolerate: 1'), { script: { 'do.b': ['ok', 'declined', 'ok'] } }).drive();
    expect(run.happened).toEqual(['do.a', 'do.b', 'do.a', 'undo.a', 'do.a', 'do.b', 'do.c']);
    expect(run.output('m')).toMatchObject([
      { status: 'succeeded' },
      { key: 'y', status: 'failed', code: 'declined', output: null },
      { status: 'succeeded' },
    ]);
    expect(findFaults(checkedRun(run), run.nowMs)).toEqual([]);
  });

  it('R08 `losers: keep` leaves what a failed item has done', () => {
    // R08: "`keep`: the next step starts at once"
    const run = new Play(each(', tolerate: 50%, losers: keep'), {
      script: { 'do.b': ['declined', 'ok', 'ok'] },
    }).drive();
    expect(run.happened).toEqual(['do.a', 'do.a', 'do.b', 'do.a', 'do.b', 'do.c']);
  });

  it.each([
    ['any', ['do.a', 'do.b', 'do.c'], ['succeeded', 'stopped', 'stopped']],
    ['{ count: 2 }', ['do.a', 'do.b', 'do.a', 'do.b', 'do.c'], ['succeeded', 'succeeded', 'stopped']],
    ['{ percent: 34 }', ['do.a', 'do.b', 'do.a', 'do.b', 'do.c'], ['succeeded', 'succeeded', 'stopped']],
    ['{ count: 0 }', ['do.c'], ['stopped', 'stopped', 'stopped']],
  ])('V07 with `join: %s` is done as soon as enough have succeeded', (join, happened, statuses) => {
    // V07: "Joins settle all that they must, then decide."
    const run = new Play(each(`, join: ${join}`)).drive();
    expect(run.happened).toEqual(happened);
    expect((run.output('m') as readonly { status: string }[]).map(({ status }) => status)).toEqual(statuses);
  });

  it('is impossible at once where more must succeed than there are, and names what failed where too few are left', () => {
    const four = new Play(each(', join: { count: 4 }')).drive();
    expect(four.happened).toEqual([]);
    expect(four.state.snapshot.data.ending?.failure).toMatchObject({ code: 'impossible', class: 'impossible' });
    const script = { 'do.a': ['declined', 'declined', 'ok'] } as const;
    const run = new Play(each(', join: { count: 2 }'), { script }).drive();
    expect(run.happened).toEqual([]);
    expect(run.state.snapshot.data.ending?.failure?.message).toContain('0: declined, 1: declined');
  });

  it('a join of less than all may still say how many may fail: one more ends it at once with that failure', () => {
    const script = { 'do.a': ['ok', 'declined', 'ok'] } as const;
    const strict = new Play(each(', join: { count: 2 }, tolerate: 0'), { script }).drive();
    expect(strict.happened).toEqual(['do.a', 'do.b', 'undo.b', 'undo.a']);
    expect(strict.state.snapshot.data.ending?.failure).toMatchObject({ code: 'declined', step: 'm' });
    const patient = new Play(each(', join: { count: 2 }, tolerate: 1'), { script }).drive();
    expect(patient.happened).toEqual(['do.a', 'do.b', 'do.a', 'do.b', 'do.c']);
    const late = new Play(each(', join: { percent: 34 }, tolerate: 0, siblings: finish'), {
      script: { 'do.a': ['declined', 'ok', 'ok'] },
    }).drive();
    expect(late.happened.slice(0, 4)).toEqual(['do.a', 'do.b', 'do.a', 'do.b']);
    expect(late.state.snapshot.data.ending?.failure).toMatchObject({ code: 'declined' });
  });

  it('R05 `siblings: finish` does the other items before it fails', () => {
    // R05: "`finish`: branches run to their end first."
    const run = new Play(each(', siblings: finish'), { script: { 'do.a': ['declined', 'ok', 'ok'] } }).drive();
    expect(run.happened.slice(0, 4)).toEqual(['do.a', 'do.b', 'do.a', 'do.b']);
    expect(run.state.status).toBe('COMPENSATED');
  });

  it('R21 an undo that names a step inside undoes what it has done for every item, and one inside only that of its item', () => {
    // R21: "then only that step's or group's rows, and the flow goes on."
    const steps = '{ id: a, call: do.a }, { id: b, call: do.b }';
    const list = `  - { id: m, map: '${LIST}', key: item, steps: [${steps}] }`;
    const outside = new Play(workflow(`${list}\n  - { id: u, undo: [a] }\n  - { id: c, call: do.c }`)).drive();
    expect(outside.happened.slice(6)).toEqual(['undo.a', 'undo.a', 'undo.a', 'do.c']);
    const inside = `  - { id: m, map: '${LIST}', key: item, concurrency: 1, steps: [${steps}, { id: u, undo: [a] }] }`;
    const each = new Play(workflow(inside)).drive();
    expect(each.happened).toEqual(['do.a', 'do.b', 'undo.a', 'do.a', 'do.b', 'undo.a', 'do.a', 'do.b', 'undo.a']);
  });

  it.each([
    ['null', { list: null }, 'null is none'],
    ['a text', { list: 'x' }, 'this is none'],
    ['too many', { list: Array.from({ length: 10_001 }, (_, no) => `i${no}`) }, 'at most 10000 items'],
    ['an item without a key', { list: [1] }, 'is a text that is not empty'],
    ['an empty key', { list: [''] }, 'is a text that is not empty'],
    ['a join that is no number', { list: ['x'], many: 'two' }, '`count` of a join is a number'],
  ])('that is given %s fails with `expression` and says why', (_, input, words) => {
    const join = 'many' in input ? ', join: { count: =input.many }' : '';
    const text = workflow(`  - { id: m, map: input.list, key: item${join}, steps: [{ id: a, call: do.a }] }`);
    const run = new Play(text, { input, compares: false }).drive();
    expect(run.happened).toEqual([]);
    expect(run.state.snapshot.data.ending?.failure).toMatchObject({ code: 'expression', step: 'm' });
    expect(run.state.snapshot.data.ending?.failure?.message).toContain(words);
  });

  it('forgets at each item what the item before it has left in its steps', () => {
    const steps = '{ id: a, call: do.a, with: { seen: "${ or(steps.b.output.id, item) }" } }, { id: b, call: do.b }';
    const run = new Play(each('', LIST, steps)).drive();
    const seen = [...run.state.effects.values()].filter(({ step }) => step === 'a').map(({ request }) => request);
    expect(seen.map((request) => /"seen":"(.)"/.exec(request)?.[1])).toEqual(['x', 'y', 'z']);
  });

  it('keeps the items as they were at its entry, whatever a handler makes of the vars', () => {
    const head = 'vars: { list: { type: array, default: ["x", "y"] } }\nevents: { other: {} }';
    const on = ', on: [{ event: other, set: { list: [] } }]';
    const steps = `  - { id: m, map: vars.list, key: item, steps: [{ id: w, wait: 1m }, { id: a, call: do.a }]${on} }`;
    const run = new Play(workflow(steps, head)).drive();
    run.signal('other');
    run.drive();
    for (const _ of ['x', 'y']) run.wait('1m');
    expect(run.happened).toEqual(['do.a', 'do.a']);
  });
});

describe('a long map', () => {
  it('keeps no outputs that nobody reads, and those that somebody reads', () => {
    const list = Array.from({ length: 101 }, (_, no) => `item-${no}`);
    const text = (more: string) =>
      workflow(`  - { id: m, map: input.list, key: item, steps: [{ id: a, call: do.a }] }${more}`);
    const unread = new Play(text(''), { input: { list }, compares: false }).drive();
    expect([unread.state.status, unread.output('m')]).toEqual(['COMPLETED', undefined]);
    const read = text('\n  - { id: c, call: do.c, with: { of: =steps.m.output } }');
    expect(new Play(read, { input: { list }, compares: false }).drive().output('m')).toHaveLength(101);
  });

  it('names the first of many failed items, and says how many there were', () => {
    const list = Array.from({ length: 130 }, (_, no) => `item-${no}`);
    const text = workflow(
      '  - { id: m, map: input.list, key: item, concurrency: 1, join: any, steps: [{ id: a, call: do.a }] }',
    );
    const run = new Play(text, { input: { list }, script: { 'do.a': ['declined'] }, compares: false }).drive();
    expect(run.state.snapshot.data.ending?.failure?.data).toMatchObject({
      failed: 130,
      of: 130,
      items: { length: 100 },
    });
    expect(Object.keys(run.state.snapshot.data.items?.['m$item']?.failed ?? {})).toHaveLength(100);
  });

  /** So many items; the 10 000 by `PAWL_MAP_ITEMS=10000`. */
  const count = Number(process.env['PAWL_MAP_ITEMS'] ?? 200);

  it(`of ${count} items that fails before its last undoes all that was done, once each, and its run stays small`, () => {
    const text = workflow(
      '  - { id: m, map: input.list, key: item, concurrency: 1, steps: [{ id: a, call: do.a, with: { of: =item } }] }',
    );
    const list = Array.from({ length: count }, (_, no) => `item-${no}`);
    const words = [...Array<'ok'>(count - 2).fill('ok'), 'declined'] as const;
    const run = new Play(text, { input: { list }, script: { 'do.a': words }, compares: false }).drive();
    expect(run.state.status).toBe('COMPENSATED');
    expect(run.happened.filter((name) => name === 'undo.a')).toHaveLength(count - 2);
    expect(new Set(run.provider.keys).size).toBe(2 * (count - 2) + 1);
    // The head row is written whole with every transition, its plan included: all in a row are one pair of receipts.
    expect(run.state.control.plan).toEqual([[count - 2, 1]]);
    expect(Math.max(...run.commits.map(({ head }) => head?.snapshot.length ?? 0))).toBeLessThan(8_192);
  }, 900_000);
});
