import { describe, expect, it } from 'vitest';
import type { InboxPayload } from '../../src/model/inbox-event.ts';
import type { DecisionInput } from '../../src/decision/decision-input.ts';
import { Play, type Setting, T0, workflow } from './support/play.ts';
import { outcome } from './support/provider.ts';

const LOOP = '  - { id: w, wait: 0s, next: w, maxJumps: 500 }\n';
const CANCEL = { type: 'cancel', by: 'op', reason: 'not wanted any more' } as const;
const TERMINATE = { type: 'terminate', by: 'op', reason: 'enough' } as const;

/** Orders that come in after the first commit of a series, one millisecond apart. */
function once(...orders: readonly InboxPayload[]): Required<Pick<Setting, 'meanwhile'>> {
  let isDone = false;
  const meanwhile = (run: Play): readonly DecisionInput[] => {
    if (isDone) return [];
    isDone = true;
    return orders.map((payload, index) => {
      run.nowMs += 1;
      return { type: 'inbox', event: run.row('person:op', `order${index}`, payload) };
    });
  };
  return { meanwhile };
}

function answersOf(run: Play): readonly (readonly (string | null)[])[] {
  return run.commits.flatMap(({ inbox }) => inbox).map(({ eventId, outcome, code }) => [eventId, outcome, code]);
}

describe('a run that is busy with its own follow-up events', () => {
  it('R18 a cancel between two commits of a loop over zero waits is applied before the loop goes on', () => {
    // R18: "Cancel is an event; it is accepted or refused by the commit that consumes it."
    const run = new Play(workflow(LOOP), once(CANCEL));
    expect(answersOf(run)).toEqual([['order0', 'applied', null]]);
    expect(run.state.status).toBe('CANCELLED');
    expect(run.state.revision).toBeLessThan(2 * 64);
  });

  it('R18 so is a terminate, and a second order is told what became of the run', () => {
    // R18: "Terminate-without-undo is a separate audited verb."
    const run = new Play(workflow(LOOP), once(TERMINATE, CANCEL));
    expect(answersOf(run)).toEqual([
      ['order0', 'applied', null],
      ['order1', 'refused', 'ended'],
    ]);
    expect(run.state.status).toBe('TERMINATED');
  });

  it('E08 a late answer between two commits of the loop is filed once, and is not lost', () => {
    // E08: "Late answers (fenced worker, webhook, second query) are stored as observations, never overwrite"
    let isDone = false;
    const meanwhile = (run: Play): readonly DecisionInput[] => {
      if (isDone) return [];
      isDone = true;
      return [{ type: 'attempt.settled', effectKey: run.rowOf('a').key, attempt: 1, outcome: outcome('rejected') }];
    };
    const run = new Play(workflow(`  - { id: a, call: do.a }\n${LOOP}`), { meanwhile }).drive();
    expect(run.commits.flatMap(({ observations }) => observations)).toMatchObject([{ source: 'late-answer' }]);
    expect(run.rowOf('a').state).toBe('CONFIRMED');
  });

  it('R18 what was confirmed before the loop is undone', () => {
    // R18: "Before any effect: CANCELLED."
    const run = new Play(workflow(`  - { id: a, call: do.a }\n${LOOP}`), once(CANCEL)).drive();
    expect(run.happened).toEqual(['do.a', 'undo.a']);
    expect(run.state.status).toBe('CANCELLED');
  });

  it('R19 the deadline is heard between two commits of a loop over zero waits, by its firing or without one', () => {
    // R19: "The run's deadline never interrupts an open row: no new forward work, then R04."
    const deaf = new Play(workflow(LOOP, 'timeout: 1m'), {
      meanwhile: (run) => {
        run.nowMs += 61_000;
        return [];
      },
    });
    expect(deaf.head().failure).toMatchObject({ code: 'timeout' });
    const fired = new Play(workflow(LOOP, 'timeout: 1m'), {
      meanwhile: (run) => {
        run.nowMs += 60_000;
        return run.dueTimers();
      },
    });
    expect(fired.head().failure).toMatchObject({ code: 'timeout' });
    expect(answersOf(fired)).toEqual([['run:deadline#1', 'applied', null]]);
  });

  it('R18 a cancel that came before the deadline goes before it', () => {
    // R18: "Before any effect: CANCELLED."
    const run = new Play(workflow(LOOP, 'timeout: 1m'), {
      meanwhile: (play) => {
        const event = play.row('person:op', 'early', CANCEL, play.nowMs + 1);
        play.nowMs += 61_000;
        return play.commits.length === 0 ? [{ type: 'inbox', event }] : [];
      },
    });
    expect(answersOf(run)).toEqual([['early', 'applied', null]]);
    expect(run.state.status).toBe('CANCELLED');
  });

  it('V11 a cancel that comes when the run has failed by itself is told so', () => {
    // V11: "The sender is told what became of it: applied, kept, duplicate, stale, refused, already-decided, ended, unmatched."
    const run = new Play(workflow('  - { id: w, wait: 0s, next: w, maxJumps: 62 }'), once(CANCEL));
    expect(run.commits).toHaveLength(1);
    expect(answersOf(run)).toEqual([['order0', 'refused', 'compensating']]);
    expect(run.state.status).toBe('FAILED');
  });

  it('V10 what does not stop the run waits for the follow-up events, and is answered after them', () => {
    // V10: "Stored events, decisions and due timers of a run apply in the order of their database time."
    const signal: InboxPayload = { type: 'signal', name: 'go', data: {}, by: 'sender' };
    const run = new Play(workflow(`${LOOP}`, 'events: { go: {} }'), once(signal));
    const [first] = run.commits;
    expect(first?.inbox).toEqual([]);
    expect(answersOf(run)).toEqual([['order0', 'ended', null]]);
  });

  it('an order that the run refuses leaves its follow-up events as they were', () => {
    const steps = `  - { id: a, call: do.a, pivot: true }\n${LOOP}`;
    const quiet = new Play(workflow(steps)).drive();
    const asked = new Play(workflow(steps), once(CANCEL)).drive();
    expect(answersOf(asked)).toEqual([['order0', 'refused', 'pivot']]);
    expect([asked.state.revision, asked.incidents]).toEqual([quiet.state.revision, quiet.incidents]);
  });

  it('sees the time go on from commit to commit', () => {
    const steps = '  - { id: w, wait: 0s, next: w, maxJumps: 200 }\n  - { id: v, wait: 1s }';
    const times = new Set<number>();
    const run = new Play(workflow(steps), {
      meanwhile: (play) => {
        play.nowMs += 5;
        return [];
      },
    });
    for (const { atMs } of run.stored.journal) times.add(atMs);
    expect([...times]).toEqual([T0, T0 + 5, T0 + 10, T0 + 15]);
  });
});
