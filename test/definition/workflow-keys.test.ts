import { describe, expect, it } from 'vitest';
import { parseWorkflow } from '../../src/definition/parse-workflow.ts';
import { validateWorkflow } from '../../src/definition/validate-workflow.ts';
import { doc, HEAD, KEY_MISTAKES, PAY, step } from './support/key-mistakes.ts';
import { expected, marked, shown } from './support/marked.ts';

describe('a mistake in keys and values', () => {
  it.each(KEY_MISTAKES)('%s, %s: is told once, at its place', (code, _why, source, help) => {
    const place = marked(source);
    const { problems, definition } = validateWorkflow(place.text, 'x.pawl.yaml');
    expect(definition).toBeNull();
    expect(shown(problems)).toEqual([expected(code, place)]);
    expect(problems[0]?.help).toMatch(help);
  });

  it('does not hide others: all of one file come in one run, in file order', () => {
    const text = `${HEAD}key: ! x
input: { type: object, properties: { n: { type: integer } } }
${PAY}steps:
  - { id: a, cal: pay }
  - { id: b, call: pay, when: input.n + }
  - { id: c, call: pay, timeout: 30, object: 007 }
  - { id: d, call: pay, compensate: { child: other } }
`;
    const { problems } = validateWorkflow(text, 'x');
    expect(problems.map(({ code }) => code)).toEqual([
      'PAWL-009',
      'PAWL-101',
      'PAWL-401',
      'PAWL-023',
      'PAWL-017',
      'PAWL-106',
    ]);
  });
});

describe('a deadline that is there and wrong', () => {
  const WRONG = ['2 days', '30', '', '[2d]', '{ after: 2d }', '-5m', '1mo', 'true', '=input.days'];
  const OF_RUN: readonly (readonly [key: string, value: string])[] = [
    ...WRONG.map((value) => ['timeout', value] as const),
    ['timout', '2d'],
    ['deadline', '2d'],
  ];
  it.each(OF_RUN)('`%s: %s` of a run is told as that alone, not as missing, too', (key, value) => {
    const text = `pawl: 1\nworkflow: sample\nversion: 1\n${key}: ${value}\nsteps: [{ end: done }]\n`;
    const { problems } = validateWorkflow(text, 'x');
    expect(problems.map(({ severity, pointer }) => `${severity} ${pointer}`)).toEqual([`error /${key}`]);
  });

  it.each(WRONG)('`%s` of an action, of a step or of an approval is told as that alone', (value) => {
    const action = `${HEAD}${PAY}    timeout: ${value}\nsteps:\n  - { id: a, call: pay, timeout: 20s }\n`;
    const settles = `${HEAD}${PAY}    settlesWithin: ${value}\nsteps:\n  - { id: a, call: pay, timeout: 1h }\n`;
    const call = step(`{ id: a, call: pay, timeout: ${value} }`);
    const approval = value.startsWith('=')
      ? call
      : step(`{ id: a, approve: Sure?, from: ['role:x'], expires: ${value} }`);
    for (const text of [action, settles, call, approval]) {
      expect(validateWorkflow(text, 'x').problems.map(({ severity }) => severity)).toEqual(['error']);
    }
  });

  it('does not hide that there is none when something else is wrong', () => {
    const text = 'pawl: 1\nworkflow: sample\nversion: one\nsteps: [{ end: done }]\n';
    expect(validateWorkflow(text, 'x').problems.map(({ code }) => code)).toEqual(['PAWL-351', 'PAWL-103']);
  });
});

describe('a workflow file', () => {
  it('becomes a definition with every default filled in', () => {
    const { definition, problems } = parseWorkflow(
      step('{ id: a, call: pay, retry: { attempts: forever, delay: [1s, 5s] } }'),
      'x',
    );
    expect(problems).toEqual([]);
    expect(definition).toMatchObject({
      onFailure: 'compensate',
      compensation: {
        order: 'reverse',
        onFailure: 'hold',
        retry: { attempts: 10, delayMs: 1_000, factor: 2, capMs: 60_000 },
      },
      actions: [
        {
          name: 'pay',
          effect: 'write',
          timeoutMs: 30_000,
          settlesWithinMs: 90_000,
          retry: { attempts: 1 },
          maxResponseBytes: 1_048_576,
        },
      ],
      steps: [
        {
          verb: 'call',
          retry: { attempts: null, delayMs: [1_000, 5_000], factor: 1, on: ['unavailable', 'throttled'] },
          pivot: false,
        },
      ],
    });
  });

  it('names the steps whose author gave no name, never as another step is named', () => {
    const { definition } = parseWorkflow(`${HEAD}steps:\n  - { id: end_1, wait: 1s }\n  - { end: done }\n`, 'x');
    expect(definition?.steps.map(({ id, named }) => [id, named])).toEqual([
      ['end_1', true],
      ['end_1_', false],
    ]);
  });

  it('keeps words such as NO in lists and as keys', () => {
    const { definition } = parseWorkflow(doc('constants: { countries: [DE, NO, SE], no: 1, on: 2 }'), 'x');
    expect(definition?.constants).toEqual({ countries: ['DE', 'NO', 'SE'], no: 1, on: 2 });
  });

  it('without steps is told what it needs', () => {
    const [problem, ...more] = validateWorkflow('pawl: 1\nworkflow: sample\nversion: 1\ntimeout: 1d\n', 'x').problems;
    expect([problem?.code, problem?.message, problem?.help]).toEqual([
      'PAWL-102',
      'the workflow needs `steps` or `machine`',
      'add `steps:` or `machine:`',
    ]);
    expect(more).toEqual([]);
  });

  it.each(['', '5', '[]', 'text', '- a\n'])('%j is no workflow, and says how one begins', (text) => {
    const { problems, definition } = validateWorkflow(text, 'x');
    expect(definition).toBeNull();
    expect(problems.map(({ code }) => code)).toEqual(['PAWL-021']);
  });
});
