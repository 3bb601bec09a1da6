import { describe, expect, it } from 'vitest';
import { readYamlFile } from '../../src/definition/read-yaml-file.ts';
import { validateWorkflow } from '../../src/definition/validate-workflow.ts';
import { doc, HEAD, PAY, step } from './support/key-mistakes.ts';
import { expected, marked, shown } from './support/marked.ts';

const LAST = 'steps:\n  - { end: done }\n';
const READ = `  look:
    effect: read
    http: { method: GET, url: 'http://127.0.0.1:1/look' }
`;
const NATURAL = `  set:
    http: { method: PUT, url: 'http://127.0.0.1:1/set' }
    idempotency: { header: Idempotency-Key, remembers: 1h }
    compensate: none
`;
/** A file with these steps and some actions to call. */
const steps = (...lines: readonly string[]): string =>
  `${HEAD}vars: { n: { type: integer, default: 0 } }\nevents: { paid: {} }\n${PAY}${READ}${NATURAL}steps:\n${lines.map((line) => `  - ${line}\n`).join('')}`;
const input = (schema: string): string =>
  doc(`input: { type: object, properties: { b: { type: integer }, a: ${schema} } }`);

/** A call of an action whose input has one typed member. */
const typed = (
  schema: string,
  value: string,
): string => `${HEAD}input: { type: object, required: [n], properties: { n: { type: integer } } }
actions:
  pay:
    input: { type: object, properties: { x: ${schema} } }
    http: { method: POST, url: 'http://127.0.0.1:1/' }
    idempotency: natural
    compensate: none
steps:
  - id: a
    call: pay
    with: { x: ${value} }
`;

const SCHEMAS = [
  ['a type of another language', input('{ type: ⟦text⟧ }'), 'PAWL-114', /did you mean `string`/],
  ['one name for a list', input('{ type: object, required: ⟦x⟧ }'), 'PAWL-114', /write a list: \[x\]/],
  ['a limit in quotes', input('{ minimum: ⟦"0"⟧ }'), 'PAWL-114', /write 0 without quotes/],
  ['a limit in words', input('{ minLength: ⟦some⟧ }'), 'PAWL-114', /a whole number/],
  ['a type for a schema', input('{ type: array, items: ⟦int⟧ }'), 'PAWL-114', /write { type: integer }/],
  ['a word for a schema', input('{ type: array, items: ⟦zzzzzzzzz⟧ }'), 'PAWL-114', /write { type: string }/],
  ['a type that is a number', input('{ type: ⟦5⟧ }'), 'PAWL-114', /must be one of .*\(found a number\)/],
  [
    'a misspelled type in a list',
    input('{ type: [⟦strng⟧, "null"] }'),
    'PAWL-114',
    /found `strng`.*did you mean `string`/,
  ],
  ['a misspelled keyword', input('{ ⟦minimun⟧: 1 }'), 'PAWL-114', /did you mean `minimum`/],
  ['a keyword like none', input('{ ⟦zzzzzzzz⟧: 1 }'), 'PAWL-114', /keywords are those of JSON Schema 2020-12/],
  ['an empty choice', input('{ anyOf: ⟦[]⟧ }'), 'PAWL-114', /`anyOf` must be/],
  ['a choice that is no list', input('{ oneOf: ⟦x⟧ }'), 'PAWL-114', /`oneOf` must be/],
  [
    'a mistake inside a choice',
    input('{ anyOf: [{ type: string }, { type: ⟦nul⟧ }] }'),
    'PAWL-114',
    /did you mean `null`/,
  ],
  ['a text in a choice', input('{ anyOf: [{ type: string }, ⟦text⟧] }'), 'PAWL-114', /a schema is a map \(found /],
  ['an unknown format', input('{ type: string, format: ⟦phone⟧ }'), 'PAWL-114', /the formats are /],
  ['a reference to another file', input('{ $ref: ⟦other.json⟧ }'), 'PAWL-114', /begin it with #/],
  ['a pattern that is none', input('{ type: string, pattern: ⟦"("⟧ }'), 'PAWL-114', /the JSON Schema cannot be used/],
  [
    'a pattern in a choice that is none',
    input('{ anyOf: [{ type: integer }, { type: string, pattern: ⟦"("⟧ }] }'),
    'PAWL-114',
    /cannot be used/,
  ],
  [
    'a default of another type',
    input('{ type: integer, default: ⟦x⟧ }'),
    'PAWL-114',
    /the default does not fit its own schema/,
  ],
  [
    'a default against a definition of the schema',
    doc(
      'input: { $defs: { n: { type: integer } }, type: object, properties: { a: { $ref: "#/$defs/n", default: ⟦x⟧ } } }',
    ),
    'PAWL-114',
    /the default does not fit/,
  ],
] as const;

const FLOW = [
  ['a pivot on a read', steps('{ id: a, call: look, ⟦pivot⟧: true }'), 'PAWL-312', /"pivot" means nothing here/],
  [
    'an undo of a read',
    steps('{ id: a, call: look, ⟦compensate⟧: { call: pay } }'),
    'PAWL-312',
    /"compensate" means nothing here/,
  ],
  [
    'sending again what remembers no key',
    steps('{ id: a, call: pay, onUnknown: ⟦reconcile⟧ }'),
    'PAWL-313',
    /has no reconcile/,
  ],
  [
    'a handler that cancels after the pivot',
    steps('{ id: a, call: pay, pivot: true }', '{ id: b, wait: 1h, on: [{ event: paid, then: ⟦cancel⟧ }] }'),
    'PAWL-305',
    /"then: cancel" may come after the pivot "a"/,
  ],
  [
    'a choice whose output reads what one branch alone does',
    steps(
      '{ id: c, choose: [{ when: "1 < 2", steps: [{ id: a, call: pay }] }, { else: [] }], output: { x: =⟦steps.a.output.id⟧ } }',
    ),
    'PAWL-207',
    /may not have completed/,
  ],
  [
    'a branch that goes past what another does',
    steps(
      '{ id: c, choose: [{ when: "1 < 2", next: b }, { else: [{ id: a, call: look }] }], catch: [{ on: [any], then: raise }] }',
      '{ id: b, call: look, with: { x: =⟦steps.a.output.id⟧ }, catch: [{ on: [timeout], next: end }, { on: [any], do: [], then: continue }] }',
    ),
    'PAWL-207',
    /may not have completed/,
  ],
  [
    'what a handler that goes elsewhere leaves out',
    steps(
      '{ id: w, wait: 1h, on: [{ event: paid, next: b }, { event: paid, then: end }] }',
      '{ id: a, call: pay }',
      '{ id: b, call: pay, with: { x: =⟦steps.a.output.id⟧ } }',
    ),
    'PAWL-207',
    /or\(steps\.a\.output\.id/,
  ],
  [
    'a code that no call inside a choice gives',
    steps(
      '{ id: c, choose: [{ when: "1 < 2", steps: [{ id: a, call: look }] }, { else: [] }], catch: [{ on: [⟦zzzzzzzzzz⟧], then: continue }] }',
    ),
    'PAWL-358',
    /name a class, or a code/,
  ],
  [
    'a step like none',
    steps('{ id: a, call: pay, with: { x: =⟦steps.zzzzzz.output⟧ } }'),
    'PAWL-211',
    /name a step of this file|there is no step/,
  ],
  [
    'a secret like none',
    `${HEAD}secrets: [token]\nactions:\n  pay:\n    http: { method: POST, url: 'http://127.0.0.1:1/', headers: { X: =⟦secrets.zzzzzzzz⟧ } }\n    idempotency: natural\n    compensate: none\n${LAST}`,
    'PAWL-704',
    /add it: "secrets: \[token, zzzzzzzz\]"/,
  ],
] as const;

const EXPRESSIONS = [
  ['optional access', step('{ id: a, call: pay, when: "input.⟦?⟧a" }'), 'PAWL-401', /unexpected `\?`/],
  ['links', step('{ id: a, call: pay, when: "⟦links.x⟧ == 1" }'), 'PAWL-705', /put in at each sending/],
  ['a name like none', step('{ id: a, call: pay, when: "⟦zzzzzz⟧ == 1" }'), 'PAWL-403', /what can be read/],
  ['a part of the input without its root', typed('{}', "'${ ⟦n⟧ }'"), 'PAWL-403', /write input\.n/],
  ['a misspelled part of the run', typed('{}', '=run.⟦startdAt⟧'), 'PAWL-403', /did you mean "startedAt"/],
  ['a word of SQL', step('{ id: a, call: pay, when: "input.a ⟦is⟧ null" }'), 'PAWL-401', /write == null/],
  ['a default of other languages', step("{ id: a, call: pay, object: '${ input.a ?⟦?⟧ 1 }' }"), 'PAWL-401', /or\(path/],
  ['a number for a text', typed('{ type: string }', '⟦5⟧'), 'PAWL-412', /quote it: "5"/],
  ['a number in quotes', typed('{ type: integer }', '⟦"5"⟧'), 'PAWL-412', /write 5 without quotes/],
  ['a read number for a text', typed('{ type: string }', '=⟦input.n⟧'), 'PAWL-412', /write string\(…\)/],
  ['a read text for a number', typed('{ type: integer }', '=⟦run.id⟧'), 'PAWL-412', /write int\(…\)/],
  ['a computed double as text', typed('{ type: string }', "'${ ⟦string(1.5 * 2.5)⟧ }'"), 'PAWL-414', /string\(decimal/],
  ['a day and a duration', typed('{}', '\'${ ⟦"2030" + dur("1d")⟧ }\''), 'PAWL-405', /timestamp\(…\) around the text/],
  ['a text for a list', typed('{ type: array }', '⟦x⟧'), 'PAWL-412', /the schema wants/],
  ['a list for a text', typed('{ type: string }', '⟦[1]⟧'), 'PAWL-412', /the schema wants/],
  ['a list that is computed for a text', typed('{ type: string }', '⟦[=input.n]⟧'), 'PAWL-412', /the schema wants/],
  ['another value than the only one', typed('{ const: eur }', '⟦usd⟧'), 'PAWL-412', /lists|"eur"/],
  ['another value than those listed', typed('{ enum: [eur, chf] }', '⟦usd⟧'), 'PAWL-412', /"eur"/],
  [
    'a decimal for a whole number',
    typed('{ type: integer }', '\'${ ⟦decimal("1.5")⟧ }\''),
    'PAWL-412',
    /write int\(…\)/,
  ],
  [
    'a decimal for a number',
    typed('{ type: number }', '\'${ ⟦decimal("1.5")⟧ }\''),
    'PAWL-412',
    /write double\(string\(…\)\)/,
  ],
  ['a decimal for a boolean', typed('{ type: boolean }', '\'${ ⟦decimal("1.5")⟧ }\''), 'PAWL-412', /the schema wants/],
  [
    'an expression in a text that is not closed',
    step('{ id: a, call: pay, with: { x: "a ⟦${⟧ input.n" } }'),
    'PAWL-014',
    /close/,
  ],
  ['a length', step('{ id: a, call: pay, when: "⟦len(input.t)⟧ > 1" }'), 'PAWL-404', /write size\(input\.t\)$/],
  [
    'a count of what a call gives',
    step('{ id: a, call: pay, when: "⟦count(input.t + [1])⟧ > 1" }'),
    'PAWL-404',
    /size\(…\)$/,
  ],
  [
    'a length as a method',
    step('{ id: a, call: pay, when: "⟦input.t.length()⟧ > 1" }'),
    'PAWL-404',
    /write size\(input\.t\)$/,
  ],
  ['a length as a key', typed('{}', '=run.key.⟦length⟧'), 'PAWL-405', /write size\(run\.key\)$/],
  ['a text of another language', typed('{}', "'${ ⟦str(input.n)⟧ }'"), 'PAWL-404', /write string\(input\.n\)$/],
  ['a number of another language', typed('{}', "'${ ⟦parseInt(run.key)⟧ }'"), 'PAWL-404', /write int\(run\.key\)$/],
  [
    'small letters of another language',
    typed('{}', "'${ ⟦run.key.toLowerCase()⟧ }'"),
    'PAWL-404',
    /write run\.key\.lowerAscii\(\)$/,
  ],
  [
    'a method as a function',
    step('{ id: a, call: pay, when: \'⟦contains(input.t, "x")⟧\' }'),
    'PAWL-404',
    /write input\.t\.contains\(…\)$/,
  ],
  ['a function as a method', typed('{}', "'${ ⟦run.version.string()⟧ }'"), 'PAWL-404', /write string\(run\.version\)$/],
  ['a yes', step('{ id: a, call: pay, when: ⟦yes⟧ }'), 'PAWL-403', /write true, without quotes$/],
  ['a No', step('{ id: a, call: pay, when: ⟦No⟧ }'), 'PAWL-403', /write false, without quotes$/],
  ['a switch that is on', step('{ id: a, call: pay, when: ⟦on⟧ }'), 'PAWL-403', /write true, without quotes$/],
  [
    'a truth of another language',
    step('{ id: a, call: pay, when: input.a == ⟦True⟧ }'),
    'PAWL-403',
    /write true, without/,
  ],
  [
    'a nothing of another language',
    step('{ id: a, call: pay, when: input.a == ⟦None⟧ }'),
    'PAWL-403',
    /write null, without/,
  ],
  ['a reserved word', step('{ id: a, call: pay, when: "⟦while⟧ == 1" }'), 'PAWL-401', /./],
] as const;

describe('a mistake of YAML', () => {
  it.each<readonly [why: string, source: string, code: string, words: RegExp]>([
    ['a second document that the file ends with', 'a: 1\n⟦---⟧', 'PAWL-018', /file of its own/],
    ['a comment right behind a quoted text', 'a: "x"⟦#y⟧\n', 'PAWL-015', /blank before `#`/],
    ['a list item between the keys of a map', 'a: 1\n- ⟦b⟧\nc: 2\n', 'PAWL-006', /indent/],
    ['a tab on the last line', 'a:\n  b: 1\n⟦\t⟧c: 2', 'PAWL-004', /blanks/],
    ['a comment that the file ends with', 'a: red ⟦#ff0000⟧', 'PAWL-015', /quote/],
    ['an alias to a map around it', 'a: &x\n  b: { c: ⟦*x⟧ }', 'PAWL-011', /quoted/],
  ])('is told alone, at its place and with its mend: %s', (_why, source, code, words) => {
    const place = marked(source);
    const problems = readYamlFile(place.text, 'sample.pawl.yaml').problems.filter((one) => one.code !== 'PAWL-010');
    expect({ found: shown(problems), problems }).toMatchObject({ found: [expected(code, place)] });
    expect(problems.map(({ message, help }) => `${message}. ${help}`)[0]).toMatch(words);
  });
});

describe('an expression', () => {
  it.each([
    ['a quotient as text, which decimals cannot compute', "'${ string(5.0 / 2.0) }'"],
    ['a double as it came', "'${ string(double(input.n)) }'"],
    ['a decimal as text', '\'${ string(decimal("1.5") * 2) }\''],
  ])('may give %s', (_why, value) => {
    expect(validateWorkflow(typed('{ type: string }', value), 'sample.pawl.yaml').problems).toEqual([]);
  });
});

describe('a JSON Schema', () => {
  it.each([
    ['true and false as schemas', '{ type: object, properties: { x: true }, additionalProperties: false }'],
    ['a constant of any kind', '{ const: [1, x, null] }'],
    ['a default that another place of the schema types', '{ $ref: "#/properties/b", default: 5 }'],
  ])('may have %s', (_why, schema) => {
    expect(validateWorkflow(input(schema), 'sample.pawl.yaml').problems).toEqual([]);
  });
});

describe.each([
  ['of a JSON Schema', SCHEMAS],
  ['of the flow', FLOW],
  ['of an expression', EXPRESSIONS],
] as const)('a mistake %s', (_, table) => {
  it.each<readonly [why: string, source: string, code: string, words: RegExp]>(table)(
    'is told alone, at its place and with its mend: %s',
    (_why, source, code, words) => {
      const place = marked(source);
      const { problems } = validateWorkflow(place.text, 'sample.pawl.yaml');
      expect({ text: place.text, found: shown(problems), problems }).toMatchObject({ found: [expected(code, place)] });
      expect(problems.map(({ message, help }) => `${message}. ${help}`)[0]).toMatch(words);
    },
  );
});

describe('what is said', () => {
  const told = (text: string): readonly string[] => validateWorkflow(text, 'x').problems.map(({ message }) => message);

  it.each(['1+'.repeat(2_000), '('.repeat(4_000)])('of a long text shows its beginning', (long) => {
    const [message = '', ...others] = told(`${HEAD}steps:\n  - { end: done }\noutput: "=${long}"\n`);
    expect([others, message.length < 200, message.includes(`${long.slice(0, 60)}…`)]).toEqual([[], true, true]);
  });

  it.each([
    ['Please: agree', 'a value'],
    ['yes && no: stop', 'an expression'],
    ['x ? y : z', 'an expression'],
  ])('of the colon in %s calls it %s', (value, word) => {
    expect(told(`${HEAD}steps:\n  - { end: done }\ntitle: ${value}\n`)).toEqual([`a colon and a blank inside ${word}`]);
  });

  it('of a step that is repeated by an alias stands at the alias', () => {
    const { problems } = validateWorkflow(`${HEAD}steps:\n  - &s { id: two, wait: 5s }\n  - *s\n`, 'x');
    expect(problems.map(({ code, range }) => [code, range.line, range.column])).toEqual([['PAWL-201', 7, 5]]);
    expect(problems[0]?.related.map(({ range }) => [range.line, range.column])).toEqual([[6, 14]]);
  });
});
