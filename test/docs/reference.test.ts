import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ANSWER_WORDS } from '../../src/app/answer-words.ts';
import { ERROR_HELP } from '../../src/cli/error-help.ts';
import { ERROR_CODES } from '../../src/model/errors.ts';
import type { IncidentKind, InboxOutcome } from '../../src/model/statuses.ts';
import { EFFECT_STATES, RUN_STATUSES } from '../../src/model/statuses.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** Rows of the tables of a section, their cells without back ticks. */
function rowsOf(page: string, heading: string): readonly (readonly string[])[] {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? page;
  return section
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .map((line) => line.slice(2, -2).split(' | '));
}

const firsts = (page: string, heading: string): readonly string[] =>
  rowsOf(page, heading).map(([cell = '']) => cell.replaceAll('`', ''));

/** Kinds and outcomes as types: the compiler holds these lists complete, and the page is compared with them. */
const INCIDENT_KINDS = {
  failure: true,
  unknown: true,
  compensation: true,
  pivot: true,
  expired: true,
  authorization: true,
  conflict: true,
  poison: true,
  pin: true,
  'late-proof': true,
} as const satisfies Record<IncidentKind, true>;
const OUTCOMES = {
  applied: true,
  kept: true,
  duplicate: true,
  stale: true,
  refused: true,
  'already-decided': true,
  ended: true,
  unmatched: true,
} as const satisfies Record<InboxOutcome, true>;

describe('docs/reference/errors.md', () => {
  it('lists every code of the house with its advice, status and mend, and no other', () => {
    const rows = rowsOf(read('docs/reference/errors.md'), 'Errors').map(([code, retry, status, , todo]) => [
      code,
      retry,
      Number(status),
      todo,
    ]);
    const codes = Object.entries(ERROR_CODES).map(([code, { retry, httpStatus }]) => [
      code,
      retry,
      httpStatus,
      ERROR_HELP[code as keyof typeof ERROR_CODES],
    ]);
    expect(rows).toEqual(codes);
  });

  it('says of each what it means', () => {
    for (const row of rowsOf(read('docs/reference/errors.md'), 'Errors'))
      expect(row[3]?.length, row[0]).toBeGreaterThan(15);
  });
});

describe('docs/reference/statuses.md', () => {
  const page = read('docs/reference/statuses.md');

  it.each([
    ['Run statuses', RUN_STATUSES],
    ['Effect states', EFFECT_STATES],
    ['Incident kinds', Object.keys(INCIDENT_KINDS)],
    ['Outcomes of events', Object.keys(OUTCOMES)],
    ['Answer codes', Object.keys(ANSWER_WORDS)],
  ])('%s are those of the code, in its order', (heading, names) => {
    expect(firsts(page, heading)).toEqual([...names]);
  });

  it('explains answer codes in the words of the command line', () => {
    expect(rowsOf(page, 'Answer codes').map(([, words]) => words)).toEqual(Object.values(ANSWER_WORDS));
  });

  it('every answer code that the deciders give is listed, and every listed one is given', () => {
    const folder = new URL('../../src/decision/', import.meta.url);
    const sources = readdirSync(folder)
      .filter((name) => /^(on-|settle-person|pivot-waiters|end-run|event-order)/.test(name))
      .map((name) => readFileSync(new URL(name, folder), 'utf8'))
      .join('\n');
    const given = [
      ...sources.matchAll(/(?:code: |refuse\(\s*)'([a-z-]+)'/g),
      ...sources.matchAll(/^ {4}\| '([a-z-]+)'$/gm),
      ...sources.matchAll(/return '([a-z-]+)';|\? null : '([a-z-]+)'|(?:return|\?) [^\n]*: '([a-z-]+)'/g),
    ].map((match) => match.slice(1).find((group) => group !== undefined) ?? '');
    const unlisted = [...new Set(given)].filter((code) => !Object.hasOwn(ANSWER_WORDS, code));
    expect(unlisted.filter((code) => !NOT_ANSWERS.has(code))).toEqual([]);
    for (const code of Object.keys(ANSWER_WORDS)) expect(sources, code).toContain(`'${code}'`);
  });
});

/** Other words that stand where a code could stand. */
const NOT_ANSWERS = new Set(['expired', 'cancel', 'settled', 'refused', 'person', 'applies']);
