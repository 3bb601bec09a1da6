import { describe, expect, it } from 'vitest';
import type { Effect } from '../../src/model/effect.ts';
import type { OutboxRecord } from '../../src/model/outbox.ts';
import type { WaitingFor } from '../../src/engine/waiting-for.ts';
import type { Reason } from '../../src/engine/why-reason.ts';
import { type WhyFacts, whyRun } from '../../src/engine/why-run.ts';
import { NEVER, openSmallHouse } from './support/small-house.ts';
import { sagaOf } from './support/workflows.ts';

const NOW = Date.UTC(2030, 0, 1, 12);
const LATER = '2030-01-01T12:05:00.000Z';
type View = WhyFacts['view'];

function view(more: Partial<View> = {}): View {
  return { id: 'run_1', key: 'k', status: 'WAITING', waitingFor: [], effects: [], incidents: [], ...more };
}

function waiting(kind: WaitingFor['kind'], more: Partial<WaitingFor> = {}): WaitingFor {
  return { kind, step: 'pay', since: null, until: LATER, by: ['time'], progress: null, command: null, ...more };
}

/** A row of the ledger as a view has it. */
function row(state: Effect['state'], code: string | null, lastError: string | null = null): View['effects'][number] {
  return { step: 'pay', state, code, lastError, compensates: null } as View['effects'][number];
}

function why(seen: Partial<View>, more: Partial<WhyFacts> = {}): readonly Reason[] {
  const house = {
    holder: null,
    workers: 1,
    suspect: false,
    crashes: 0,
    recovery: null,
    pauses: new Map(),
    overdueSinceMs: null,
    messages: [],
    hasReceiver: true,
    queues: [],
    queue: null,
  };
  return whyRun({ view: view(seen), ...house, nowMs: NOW, ...more }).reasons;
}

const incident = {
  id: 'unknown:x',
  kind: 'unknown',
  since: LATER,
  step: 'pay',
  effect: 'x',
  message: 'nobody knows whether it happened',
  from: ['role:treasury'],
  acts: ['confirmed', 'rejected'],
};
const way = waiting('person', {
  by: ['role:treasury'],
  command: 'pawl resolve run_1 pay --as confirmed|rejected --evidence TEXT',
});

describe('why a run does not move', () => {
  it.each([
    [
      'approval',
      waiting('approval', { by: ['role:boss'], command: 'pawl approve run_1' }),
      'waits for an approval of pay',
    ],
    ['event', waiting('event', { by: ['paid'] }), 'waits for an event at pay'],
    ['timer', waiting('timer'), 'waits for its time at pay'],
    ['worker', waiting('worker', { by: ['a worker'] }), 'pay may be sent: a worker is to take it'],
    ['answer', waiting('answer', { by: ['the provider'] }), 'pay is in flight: the provider is to answer'],
    ['retry', waiting('retry'), 'pay is not sent again before its time'],
    ['resend', waiting('resend'), 'nobody knows whether pay happened: the same request goes again at its time'],
    ['query', waiting('query'), 'nobody knows whether pay happened: the provider is asked at its time'],
  ] as const)('waits for %s: what, until when, who can move it', (kind, waits, text) => {
    const [first] = why({ waitingFor: [waits] });
    expect(first).toEqual({ kind, step: 'pay', text, since: null, until: LATER, by: waits.by, command: waits.command });
  });

  it('of a step that is undone it is the undo that is sent and in flight', () => {
    const effects = [row('CONFIRMED', null), { ...row('AUTHORIZED', null), compensates: 'x' }];
    const [sent] = why({ waitingFor: [waiting('worker')], effects });
    expect(sent?.text).toBe('the undo of pay may be sent: a worker is to take it');
  });

  it('a review names who answers it and how', () => {
    expect(why({ status: 'HELD', incidents: [incident], waitingFor: [way] })).toEqual([
      {
        kind: 'unknown',
        step: 'pay',
        text: 'nobody knows whether it happened',
        since: LATER,
        until: null,
        by: ['role:treasury'],
        command: way.command,
      },
    ]);
  });

  it.each(['pin', 'poison'])('a run that is set aside for %s is told as parked, with the reason', (kind) => {
    const parked = { ...incident, kind, message: '3 workers died while they held nothing else' };
    expect(why({ incidents: [parked] })[0]).toMatchObject({
      kind: 'parked',
      text: `parked (${kind}): 3 workers died while they held nothing else`,
    });
  });

  it.each([
    ['circuit-open', 'circuit'],
    ['secret-missing', 'secret'],
    ['recovery', 'recovery'],
  ])('E14 P14 a row that is held back by %s says so in its own words', (code, kind) => {
    // E14: "A circuit per host and worker process opens after repeated unavailable, is visible, …"
    const effects = [row('CONFIRMED', null), row('AUTHORIZED', code, 'not sent: this is why')];
    expect(why({ waitingFor: [waiting('retry')], effects })[0]).toMatchObject({
      kind,
      text: 'not sent: this is why',
      until: LATER,
    });
  });

  it('of one in doubt that is held back both are told: that nobody knows, and why nobody asks or sends', () => {
    const effects = [row('UNKNOWN', 'circuit-open', 'not sent: the circuit of shop is open')];
    for (const kind of ['resend', 'query'] as const)
      expect(why({ waitingFor: [waiting(kind)], effects })[0]).toMatchObject({
        kind: 'circuit',
        text: 'nobody knows whether pay happened; not sent: the circuit of shop is open',
      });
  });

  it.each([
    ['retry', 'pay is not sent again before its time; attempt 2 of 5 met http-503: busy'],
    [
      'resend',
      'nobody knows whether pay happened: the same request goes again at its time; attempt 2 of 5 met http-503: busy',
    ],
    [
      'query',
      'nobody knows whether pay happened: the provider is asked at its time; attempt 2 of 5 met http-503: busy',
    ],
  ] as const)('of a %s it is told what the last attempt has met', (kind, text) => {
    const waits = waiting(kind, { progress: 'attempt 2 of 5 met http-503: busy' });
    expect(why({ waitingFor: [waits], effects: [row('AUTHORIZED', 'http-503', 'busy')] })[0]?.text).toBe(text);
  });

  it('of an ended run is its end, and beside it a finally that failed', () => {
    const finallyFailed = { code: 'declined', message: 'no such box', step: 'tell' };
    expect(why({ status: 'COMPLETED', finallyFailed })).toMatchObject([
      { kind: 'ended', text: 'it has ended: COMPLETED' },
      { kind: 'finally', step: 'tell', text: 'finally failed with declined: no such box' },
    ]);
  });

  it('P05 no worker alive comes first where a worker is needed, and after what a person or the world has to give', () => {
    // P05: "A run that should have moved and has no holder is alarmed by any living process."
    const alone = { workers: 0, overdueSinceMs: NOW };
    const kinds = (waits: WaitingFor): readonly string[] => why({ waitingFor: [waits] }, alone).map(({ kind }) => kind);
    expect(kinds(waiting('worker'))).toEqual(['no-worker', 'overdue', 'worker']);
    expect(kinds(waiting('event'))).toEqual(['event', 'no-worker', 'overdue']);
    expect(why({}, alone)[0]).toMatchObject({ text: 'no worker is alive', command: 'pawl worker' });
  });

  it('a lease names its holder until when, and one that is dead', () => {
    const held = (leaseUntilMs: number | null): Reason | undefined =>
      why({}, { holder: { workerId: 'w-1', leaseUntilMs } })[0];
    expect(held(NOW + 1)).toMatchObject({ kind: 'lease', text: 'held by w-1', until: '2030-01-01T12:00:00.001Z' });
    expect(held(NOW)?.text).toBe('held by w-1, which is dead: it is swept');
    expect(held(null)).toMatchObject({ text: 'held by w-1, which is dead: it is swept', until: null });
  });

  it('P06 P14 a suspect and a database in recovery mode are told', () => {
    // P06: "A run taken over from a dead worker is suspect and is claimed alone; …"
    const was = { systemIdentifier: '7', timeline: 1 };
    const reasons = why({}, { suspect: true, crashes: 2, recovery: { sinceMs: NOW, was, lastSeenMs: NOW } });
    expect(reasons).toMatchObject([
      { kind: 'recovery', since: '2030-01-01T12:00:00.000Z', command: 'pawl db recovered' },
      { kind: 'suspect', text: '2 workers died while they held nothing else: it is held alone until it has moved' },
    ]);
    expect(why({}, { suspect: true, crashes: 1 })[0]?.text).toContain('a worker died while it held nothing else');
  });

  it('P06 a run is a suspect from the death of its worker, before it has crashed any, until it has moved', async () => {
    // P06: "A run taken over from a dead worker is suspect and is claimed alone; … the count returns to 0 with the next journal row."
    const { process, begin, until, settled, store, world } = openSmallHouse();
    const first = process({ works: true, outside: { send: () => NEVER } });
    const watcher = process({ works: false });
    const run = await begin(first.verbs, sagaOf('http://shop.test', ['charge']));
    const kinds = async (): Promise<readonly string[]> =>
      (await settled(watcher.verbs.why(run))).reasons.map(({ kind, text }) => (kind === 'suspect' ? text : kind));
    expect(await kinds()).toEqual(['answer', 'lease']);
    first.kill();
    await world.run(() => false, world.nowMs() + 5_000);
    await store.sweep(0, 10);
    expect(await kinds()).toEqual(['no-worker', 'answer', 'its last worker died: it is held alone until it has moved']);
    const second = process({ works: true });
    await until(() => second.logged.some(({ event }) => event === 'run.suspect'));
    await until(() => [...store.peek().runs.values()].every(({ head }) => head.status === 'COMPLETED'));
    expect(await kinds()).toEqual(['ended']);
  });

  it('an end is told, with what it has left in doubt; a run that waits for nothing waits for a worker', () => {
    expect(why({ status: 'COMPLETED' }, { workers: 0 })).toMatchObject([
      { kind: 'ended', text: 'it has ended: COMPLETED' },
    ]);
    expect(why({ status: 'TERMINATED', incidents: [incident] })[0]?.kind).toBe('unknown');
    expect(why({ status: 'RUNNING' })).toMatchObject([{ kind: 'worker', text: 'a worker can act on it now' }]);
    expect(why({ waitingFor: [waiting('timer', { step: null })] })[0]?.text).toBe('waits for its time at the run');
  });
});

describe('a message that has not arrived', () => {
  const message = (more: Partial<OutboxRecord>): OutboxRecord => ({
    revision: 1,
    ordinal: 0,
    messageId: 'msg_1',
    topic: 'event',
    key: null,
    step: 'tell',
    frames: [],
    body: '{"type":"order.paid"}',
    atMs: NOW - 1_000,
    state: 'waiting',
    attempts: 0,
    dueAtMs: NOW - 1_000,
    lastError: null,
    settledAtMs: null,
    ...more,
  });
  const told = (more: Partial<OutboxRecord>, facts: Partial<WhyFacts> = {}): Reason | undefined =>
    why({ status: 'COMPLETED' }, { messages: [message(more)], ...facts }).at(-1);
  const since = '2030-01-01T11:59:59.000Z';
  const facts = { kind: 'message', step: 'tell', since };

  it('waits for a worker; what is due is never told as a time that has passed', () => {
    const text = 'message order.paid has not arrived';
    expect(told({})).toEqual({ ...facts, text, until: null, by: ['a worker'], command: null });
    expect(told({ dueAtMs: NOW })).toMatchObject({ until: null });
    expect(told({}, { workers: 0 })).toEqual({
      ...facts,
      text,
      until: null,
      by: ['role:operator'],
      command: 'pawl worker',
    });
  });

  it('says after a failure what it was, when it goes again, and how it goes at once', () => {
    expect(told({ lastError: 'HTTP 500', dueAtMs: NOW + 300_000 })).toMatchObject({
      text: 'message order.paid has not arrived: HTTP 500',
      until: LATER,
      command: 'pawl outbox retry run_1 msg_1 --reason TEXT',
    });
    expect(told({ lastError: 'HTTP 500' })).toMatchObject({ until: null, command: null });
    expect(told({ lastError: 'HTTP 500', state: 'dead' })).toMatchObject({
      text: 'message order.paid was given up: HTTP 500',
      until: null,
      by: ['role:operator'],
      command: 'pawl outbox retry run_1 msg_1 --reason TEXT',
    });
  });

  it('names the line that is missing where nobody is to be told; what stays in the house needs no receiver', () => {
    const nobody = { hasReceiver: false };
    expect(told({ dueAtMs: NOW + 300_000 }, nobody)).toMatchObject({
      until: null,
      by: ['role:operator'],
      command: null,
    });
    expect(told({}, nobody)?.text).toContain('put publish: { url: ');
    expect(told({ topic: 'child.end' }, nobody)).toMatchObject({
      text: 'message child.end has not arrived',
      by: ['a worker'],
    });
    expect(told({ state: 'delivered' }, nobody)?.kind).toBe('ended');
  });
});
