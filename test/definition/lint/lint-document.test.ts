import { describe, expect, it } from 'vitest';
import { validateWorkflow } from '../../../src/definition/validate-workflow.ts';
import { DOCUMENTS, WITH_ACT } from './documents.ts';
import { EXPRESSIONS } from './expression-documents.ts';
import { LINKS } from './link-documents.ts';
import { MACHINES } from './machine-documents.ts';
import { STATEMENTS } from './statement-documents.ts';
import { WORKERS } from './worker-documents.ts';
import { moveAbout } from '../support/move-file.ts';

const ALTERNATIVE = /«([^|»]*)\|([^»]*)»/g;

const codesOf = (text: string): readonly string[] =>
  validateWorkflow(text, 'sample.pawl.yaml').problems.map((problem) => problem.code);

describe('lint of a whole file', () => {
  it.each([...DOCUMENTS, ...EXPRESSIONS, ...LINKS, ...MACHINES, ...STATEMENTS, ...WORKERS])(
    '$code is found at its place in 20 shapes of the file, and not once it is mended: $why',
    (mistake) => {
      const wrong = mistake.file.replace(ALTERNATIVE, '$1');
      const right = mistake.file.replace(ALTERNATIVE, '$2').replace(/[⟦⟧]/g, '');
      const moved = moveAbout(wrong, ['block', 'one line', 'flow']);
      expect(new Set(moved.map(({ place }) => `${place.line}:${place.column}`)).size).toBeGreaterThanOrEqual(20);
      for (const { shape, place: marked } of moved) {
        const { text, ...place } = marked;
        const found = validateWorkflow(text, 'sample.pawl.yaml').problems.filter(({ code }) => code === mistake.code);
        expect({ shape, found: found.map(({ range }) => range) }).toEqual({ shape, found: [place] });
      }
      expect(codesOf(right)).not.toContain(mistake.code);
    },
  );

  it('PAWL-706 says of a machine that no link leads to its states, also to one that has that name', () => {
    const text = `pawl: 1
workflow: sample
version: 1
timeout: 1d
events: { paid: {} }
actions: { act: { http: { method: POST, url: 'http://127.0.0.1:1/act' }, idempotency: natural, compensate: none } }
machine:
  initial: ask
  states:
    ask: { invoke: { id: a, src: act, input: { to: =links.pay }, onDone: pay } }
    pay: { on: { paid: done } }
    done: { type: final }
`;
    expect(validateWorkflow(text, 'sample.pawl.yaml').problems).toMatchObject([
      { code: 'PAWL-706', message: 'a link leads to no state of a machine', help: expect.stringContaining('"steps"') },
    ]);
  });

  it('tells a dead stretch once, at its first step', () => {
    const text = `${WITH_ACT}steps:\n  - { id: a, call: act, next: end }\n  - { id: b, call: act }\n  - { id: c, call: act }\n`;
    expect(codesOf(text).filter((code) => code === 'PAWL-204')).toEqual(['PAWL-204']);
  });

  it('tells a stretch that never ends once, at its first step', () => {
    const ring = ['a', 'b', 'c'].map(
      (id) => `  - { id: ${id}, call: act${id === 'c' ? ', next: a, maxJumps: 2' : ''} }\n`,
    );
    expect(codesOf(`${WITH_ACT}steps:\n${ring.join('')}`)).toEqual(['PAWL-205']);
  });

  it('takes an instant with its zone, written out or computed', () => {
    for (const until of ['2030-01-31T12:00:00Z', '2030-01-31T12:00+01:00', '=run.startedAt'])
      expect(codesOf(`${WITH_ACT}steps:\n  - { id: a, wait: { until: ${until} } }\n`)).toEqual([]);
  });

  it('does not complain of maxJumps beside a next that leads nowhere', () => {
    const text = `${WITH_ACT}steps:\n  - { id: a, call: act }\n  - { id: b, call: act, next: aa, maxJumps: 2 }\n`;
    expect(codesOf(text)).toEqual(['PAWL-202']);
  });

  it('looks at 2,000 steps without looking at each pair of them', () => {
    const steps = Array.from(
      { length: 2_000 },
      (_, n) => `  - { id: s${n}, call: act, with: { n: ${n === 0 ? '=input.n' : `=steps.s${n - 1}.at`} } }`,
    );
    expect(codesOf(`${WITH_ACT}steps:\n${steps.join('\n')}\n`)).toEqual([]);
  });
});
