import type { Random } from '../random.ts';
import { part } from './scenario-children.ts';
import { call, type Draw, type OutsideAct, type Scenario, scenarioOf, undoable } from './scenario-parts.ts';

/** Shapes of the language in which acts are undone. */
export const UNDO_SHAPES = ['list', 'branches', 'map', 'repeat', 'scope', 'child'] as const;
/** One of them. */
type UndoShape = (typeof UNDO_SHAPES)[number];

/** What stands around the acts: steps after each other, or a group of them and how it ends. */
interface Around {
  readonly acts: readonly string[];
  /** Behind the acts in a branch of their own, or as the last of them. */
  readonly beside: string;
  readonly random: Random;
}

/** What a group does about a failure in it. */
const HANDLED: readonly [readonly string[], ...(readonly string[])[]] = [
  [],
  ['  catch: [{ on: [any], undo: true }]'],
  ['  catch: [{ on: [any], undo: true, then: raise }]'],
];

const listed = (acts: readonly string[]): string => `[${acts.join(', ')}]`;

/** The lines of a group in that shape. */
const SHAPED: Readonly<Record<Exclude<UndoShape, 'list' | 'child'>, (around: Around) => readonly string[]>> = {
  branches: ({ acts, beside, random }) => [
    '- id: group',
    `  parallel: { one: ${listed(acts)}, two: ${listed([beside])} }`,
    `  join: ${random.pick(['all', 'any'])}`,
    `  siblings: ${random.pick(['drain', 'cancel', 'finish'])}`,
  ],
  map: ({ acts, beside, random }) => [
    '- id: group',
    `  map: '["x", "y"]'`,
    '  key: item',
    `  join: ${random.pick(['all', 'any'])}`,
    `  siblings: ${random.pick(['drain', 'cancel', 'finish'])}`,
    `  steps: ${listed([...acts, beside])}`,
  ],
  repeat: ({ acts, beside }) => [
    '- id: group',
    '  repeat: 2',
    '  while: vars.n < 2',
    `  steps: ${listed([...acts, beside, '{ set: { n: "${ vars.n + 1 }" } }'])}`,
  ],
  scope: ({ acts, beside }) => ['- id: group', `  scope: ${listed([...acts, beside])}`],
};

function stepsOf(shape: UndoShape, around: Around): readonly string[] {
  if (shape === 'list' || shape === 'child') return [...around.acts, around.beside].map((step) => `- ${step}`);
  return [...SHAPED[shape](around), ...around.random.pick(HANDLED)];
}

/** Somebody has to agree to the undo of the first act. */
const AGREED =
  ", compensate: { call: do.unfirst, with: { id: =effect.key }, approve: { title: Undo it, from: 'role:approver', expires: 20s } }";
/** The second act reads the first, so that in graph order its undo comes before. */
const READS = 'call: do.second, with: { no: =input.no, of: =steps.first.code }';

/** What comes to a run: stops, orders, and people who agree or do not. */
function outside(draw: Random): readonly OutsideAct[] {
  return [
    ...['ana', 'kai'].map((by) => ({
      kind: 'vote' as const,
      atMs: draw.next() * 40_000,
      by,
      decision: draw.next() < 0.8 ? ('approve' as const) : ('deny' as const),
    })),
    ...(draw.next() < 0.3
      ? [{ kind: draw.next() < 0.2 ? 'terminate' : 'cancel', atMs: draw.next() * 9_000 } as const]
      : []),
    ...(draw.next() < 0.3 ? [{ kind: 'compensate', atMs: 9_000 + draw.next() * 9_000 } as const] : []),
  ];
}

/** The acts that are undone: the second reads the first; beside them a third one, which may be a run of its own. */
function actsIn(random: Random, isAgreed: boolean, child: Scenario | null): Omit<Around, 'random'> {
  const acts = [call('first', isAgreed ? AGREED : '').slice(2), `{ id: second, ${READS} }`];
  const run = child === null ? null : `{ id: third, child: ${child.name}@1, with: { no: =input.no } }`;
  return { acts, beside: run ?? call('third', random.pick(['', ', retry: { attempts: 3, delay: 2s }'])).slice(2) };
}

/**
 * Acts in one of the shapes and one more that is mostly refused: each rule of compensation in each shape, with everything that can
 * go wrong around it.
 */
export const undos: Draw = (random) => {
  const shape = random.pick(UNDO_SHAPES);
  const child = shape === 'child' || random.next() < 0.2 ? part(random, 'leaf', { children: [], lock: false }) : null;
  const order = random.pick(['reverse', 'reverse', 'graph', 'parallel']);
  const asks = random.next() < 0.25;
  const isPivot = random.next() < 0.2;
  const back = random.next() < 0.2 && !isPivot ? ['- { id: back, undo: [first, second, third] }'] : [];
  return scenarioOf({
    name: `undo-${shape}`,
    head: [
      `timeout: ${random.pick(['10m', '10m', '7s'])}`,
      'vars: { n: { type: integer, default: 0 } }',
      `compensation: { order: ${order}, onFailure: ${random.pick(['hold', 'continue'])} }`,
    ],
    actions: [
      ...undoable(random, 'first', 0.05),
      ...undoable(random, 'second', 0.1),
      ...(child === null ? undoable(random, 'third', 0.2) : []),
      ...undoable(random, 'turn', 0),
      ...undoable(random, 'close', 0.6),
    ],
    steps: [
      ...stepsOf(shape, { ...actsIn(random, asks, child), random }),
      ...back,
      ...(isPivot ? [call('turn', ', pivot: true')] : []),
      call('close'),
    ],
    children: child === null ? [] : [child],
    outside,
  });
};
