import type { Json } from '../../model/json.ts';
import { createRandom, type Random } from '../random.ts';
import { ACTION_CLASSES, type ActionClass, actionLines } from './action-classes.ts';

/** What the world does to a run beside the faults: each with the time at which it first comes, milliseconds. */
export type OutsideAct =
  | {
      readonly kind: 'signal';
      readonly atMs: number;
      readonly name: string;
      /** Its sender's own number of it: the same comes `times` times, by any road. */
      readonly no: number;
      readonly data: Json;
      readonly times: number;
    }
  | { readonly kind: 'vote'; readonly atMs: number; readonly by: string; readonly decision: 'approve' | 'deny' }
  | { readonly kind: 'cancel' | 'compensate' | 'terminate'; readonly atMs: number };

/** An action of a scenario's workflow. */
export interface ScenarioAction {
  readonly name: string;
  readonly kind: ActionClass;
  readonly undo: string | null;
  /** Share of its calls that are refused for good. */
  readonly declines: number;
}

/** A workflow, its provider and what happens around its runs; drawn from the seed. */
export interface Scenario {
  readonly name: string;
  /** Its versions, each in whose place the next is published. */
  readonly texts: readonly [string, string];
  readonly actions: readonly ScenarioAction[];
  /** What comes from outside to one run; drawn anew for each. */
  outside(random: Random): readonly OutsideAct[];
}

/** How a scenario is drawn. */
type Draw = (random: Random) => Scenario;

interface Parts {
  readonly name: string;
  readonly head?: readonly string[];
  readonly actions: readonly ScenarioAction[];
  readonly steps: readonly string[];
  readonly outside?: Scenario['outside'];
}

const calm = (): readonly OutsideAct[] => [];

function scenarioOf({ name, head = [], actions, steps, outside = calm }: Parts): Scenario {
  const text = (version: number, first: readonly string[]): string =>
    [
      'pawl: 1',
      `workflow: ${name}`,
      `version: ${version}`,
      'key: input.no',
      'input: { type: object, required: [no], properties: { no: { type: string } } }',
      ...head,
      'actions:',
      ...actions.flatMap(actionLines),
      'steps:',
      ...[...first, ...steps].map((line) => `  ${line}`),
      '',
    ].join('\n');
  return { name, texts: [text(1, []), text(2, ['- { id: news, wait: 1s }'])], actions, outside };
}

const call = (id: string, more = ''): string => `- { id: ${id}, call: do.${id}, with: { no: =input.no }${more} }`;

/** An action with its undo, which nearly never is refused. */
function undoable(random: Random, name: string, declines: number): readonly ScenarioAction[] {
  const undo = `un${name}`;
  return [
    { name, kind: random.pick(ACTION_CLASSES), undo, declines },
    { name: undo, kind: random.pick(ACTION_CLASSES), undo: null, declines: random.pick([0, 0, 0.1]) },
  ];
}

/** Three steps, each undone in reverse; the last is often refused. */
const saga: Draw = (random) =>
  scenarioOf({
    name: 'saga',
    head: ['timeout: 10m'],
    actions: ['reserve', 'charge', 'ship'].flatMap((name, at) => undoable(random, name, at * 0.2)),
    steps: [call('reserve'), call('charge', ', retry: { attempts: 3, delay: 1s }'), call('ship')],
  });

/** A loop that enters its step again: each visit is an effect of its own. */
const loop: Draw = (random) =>
  scenarioOf({
    name: 'loop',
    head: ['timeout: 10m', 'vars: { turn: { type: integer, default: 0 } }'],
    actions: [...undoable(random, 'take', 0.1), ...undoable(random, 'close', 0.2)],
    steps: [
      call('take'),
      '- { id: count, set: { turn: "${ vars.turn + 1 }" } }',
      '- { id: pause, wait: 1s }',
      '- { id: more, when: vars.turn < 3, set: { turn: =vars.turn }, next: take, maxJumps: 5 }',
      call('close'),
    ],
  });

/** Letters that come in any order, twice, and while others are read: nothing but them moves the run, no timer helps. */
const mailbox: Draw = (random) =>
  scenarioOf({
    name: 'mailbox',
    head: ['events: { letter: { schema: { type: object } } }'],
    actions: [...undoable(random, 'answer', 0)],
    steps: [
      '- { id: first, await: letter }',
      '- { id: second, await: letter }',
      call('answer'),
      '- { id: third, await: letter }',
      '- { id: fourth, await: letter }',
    ],
    outside: (draw) =>
      [1, 2, 3, 4].map((no) => ({
        kind: 'signal',
        // Close together, so that one is stored while another is decided.
        atMs: draw.below(4) * 2_500 + draw.next() * 25,
        name: 'letter',
        no,
        data: { no },
        times: 1 + draw.below(3),
      })),
  });

/** A timer against an event: whichever is first by the database's time. */
const race: Draw = (random) =>
  scenarioOf({
    name: 'race',
    head: ['timeout: 10m', 'events: { paid: { schema: { type: object } } }'],
    actions: [...undoable(random, 'open', 0), ...undoable(random, 'settle', 0.1), ...undoable(random, 'remind', 0)],
    steps: [
      call('open'),
      '- id: paid',
      '  await: paid',
      '  timeout: 6s',
      '  catch: [{ on: [timeout], do: [{ id: remind, call: do.remind, with: { no: =input.no } }] }]',
      call('settle'),
    ],
    outside: (draw) => [
      {
        kind: 'signal',
        atMs: draw.next() * 12_000,
        name: 'paid',
        no: 1,
        data: { sum: draw.below(9) },
        times: 1 + draw.below(3),
      },
    ],
  });

/** An approval against its expiry, and voters who disagree. */
const approval: Draw = (random) =>
  scenarioOf({
    name: 'approval',
    head: ['timeout: 10m'],
    actions: [...undoable(random, 'prepare', 0), ...undoable(random, 'refund', 0.2)],
    steps: [
      call('prepare'),
      '- { id: decision, approve: Refund it, from: [role:approver], quorum: 2, denials: 2, expires: 8s }',
      call('refund', ', authorizedBy: decision'),
    ],
    outside: (draw) =>
      ['ana', 'kai', 'lea'].map((by) => ({
        kind: 'vote',
        atMs: draw.next() * 14_000,
        by,
        decision: draw.next() < 0.7 ? 'approve' : 'deny',
      })),
  });

/** A cancel, or a stop without undo, against completion, with and without a pivot, and an order to undo after it. */
const cancel: Draw = (random) =>
  scenarioOf({
    name: 'cancel',
    head: ['timeout: 10m'],
    actions: [...undoable(random, 'reserve', 0), ...undoable(random, 'pay', 0.1), ...undoable(random, 'deliver', 0.1)],
    steps: [
      call('reserve'),
      call('pay', random.pick([', pivot: true', ''])),
      '- { id: rest, wait: 2s }',
      call('deliver'),
    ],
    outside: (draw) => [
      { kind: draw.next() < 0.2 ? 'terminate' : 'cancel', atMs: draw.next() * 9_000 },
      ...(draw.next() < 0.3 ? [{ kind: 'compensate', atMs: 9_000 + draw.next() * 9_000 } as const] : []),
    ],
  });

/** A deadline that comes while something is in doubt. */
const deadline: Draw = (random) =>
  scenarioOf({
    name: 'deadline',
    head: ['timeout: 7s'],
    actions: [...undoable(random, 'reserve', 0), ...undoable(random, 'charge', 0)],
    steps: [call('reserve'), '- { id: rest, wait: 3s }', call('charge', ', retry: { attempts: forever, delay: 1s }')],
  });

/** A scope that is undone when a part of it fails or takes too long, while the run goes on; a cancel may come in between. */
const scope: Draw = (random) => {
  const goesOn = random.pick(['then: continue', 'then: raise', 'next: trip']);
  return scenarioOf({
    name: 'scope',
    head: ['timeout: 10m'],
    actions: [
      ...undoable(random, 'open', 0.1),
      ...undoable(random, 'flight', 0),
      ...undoable(random, 'hotel', 0.3),
      ...undoable(random, 'train', 0.1),
      ...undoable(random, 'close', 0.2),
    ],
    steps: [
      call('open'),
      '- id: trip',
      `  scope: [${call('flight').slice(2)}, { id: rest, wait: 1s }, ${call('hotel', ', retry: { attempts: 3, delay: 2s }').slice(2)}]`,
      `  timeout: ${random.pick(['3s', '20s'])}`,
      `  catch: [{ on: [any], undo: true, do: [${call('train').slice(2)}], ${goesOn} }]`,
      ...(goesOn === 'next: trip' ? ['  maxJumps: 2'] : []),
      call('close'),
      random.pick(['- { id: back, undo: [open, trip] }', '- { id: last, wait: 1s }']),
    ],
    outside: (draw) => (draw.next() < 0.4 ? [{ kind: 'cancel', atMs: draw.next() * 12_000 }] : []),
  });
};

/** Turns of a repeat, each an act of its own; the last may be refused, and a jump goes round once more. */
const turns: Draw = (random) => {
  const ends = random.pick(['until: vars.n >= 3', 'while: vars.n < 2']);
  return scenarioOf({
    name: 'turns',
    head: ['timeout: 10m', 'vars: { n: { type: integer, default: 0 } }'],
    actions: [...undoable(random, 'take', 0.1), ...undoable(random, 'give', 0.1), ...undoable(random, 'close', 0.2)],
    steps: [
      '- id: round',
      '  repeat: 3',
      `  ${ends}`,
      `  steps: [${call('take').slice(2)}, { id: count, set: { n: "\${ vars.n + 1 }" } }, ${call('give').slice(2)}]`,
      ...random.pick([['  catch: [{ on: [any], undo: true }]'], []]),
      call('close'),
    ],
    outside: (draw) => (draw.next() < 0.3 ? [{ kind: 'cancel', atMs: draw.next() * 9_000 }] : []),
  });
};

/** Items of a list one after the other: one of them may fail where that is tolerated, and what it has done is undone. */
const items: Draw = (random) =>
  scenarioOf({
    name: 'items',
    head: ['timeout: 10m'],
    actions: [...undoable(random, 'pick', 0.1), ...undoable(random, 'pack', 0.2), ...undoable(random, 'load', 0.2)],
    steps: [
      '- id: each',
      `  map: '["a", "b", "c"]'`,
      '  key: item',
      `  join: ${random.pick(['all', 'any', '{ count: 2 }'])}`,
      `  tolerate: ${random.pick(['0', '1', '50%'])}`,
      `  siblings: ${random.pick(['drain', 'finish'])}`,
      `  steps: [${call('pick').slice(2)}, ${call('pack').slice(2)}]`,
      ...random.pick([['  catch: [{ on: [any], undo: true }]'], []]),
      call('load'),
    ],
    outside: (draw) => (draw.next() < 0.3 ? [{ kind: 'cancel', atMs: draw.next() * 9_000 }] : []),
  });

/** Undos that need not come one after the other: by what their steps read, by what they name, or all at once. */
const orders: Draw = (random) => {
  const onFailure = random.pick(['hold', 'continue']);
  return scenarioOf({
    name: 'orders',
    head: [
      'timeout: 10m',
      'vars: { seen: {} }',
      `compensation: { order: ${random.pick(['graph', 'parallel'])}, onFailure: ${onFailure} }`,
    ],
    actions: ['plan', 'book', 'pay', 'send', 'close'].flatMap((name, at) =>
      undoable(random, name, at === 4 ? 0.5 : 0.05),
    ),
    steps: [
      call('plan'),
      '- { id: mark, set: { seen: =steps.plan.code } }',
      '- id: work',
      `  scope: [${call('book', ', when: "vars.seen == null"').slice(2)}, ${call('pay').slice(2)}]`,
      ...random.pick([['  compensation: { order: reverse }'], []]),
      call('send'),
      call('close'),
    ],
    outside: (draw) => (draw.next() < 0.3 ? [{ kind: 'cancel', atMs: draw.next() * 9_000 }] : []),
  });
};

/** Branches side by side, all of which must succeed or the first of which wins, one of them with branches of its own. */
const branches: Draw = (random) => {
  const join = random.pick(['all', 'any', '{ count: 2 }']);
  const siblings = random.pick(['drain', 'cancel', 'finish']);
  const handled = random.pick([
    ['  catch: [{ on: [any], undo: true }]'],
    ['  timeout: 4s', '  catch: [{ on: [timeout], undo: true }]'],
    ['  on: [{ event: stop, next: close }]'],
    [],
  ]);
  const inner = `{ u: [${call('hotel').slice(2)}], v: [{ id: rest, wait: 2s }, ${call('train').slice(2)}] }`;
  return scenarioOf({
    name: 'branches',
    head: ['timeout: 10m', 'events: { stop: { schema: { type: object } } }'],
    actions: ['open', 'flight', 'hotel', 'train', 'car', 'close'].flatMap((name, at) =>
      undoable(random, name, at === 0 || at === 5 ? 0.1 : 0.2),
    ),
    steps: [
      call('open'),
      '- id: trip',
      '  parallel:',
      `    x: [${call('flight', ', retry: { attempts: 3, delay: 2s }').slice(2)}]`,
      `    y: [{ id: stay, parallel: ${inner}, join: ${random.pick(['all', 'any'])} }]`,
      `    z: [${call('car').slice(2)}, { id: pause, wait: 1s }]`,
      `  join: ${join}`,
      `  siblings: ${siblings}`,
      ...handled,
      call('close'),
    ],
    outside: (draw) => [
      ...(draw.next() < 0.3 ? [{ kind: 'cancel', atMs: draw.next() * 9_000 } as const] : []),
      ...(draw.next() < 0.5
        ? [{ kind: 'signal', atMs: draw.next() * 6_000, name: 'stop', no: 1, data: {}, times: 1 } as const]
        : []),
    ],
  });
};

/** All runs want one lock: some hold it while others are stopped in its queue. */
const gate: Draw = (random) =>
  scenarioOf({
    name: 'gate',
    head: ['timeout: 10m', `lock: { name: gate, limit: ${random.pick([1, 1, 2])} }`],
    actions: [...undoable(random, 'open', 0.1), ...undoable(random, 'close', 0.1)],
    steps: [call('open'), '- { id: inside, wait: 3s }', call('close')],
    outside: (draw) => (draw.next() < 0.3 ? [{ kind: 'cancel', atMs: draw.next() * 6_000 }] : []),
  });

/** What follows every end: a word to somebody, tried again, handled, or refused, while people try to stop the run. */
const last: Draw = (random) =>
  scenarioOf({
    name: 'last',
    head: [
      'timeout: 10m',
      ...random.pick([['lock: { name: last, limit: 2 }'], []]),
      'finally:',
      `  ${call('tell', random.pick([', retry: { attempts: 3, delay: 1s }', ', catch: [{ on: [any] }]']))}`,
      '  - { id: pause, wait: 2s }',
      `  ${call('file', ', when: run.end.reason != "done"')}`,
    ],
    actions: [
      ...undoable(random, 'reserve', 0.1),
      ...undoable(random, 'charge', 0.3),
      ...undoable(random, 'tell', 0.2),
      ...undoable(random, 'file', 0.2),
    ],
    steps: [call('reserve'), '- { id: rest, wait: 2s }', call('charge')],
    outside: (draw) => [
      ...(draw.next() < 0.5
        ? [{ kind: draw.next() < 0.3 ? 'terminate' : 'cancel', atMs: draw.next() * 12_000 } as const]
        : []),
      ...(draw.next() < 0.3 ? [{ kind: 'compensate', atMs: 9_000 + draw.next() * 9_000 } as const] : []),
    ],
  });

/** What is told to others while effects go on, in the order of its key, in every visit of a step. */
const news: Draw = (random) =>
  scenarioOf({
    name: 'news',
    head: ['timeout: 10m', 'vars: { turn: { type: integer, default: 0 } }'],
    actions: [...undoable(random, 'take', 0.1), ...undoable(random, 'close', 0.2)],
    steps: [
      '- { id: begun, publish: news.begun, key: input.no, data: { no: =input.no } }',
      call('take'),
      '- { id: taken, publish: news.taken, key: input.no, data: =steps.take.code }',
      '- { id: loose, publish: news.loose }',
      '- { id: count, set: { turn: "${ vars.turn + 1 }" } }',
      '- { id: more, when: vars.turn < 3, set: { turn: =vars.turn }, next: take, maxJumps: 5 }',
      call('close'),
      '- { id: closed, publish: news.closed, key: input.no }',
    ],
    outside: (draw) => (draw.next() < 0.3 ? [{ kind: 'cancel', atMs: draw.next() * 6_000 }] : []),
  });

const DRAWS: readonly [Draw, ...Draw[]] = [
  saga,
  loop,
  mailbox,
  race,
  approval,
  cancel,
  deadline,
  scope,
  turns,
  items,
  orders,
  branches,
  gate,
  last,
  news,
];

/** So many scenarios are told apart: a text that was compiled for one seed serves others. */
const VARIANTS = 1_000;

/** Draws one scenario. */
export function drawScenario(random: Random): Scenario {
  const variant = createRandom(random.below(VARIANTS));
  return variant.pick(DRAWS)(variant);
}
