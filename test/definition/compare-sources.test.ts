import { describe, expect, it } from 'vitest';
import { compareSources } from '../../src/definition/compare-sources.ts';

const FILE = `pawl: 1
workflow: order
version: 1
title: Orders
timeout: 1d
input: { type: object, required: [id] }
steps:
  - { id: reserve, call: stock.reserve, with: { order: =input.id } }
  - { set: { n: 1 } }
  - { id: charge, call: card.charge, retry: { attempts: 3 } }
`;

const differences = (edit: (text: string) => string): readonly string[] =>
  compareSources(FILE, edit(FILE)).map(({ place, before, after }) => `${place}: ${before} -> ${after}`);

describe('two files of one workflow', () => {
  it.each([
    ['a value', (text: string) => text.replace('1d', '2d'), ['/timeout: 1d -> 2d']],
    [
      'a value of a step',
      (text: string) => text.replace('attempts: 3', 'attempts: 4'),
      ['/steps/charge/retry/attempts: 3 -> 4'],
    ],
    ['a step without an id', (text: string) => text.replace('{ n: 1', '{ n: 2'), ['/steps/#1/set/n: 1 -> 2']],
    [
      'a key that is new',
      (text: string) => text.replace('[id] }', '[id], properties: {} }'),
      ['/input/properties: null -> {}'],
    ],
    [
      'a step that is gone',
      (text: string) => text.replace(/ {2}- \{ id: reserve.*\n/, ''),
      ['/steps/reserve: {"id":"reserve","call":"stock.reserve","… -> null'],
    ],
    ['a list for a map', (text: string) => text.replace('{ n: 1 }', '[1]'), ['/steps/#1/set: {"n":1} -> [1]']],
    ['an item of a list', (text: string) => text.replace('[id]', '[id, sum]'), ['/input/required/1: null -> sum']],
  ] as const)('differ in %s', (_what, edit, wanted) => {
    expect(differences(edit)).toEqual(wanted);
  });

  it('differ in the order of their steps', () => {
    const swapped = FILE.replace(/( {2}- \{ id: reserve.*\n)( {2}- \{ set.*\n)( {2}- .*\n)/, '$3$2$1');
    expect(differences(() => swapped)).toEqual(['/steps: reserve, #1, charge -> charge, #1, reserve']);
  });

  it('do not differ by title, comments, quotes or the order of keys', () => {
    const same = FILE.replace('Orders', 'All orders').replace('1d', "'1d' # a day");
    expect(compareSources(FILE, same.replace('pawl: 1\nworkflow: order', 'workflow: order\npawl: 1'))).toEqual([]);
  });
});
