import { describe, expect, it } from 'vitest';
import { validateWorkflow } from '../../src/definition/validate-workflow.ts';
import type { Json } from '../../src/model/json.ts';
import { Play, T0, workflow } from './support/play.ts';

const DAY = 86_400_000;
const INPUT = 'input: { type: object }\n';
const WAIT = (wait: string): string =>
  workflow(
    `  - { id: w, wait: ${wait} }\n  - { id: a, call: do.a }\n  - { id: e, end: { as: told, output: { w: =steps.w.output, next: '\${ steps.w.output.firedAt + dur("1m") }' } } }`,
    INPUT,
  );
const waited = (v: Json, wait = '=input.v'): Play => new Play(WAIT(wait), { input: { v } }).drive();

describe('a long wait', () => {
  it.each([
    ['24 d', 24 * DAY],
    ['25 d', 25 * DAY],
    ['30 d', 30 * DAY],
    ['365 d', 365 * DAY],
    ['2^31 ms', 2 ** 31],
    ['2^32 + 5,000 ms', 2 ** 32 + 5_000],
    ['the longest, 100 years', 100 * 365 * DAY],
  ])('V06 its due time is fixed once and it is never early: %s', (_name, ms) => {
    // V06: "A timer's due time is fixed once from its event's database time."
    const run = waited(`${ms}ms`);
    for (let day = 1; day <= 3; day += 1) run.wait(Math.floor(ms / 4)).crash();
    run.wait(T0 + ms - 1 - run.nowMs);
    expect([run.state.status, run.happened]).toEqual(['WAITING', []]);
    run.wait(1);
    expect([run.state.status, run.happened]).toEqual(['COMPLETED', ['do.a']]);
    expect(run.state.snapshot.data.steps['w']?.atMs).toBe(T0 + ms);
    run.wait('400d');
    expect(run.happened).toEqual(['do.a']);
  });

  it('V06 that became due while nobody worked goes on as soon as somebody does, once, and says that it is late', () => {
    // V06: "A timer's due time is fixed once from its event's database time."
    const run = waited('10m').sleep('40m').crash().drive();
    expect(run.state.status).toBe('COMPLETED');
    expect(run.output('w')).toEqual({ firedAt: T0 + 600_000, late: true });
    expect(run.happened).toEqual(['do.a']);
  });
});

describe('the output of a wait', () => {
  it('is {firedAt, late}: the instant that was waited for, a timestamp to expressions and text to readers', () => {
    const run = waited('10m').wait('10m');
    expect(run.output('w')).toEqual({ firedAt: T0 + 600_000, late: false });
    expect(run.head().output).toEqual({
      w: { firedAt: '2030-01-01T12:10:00Z', late: false },
      next: '2030-01-01T12:11:00Z',
    });
  });

  it('is late when it is applied more than a second after that instant', () => {
    for (const [slept, late] of [
      ['601s', false],
      ['602s', true],
    ] as const) {
      const run = waited('10m').sleep(slept);
      run.decide(run.dueTimers());
      expect(run.output('w')).toEqual({ firedAt: T0 + 600_000, late });
    }
  });
});

describe('a wait without length', () => {
  it.each<[string, Json, string]>([
    ['zero', '0s', '=input.v'],
    ['PT0S', 'PT0S', '=input.v'],
    ['an instant minus itself', '2030-01-01T12:00:00Z', "'${ timestamp(input.v) - run.startedAt }'"],
    ['an instant that has passed', '2030-01-01T11:59:55Z', '{ until: =input.v }'],
  ])('goes on at once, once, in the same commit: %s', (_name, v, wait) => {
    const run = new Play(WAIT(wait), { input: { v } });
    expect(run.commits).toEqual([]);
    expect(run.rowOf('a').state).toBe('REQUESTED');
    expect(run.drive().wait('400d').happened).toEqual(['do.a']);
  });

  it.each<[string, string, string]>([
    ['a negative duration', '-5s', "'${ duration(input.v) }'"],
    ['a time until an instant that has passed', '2030-01-01T11:59:55Z', "'${ timestamp(input.v) - run.startedAt }'"],
  ])('%s that CEL computes fails as its text does, and names the value', (_name, v, wait) => {
    const { message } = waited(v, wait).head().failure as { message: string };
    expect(message).toContain('"-5s" is not a duration: it is negative or has a sign; write for example 10s');
  });

  it.each<[Json, string]>([
    ...['-5s', '-5ms', '- 5s', '+5s', '-1h'].map((text): [Json, string] => [
      text,
      `"${text}" is not a duration: it is negative or has a sign`,
    ]),
    [5, '5 is not a duration: it has no unit'],
    [-5, '-5 is not a duration: it has no unit'],
    ['P-1D', '"P-1D" is not a duration: it is negative or has a sign'],
    ['-PT5M', '"-PT5M" is not a duration: it is negative or has a sign'],
    ['9999999d', '"9999999d" is not a duration: it is longer than 100 years'],
    ['', '"" is not a duration: it is empty'],
    [null, 'null is not a duration'],
    [1.5, '1.5 is not a duration'],
    [['1s'], '["1s"] is not a duration'],
  ])('an illegal form is the failure expression with expression and value named and nothing done: %j', (v, said) => {
    const run = waited(v);
    expect(run.head().failure).toMatchObject({ code: 'expression', step: 'w' });
    const { message } = run.head().failure as { message: string };
    expect(message).toContain(`this gave no time: ${said}`);
    expect(message).toContain('input.v');
    expect(run.happened).toEqual([]);
  });

  it.each(['P-1D', '-PT5M', '""', 'null', '-5s'])(
    'an illegal literal is found when the file is validated: %s',
    (wait) => {
      const found = validateWorkflow(WAIT(wait), 'x').problems.filter(({ severity }) => severity === 'error');
      expect(found.map(({ pointer }) => pointer)).toEqual(['/steps/0/wait']);
    },
  );

  it('in a loop is stopped by maxJumps, with the failure limit, and gives way after 64 transitions', () => {
    const run = new Play(workflow('  - { id: w, wait: 0s, next: w, maxJumps: 1000 }'));
    run.wait('1h');
    expect(run.head().failure).toMatchObject({ code: 'limit', step: 'w' });
    expect(run.state.revision).toBeGreaterThan(1_000);
    expect(Math.max(...run.commits.map((commit) => commit.transitions.length))).toBe(64);
  });
});
