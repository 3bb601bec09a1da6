import type { DocumentMistake } from './documents.ts';

const HEAD = `pawl: 1
workflow: sample
version: 1
timeout: 1d
vars: { total: { type: integer, default: 0 } }
events: { go: {} }
secrets: [token]
actions:
  act: { function: act@1, idempotency: natural, compensate: none }
  bare: { function: bare@1, idempotency: natural }
  read: { http: { method: GET, url: 'http://127.0.0.1:1/read' }, effect: read }
`;
/** A sound machine whose first state says this, and more states. */
const machine = (first: string, more = '', beside = ''): string =>
  `${HEAD}machine:\n  initial: a\n  ${beside}states:\n    a: { ${first} }\n    b: { type: final }\n${more}`;

const PIVOT = 'meta: { pawl: { pivot: true } }';

/** Mistakes of machines. */
export const MACHINES: readonly DocumentMistake[] = [
  { code: 'PAWL-101', why: 'of a state', file: machine('on: { go: b }, «⟦onn⟧: {}|tags: [x]»') },
  {
    code: 'PAWL-101',
    why: 'of a call',
    file: machine('invoke: { src: act, id: x, onDone: b }, meta: { pawl: { «⟦pivott⟧|pivot»: true } }'),
  },
  {
    code: 'PAWL-104',
    why: 'a doubt of a call',
    file: machine('invoke: { src: act, id: x, onDone: b }, meta: { pawl: { onUnknown: «⟦ask⟧|review» } }'),
  },
  { code: 'PAWL-202', why: 'a target', file: machine('on: { go: «⟦c⟧|b» }') },
  { code: 'PAWL-204', why: 'a state', file: machine('on: { go: «b|c» }', '    ⟦c⟧: { on: { go: b } }\n') },
  {
    code: 'PAWL-204',
    why: 'a state and what is in it, once',
    file: machine(
      'on: { go: «b|c.d» }',
      '    ⟦c⟧: { initial: d, states: { d: { on: { go: b } } } }\n'.replaceAll('go: b', "go: '#b'"),
    ).replace('b: { type: final }', 'b: { id: b, type: final }'),
  },
  {
    code: 'PAWL-205',
    why: 'a state that waits for nothing',
    file: machine('on: { go: «c|b» }', '    «⟦c⟧: {}|c: { type: final }»\n'),
  },
  { code: 'PAWL-209', why: 'an event of a state', file: machine('on: { go: b, «⟦og⟧|go.*»: b }') },
  {
    code: 'PAWL-210',
    why: 'an assign',
    file: machine('on: { go: { target: b, actions: { type: assign, params: { «⟦totl⟧|total»: 1 } } } }'),
  },
  {
    code: 'PAWL-211',
    why: 'in a guard',
    file: machine(
      'invoke: { src: act, id: x, onDone: { target: b, guard: has(steps.«⟦y⟧|x».code) } }'.replace(
        'has(steps.«⟦y⟧|x».code)',
        '"has(«⟦steps.y.code⟧|steps.x.code»)"',
      ),
    ),
  },
  {
    code: 'PAWL-261',
    why: 'data beside the vars',
    file: machine('on: { go: b }', '', '«⟦context⟧: { n: 1 }|id: m»\n  '),
  },
  { code: 'PAWL-261', why: 'an actor', file: machine('on: { go: b }, entry: «⟦{ type: spawnChild }⟧|[]»') },
  { code: 'PAWL-261', why: 'an action by name', file: machine('on: { go: { target: b, actions: «⟦notify⟧|[]» } }') },
  {
    code: 'PAWL-261',
    why: 'a guard by name',
    file: machine('on: { go: { target: b, guard: «⟦{ type: isIt }⟧|true» } }'),
  },
  { code: 'PAWL-261', why: 'a delay by name', file: machine('after: { «⟦soon⟧|10s»: b }') },
  {
    code: 'PAWL-261',
    why: 'who agrees to a call',
    file: machine('invoke: { src: act, id: x, onDone: b, «⟦systemId⟧: y|input: {}» }'),
  },
  {
    code: 'PAWL-262',
    why: 'a way out of an end',
    file: machine('on: { go: c }', '    c: { type: final, «⟦on⟧: { go: b }|tags: [x]» }\n'),
  },
  {
    code: 'PAWL-262',
    why: 'where a parallel begins',
    file: machine(
      'on: { go: c }',
      '    c: { type: parallel, «⟦initial⟧: d, |»states: { d: { on: { go: "#b" } } } }\n',
    ).replace('b: { type: final }', 'b: { id: b, type: final }'),
  },
  {
    code: 'PAWL-262',
    why: 'an undo of no call',
    file: machine('on: { go: b }, meta: { «pawl: { ⟦compensate⟧: none }|other: 1» }'),
  },
  {
    code: 'PAWL-262',
    why: 'a failure of a state that is no end',
    file: machine('on: { go: b }, meta: { «pawl: { ⟦fail⟧: lost }|other: 1» }'),
  },
  {
    code: 'PAWL-263',
    why: 'events of every step',
    file: `${machine('on: { go: b }')}«⟦on⟧: [{ event: go, then: end }]|output: 1»\n`,
  },
  {
    code: 'PAWL-264',
    why: 'a config alone',
    file: 'initial: a\ndescription: alone\ntags: [one, two]\n⟦states⟧:\n  a: { on: { go: b }, tags: [x] }\n  b: { on: { go: c }, tags: [y] }\n  c: { initial: d, states: { d: { on: { go: "#e" } } } }\n  e: { id: e, type: final }\n«|meta: { pawl: { pawl: 1, workflow: x, version: 1, timeout: 1d, events: { go: {} } } }»\n',
  },
  { code: 'PAWL-301', why: 'of an invoke', file: machine('invoke: { src: «⟦actt⟧|act», id: x, onDone: b }') },
  {
    code: 'PAWL-303',
    why: 'of an invoke',
    file: machine('invoke: { src: ⟦bare⟧, id: x, onDone: b }«|, meta: { pawl: { compensate: none } }»'),
  },
  {
    code: 'PAWL-304',
    why: 'a second pivot behind an event',
    file: machine(
      `invoke: { src: act, id: x, onDone: c }, ${PIVOT}`,
      '    c: { on: { go: d } }\n    d: { invoke: { src: act, id: y, onDone: b }, meta: { pawl: { pivot: «⟦true⟧|false» } } }\n',
    ),
  },
  {
    code: 'PAWL-304',
    why: 'not where a guard may know it',
    file: machine(
      `invoke: { src: act, id: x, onDone: c }, ${PIVOT}`,
      '    c: { on: { go: «d|{ target: d, guard: vars.total == 0 }» } }\n    d: { invoke: { src: act, id: y, onDone: b }, meta: { pawl: { pivot: ⟦true⟧ } } }\n',
    ),
  },
  {
    code: 'PAWL-305',
    why: 'an end that fails, out of what is around',
    file: machine(
      'on: { go: c }',
      `    c: { initial: d, on: { go: «e|b» }, states: { d: { invoke: { src: act, id: x, onDone: f }, ${PIVOT} }, f: { on: { go: '#b' } } } }\n    e: { type: final, meta: { pawl: { fail: ⟦late⟧ } } }\n`,
    ).replace('b: { type: final }', 'b: { id: b, type: final }'),
  },
  {
    code: 'PAWL-305',
    why: 'an end that fails behind regions',
    file: machine(
      'on: { go: c }',
      `    c:\n      type: parallel\n      onDone: «d|b»\n      states:\n        l: { initial: m, states: { m: { invoke: { src: act, id: x, onDone: n }, ${PIVOT} }, n: { type: final } } }\n        r: { initial: s, states: { s: { on: { go: t } }, t: { type: final }, h: { type: history }, u: { on: { go: h } } } }\n    d: { type: final, meta: { pawl: { fail: ⟦late⟧ } } }\n`,
    )
      .replace('s: { on: { go: t } }', 's: { on: { go: t, back: u } }')
      .replace('go: {} }', 'go: {}, back: {} }'),
  },
  {
    code: 'PAWL-312',
    why: 'of an invoke',
    file: machine('invoke: { src: «read|act», id: x, onDone: b }, meta: { pawl: { ⟦pivot⟧: true } }'),
  },
  {
    code: 'PAWL-701',
    why: 'in an assign',
    file: machine(
      'on: { go: { target: b, actions: { type: assign, params: { total: =«⟦secrets.token⟧|vars.total» } } } }',
    ),
  },
];
