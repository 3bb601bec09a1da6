import { describe, expect, it } from 'vitest';
import { Play, workflow } from './support/play.ts';

const READ = `  look.up: { function: look-up@1, effect: read, input: {} }`;

describe('a value of a step that cannot be used when the step begins', () => {
  it('a time to decide in that is no duration fails the step, and nobody is asked', () => {
    const text = workflow(`  - { id: ok, approve: 'Pay?', from: ['role:desk'], expires: '=input.wait' }`);
    const run = new Play(text, { input: { wait: 'soon' } }).drive();
    expect(run.head().failure).toMatchObject({
      step: 'ok',
      code: 'expression',
      message: expect.stringMatching(/^expires: /) as string,
    });
    expect(run.state.approvals.size).toBe(0);
    expect(new Play(text, { input: { wait: '1h' } }).drive().approval()).toMatchObject({ state: 'open' });
  });

  it('a question that cannot be written fails its step, and nothing is asked', () => {
    const text = workflow(`  - { id: r, call: look.up, with: { n: '\${ 1 / input.n }' } }`, READ);
    const run = new Play(text, { input: { n: 0 } }).drive();
    expect(run.head().failure).toMatchObject({ step: 'r', code: 'expression' });
    expect(run.happened).toEqual([]);
    expect(run.state.control.reads).toEqual({});
  });

  it('what people were to allow and cannot be computed is a failure of the approval', () => {
    const text = workflow(
      `  - { id: ok, approve: 'Pay?', from: ['role:desk'], quorum: '=input.n' }\n  - { id: pay, call: do.a, authorizedBy: ok }`,
    );
    const run = new Play(text, { input: { n: 0 } }).drive();
    expect(run.head().failure).toMatchObject({
      step: 'ok',
      message: 'quorum and denials are whole numbers of one or more',
    });
    expect(run.happened).toEqual([]);
  });
});
