import { describe, expect, it } from 'vitest';
import { stepViews } from '../../src/engine/step-view.ts';
import { Play, workflow } from '../decision/support/play.ts';
import { NEVER, openSmallHouse } from './support/small-house.ts';

const OPEN = `pawl: 1
workflow: many
version: 1
timeout: 2h
events:
  paid: { schema: { type: object } }
actions:
  pay: { function: pay@1, idempotency: none, settlesWithin: 1s, timeout: 1s, compensate: none }
  ship: { function: ship@1, idempotency: { remembers: 24h }, settlesWithin: 1s, compensate: none }
steps:
  - id: fork
    parallel:
      person: [{ id: ask, approve: 'Go on?', from: ['role:boss'], expires: 1h }]
      event: [{ id: hear, await: paid }]
      time: [{ id: rest, wait: 30m }]
      flight: [{ id: send, call: ship }]
      doubt: [{ id: settle, call: pay }]
`;

const RESET = { kind: 'broken', byteWritten: true, reason: 'the connection was reset' } as const;

describe('a run with several branches open', () => {
  it('tells of each branch what it waits for and who can move it, and of all that only people can give', async () => {
    const house = openSmallHouse();
    const { verbs } = house.process({
      works: true,
      outside: { send: ({ request }) => (request.action === 'ship' ? NEVER : RESET) },
    });
    const run = await house.begin(verbs, OPEN);
    await house.until(() => [...house.store.peek().runs.values()].every(({ head }) => head.needs.length === 2));
    const { waitingFor, status, steps } = await house.settled(verbs.show(run));
    expect(waitingFor.map(({ kind, step, by }) => [kind, step, ...by])).toEqual([
      ['person', 'settle', 'role:operator'],
      ['approval', 'ask', 'role:boss'],
      ['event', 'hear', 'paid'],
      ['timer', 'rest', 'time'],
      ['answer', 'send', 'the provider'],
    ]);
    expect(status).toBe('RUNNING');
    expect(Object.fromEntries(steps.map((step) => [step.id, step.status]))).toEqual({
      fork: 'active',
      ask: 'active',
      hear: 'active',
      rest: 'active',
      send: 'active',
      settle: 'held',
    });
    const { reasons } = await house.settled(verbs.why(run));
    expect(reasons.map(({ kind, step }) => [kind, step])).toEqual([
      ['unknown', 'settle'],
      ['approval', 'ask'],
      ['event', 'hear'],
      ['timer', 'rest'],
      ['answer', 'send'],
      ['lease', null],
    ]);
    const needs = await house.settled(verbs.needs({ workflow: null, statuses: null, q: null, limit: 10 }));
    expect(needs.map(({ kind, step, from, acts }) => [kind, step, ...from, ...acts])).toEqual([
      ['unknown', 'settle', 'role:operator', 'confirmed', 'absent', 'rejected', 'keep-waiting'],
      ['approval', 'ask', 'role:boss', 'approve', 'deny'],
    ]);
  });

  it('a vote that does not say for which of two approvals is refused with both names', async () => {
    const house = openSmallHouse();
    const { verbs } = house.process({ works: true });
    const ask = (id: string): string => `[{ id: ${id}, approve: 'Go on?', from: ['role:boss'] }]`;
    const steps = `steps:\n  - { id: fork, parallel: { one: ${ask('a')}, two: ${ask('b')} } }\n`;
    const run = await house.begin(verbs, `pawl: 1\nworkflow: two\nversion: 1\ntimeout: 2h\n${steps}`);
    const vote = { decision: 'approve', subjectHash: null, principal: 'ana', roles: ['boss'], comment: null } as const;
    await expect(house.settled(verbs.vote(run, { ...vote, approval: null }))).rejects.toThrow('has 2 approvals');
    await house.settled(verbs.vote(run, { ...vote, approval: 'b' }));
    const { waitingFor } = await house.settled(verbs.show(run));
    expect(waitingFor.map(({ kind, step }) => [kind, step])).toEqual([['approval', 'a']]);
  });
});

describe('the steps of branches as people see them', () => {
  const fork = (more: string): string =>
    workflow(
      `
  - id: fork
    parallel: { one: [{ id: a, call: do.a }, { id: b, call: do.b }], two: [{ id: c, call: do.c }] }${more}
  - { id: d, await: go }`,
      'events: { go: { schema: { type: object } } }',
    );
  const statuses = ({ compiled, state }: Play): Readonly<Record<string, string>> =>
    Object.fromEntries(
      stepViews({ compiled }, state, [...state.effects.values()]).map(({ id, status }) => [id, status]),
    );

  it('each branch is where it is, and the parallel step is active until all are at their ends', () => {
    const run = new Play(fork(''), { script: { 'do.b': ['hang'] } }).drive();
    expect(statuses(run)).toEqual({ fork: 'active', a: 'completed', b: 'active', c: 'completed', d: 'pending' });
    run.provider.says('do.b', 'ok');
    run.drive();
    expect(statuses(run)).toEqual({ fork: 'completed', a: 'completed', b: 'completed', c: 'completed', d: 'active' });
  });

  it('one branch fails: the step in it has failed, what was not begun in the others is pending', () => {
    const text = fork('\n    catch: [{ on: [declined] }]');
    const run = new Play(text, { script: { 'do.a': ['hang'], 'do.c': ['declined'] } }).drive();
    expect(statuses(run)).toMatchObject({ fork: 'active', b: 'pending', c: 'failed', d: 'pending' });
    run.provider.says('do.a', 'ok');
    run.drive();
    expect(statuses(run)).toEqual({ fork: 'failed', a: 'completed', b: 'pending', c: 'failed', d: 'active' });
  });

  it('a branch that was told to stop goes on where its call is on its way, until the run is terminated', () => {
    const text = fork('\n    catch: [{ on: [declined] }]');
    const run = new Play(text, { script: { 'do.a': ['hang'], 'do.c': ['declined'] } }).drive();
    expect(statuses(run)).toMatchObject({ fork: 'active', a: 'active', b: 'pending', c: 'failed' });
    run.terminate();
    expect(statuses(run)).toMatchObject({ a: 'pending' });
  });

  it('the losers of a race are undone while it is active, and it is completed', () => {
    const text = fork('\n    join: any');
    const run = new Play(text, { script: { 'do.a': ['hang'], 'undo.a': ['hang'] } }).drive();
    run.provider.says('do.a', 'ok');
    run.drive();
    expect(statuses(run)).toMatchObject({ fork: 'active', c: 'completed', d: 'pending' });
    run.provider.says('undo.a', 'ok');
    run.drive();
    expect(statuses(run)).toMatchObject({ fork: 'completed', b: 'pending', c: 'completed', d: 'active' });
  });
});
