import { describe, expect, it } from 'vitest';
import { findFaults } from '../../src/decision/invariants/find-faults.ts';
import type { OutboxMessage } from '../../src/model/outbox.ts';
import { checkedRun } from './support/checked-run.ts';
import { Play, T0, workflow } from './support/play.ts';

const HOUR = 3_600_000;
const ask = (more = ''): string =>
  workflow(`  - { id: ok, approve: 'Pay?', from: ['role:desk'], remind: 1h${more} }\n  - { id: a, call: do.a }`);
const ASK = ask();

const told = (run: Play): readonly OutboxMessage[] => run.stored.outbox;
const hours = (run: Play): readonly number[] => told(run).map(({ atMs }) => (atMs - T0) / HOUR);
const dataOf = ({ body }: OutboxMessage): unknown => (JSON.parse(body) as { readonly data: unknown }).data;
const faultsOf = (run: Play): readonly string[] =>
  findFaults(checkedRun(run), run.nowMs).map(({ check, row }) => `${check} ${row}`);

describe('approve.remind', () => {
  it('A07 people are reminded at its time again and again, each time by one message under a key of its own', () => {
    // A07: "Reminders and escalation are timers; each is one outbox message with a stable key."
    const run = new Play(ASK).drive();
    expect(told(run)).toEqual([]);
    for (let hour = 0; hour < 3; hour += 1) run.wait('1h').crash();
    expect(hours(run)).toEqual([1, 2, 3]);
    expect(told(run).map(({ topic, key, step }) => [topic, key, step])).toEqual([
      ['reminder', 'ok', 'ok'],
      ['reminder', 'ok', 'ok'],
      ['reminder', 'ok', 'ok'],
    ]);
    expect(told(run).map(dataOf)).toMatchObject([{ number: 1 }, { number: 2 }, { number: 3 }]);
    expect(dataOf(told(run)[0] as OutboxMessage)).toEqual({
      approval: 'ok',
      number: 1,
      title: 'Pay?',
      from: ['role:desk'],
      quorum: 1,
      votes: 0,
      askedAt: new Date(T0).toISOString(),
      expiresAt: null,
    });
    const again = new Play(ASK).drive().wait('1h');
    expect(told(again)[0]?.messageId).toBe(told(run)[0]?.messageId);
    expect(new Set(told(run).map(({ messageId }) => messageId)).size).toBe(3);
    expect([run.state.status, faultsOf(run)]).toEqual(['WAITING', []]);
  });

  it('A07 once they have decided nobody is reminded any more, nor while nobody is asked', () => {
    // A07: "Reminders and escalation are timers; each is one outbox message with a stable key."
    const decided = new Play(ASK).drive().wait('1h');
    decided.vote('kai', 'approve');
    decided.wait('10h');
    expect([decided.state.status, hours(decided)]).toEqual(['COMPLETED', [1]]);
    const cancelled = new Play(ASK).drive();
    cancelled.cancel();
    cancelled.wait('10h');
    expect([cancelled.state.status, hours(cancelled)]).toEqual(['CANCELLED', []]);
    const held = new Play(ask(', expires: 90m, onExpire: hold')).drive().wait('1h').wait('30m');
    expect([...held.state.timers.keys()]).toEqual([]);
    held.wait('10h');
    expect([held.state.status, hours(held)]).toEqual(['HELD', [1]]);
    expect(faultsOf(held)).toEqual([]);
  });

  it('A07 reminders that nobody could send in time become one, and the next comes at its own time', () => {
    // A07: "Reminders and escalation are timers; each is one outbox message with a stable key."
    const run = new Play(ASK).drive().sleep('5h').sleep('30m').crash().drive();
    expect(told(run).map(dataOf)).toMatchObject([{ number: 1 }]);
    expect(run.state.timers.get('ok:remind')?.dueAtMs).toBe(T0 + 6 * HOUR);
    run.wait('30m');
    expect(told(run).map(dataOf)).toMatchObject([{ number: 1 }, { number: 6 }]);
  });

  it('verify names an open approval whose next reminder is missing', () => {
    const run = checkedRun(new Play(ASK).drive());
    expect(findFaults(run, T0)).toEqual([]);
    expect(findFaults({ ...run, timers: [] }, T0)).toMatchObject([{ check: 'timer-missing', row: 'timer ok:remind' }]);
  });
});
