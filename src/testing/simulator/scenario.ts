import { createRandom, type Random } from '../random.ts';
import { call, type Draw, type Scenario, scenarioOf, undoable } from './scenario-parts.ts';
import { children } from './scenario-children.ts';
import { shared } from './scenario-shared.ts';
import { agreed, branches, gate, items, lanes, last, machine, news, orders, scope, turns } from './scenario-shapes.ts';
import { undos } from './scenario-undo.ts';

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

/** State is taken as soon as it may: late answers, letters, orders to undo and starts under the same key find what is left. */
const brief: Draw = (random) =>
  scenarioOf({
    name: 'brief',
    head: [
      'timeout: 10m',
      `retention: ${random.pick(['0s', '1s', '4s'])}`,
      'events: { letter: { schema: { type: object } } }',
    ],
    actions: [...undoable(random, 'take', 0.1), ...undoable(random, 'give', 0.2), ...undoable(random, 'close', 0.1)],
    steps: [call('take'), call('give', ', retry: { attempts: 3, delay: 1s }'), call('close')],
    outside: (draw) => [
      ...[1, 2, 3, 4].map(() => ({ kind: 'prune', atMs: draw.next() * 25_000 }) as const),
      { kind: 'signal', atMs: draw.next() * 25_000, name: 'letter', no: 1, data: { no: 1 }, times: 2 },
      ...(draw.next() < 0.3 ? [{ kind: 'cancel', atMs: draw.next() * 9_000 } as const] : []),
      ...(draw.next() < 0.2 ? [{ kind: 'terminate', atMs: draw.next() * 9_000 } as const] : []),
      ...(draw.next() < 0.4 ? [{ kind: 'compensate', atMs: draw.next() * 20_000 } as const] : []),
    ],
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
  agreed,
  gate,
  last,
  news,
  children,
  machine,
  brief,
  undos,
  undos,
  shared,
  lanes,
];

/** So many scenarios are told apart: a text that was compiled for one seed serves others. */
const VARIANTS = 1_000;

/** Draws one scenario. */
export function drawScenario(random: Random): Scenario {
  const variant = createRandom(random.below(VARIANTS));
  return variant.pick(DRAWS)(variant);
}
