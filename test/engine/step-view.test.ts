import { describe, expect, it } from 'vitest';
import { stepViews } from '../../src/engine/step-view.ts';
import { Play, workflow } from '../decision/support/play.ts';

const EVENT = 'events: { go: { schema: { type: object } } }';
const FORK = workflow(
  `
  - id: fork
    choose:
      - when: input.n > 5
        steps: [{ id: inner, await: go }]
      - else: []
  - { id: outer, await: go }`,
  `input: { type: object, required: [n], properties: { n: { type: integer } } }\n${EVENT}`,
);

/** A choose that books and then waits for `go`, with what else is said of it, and one step after it. */
function booking(more: string): string {
  const branch = '[{ id: look, wait: 1m }, { id: book, call: do.a }, { id: inner, await: go }]';
  return workflow(
    `
  - id: fork
    choose: [{ when: 'true', steps: ${branch} }]${more}
  - { id: outer, await: go }`,
    EVENT,
  );
}

const REFUSED = { script: { 'do.a': ['declined'] } } as const;

function statuses({ compiled, state }: Play): Readonly<Record<string, string>> {
  const views = stepViews({ compiled }, state, [...state.effects.values()]);
  return Object.fromEntries(views.map(({ id, status }) => [id, status]));
}

describe('the steps of a run as people see them', () => {
  it.each([
    [9, { fork: 'active', inner: 'active', outer: 'pending' }],
    [1, { fork: 'completed', inner: 'pending', outer: 'active' }],
  ])('with n = %s a choose is active only while its branch is', (n, expected) => {
    expect(statuses(new Play(FORK, { input: { n } }).drive())).toEqual(expected);
  });

  it('a choose that is left through its own catch has failed, while the run goes on and after its end', () => {
    const run = new Play(booking('\n    catch: [{ on: [any], do: [{ id: mend, await: go }] }]'), REFUSED)
      .drive()
      .wait('1m');
    expect(statuses(run)).toMatchObject({ fork: 'active', book: 'failed', mend: 'active', outer: 'pending' });
    run.signal('go');
    expect(statuses(run)).toMatchObject({ fork: 'failed', mend: 'completed', outer: 'active' });
    run.signal('go');
    expect(run.state.status).toBe('COMPLETED');
    expect(statuses(run)).toMatchObject({ fork: 'failed', book: 'failed', mend: 'completed', outer: 'completed' });
  });

  it('a scope is active while it is undone and while its catch runs, then it has failed', () => {
    const text = workflow(
      `
  - id: trip
    scope: [{ id: book, call: do.a }, { id: pay, call: do.b }]
    catch: [{ undo: true, do: [{ id: mend, await: go }] }]
  - { id: outer, await: go }`,
      EVENT,
    );
    const run = new Play(text, { script: { 'do.b': ['declined'], 'undo.a': ['hang'] } }).drive();
    expect(statuses(run)).toEqual({
      trip: 'active',
      book: 'completed',
      pay: 'failed',
      mend: 'pending',
      outer: 'pending',
    });
    run.provider.says('undo.a', 'ok');
    run.drive();
    expect(statuses(run)).toMatchObject({ trip: 'active', mend: 'active' });
    run.signal('go');
    expect(statuses(run)).toMatchObject({ trip: 'failed', mend: 'completed', outer: 'active' });
  });

  it('a choose whose failure nobody caught has failed, too', () => {
    const run = new Play(booking(''), REFUSED).drive().wait('1m');
    expect(run.state.status).toBe('FAILED');
    expect(statuses(run)).toMatchObject({ fork: 'failed', look: 'completed', book: 'failed', outer: 'pending' });
  });

  it('a choose in which a step is held goes on', () => {
    const run = new Play(`${booking('')}onFailure: hold\n`, REFUSED).drive().wait('1m');
    expect(statuses(run)).toMatchObject({ fork: 'active', book: 'held', outer: 'pending' });
  });

  it('a choose that an event takes the run out of before anything in it came to an end is completed, too', () => {
    const text = booking('\n    on: [{ event: leave, next: outer }]').replace(
      '{ go:',
      '{ leave: { schema: { type: object } }, go:',
    );
    const run = new Play(text).drive();
    expect(statuses(run)).toMatchObject({ fork: 'active', look: 'active' });
    run.wait('1s').signal('leave');
    expect(statuses(run)).toMatchObject({ fork: 'completed', look: 'pending', outer: 'active' });
    run.signal('go');
    expect(run.state.status).toBe('COMPLETED');
    expect(statuses(run)).toMatchObject({ fork: 'completed', look: 'pending', outer: 'completed' });
  });

  it('a choose that an event takes the run out of is completed, one in which the run is cancelled is not', () => {
    const taken = new Play(
      booking('\n    on: [{ event: leave, next: outer }]').replace(
        '{ go:',
        '{ leave: { schema: { type: object } }, go:',
      ),
    )
      .drive()
      .wait('1m');
    taken.signal('leave');
    expect(statuses(taken)).toMatchObject({ fork: 'completed', inner: 'pending', outer: 'active' });
    taken.signal('go');
    expect(statuses(taken)).toMatchObject({ fork: 'completed', outer: 'completed' });
    const cancelled = new Play(booking('')).drive().wait('1m');
    cancelled.cancel();
    expect(cancelled.state.status).toBe('CANCELLED');
    expect(statuses(cancelled)).toMatchObject({
      fork: 'pending',
      book: 'completed',
      inner: 'pending',
      outer: 'pending',
    });
  });
});
