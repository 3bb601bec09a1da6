import { describe, expect, it } from 'vitest';
import { validateWorkflow } from '../../src/definition/validate-workflow.ts';
import { HEAD, PAY } from './support/key-mistakes.ts';
import { expected, type Marked, marked, shown } from './support/marked.ts';

const problemsOf = (text: string): readonly string[] =>
  validateWorkflow(text, 'x').problems.map(({ code, message }) => `${code} ${message}`);

const codesOf = (text: string): readonly string[] => validateWorkflow(text, 'x').problems.map(({ code }) => code);

const TABS: readonly (readonly [why: string, file: string])[] = [
  [
    'three levels',
    `${HEAD}actions:\n⟦\t⟧pay:\n\t\thttp: { method: POST, url: 'http://127.0.0.1:1/' }\n\t\tidempotency: natural\n\t\tcompensate: none\nsteps:\n\t- id: a\n\t  call: pay\n`,
  ],
  ['the only verb of a step', `${HEAD}${PAY}steps:\n  - id: a\n⟦\t⟧call: pay\n    retry: { attempts: 3 }\n`],
  ['the only line of a map', `${HEAD}${PAY}steps:\n  - id: a\n    call: pay\n    retry:\n⟦\t  ⟧attempts: 3\n`],
  ['all that is in a list', `${HEAD}${PAY}steps: # of the run\n\n⟦\t⟧- { id: a, call: pay }\n`],
  [
    'the first key of a map',
    `${HEAD}actions:\n  pay:\n    http:\n⟦\t  ⟧method: POST\n      url: 'http://127.0.0.1:1/'\n    idempotency: natural\n    compensate: none\nsteps: [{ end: done }]\n`,
  ],
  [
    'a step that is read later',
    `${HEAD}${PAY}steps:\n  - { id: a, call: pay }\n⟦\t⟧- { id: b, call: pay }\n  - { id: c, call: pay, when: steps.b.output == 1 }\n`,
  ],
  [
    'one of several, and one after a dash',
    `${HEAD}${PAY}steps:\n  -⟦\t⟧id: a\n    call: pay\n\tretry: { attempts: 3 }\n`,
  ],
  [
    'a property of the input',
    `${HEAD}input:\n  type: object\n  required: [n]\n  properties:\n⟦\t⟧n: { type: integer }\n${PAY}steps:\n  - { id: a, call: pay, when: input.n > 1 }\n`,
  ],
];

describe('what follows from a mistake', () => {
  it.each(TABS)('is not told beside a tab: %s', (_why, source) => {
    const place: Marked = marked(source);
    const { problems } = validateWorkflow(place.text, 'x');
    expect(shown(problems)).toEqual([expected('PAWL-004', place)]);
  });

  it('is not told beside aliases that stand for too much: they are the one problem, at the alias', () => {
    const names = [...'abcdefgh'];
    const levels = names.map(
      (name, at) =>
        `  ${name}: &${name} [${Array(9)
          .fill(at === 0 ? 'x' : `*${names[at - 1]}`)
          .join(', ')}]`,
    );
    const { problems } = validateWorkflow(`${HEAD}constants:\n${levels.join('\n')}\nsteps:\n  - { end: done }\n`, 'x');
    expect(problems.map(({ code, range }) => `${code} ${range.line}:${range.column}`)).toEqual(['PAWL-011 9:10']);
  });

  it('is not told of actions when the key that declares them is misspelled', () => {
    expect(codesOf(`${HEAD}${PAY.replace('actions', 'acttions')}steps:\n  - { id: a, call: pay }\n`)).toEqual([
      'PAWL-101',
    ]);
  });

  it('is not told of what refers to a part that is there and has a mistake', () => {
    const action = `${PAY}    retry: { atempts: 3 }\n`;
    const vars = 'vars: { n: { type: intger } }\nevents: { go: { shema: {} } }\n';
    const steps =
      'steps:\n  - { id: a, call: pay, next: b }\n  - { id: b, cal: pay }\n  - set: { n: 1 }\n  - { id: w, await: go }\n';
    expect(codesOf(`${HEAD}${vars}${action}${steps}`)).toEqual(['PAWL-114', 'PAWL-101', 'PAWL-101', 'PAWL-101']);
  });
});

describe('a mistake that does not follow from another', () => {
  it('is told also where a step cannot be built', () => {
    const steps = `steps:
  - { id: x, child: foo }
  - { id: a, call: pya }
  - { id: b, call: pay, authorizedBy: nobody }
  - { id: c }
  - { id: d, wait: 5s, next: zz }
  - { id: e, await: payed }
  - { set: { totl: 1 } }
`;
    expect(problemsOf(`${HEAD}${PAY}${steps}`)).toEqual([
      'PAWL-106 `child` must be name@version, such as reserve-stock@2',
      'PAWL-301 there is no action "pya"',
      'PAWL-306 "nobody" is no approve step',
      'PAWL-108 this step has no verb',
      'PAWL-202 there is no step "zz"',
      'PAWL-209 event "payed" is not declared',
      'PAWL-210 "totl" is not among vars',
    ]);
  });

  it('is told beside another in the same step', () => {
    const steps =
      'steps:\n  - { id: a, call: pya, retrys: 3 }\n  - { id: b, call: pay, authorizedBy: nobody, timeout: 5 }\n';
    expect(codesOf(`${HEAD}${PAY}${steps}`)).toEqual(['PAWL-301', 'PAWL-101', 'PAWL-306', 'PAWL-023']);
  });

  it('of two equal ids names both places', () => {
    const steps = 'steps:\n  - { id: a, call: pay }\n  - { id: b, call: pay }\n  - { id: a, call: pay }\n';
    const [problem, ...more] = validateWorkflow(`${HEAD}${PAY}${steps}`, 'x').problems;
    expect(more).toEqual([]);
    expect(problem).toMatchObject({ code: 'PAWL-201', range: { line: 13, column: 11 } });
    expect(problem?.message).toContain('line 11, column 11');
    expect(problem?.related.map(({ range }) => [range.line, range.column, range.endColumn])).toEqual([[11, 11, 12]]);
  });
});
