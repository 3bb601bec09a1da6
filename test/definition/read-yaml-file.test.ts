import { describe, expect, it } from 'vitest';
import { readYamlFile } from '../../src/definition/read-yaml-file.ts';
import { validateWorkflow } from '../../src/definition/validate-workflow.ts';
import { expected, marked, shown } from './support/marked.ts';
import { YAML_MISTAKES } from './support/yaml-mistakes.ts';

describe('a mistake in YAML', () => {
  it.each(YAML_MISTAKES)('%s, %s: is told once, at its place, with its mend', (code, _why, source, help) => {
    const place = marked(source);
    const { problems } = readYamlFile(place.text, 'x.yaml');
    expect(shown(problems)).toEqual([expected(code, place)]);
    expect(problems[0]?.help).toMatch(help);
    expect(problems[0]?.file).toBe('x.yaml');
  });

  it.each(YAML_MISTAKES)('%s, %s: is at the same place with CRLF and a byte order mark', (code, _why, source) => {
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

  it('that is but warned of, as curly quotes are, hides none of the others, and quotes inside a text are none', () => {
    const file = 'pawl: 1\nworkflow: x\nversion: 1\ntimeout: “5m”\nsteps:\n  - { end: done }\n';
    expect(validateWorkflow(file, 'x').problems.map(({ code, severity }) => `${code} ${severity}`)).toEqual([
      'PAWL-027 warning',
      'PAWL-110 error',
    ]);
    const fine = 'a: “b” and “c”\nd: "“e”"\nf: it’s\ng: “\n';
    expect(readYamlFile(fine, 'x').problems).toEqual([]);
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
    ['00:05', '00:05'],
    ['0555-567', '0555-567'],
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

  it('that an alias repeats is told once', () => {
    const text = 'a: &x { b: 1, b: 2, [k]: 1, <<: 3 }\nc: *x\nd: *x\n';
    expect(shown(readYamlFile(text, 'x').problems).map((place) => place.slice(0, 8))).toEqual([
      'PAWL-008',
      'PAWL-013',
      'PAWL-012',
    ]);
  });

  it('may have tabs inside quotes, block texts and before comments', () => {
    const { problems, value } = readYamlFile(
      'a: "x\ty"\nb: |\n  one\n  \ttwo\nc: 1\t# why\n\t# a comment\nd: 2\n',
      'x',
    );
    expect({ problems, value }).toEqual({ problems: [], value: { a: 'x\ty', b: 'one\n\ttwo\n', c: 1, d: 2 } });
  });
});
