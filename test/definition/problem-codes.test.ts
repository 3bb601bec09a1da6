import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PROBLEM_CODES } from '../../src/definition/problem-codes.ts';

describe('the list of problem codes', () => {
  it('is the same in docs/reference/problems.md and in the code, both ways', () => {
    const page = readFileSync(new URL('../../docs/reference/problems.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| (PAWL-\d{3}) \| (.*) \|$/gm)].map(([, code = '', title = '']) => [code, title]);
    expect(Object.fromEntries(rows)).toEqual(PROBLEM_CODES);
    expect(rows.length).toBe(Object.keys(PROBLEM_CODES).length);
  });
});
