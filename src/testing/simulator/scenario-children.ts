import { call, type Draw, type Scenario, scenarioOf, undoable } from './scenario-parts.ts';
import type { Random } from '../random.ts';

/** A workflow that another one runs: two acts, between which time passes; the second may be its point of no return. */
export function part(
  random: Random,
  name: string,
  more: { readonly children: readonly Scenario[]; readonly lock: boolean },
): Scenario {
  const [first, second] = [`${name}First`, `${name}Second`];
  const inner = more.children.map(
    (child) => `- { id: ${child.name}, child: ${child.name}@1, with: { no: =input.no } }`,
  );
  return scenarioOf({
    name,
    head: ['timeout: 10m', 'output: { no: =input.no }', ...(more.lock ? ['lock: { name: house, limit: 1 }'] : [])],
    actions: [...undoable(random, first, 0.1), ...undoable(random, second, 0.2)],
    steps: [call(first), ...inner, '- { id: rest, wait: 1s }', call(second, random.pick(['', '', ', pivot: true']))],
    children: more.children,
  });
}

/**
 * A run in runs: children side by side or one after the other, one of which may have a child of its own, may not be waited for
 * or takes too long; a cancel, a stop or an order to undo comes in between.
 */
export const children: Draw = (random) => {
  const lock = random.next() < 0.3;
  const leaf = part(random, 'leaf', { children: [], lock: false });
  const isDeep = random.next() < 0.4;
  const trunk = part(random, 'trunk', { children: isDeep ? [leaf] : [], lock });
  const all = [leaf, trunk];
  const run = (id: string, child: Scenario, more = ''): string =>
    `{ id: ${id}, child: ${child.name}@1, with: { no: =input.no }${more} }`;
  const handled = random.pick([
    '',
    ', timeout: 2s',
    ', catch: [{ on: [any] }]',
    ', timeout: 2s, catch: [{ on: [timeout] }]',
  ]);
  const sideBySide = [
    '- id: both',
    `  parallel: { x: [${run('one', trunk, handled)}], y: [${run('other', leaf)}] }`,
    `  join: ${random.pick(['all', 'any'])}`,
    `  siblings: ${random.pick(['drain', 'cancel', 'finish'])}`,
  ];
  const inRow = [
    `- ${run('one', trunk, handled)}`,
    `- ${run('other', leaf, random.pick(['', ', detach: true', ', pivot: true']))}`,
  ];
  return scenarioOf({
    name: 'children',
    head: ['timeout: 10m', ...(lock ? ['lock: { name: house, limit: 1 }'] : [])],
    actions: [...undoable(random, 'open', 0.1), ...undoable(random, 'close', 0.3)],
    steps: [call('open'), ...random.pick([sideBySide, inRow]), call('close')],
    children: isDeep ? [leaf, { ...trunk, actions: trunk.actions.slice(0, 4) }] : all,
    outside: (draw) => [
      ...(draw.next() < 0.4
        ? [{ kind: draw.next() < 0.2 ? 'terminate' : 'cancel', atMs: draw.next() * 9_000 } as const]
        : []),
      ...(draw.next() < 0.3 ? [{ kind: 'compensate', atMs: 9_000 + draw.next() * 9_000 } as const] : []),
    ],
  });
};
