import { describe, expect, it } from 'vitest';
import { validateWorkflow } from '../../src/definition/validate-workflow.ts';
import { Play, workflow } from './support/play.ts';

const WITH_WHEN = (when: string, on = '[rejected, unavailable]'): string =>
  workflow(
    `  - { id: a, call: do.a, with: { n: =input.n }, retry: { attempts: 3, delay: 1s, on: ${on}, when: '${when}' } }`,
    'input: { type: object, properties: { n: { type: integer } } }',
  );
const LOOK = (when: string): string =>
  workflow(
    '  - { id: r, call: look }',
    `  look: { effect: read, function: look@1, retry: { attempts: 4, delay: 1s, when: '${when}' } }`,
  );

describe('retry.when', () => {
  it('a failure for which it is false is not retried, one for which it is true is', () => {
    const text = WITH_WHEN('failure.code != "declined"');
    const declined = new Play(text, { input: { n: 1 }, script: { 'do.a': ['declined', 'ok'] } }).drive().wait('1h');
    expect(declined.state.status).toBe('FAILED');
    expect(declined.calls).toEqual(['do.a']);
    const away = new Play(text, { input: { n: 1 }, script: { 'do.a': ['503', 'ok'] } }).drive().wait('1h');
    expect(away.state.status).toBe('COMPLETED');
    expect(away.calls).toEqual(['do.a', 'do.a']);
  });

  it.each([
    ['failure.class == "unavailable"', 2],
    ['failure.class == "throttled"', 1],
    ['with.n > 3', 2],
    ['with.n > 30', 1],
    ['input.n == 5 && effect.key != ""', 2],
    ['run.version == 2', 1],
  ])('sees the class, `with`, `effect` and the roots of the flow: %s', (when, calls) => {
    const run = new Play(WITH_WHEN(when), { input: { n: 5 }, script: { 'do.a': ['503', 'ok'] } }).drive().wait('1h');
    expect(run.calls).toHaveLength(calls);
  });

  it('one that cannot be computed repeats nothing: the first failure stands', () => {
    const run = new Play(WITH_WHEN('input.missing == 1'), { input: { n: 5 }, script: { 'do.a': ['503', 'ok'] } });
    run.drive().wait('1h');
    expect(run.head().failure).toMatchObject({ code: 'unavailable', step: 'a' });
    expect(run.calls).toHaveLength(1);
  });

  it('is asked for a read too', () => {
    const script = { look: ['503', '503', 'ok'] } as const;
    expect(new Play(LOOK('failure.class != "unavailable"'), { script }).drive().wait('1h').calls).toEqual(['look']);
    expect(new Play(LOOK('failure.class == "unavailable"'), { script }).drive().wait('1h').calls).toHaveLength(3);
  });

  it('is asked for a compensation, with the failure of the compensation itself', () => {
    const undo = (when: string): string =>
      workflow(
        `  - { id: a, call: do.a, compensate: { call: undo.a, retry: { attempts: 3, delay: 1s, on: [any], when: '${when}' } } }\n  - { id: f, fail: { code: no } }`,
      );
    const script = { 'undo.a': ['503', 'ok'] } as const;
    expect(new Play(undo('failure.class == "unavailable"'), { script }).drive().wait('1h').state.status).toBe(
      'COMPENSATED',
    );
    expect(new Play(undo('failure.class == "rejected"'), { script }).drive().wait('1h').state.status).toBe('HELD');
  });

  it('cannot read the answer itself, which is judged by then: a mistake at its place', () => {
    const { problems } = validateWorkflow(WITH_WHEN('response.status == 503'), 'x.pawl.yaml');
    expect(problems.map(({ code }) => code)).toContain('PAWL-403');
    expect(validateWorkflow(WITH_WHEN('failure.message != ""'), 'x.pawl.yaml').problems).not.toContainEqual(
      expect.objectContaining({ severity: 'error' }),
    );
  });
});
