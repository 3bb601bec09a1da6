import type { DocumentMistake } from './documents.ts';

/** A sound file whose second step takes these keys. */
const steps = (keys: string): string => `pawl: 1
workflow: sample
version: 1
timeout: 1d
input:
  type: object
  required: [n, s]
  properties: { n: { type: integer }, s: { type: string }, maybe: { type: integer } }
actions:
  act:
    input: { type: object, properties: { amount: { type: integer }, any: {} } }
    http: { method: POST, url: 'http://127.0.0.1:1/act' }
    idempotency: natural
    compensate: none
steps:
  - { id: first, call: act }
  - { id: b, call: act, ${keys} }
`;
const value = (cel: string): string => steps(`with: { any: '\${ ${cel} }' }`);

/** A file that reads what a map and a parallel step give. */
const ends = (cel: string): string =>
  steps('').replace(
    /$/,
    `  - { id: m, map: '["x", "y"]', as: one, key: one, steps: [{ id: d, call: act }] }
  - { id: p, parallel: { left: [{ id: e, call: act }], right: [{ id: f, call: act }] } }
  - { id: g, call: act, with: { any: '\${ ${cel} }' } }
`,
  );

/** One mistake a code in what expressions say, and some neighbours of the commonest. */
export const EXPRESSIONS: readonly DocumentMistake[] = [
  { code: 'PAWL-401', why: 'one equals sign', file: steps("when: 'input.n «⟦=⟧|==» 5'") },
  { code: 'PAWL-401', why: 'an int of 65 bits', file: value('«⟦9223372036854775808⟧|9223372036854775807» > input.n') },
  {
    code: 'PAWL-401',
    why: 'one below the least int',
    file: value('-«⟦9223372036854775809⟧|9223372036854775808» < input.n'),
  },
  {
    code: 'PAWL-401',
    why: 'the same in hexadecimal',
    file: value('«⟦0x8000000000000000⟧|0x7FFFFFFFFFFFFFFF» > input.n'),
  },
  { code: 'PAWL-401', why: 'a double beyond the largest', file: value('«⟦1e309⟧|1e308» > 1.0') },
  { code: 'PAWL-402', why: 'three comprehensions', file: value('[1].map(a, [2].map(b, «⟦[3].map(c, c)⟧|[3]»))') },
  { code: 'PAWL-403', why: 'a misspelled root', file: value('«⟦inptu⟧|input».n') },
  { code: 'PAWL-404', why: 'a clock', file: value('«⟦now()⟧|run.startedAt»') },
  { code: 'PAWL-405', why: 'a number after a text', file: value('«⟦input.s + 1⟧|input.s + "1"»') },
  { code: 'PAWL-405', why: 'lists of different things', file: value('«⟦[1] + ["a"]⟧|[1] + [2]»') },
  {
    code: 'PAWL-405',
    why: 'an int with what no schema types',
    file: value('«⟦steps.first.output.n + 1⟧|steps.first.output.n + 1.0»'),
  },
  {
    code: 'PAWL-405',
    why: 'a status that no item has',
    file: ends('steps.m.output.filter(i, i.status == «⟦"done"⟧|"succeeded"»)'),
  },
  {
    code: 'PAWL-405',
    why: 'a status that no item has, the other way round',
    file: ends('steps.m.output.exists(i, «⟦"error"⟧|"failed"» != i.status)'),
  },
  {
    code: 'PAWL-405',
    why: 'a status that no branch has, among others',
    file: ends('steps.p.output.left.status in ["succeeded", «⟦"cancelled"⟧|"stopped"»]'),
  },
  { code: 'PAWL-406', why: 'a number for a condition', file: steps('when: «⟦input.n⟧|input.n > 1»') },
  {
    code: 'PAWL-407',
    why: 'a number for a key',
    file: steps('next: end').replace('version: 1\n', 'version: 1\nkey: «⟦input.n⟧|input.s»\n'),
  },
  {
    code: 'PAWL-407',
    why: 'a text for the order of events',
    file: steps('next: end').replace(
      'steps:',
      'events: { seen: { schema: { type: object, required: [s], properties: { s: { type: string } } }, sequence: «⟦event.data.s⟧|int(event.data.s)» } }\nsteps:',
    ),
  },
  {
    code: 'PAWL-403',
    why: 'an order of events that reads the run',
    file: steps('next: end').replace('steps:', 'events: { seen: { sequence: «⟦input.n⟧|event.data.n» } }\nsteps:'),
  },
  {
    code: 'PAWL-407',
    why: 'a number for a wait',
    file: steps('').replace(/$/, '  - { id: w, wait: =«⟦input.n⟧|input.s» }\n'),
  },
  { code: 'PAWL-408', why: 'what the input may lack', file: steps('with: { any: =«⟦input.maybe⟧|input.n» }') },
  { code: 'PAWL-409', why: 'a pattern from data', file: value('input.s.matches(«⟦input.s⟧|"a+"»)') },
  { code: 'PAWL-410', why: 'a year of no length', file: value('dur(«⟦"1y"⟧|"365d"»)') },
  { code: 'PAWL-411', why: 'a key that no schema has', file: steps('with: { «⟦amuont⟧|amount»: 1 }') },
  { code: 'PAWL-412', why: 'a text for an int', file: steps('with: { amount: «⟦one⟧|1» }') },
  {
    code: 'PAWL-413',
    why: 'a price in cents that loses one',
    file: value('«⟦int(19.99 * 100.0)⟧|int(decimal("19.99") * 100)»'),
  },
  {
    code: 'PAWL-414',
    why: 'a sum that is not exact',
    file: value('«⟦0.1 + 0.2⟧|double(string(decimal("0.1") + decimal("0.2")))»'),
  },
];
