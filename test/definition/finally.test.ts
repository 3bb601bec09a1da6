import { describe, expect, it } from 'vitest';
import { validateWorkflow } from '../../src/definition/validate-workflow.ts';

const file = (main: string, last: string, more = ''): string => `pawl: 1
workflow: sample
version: 1
timeout: 1d
events: { no: { schema: { type: object } } }
actions:
  act:
    http: { method: POST, url: 'http://127.0.0.1:1/act' }
    idempotency: natural
steps:
  - ${main}
finally:
  - ${last}
${more}`;
const SOUND = '{ id: a, call: act, compensate: none }';

const problemsOf = (text: string): readonly string[] =>
  validateWorkflow(text, 'x').problems.map(({ code, pointer }) => `${code} ${pointer}`);

describe('finally in a file', () => {
  it('needs no compensate for what it writes', () => {
    expect(problemsOf(file(SOUND, '{ id: z, call: act }'))).toEqual([]);
    expect(problemsOf(file('{ id: a, call: act }', '{ id: z, call: act }'))).toEqual(['PAWL-303 /steps/0/call']);
  });

  it('may fail behind a pivot', () => {
    const pivot = '{ id: a, call: act, pivot: true }';
    expect(problemsOf(file(pivot, '{ id: z, fail: { code: untold } }'))).toEqual([]);
  });

  it.each([
    ['a request', '{ id: z, call: act, with: { end: =run.end.reason } }'],
    ['a condition', '{ id: z, when: "run.end.standing.exists(s, s == run.key)", wait: 1s }'],
    [
      'a catch',
      '{ id: z, call: act, catch: [{ when: run.end.code == null, do: [{ id: y, call: act, with: { why: =run.end.message } }] }] }',
    ],
    ['a handler', '{ id: z, wait: 1h, on: [{ event: no, where: run.end.step == "a", then: end }] }'],
  ])('run.end is read in %s of it', (_where, last) => {
    expect(problemsOf(file(SOUND, last))).toEqual([]);
  });

  it('run.end is read there only', () => {
    const outside = '{ id: a, call: act, compensate: none, with: { end: =run.end.reason } }';
    expect(problemsOf(file(outside, '{ id: z, call: act }'))).toEqual(['PAWL-403 /steps/0/with/end']);
    const output = file(SOUND, '{ id: z, call: act }', 'output: { end: =run.end.reason }\n');
    expect(problemsOf(output)).toEqual(['PAWL-403 /output/end']);
  });

  it('an empty one is none', () => {
    const text = file(SOUND, '{ id: z, call: act }').replace(/finally:\n.*\n/, 'finally: []\n');
    const { definition } = validateWorkflow(text, 'x');
    expect(definition).not.toBeNull();
    expect(definition).not.toHaveProperty('finally');
  });
});
