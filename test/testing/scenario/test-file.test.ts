import { describe, expect, it } from 'vitest';
import { toProblem } from '../../../src/definition/report-problem.ts';
import type { Finding } from '../../../src/definition/report-problem.ts';
import { validateWorkflow } from '../../../src/definition/validate-workflow.ts';
import { buildScenarios } from '../../../src/testing/scenario/build-scenario.ts';
import { readTestFile } from '../../../src/testing/scenario/test-file.ts';
import { namesOf } from '../../../src/testing/scenario/workflow-names.ts';
import { expected, marked, shown } from '../../definition/support/marked.ts';
import { PAY } from './support/pay-workflow.ts';

const { definition } = validateWorkflow(PAY, 'pay.pawl.yaml');
if (definition === null) throw new Error('the workflow of these tests is not valid');
const names = namesOf(definition);

/** All problems of a test file of that workflow. */
function problemsOf(text: string) {
  const reading = readTestFile(text, 'pay.test.yaml');
  if (!reading.ok) return reading.problems;
  const findings: Finding[] = [];
  buildScenarios({ names, report: (finding) => findings.push(finding) }, reading.file.scenarios);
  return findings.map((finding) => toProblem(reading.file.map, finding));
}

/** A file of one scenario with a part in its place. */
const one = (part: string, expectation = 'status: COMPLETED'): string =>
  `scenarios:\n  - name: one\n    ${part}\n    expect: { ${expectation} }\n`;

describe('a test file', () => {
  it('is read as it stands', () => {
    const text = one(
      'events: [{ at: 2s, deny: pay }, { at: 1s, worker: down }]',
      "effects: [hold, '{pay ; tell}'], status: FAILED or TIMED OUT",
    );
    const reading = readTestFile(text, 'pay.test.yaml');
    if (!reading.ok) throw new Error('it is valid');
    const [scenario] = buildScenarios({ names, report: () => undefined }, reading.file.scenarios);
    expect(scenario?.events.map(({ atMs }) => atMs)).toEqual([1_000, 2_000]);
    expect(scenario?.expect.statuses).toEqual(['FAILED', 'TIMED OUT']);
    expect(scenario?.expect.effects).toMatchObject({ text: 'hold, {pay ; tell}', names: ['hold', 'pay', 'tell'] });
  });

  it.each([
    ['nothing at all', '⟦⟧', 'PAWL-021', /no scenario/],
    ['a misspelled key', one('⟦inputt⟧: {}'), 'PAWL-101', /did you mean `input`/],
    ['a scenario without an end', one('input: {}', '⟦efects⟧: a, status: COMPLETED'), 'PAWL-101', /`effects`/],
    ['an event without an act', one('events: [⟦{ at: 1s }⟧]'), 'PAWL-102', /needs `signal` or `approve`/],
    ['an event with two acts', one('events: [{ at: 1s, signal: calledOff, ⟦cancel⟧: x }]'), 'PAWL-111', /exclude/],
    ['a key of another act', one('events: [{ at: 1s, signal: calledOff, ⟦evidence⟧: x }]'), 'PAWL-115', /`resolve`/],
    ['a time without unit', one("events: [{ at: ⟦'5'⟧, worker: down }]"), 'PAWL-110', /unit is missing/],
    ['an unknown action', one('provider: { ⟦bank.pey⟧: ok }'), 'PAWL-602', /did you mean `bank.pay`/],
    ['an unknown event', one('events: [{ at: 1s, signal: ⟦calledof⟧ }]'), 'PAWL-602', /did you mean `calledOff`/],
    [
      'an approval that is none',
      one('events: [{ at: 1s, approve: ⟦pay⟧ }]'),
      'PAWL-602',
      /the workflow has no approval `pay`/,
    ],
    ['an unknown step', one('input: {}', 'status: FAILED, steps: [⟦hld⟧]'), 'PAWL-602', /did you mean `hold`/],
    [
      'an unknown effect',
      one('input: {}', "status: FAILED, effects: 'hold, ⟦undo pey⟧'"),
      'PAWL-602',
      /action or step/,
    ],
    ['an unknown time', one('input: {}', 'status: FAILED, at: { ⟦ent⟧: 1s }'), 'PAWL-602', /did you mean `end`/],
    ['calls of no action', one('input: {}', 'status: FAILED, calls: { ⟦pay⟧: 1 }'), 'PAWL-602', /it has bank.pay/],
    [
      'an event that is not published',
      one('input: {}', 'status: FAILED, published: { ⟦calledOff⟧: [] }'),
      'PAWL-602',
      /it has no event/,
    ],
    ['a word that is none', one('provider: { bank.pay: ⟦perhaps⟧ }'), 'PAWL-601', /"perhaps" is no word/],
    ['a word in a list', one('provider: { bank.pay: { script: [ok, ⟦no⟧] } }'), 'PAWL-601', /"no" is no word/],
    [
      'effects that cannot be read',
      one('input: {}', "status: FAILED, effects: '⟦{⟧a ; b'"),
      'PAWL-601',
      /never closed/,
    ],
    ['a status that is none', one('input: {}', 'status: ⟦COMPLETE⟧'), 'PAWL-104', /did you mean `COMPLETED`/],
    ['two of one name', `${one('by: a')}  - { name: ⟦one⟧, expect: { status: FAILED } }\n`, 'PAWL-603', /already/],
  ] as const)('is refused with the place and the mend: %s', (_what, source, code, words) => {
    const place = marked(source);
    const problems = problemsOf(place.text);
    expect(shown(problems)).toEqual([expected(code, place)]);
    expect(problems.map(({ message, help }) => `${message}. ${help}`)[0]).toMatch(words);
  });

  it('asks a resolve for its answer and its evidence', () => {
    const problems = problemsOf(one('events: [{ at: 1s, resolve: pay }]'));
    expect(problems.map(({ message }) => message)).toEqual(['a `resolve` needs `as`', 'a `resolve` needs `evidence`']);
  });
});
