import { describe, expect, it } from 'vitest';
import { A, B, child, file, Household, LATE, PART } from './support/household.ts';

const CHILD = child().replace(', with: { item: x }', '');

async function previewOf(home: Household, run: string) {
  return home.house.settled(home.verbs.previewCompensation(run));
}

describe('the preview of a compensation', () => {
  it('names the child that is undone by its id, and tells the plan of that child, and of its children', async () => {
    const home = new Household();
    await home.publish(file('leaf', [B, LATE]));
    const run = await home.begin(file('part', [A, '  - { id: leaf, child: leaf@1 }']), file('whole', [CHILD, LATE]));
    await home.until('whole', 'COMPLETED');
    const ids = (await home.show(home.only('part'))).children?.map(({ id }) => id);
    const preview = await previewOf(home, run);
    expect(preview.standing).toMatchObject([{ step: 'late', why: 'none' }]);
    expect(preview.undo).toMatchObject([
      {
        step: 'part',
        child: {
          id: (await home.show(run)).children?.[0]?.id,
          refused: null,
          plan: {
            standing: [],
            undo: [
              {
                step: 'leaf',
                child: { id: ids?.[0], plan: { undo: [{ step: 'b' }], standing: [{ step: 'late', why: 'none' }] } },
              },
              { step: 'a', action: 'undo.a', round: 2 },
            ],
          },
        },
      },
    ]);
  });

  it('says why a child has no plan: an undo of it cannot be computed', async () => {
    const home = new Household();
    const broken =
      "  - { id: a, call: do.a, compensate: { call: undo.a, with: { of: '${ int(effect.output.id) }' } } }";
    const run = await home.begin(file('part', [broken]), file('whole', [CHILD]));
    await home.until('whole', 'COMPLETED');
    const [undo] = (await previewOf(home, run)).undo;
    expect(undo?.child).toMatchObject({
      plan: null,
      refused: expect.stringContaining('the undo of step a cannot be computed'),
    });
  });

  it('asks no more than a hundred children for their plans, and names the others', async () => {
    const home = new Household();
    const each = `  - { id: each, map: '[${Array.from({ length: 102 }, (_, no) => `"k${no}"`).join(', ')}]', as: one, key: one, steps: [{ id: part, child: part@1, with: { item: =one } }] }`;
    const run = await home.begin(PART, file('whole', [each]));
    await home.until('whole', 'COMPLETED');
    const { undo } = await previewOf(home, run);
    expect([undo.length, undo.filter((row) => row.child?.plan !== null).length]).toEqual([102, 100]);
    expect(undo.slice(100).map(({ child: one }) => [one?.plan, one?.refused])).toEqual([
      [null, null],
      [null, null],
    ]);
  });

  it('tells turns of a repeat apart, those of a repeat in a repeat too, and what stays done in the order of its receipts', async () => {
    const home = new Household();
    const within =
      '{ id: within, repeat: 3, until: vars.n >= 2, steps: [{ id: a, call: do.a }, { id: late, call: do.late }, { id: count, set: { n: "${ vars.n + 1 }" } }] }';
    const outer = `  - { id: out, repeat: 2, until: vars.n >= 3, steps: [${within}] }`;
    const run = await home.begin(PART, file('whole', [outer, B], ['vars: { n: { type: integer, default: 0 } }']));
    await home.until('whole', 'COMPLETED');
    const { undo, standing } = await previewOf(home, run);
    const named = ({ step, turn }: { readonly step: string; readonly turn?: string }) => [step, turn];
    expect(undo.map(named)).toEqual([
      ['b', undefined],
      ['a', '2/1'],
      ['a', '1/2'],
      ['a', '1/1'],
    ]);
    expect(standing.map(named)).toEqual([
      ['late', '1/1'],
      ['late', '1/2'],
      ['late', '2/1'],
    ]);
    expect((await home.show(run)).effects.filter(({ step }) => step === 'a').map(named)).toEqual(
      undo.slice(1).toReversed().map(named),
    );
  });
});
