import { describe, expect, it } from 'vitest';
import { readYamlFile } from '../../src/definition/read-yaml-file.ts';
import { expected, marked, shown } from './support/marked.ts';

/** One mistake each, marked; the mend must be in the help. */
const MISTAKES: readonly (readonly [code: string, why: string, text: string, help: RegExp])[] = [
  ['PAWL-003', 'a line without a colon', 'a: 1\n⟦foo⟧\nb: 2\n', /key with a colon/],
  ['PAWL-003', 'no blank after the colon', 'a⟦:⟧x\nb: 2\n', /key: value/],
  ['PAWL-003', 'a list on the line of its key', 'with: ⟦-⟧ a\n', /line of its own/],
  ['PAWL-003', 'a wrong escape', 'a: "x⟦\\⟧d"\n', /single quotes/],
  ['PAWL-003', 'two commas', 'x: { a: 1,⟦,⟧ b: 2 }\n', /quote/],
  ['PAWL-004', 'a tab on one line among blanks', 'a:\n  b: 1\n⟦\t⟧c: 2\n  d: 3\n', /blanks/],
  ['PAWL-004', 'tabs on every line', 'a:\n⟦\t⟧b: 1\n\tc:\n\t\td: x\n', /blanks/],
  ['PAWL-004', 'a tab after blanks', 'a:\n  b: 1\n  ⟦\t⟧c: 2\n', /blanks/],
  ['PAWL-004', 'a tab before a list item, which YAML would join to the text above', 'a:\n- x\n⟦\t⟧- y\n', /blanks/],
  ['PAWL-004', 'a tab inside brackets', 'a: [1,\n⟦\t⟧2]\n', /blanks/],
  ['PAWL-004', 'a tab as the indentation of a block text', 'a: |\n⟦\t⟧x\n', /blanks/],
  ['PAWL-005', 'a ternary', 'when: x ? y ⟦:⟧ z\n', /quote/],
  [
    'PAWL-005',
    'a ternary in braces',
    'a: { b: x ? y ⟦:⟧ z, c: 1 }\n',
    /quote it, use `=path`, or put each key on its own line/,
  ],
  ['PAWL-005', 'a colon in a text', 'a: note⟦:⟧ this\n', /quote/],
  ['PAWL-006', 'a deeper line after a value', 'a: 1\n  ⟦b: 2⟧\n', /indent/],
  ['PAWL-006', 'a line that fits no level', 'a:\n    b: 1\n  ⟦c: 2⟧\n', /same column/],
  [
    'PAWL-006',
    'a list item that YAML would join to the text above',
    'a:\n  - x\n    ⟦- y⟧\n',
    /indent it like the items/,
  ],
  ['PAWL-006', 'brackets that go on at the margin', 'a: [1,\n⟦2]⟧\nb: 1\n', /indent/],
  ['PAWL-007', 'an open double quote', 'a: ⟦"⟧x\nb: 1\n', /close/],
  ['PAWL-007', 'an open single quote', "a: ⟦'⟧x\nb: 1\n", /close/],
  ['PAWL-007', 'an open brace', 'a: ⟦{⟧ b: 1\nc: 2\n', /`}`/],
  ['PAWL-007', 'an open bracket inside braces', 'a: { b: ⟦[⟧1, 2 }\nc: 2\n', /`]`/],
  ['PAWL-008', 'a key twice', 'pay: 1\nb: 2\n⟦pay⟧: 3\n', /keep one/],
  ['PAWL-008', 'a key twice in braces', 'a: { x: 1, ⟦x⟧: 2 }\n', /keep one/],
  ['PAWL-008', 'a number and the same text', '1: a\n⟦"1"⟧: b\n', /keep one/],
  ['PAWL-008', 'deep in a list', 'a:\n  - b:\n      c: 1\n      ⟦c⟧: 1\n', /keep one/],
  ['PAWL-009', 'a lonely mark', 'when: ⟦!⟧ x\n', /`!` begins a YAML tag, quote the expression/],
  ['PAWL-009', 'a negated name', 'when: ⟦!x⟧ && y\n', /quote the expression/],
  ['PAWL-009', 'a negated group', 'when: ⟦!(a⟧ || b)\nb: 1\n', /quote the expression/],
  ['PAWL-009', 'a tag of YAML', 'a: ⟦!!str⟧ 5\n', /quote/],
  ['PAWL-009', 'a tag that makes bytes', 'a: ⟦!!binary⟧ eHg=\n', /quote/],
  ['PAWL-010', 'an anchor on a text', 'a: ⟦&x⟧ 1\nb: *x\n', /constants/],
  ['PAWL-011', 'an alias without anchor', 'a: ⟦*x⟧\n', /quoted/],
  ['PAWL-011', 'an alias inside its anchor', 'a: &x\n  b: ⟦*x⟧\n', /quoted/],
  ['PAWL-011', 'a star alone', 'a: ⟦*⟧\nb: 1\n', /quote/],
  ['PAWL-012', 'a merge key', 'a: &x { b: 1 }\nc:\n  ⟦<<⟧: *x\n', /write the keys/],
  ['PAWL-013', 'a template of another tool', 'a: {⟦{ x }⟧}\n', /quote the value/],
  ['PAWL-013', 'a key that is a list', '⟦[a, b]⟧: 1\n', /plain text/],
  ['PAWL-014', 'an open expression', 'a: x ⟦${⟧ y\n', /close the expression/],
  ['PAWL-015', 'a comment that cuts an expression', 'a: ${ x ⟦# y }⟧\nb: 1\n', /quote/],
  ['PAWL-015', 'a comment without a blank', 'a: red ⟦#ff0000⟧\n', /quote/],
  ['PAWL-015', 'a value that is only a comment', 'a: ⟦#ff0000⟧\n', /quote/],
  ['PAWL-015', 'a comment after an expression', 'a: ${ x } ⟦# why⟧\n', /line of its own/],
  ['PAWL-016', 'an integer beyond 2^53', 'account: ⟦9007199254740993⟧\n', /"9007199254740993"/],
  ['PAWL-016', 'the same with an exponent', 'a: ⟦1e17⟧\n', /quote/],
  ['PAWL-016', 'a negative one', 'a: ⟦-9007199254740993⟧\n', /quote/],
  ['PAWL-016', 'infinity', 'a: ⟦.inf⟧\n', /quote/],
  ['PAWL-016', 'no number', 'a: [1, ⟦.nan⟧]\n', /quote/],
  ['PAWL-016', 'too many digits', 'a: ⟦0.1234567890123456789⟧\n', /quote/],
  ['PAWL-017', 'an account with a leading zero', 'account: ⟦0555567⟧\n', /"0555567"/],
  ['PAWL-017', 'a postcode with a leading zero', 'p: { postcode: ⟦01067⟧ }\n', /"01067"/],
  ['PAWL-017', 'hexadecimal', 'a: ⟦0x1F⟧\n', /"0x1F"/],
  ['PAWL-017', 'octal', 'a: ⟦0o17⟧\n', /"0o17"/],
  ['PAWL-018', 'a second document', 'a: 1\n⟦---⟧\nb: 1\n', /file of its own/],
  ['PAWL-019', 'a NUL', 'a: ⟦"x\\0y"⟧\n', /take it out/],
  ['PAWL-019', 'half an emoji', 'a: ⟦"\\ud83d"⟧\n', /take it out/],
  ['PAWL-020', 'a directive', '⟦%YAML 1.1⟧\n---\na: 1\n', /take it out/],
  ['PAWL-022', 'an at sign', 'a: ⟦@⟧x\n', /quote/],
  ['PAWL-022', 'a back tick', 'a: ⟦`⟧x`\n', /quote/],
  ['PAWL-022', 'a comparison', 'when: > ⟦5⟧\n', /quote/],
  ['PAWL-024', 'an expression in braces', 'a: { b: ⟦${⟧ x }, c: 1 }\n', /quote/],
  ['PAWL-024', 'an expression in brackets', 'a: [⟦${⟧ x }]\n', /quote/],
  ['PAWL-025', 'a colon without a blank in braces', 'a: { ⟦b:1⟧ }\n', /blank after the colon/],
  ['PAWL-025', 'a word in braces', 'a: { ⟦b⟧, c: 1 }\n', /key: value/],
  ['PAWL-026', 'a comparison that begins with a quoted text', 'when: "a" ⟦== b⟧\n', /quote the whole value/],
  ['PAWL-026', 'an apostrophe', "a: 'it'⟦s'⟧\nb: 1\n", /quote the whole value/],
];

describe('a mistake in YAML', () => {
  it.each(MISTAKES)('%s, %s: is told once, at its place, with its mend', (code, _why, source, help) => {
    const place = marked(source);
    const { problems } = readYamlFile(place.text, 'x.yaml');
    expect(shown(problems)).toEqual([expected(code, place)]);
    expect(problems[0]?.help).toMatch(help);
    expect(problems[0]?.file).toBe('x.yaml');
  });

  it.each(MISTAKES)('%s, %s: is at the same place with CRLF and a byte order mark', (code, _why, source) => {
    const place = marked(source);
    const { problems } = readYamlFile(`\uFEFF${place.text.replaceAll('\n', '\r\n')}`, 'x.yaml');
    expect(shown(problems)).toEqual([expected(code, place)]);
  });

  it('that stands twice in one file is told twice, with others between', () => {
    const text = 'a: x ? y : z\nb: &t 1\nc: { d: p ? q : r }\ne: 007\nf: "open\n';
    expect(
      readYamlFile(text, 'x')
        .problems.map(({ code }) => code)
        .sort(),
    ).toEqual(['PAWL-005', 'PAWL-005', 'PAWL-007', 'PAWL-010', 'PAWL-017']);
  });

  it('counts columns in UTF-16 units, as editors do', () => {
    const place = marked('a: { "ключ🙂": "ß", b: ⟦007⟧ }\n');
    expect(shown(readYamlFile(place.text, 'x').problems)).toEqual([expected('PAWL-017', place)]);
  });

  it('of a duplicate names both places', () => {
    const [problem] = readYamlFile('pay: 1\nb: 2\npay: 3\n', 'x').problems;
    expect(problem?.message).toContain('line 1, column 1');
    expect(problem?.related.map(({ range }) => [range.line, range.column])).toEqual([[1, 1]]);
  });

  it('with tabs leaves the rest of the file readable', () => {
    expect(readYamlFile('a:\n\tb: 1\n\tc:\n\t\td: x\n', 'x').value).toEqual({ a: { b: 1, c: { d: 'x' } } });
    expect(readYamlFile('a:\n  b: 1\n\tc: 2\n  d: 3\n', 'x').value).toEqual({ a: { b: 1, d: 3 } });
  });
});

describe('a value in YAML', () => {
  it.each([
    ['NO', 'NO'],
    ['on', 'on'],
    ['yes', 'yes'],
    ['off', 'off'],
    ['2026-03-29', '2026-03-29'],
    ['2026-03-29 00:00:00', '2026-03-29 00:00:00'],
    ['12:30:00', '12:30:00'],
    ['1_000', '1_000'],
    ['"0123"', '0123'],
    ['true', true],
    ['~', null],
    ['9007199254740991', 9007199254740991],
    ['0', 0],
    ['0.5', 0.5],
    ['-3', -3],
    ['1e3', 1000],
    ['x#y', 'x#y'],
    ['"a # b"', 'a # b'],
    ['$${ x', '$${ x'],
  ])('%s is %j', (text, value) => {
    expect(readYamlFile(`a: ${text}\n`, 'x')).toMatchObject({ value: { a: value }, problems: [] });
  });

  it('is the same with LF, CRLF and a byte order mark, in every style', () => {
    const text = 'a: |\n  one\n  two\nb: >\n  one\n  two\n\n  three\nc: "one\n  two"\nd: one\n  two\n';
    const value = { a: 'one\ntwo\n', b: 'one two\nthree\n', c: 'one two', d: 'one two' };
    for (const form of [text, text.replaceAll('\n', '\r\n'), `\uFEFF${text}`])
      expect(readYamlFile(form, 'x').value).toEqual(value);
  });

  it('keeps words such as no and on as keys', () => {
    expect(readYamlFile('no: 1\non: 2\nnull: 3\ntrue: 4\n', 'x').value).toEqual({ no: 1, on: 2, null: 3, true: 4 });
  });

  it('is plain data also under the name __proto__', () => {
    const value = readYamlFile('a: { __proto__: { x: 1 } }\n', 'x').value as { a: object };
    expect(Object.keys(value.a)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(value.a)).toBe(Object.prototype);
  });

  it('may stand for a map that an anchor names, a few times', () => {
    expect(readYamlFile('a: &m { b: [1, 2] }\nc: *m\n', 'x')).toMatchObject({
      value: { a: { b: [1, 2] }, c: { b: [1, 2] } },
      problems: [],
    });
  });

  it('may have tabs inside quotes, block texts and before comments', () => {
    const { problems, value } = readYamlFile(
      'a: "x\ty"\nb: |\n  one\n  \ttwo\nc: 1\t# why\n\t# a comment\nd: 2\n',
      'x',
    );
    expect({ problems, value }).toEqual({ problems: [], value: { a: 'x\ty', b: 'one\n\ttwo\n', c: 1, d: 2 } });
  });
});
