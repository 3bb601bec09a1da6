import type { DocumentMistake } from './documents.ts';

/** A sound file that sends links; `steps` says which. */
const file = (steps: string, more = ''): string => `pawl: 1
workflow: sample
version: 1
input: { type: object, properties: { list: { type: array, items: { type: string } } } }
timeout: 1d
events: { paid: {}, go: {} }
actions:
  act: { http: { method: POST, url: 'http://127.0.0.1:1/act' }, idempotency: natural, compensate: none }
  look: { http: { method: GET, url: 'http://127.0.0.1:1/look' }, effect: read }
  note: { sql: 'INSERT INTO note VALUES (:to)', compensate: none }
${more}steps:
${steps}
`;

/** The same as a machine, which sends `link`. */
const machine = (link: string): string => `pawl: 1
workflow: sample
version: 1
timeout: 1d
events: { paid: {} }
actions:
  act: { http: { method: POST, url: 'http://127.0.0.1:1/act' }, idempotency: natural, compensate: none }
machine:
  initial: ask
  states:
    ask: { invoke: { id: a, src: act, input: { to: ${link} }, onDone: pay } }
    pay: { on: { paid: done } }
    done: { type: final }
`;

const PAY = '  - { id: pay, await: paid }';
const send = (link: string): string => `  - { id: a, call: act, with: { to: =${link} } }`;

/** Mistakes of links. */
export const LINKS: readonly DocumentMistake[] = [
  {
    code: 'PAWL-705',
    why: 'in a condition',
    file: file(`  - { id: a, call: act«, when: "⟦links.pay⟧ != ''"|» }\n${PAY}`),
  },
  {
    code: 'PAWL-705',
    why: 'in a var, which is a row',
    file: file(
      `  - { id: v, set: { to: «=⟦links.pay⟧|none» } }\n${PAY}`,
      'vars: { to: { type: string, default: none } }\n',
    ),
  },
  {
    code: 'PAWL-705',
    why: 'in the identity of an act',
    file: file(`  - { id: a, call: act, object: «=⟦links.pay⟧|=run.key» }\n${PAY}`),
  },
  {
    code: 'PAWL-705',
    why: 'in what everybody is told',
    file: file(`  - { id: p, publish: it.began, data: { to: «=⟦links.pay⟧|none» } }\n${PAY}`),
  },
  {
    code: 'PAWL-705',
    why: 'in an undo',
    file: file(`  - { id: a, call: act, compensate: { call: act, with: { to: «=⟦links.pay⟧|=run.id» } } }\n${PAY}`),
  },
  { code: 'PAWL-706', why: 'a step that is not there', file: file(`${send('«⟦links.pya⟧|links.pay»')}\n${PAY}`) },
  { code: 'PAWL-706', why: 'a call', file: file(`${send('«⟦links.b⟧|links.pay»')}\n  - { id: b, call: act }\n${PAY}`) },
  { code: 'PAWL-706', why: 'no step at all', file: file(`${send('«⟦links⟧|links.pay»')}\n${PAY}`) },
  { code: 'PAWL-706', why: 'a state of a machine', file: machine('«=⟦links.pay⟧|=run.key»') },
  { code: 'PAWL-706', why: 'a call of a machine', file: machine('«=⟦links.a⟧|=run.key»') },
  {
    code: 'PAWL-707',
    why: 'in a statement',
    file: file(`  - { id: a, call: «note|act», with: { to: =⟦links.pay⟧ } }\n${PAY}`),
  },
  {
    code: 'PAWL-707',
    why: 'in a read',
    file: file(`  - { id: a, call: «look|act», with: { to: =⟦links.pay⟧ } }\n${PAY}`),
  },
  {
    code: 'PAWL-707',
    why: 'in the input of a child',
    file: file(`  - { id: a, «child: other@1|call: act», with: { to: =⟦links.pay⟧ } }\n${PAY}`),
  },
  {
    code: 'PAWL-707',
    why: 'in an act that others share',
    file: file(`  - { id: a, call: act, «reach: global, object: x, intent: y, |»with: { to: =⟦links.pay⟧ } }\n${PAY}`),
  },
  {
    code: 'PAWL-708',
    why: 'after its wait',
    file: file(`  - { id: «pay|first», await: paid }\n${send('⟦links.pay⟧')}\n  - { id: «last|pay», await: paid }`),
  },
  {
    code: 'PAWL-708',
    why: 'in what handles its wait',
    file: file(
      `  - { id: «pay|first», await: paid, timeout: 1h, catch: [{ on: [timeout], do: [{ id: a, call: act, with: { to: =⟦links.pay⟧ } }] }] }\n  - { id: «last|pay», await: paid }`,
    ),
  },
  {
    code: 'PAWL-708',
    why: 'from outside of a repetition',
    file: file(
      `${send('⟦links.pay⟧')}\n  - { id: each, «map: input.list, as: one, key: one|scope: [{ id: w, wait: 1m }]», «steps: [{ id: pay, await: paid }] }|catch: [] }\n  - { id: pay, await: paid }»`,
    ),
  },
  {
    code: 'PAWL-708',
    why: 'at the end of everything',
    file: file(`${PAY}`, '').replace(
      'steps:',
      `finally: [{ id: a, call: act, with: { to: «=⟦links.pay⟧|none» } }]\nsteps:`,
    ),
  },
  {
    code: 'PAWL-709',
    why: 'an event of another source',
    file: file(`${send('⟦links.pay⟧')}\n${PAY}`).replace('paid: {}', 'paid: { source: «psp|link» }'),
  },
  {
    code: 'PAWL-709',
    why: 'a wait for other sources',
    file: file(`${send('⟦links.pay⟧')}\n  - { id: pay, await: paid, from: [«psp|psp, link»] }`),
  },
];
