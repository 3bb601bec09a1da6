import { describe, expect, it } from 'vitest';
import { explainConfig, readConfig } from '../../src/definition/read-config.ts';
import { expected, marked, shown } from './support/marked.ts';

describe('a configuration file', () => {
  it.each(['', '# nothing yet\n'])('may be empty: %j', (text) => {
    expect(readConfig(text, 'pawl.config.yaml')).toEqual({ ok: true, config: {} });
  });

  it('is read as it stands', () => {
    const text = 'database: postgres://localhost/pawl\nprincipals: { ana: [boss] }\nleaseMs: 30000\n';
    const config = { database: 'postgres://localhost/pawl', principals: { ana: ['boss'] }, leaseMs: 30_000 };
    expect(readConfig(text, 'pawl.config.yaml')).toEqual({ ok: true, config });
  });

  it.each([
    ['a misspelled setting', '⟦databse⟧: x\n', 'PAWL-101', /did you mean `database`/],
    ['a number in words', 'leaseMs: ⟦long⟧\n', 'PAWL-103', /in digits/],
    ['a lease too short', 'leaseMs: ⟦5⟧\n', 'PAWL-105', /at least 300.*\. write 300 or more$/],
    ['a lease before now', 'leaseMs: ⟦-3⟧\n', 'PAWL-105', /\. write 300 or more$/],
    ['half a millisecond', 'leaseMs: ⟦1000.5⟧\n', 'PAWL-103', /\. write it without a fraction, for example 1001$/],
    ['a list instead of settings', '⟦- a\n- b\n⟧', 'PAWL-103', /the file must be a map/],
    ['YAML that cannot be read', 'data: ⟦"⟧x\n', 'PAWL-007', /close it/],
  ] as const)('is refused with the place and the mend: %s', (_why, source, code, words) => {
    const place = marked(source);
    const reading = readConfig(place.text, 'pawl.config.yaml');
    const problems = reading.ok ? [] : reading.problems;
    expect(shown(problems)).toEqual([expected(code, place)]);
    expect(problems.map(({ message, help }) => `${message}. ${help}`)[0]).toMatch(words);
  });

  it('that comes from elsewhere is judged by the same words, under the key it has', () => {
    expect(explainConfig({ functions: [5], leaseMs: 5 })).toEqual([
      {
        key: 'functions',
        words:
          'item 1 of `functions` must be a text that is not empty (found a number): quote it if it is meant as text: "5"',
      },
      { key: 'leaseMs', words: '`leaseMs` must be at least 300 (found 5): write 300 or more' },
    ]);
  });
});
