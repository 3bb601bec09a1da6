import { call, type Draw, scenarioOf, undoable } from './scenario-parts.ts';

/** A scope that is undone when a part of it fails or takes too long, while the run goes on; a cancel may come in between. */
export const scope: Draw = (random) => {
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
export const turns: Draw = (random) => {
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
export const items: Draw = (random) =>
  scenarioOf({
    name: 'items',
    head: ['timeout: 10m'],
    actions: [...undoable(random, 'pick', 0.1), ...undoable(random, 'pack', 0.2), ...undoable(random, 'load', 0.2)],
    steps: [
      '- id: each',
      `  map: '["a", "b", "c"]'`,
      '  key: item',
      '  concurrency: 1',
      `  join: ${random.pick(['all', 'any', '{ count: 2 }'])}`,
      `  tolerate: ${random.pick(['0', '1', '50%'])}`,
      `  siblings: ${random.pick(['drain', 'finish'])}`,
      `  steps: [${call('pick').slice(2)}, ${call('pack').slice(2)}]`,
      ...random.pick([['  catch: [{ on: [any], undo: true }]'], []]),
      call('load'),
    ],
    outside: (draw) => (draw.next() < 0.3 ? [{ kind: 'cancel', atMs: draw.next() * 9_000 }] : []),
  });

/** Items side by side, more of them than lanes, with branches or items of their own: some fail, wait, are stopped or race each other. */
export const lanes: Draw = (random) => {
  const join = random.pick(['all', 'all', 'any', '{ count: 2 }', '{ percent: 60 }']);
  const handled = random.pick([
    ['  catch: [{ on: [any], undo: true }]'],
    ['  timeout: 4s', '  catch: [{ on: [timeout], undo: true }]'],
    ['  on: [{ event: stop, next: load }]'],
    [],
  ]);
  const inner = random.pick([
    `{ id: box, parallel: { u: [${call('wrap').slice(2)}], v: [{ id: rest, wait: 1s }] } }`,
    `{ id: boxes, map: '["s", "l"]', as: size, key: size, concurrency: ${random.pick([1, 2])}, steps: [${call('wrap').slice(2)}] }`,
    '{ id: told, await: ready, match: =item, timeout: 3s, catch: [{ on: [timeout] }] }',
  ]);
  return scenarioOf({
    name: 'lanes',
    head: [
      'timeout: 10m',
      'events: { stop: {}, ready: { schema: { type: object, required: [of], properties: { of: { type: string } } }, by: event.data.of } }',
      `compensation: { order: ${random.pick(['reverse', 'graph', 'parallel'])} }`,
    ],
    actions: ['pick', 'wrap', 'pack', 'load'].flatMap((name, at) => undoable(random, name, at === 3 ? 0.3 : 0.1)),
    steps: [
      '- id: each',
      `  map: '["a", "b", "c", "d", "e"]'`,
      '  key: item',
      `  concurrency: ${random.pick([2, 3, 10])}`,
      `  join: ${join}`,
      `  tolerate: ${random.pick(['0', '1', '50%'])}`,
      `  siblings: ${random.pick(['drain', 'cancel', 'finish'])}`,
      ...random.pick([['  losers: keep'], []]),
      `  steps: [${call('pick', ', retry: { attempts: 3, delay: 2s }').slice(2)}, ${inner}, ${call('pack').slice(2)}]`,
      ...handled,
      call('load'),
    ],
    outside: (draw) => [
      ...(draw.next() < 0.3 ? [{ kind: 'cancel', atMs: draw.next() * 9_000 } as const] : []),
      ...(draw.next() < 0.4
        ? [{ kind: 'signal', atMs: draw.next() * 6_000, name: 'stop', no: 1, data: {}, times: 1 } as const]
        : []),
      ...['c', 'a', 'e'].map((of, no) => ({
        kind: 'signal' as const,
        atMs: draw.next() * 6_000,
        name: 'ready',
        no: no + 2,
        data: { of },
        times: 1 + draw.below(2),
      })),
    ],
  });
};

/** Undos that need not come one after the other: by what their steps read, by what they name, or all at once. */
export const orders: Draw = (random) => {
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

/** An undo that people must agree to: they do, refuse, or say nothing in time, while others are undone. */
export const agreed: Draw = (random) => {
  const approve = `, approve: { title: Undo it, from: 'role:approver', quorum: ${random.pick([1, 2])}, expires: 20s }`;
  const asks = random.pick([['book'], ['book', 'pay'], ['send']]);
  const step = (name: string): string => {
    const undo = `, compensate: { call: do.un${name}, with: { id: =effect.key }${approve} }`;
    return call(name, asks.includes(name) ? undo : '');
  };
  return scenarioOf({
    name: 'agreed',
    head: [
      'timeout: 10m',
      `compensation: { order: ${random.pick(['reverse', 'graph', 'parallel'])}, onFailure: ${random.pick(['hold', 'continue'])} }`,
    ],
    actions: ['book', 'pay', 'send', 'close'].flatMap((name, at) => undoable(random, name, at === 3 ? 0.7 : 0.05)),
    steps: [step('book'), step('pay'), step('send'), call('close')],
    outside: (draw) => [
      ...['ana', 'kai', 'lea', 'mia'].map((by) => ({
        kind: 'vote' as const,
        atMs: draw.next() * 40_000,
        by,
        decision: draw.next() < 0.8 ? ('approve' as const) : ('deny' as const),
      })),
      ...(draw.next() < 0.3 ? [{ kind: 'cancel', atMs: draw.next() * 9_000 } as const] : []),
      ...(draw.next() < 0.2 ? [{ kind: 'terminate', atMs: draw.next() * 20_000 } as const] : []),
      ...(draw.next() < 0.3 ? [{ kind: 'compensate', atMs: 9_000 + draw.next() * 9_000 } as const] : []),
    ],
  });
};

/** Branches side by side, all of which must succeed or the first of which wins, one of them with branches of its own. */
export const branches: Draw = (random) => {
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
      ...(siblings === 'finish' ? [] : random.pick([['  losers: keep'], []])),
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

/** A machine whose states are left by events and times while their acts are on their way, and a history that leads back. */
export const machine: Draw = (random) => {
  const act = (id: string, onDone: string): string =>
    `invoke: { id: ${id}, src: do.${id}, input: { no: =input.no }, onDone: ${onDone} }`;
  const given = (kind: string): string => (kind === 'pivot' ? 'meta: { pawl: { pivot: true } }, ' : '');
  return scenarioOf({
    name: 'machine',
    head: ['timeout: 10m', 'events: { pause: {}, resume: {}, stop: {} }'],
    actions: ['open', 'left', 'right', 'close', 'quit'].flatMap((name, at) =>
      undoable(random, name, at === 3 ? 0.3 : 0.1),
    ),
    machine: [
      'initial: work',
      'states:',
      '  work:',
      '    initial: first',
      "    on: { pause: rest, stop: '#quitting' }",
      '    onDone: closing',
      '    states:',
      `      first: { ${act('open', 'both')} }`,
      '      both:',
      '        type: parallel',
      '        onDone: over',
      '        states:',
      `          l: { initial: la, states: { la: { ${act('left', 'lx')}, after: { ${random.pick(['1s', '8s'])}: lx } }, lx: { type: final } } }`,
      `          r: { initial: ra, states: { ra: { ${act('right', 'rx')} }, rx: { type: final } } }`,
      '      over: { type: final }',
      `      back: { type: history, history: ${random.pick(['deep', 'shallow'])} }`,
      "  rest: { on: { resume: work.back, stop: '#quitting' }, after: { 30s: work.back } }",
      `  closing: { ${given(random.pick(['pivot', 'none']))}${act('close', 'end')} }`,
      `  quitting: { id: quitting, ${act('quit', `${random.pick(['end', 'failed'])}, onError: failed`)} }`,
      '  end: { type: final }',
      '  failed: { type: final, meta: { pawl: { fail: quit } } }',
    ],
    outside: (draw) => [
      ...(draw.next() < 0.3 ? [{ kind: 'cancel', atMs: draw.next() * 9_000 } as const] : []),
      ...['pause', 'resume', 'stop'].flatMap((name, no) =>
        draw.next() < 0.5
          ? [{ kind: 'signal', atMs: draw.next() * 9_000, name, no, data: {}, times: 1 + draw.below(2) } as const]
          : [],
      ),
    ],
  });
};

/** All runs want one lock: some hold it while others are stopped in its queue. */
export const gate: Draw = (random) =>
  scenarioOf({
    name: 'gate',
    head: ['timeout: 10m', `lock: { name: gate, limit: ${random.pick([1, 1, 2])} }`],
    actions: [...undoable(random, 'open', 0.1), ...undoable(random, 'close', 0.1)],
    steps: [call('open'), '- { id: inside, wait: 3s }', call('close')],
    outside: (draw) => (draw.next() < 0.3 ? [{ kind: 'cancel', atMs: draw.next() * 6_000 }] : []),
  });

/** What follows every end: a word to somebody, tried again, handled, or refused, while people try to stop the run. */
export const last: Draw = (random) =>
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
export const news: Draw = (random) =>
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
