import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.ts';
import { Play, workflow } from './support/play.ts';
import { outcome } from './support/provider.ts';

const TWO = workflow('  - { id: a, call: do.a }\n  - { id: b, call: do.b }');
const PIVOTED = workflow(
  '  - { id: a, call: do.a }\n  - { id: p, call: do.b, pivot: true }\n  - { id: w, wait: 1h }',
  'timeout: 10m',
);
const RETRIED = workflow(
  '  - { id: a, call: do.a }\n  - { id: p, call: do.b, pivot: true, retry: { attempts: 5, delay: 1h } }',
  'timeout: 10m',
);
const INPUT = 'input: { type: object }';
const failureOf = (run: Play): Json => run.head().failure ?? null;

describe('orders that cross', () => {
  it('an undo that is answered after a terminate is written down and moves nothing', () => {
    const run = new Play(TWO, { script: { 'do.b': ['declined'], 'undo.a': ['hang'] } }).drive();
    expect(run.compensate()).toMatchObject({ outcome: 'refused', code: 'compensating' });
    run.terminate();
    run.provider.says('undo.a', 'ok');
    run.drive();
    expect([run.ledger()['undo a'], run.state.status]).toEqual(['CONFIRMED', 'TERMINATED']);
  });

  it('R18 a cancel that waits for the pivot is told of a terminate; a second cancel meanwhile is refused', () => {
    // R18: "Cancel is an event; it is accepted or refused by the commit that consumes it."
    const run = new Play(PIVOTED, { script: { 'do.b': ['hang'] } }).drive();
    const waiting = run.cancel();
    expect(waiting).toMatchObject({ outcome: 'kept', code: 'waits-for-pivot' });
    expect(run.cancel()).toMatchObject({ outcome: 'refused', code: 'cancel-waits' });
    run.terminate();
    const told = run.commits.flatMap(({ inbox }) => inbox).filter(({ eventId }) => eventId === waiting?.eventId);
    expect(told.at(-1)).toMatchObject({ outcome: 'refused', code: 'terminated', consumed: true });
  });

  it('R18 a cancel that waits for the pivot applies as soon as this sending is known not to have happened: it is not tried again', () => {
    // R18: "While the pivot is REQUESTED or UNKNOWN: recorded; applies if the pivot fails, lapses if it is confirmed."
    const run = new Play(RETRIED, { script: { 'do.b': ['hang'] } }).drive();
    expect(run.cancel()).toMatchObject({ outcome: 'kept', code: 'waits-for-pivot' });
    run.provider.says('do.b', '503', 'ok');
    run.drive();
    expect(run.ledger()).toMatchObject({ p: 'FAILED', 'undo a': 'CONFIRMED' });
    expect([run.state.status, run.state.kept]).toEqual(['CANCELLED', []]);
    expect(run.wait('2h').calls).toEqual(['do.a', 'do.b', 'undo.a']);
  });

  it('R19 so does the deadline that waits for it', () => {
    // R19: "The run's deadline never interrupts an open row: no new forward work, then R04."
    const run = new Play(RETRIED, { script: { 'do.b': ['hang'] } }).drive().wait('11m');
    run.provider.says('do.b', '503', 'ok');
    run.drive();
    expect([run.state.status, run.head().failure]).toMatchObject(['COMPENSATED', { code: 'timeout' }]);
    expect(run.wait('2h').calls).toEqual(['do.a', 'do.b', 'undo.a']);
  });

  it('R20 a run that is to end as cancelled behind the pivot is held: nothing is undone by itself', () => {
    // R20: "After the confirmed pivot nothing compensates by itself: failures retry, then HELD."
    const text = workflow('  - { id: p, call: do.b, pivot: true }\n  - { id: over, end: cancelled }');
    const run = new Play(text).drive();
    expect(run.state.control.incidents).toMatchObject([
      { kind: 'pivot', step: null, message: 'the point of no return is passed: the run was to be undone' },
    ]);
    expect([run.state.status, run.happened]).toEqual(['HELD', ['do.b']]);
  });

  it('R24 there is no plan to undo a terminated run while nobody knows what became of one effect', () => {
    // R24: "An operator can compensate a COMPLETED run: plan, preview with `planHash`, reason, authorization; stale if the run moved."
    const run = new Play(TWO, { script: { 'do.b': ['lost-done'] } }).drive();
    run.terminate();
    expect(run.rowOf('b').state).toBe('UNKNOWN');
    expect(run.compensate('0'.repeat(64))).toMatchObject({ outcome: 'stale', detail: { planHash: null } });
    expect([run.state.status, run.happened]).toEqual(['TERMINATED', ['do.a', 'do.b']]);
  });

  it('R16 a step is not tried again in place of its refused undo', () => {
    // R16: "a person retries (next generation), marks it undone (with evidence: a new row CONFIRMED, observed by person) or waives it (with reason)."
    const run = new Play(TWO, { script: { 'do.b': ['declined'], 'undo.a': ['declined'] } }).drive();
    const { incidents } = run.state.control;
    const message =
      'what is held at a is not the step itself; a person can say: retry, undone, waived, terminate; to try it again: pawl resolve RUN a --as retry --evidence TEXT';
    expect(run.retry('a')).toMatchObject({ outcome: 'refused', code: 'not-held', detail: { message } });
    expect(run.state.control.incidents).toEqual(incidents);
    expect(run.happened).toEqual(['do.a']);
  });

  it('an order to undo is refused while the run settles', () => {
    const run = new Play(TWO, { script: { 'do.a': ['hang'] } }).drive();
    run.cancel();
    expect(run.compensate()).toMatchObject({ outcome: 'refused', code: 'compensating' });
  });

  it('R20 a handler that ends the run behind a pivot that came through holds it; a person orders the undo', () => {
    // R20: "While the pivot is UNKNOWN neither direction moves."
    const text = workflow(
      '  - { id: a, call: do.a }\n  - { id: p, call: do.b, pivot: true, on: [{ event: stop, then: cancel }] }',
      'events: { stop: {} }',
    );
    const run = new Play(text, { script: { 'do.b': ['hang'] } }).drive();
    run.signal('stop');
    run.provider.says('do.b', 'ok');
    run.drive();
    expect([run.state.status, run.incidents]).toEqual(['HELD', ['pivot']]);
    expect(run.happened).toEqual(['do.a', 'do.b']);
    expect(run.compensate()).toMatchObject({ outcome: 'applied' });
    expect([run.drive().happened, run.incidents]).toEqual([['do.a', 'do.b', 'undo.b', 'undo.a'], []]);
  });

  it('R24 an undo that cannot be computed is told with its step and why, and nothing is done', () => {
    // R24: "An operator can compensate a COMPLETED run: plan, preview with `planHash`, reason, authorization; stale if the run moved."
    const text = workflow('  - { id: a, call: do.a, compensate: { call: undo.a, with: { n: =input.deep.n } } }', INPUT);
    const run = new Play(text).drive();
    expect(run.state.status).toBe('COMPLETED');
    expect(run.compensate('0'.repeat(64))).toMatchObject({
      outcome: 'refused',
      code: 'plan',
      detail: {
        step: 'a',
        message: expect.stringMatching(/^the undo of step a cannot be computed: .*input/s) as string,
      },
    });
    expect([run.state.status, run.incidents]).toEqual(['COMPLETED', []]);
  });

  it('R19 R20 behind the pivot the deadline holds the run instead of undoing it', () => {
    // R19: "The run's deadline never interrupts an open row: no new forward work, then R04."
    const run = new Play(PIVOTED).drive();
    run.wait('11m');
    expect([run.state.status, run.incidents]).toEqual(['HELD', ['pivot']]);
    expect(run.retry('deadline')).toMatchObject({ outcome: 'applied' });
    expect(run.wait('1h').state.status).toBe('COMPLETED');
  });

  it('R19 with onFailure: hold the deadline holds the run', () => {
    // R19: "The run's deadline never interrupts an open row: no new forward work, then R04."
    const text = workflow('  - { id: a, call: do.a }\n  - { id: w, wait: 1h }', 'timeout: 10m\nonFailure: hold');
    const run = new Play(text).drive().wait('11m');
    expect([run.state.status, run.incidents]).toEqual(['HELD', ['failure']]);
  });

  it('a person cannot say anything of an effect that is not there, nor of a refused undo when the run has ended', () => {
    const run = new Play(TWO, { script: { 'do.b': ['declined'], 'undo.a': ['declined'] } }).drive();
    const undo = run.rowOf('a', 'undo');
    expect(run.resolve({ ...undo, key: 'f'.repeat(64) as typeof undo.key }, 'waived')).toMatchObject({
      outcome: 'refused',
      code: 'not-found',
    });
    run.terminate();
    expect(run.resolve(undo, 'waived')).toMatchObject({ outcome: 'refused', code: 'not-offered' });
  });
});

describe('an approval that cannot be asked', () => {
  const ASK = (more: string): string =>
    workflow(`  - { id: ok, approve: =input.title, from: ['role:desk'], ${more} }\n  - { id: a, call: do.a }`, INPUT);

  it.each<[string, Json, string]>([
    ['quorum: =input.q', { q: 0 }, 'whole numbers of one or more'],
    ['denials: =input.q', { q: 1.5 }, 'whole numbers of one or more'],
    ['subject: =input.gone.x', {}, 'gone'],
  ])('is the failure expression of its step: %s of %j', (more, input, said) => {
    const run = new Play(ASK(more), { input: { title: 'Go?', ...(input as object) } }).drive();
    expect(failureOf(run)).toMatchObject({ code: 'expression', step: 'ok' });
    expect(JSON.stringify(failureOf(run))).toContain(said);
    expect([run.happened, run.state.approvals.size]).toEqual([[], 0]);
  });

  it('has whatever its title gives as text', () => {
    expect(new Play(ASK('quorum: 1'), { input: { title: 7 } }).approval().title).toBe('7');
  });

  it.each([
    ['20m', '10m', 'timeout'],
    ['10m', '20m', 'expired'],
  ])('V10 of two timers that were due the earlier one counts: expires %s, timeout %s', (expires, timeout, code) => {
    // V10: "an event received after the due time finds the timer's outcome, however late the timer is processed."
    const run = new Play(ASK(`expires: ${expires}, timeout: ${timeout}`), { input: { title: 'Go?' } });
    run.sleep('30m');
    expect(run.cancel()).toMatchObject({ outcome: 'refused' });
    expect(failureOf(run)).toMatchObject({ code });
  });
});

describe('what an author wrote that cannot be computed', () => {
  it.each<[string, string, string]>([
    ['the value that an await matches', '  - { id: s, await: item, match: =input.gone.x }', 's'],
    ['a request', '  - { id: s, call: do.a, with: { n: =input.gone.x } }', 's'],
    ['an intent that is no text', '  - { id: s, call: do.a, intent: =input.n }', 's'],
    ['the instant of a wait', '  - { id: s, wait: { until: =input.n } }', 's'],
    ['the length of a wait', '  - { id: s, wait: =input.gone.x }', 's'],
  ])('is the failure expression of its step: %s', (_name, step, id) => {
    const more = `${INPUT}\nevents: { item: { by: event.data.id } }`;
    const run = new Play(workflow(step, more), { input: { n: -5 } }).drive();
    expect(failureOf(run)).toMatchObject({ code: 'expression', step: id });
    expect(run.happened).toEqual([]);
  });

  it('an intent that is a text is part of the key', () => {
    const keys = ['one', 'two'].map(
      (n) => new Play(workflow('  - { id: s, call: do.a, intent: =input.n }', INPUT), { input: { n } }).rowOf('s').key,
    );
    expect(new Set(keys).size).toBe(2);
  });

  it('who may review falls back on operators', () => {
    const text = workflow(
      "  - { id: a, call: do.a, onUnknown: review, review: { from: ['role:${ input.gone.x }'] } }",
      INPUT,
    );
    const run = new Play(text, { script: { 'do.a': ['lost-done'] } }).drive();
    expect(run.state.control.incidents).toMatchObject([{ kind: 'unknown', from: ['role:operator'] }]);
  });

  it('the output holds the run; a person who retries it is told, and it is held again', () => {
    const text = `${workflow('  - { id: a, call: do.a }', INPUT)}output: { x: =input.gone.x }\n`;
    const run = new Play(text).drive();
    expect([run.state.status, run.incidents]).toEqual(['HELD', ['failure']]);
    const step = run.state.control.incidents[0]?.step ?? '';
    expect(run.state.control.incidents[0]?.message).toContain('the output could not be computed');
    expect(run.retry(step)).toMatchObject({ outcome: 'applied' });
    expect([run.state.status, run.incidents, run.happened]).toEqual(['HELD', ['failure'], ['do.a']]);
  });
});

describe('events', () => {
  it('V01 two kept events of one instant are taken in the order of their ids, however they came', () => {
    // V01: "Store first, match later: an event before its wait is kept for its `keep` and matched; an unmatched one is listed, not dropped."
    const text = workflow('  - { id: w, wait: 1m }\n  - { id: e, await: item }', 'events: { item: {} }');
    for (const ids of [
      ['b', 'a'],
      ['a', 'b'],
    ] as const) {
      const run = new Play(text);
      for (const id of ids) run.signal('item', { id }, { id });
      run.wait('1m');
      expect(run.output('e')).toEqual({ id: 'a' });
    }
  });

  it('an event that the condition of a wait cannot be computed for is kept for another', () => {
    const text = workflow('  - { id: e, await: item, where: event.data.deep.n > 1 }', 'events: { item: {} }');
    const run = new Play(text);
    expect(run.signal('item', { n: 1 })).toMatchObject({ outcome: 'kept' });
    expect(run.signal('item', { deep: { n: 2 } })).toMatchObject({ outcome: 'applied' });
  });

  it('V13 an event that comes while a step drains is kept for what follows', () => {
    // V13: "One event moves a run at most once: the innermost taker, `await` before `on`."
    const text = workflow(
      '  - { id: a, call: do.a, on: [{ event: stop, next: e }] }\n  - { id: e, await: item }',
      'events: { stop: {}, item: {} }',
    );
    const run = new Play(text, { script: { 'do.a': ['hang'] } }).drive();
    expect(run.signal('stop')).toMatchObject({ outcome: 'applied' });
    expect(run.signal('stop')).toMatchObject({ outcome: 'kept' });
    expect(run.signal('item', { n: 1 })).toMatchObject({ outcome: 'kept' });
    run.provider.says('do.a', 'ok');
    run.drive();
    expect([run.state.status, run.output('e')]).toEqual(['COMPLETED', { n: 1 }]);
  });

  it('a match on an event without a correlation value takes nothing', () => {
    const text = workflow('  - { id: e, await: item, match: =input.n }', `${INPUT}\nevents: { item: {} }`);
    const run = new Play(text, { input: { n: 1 } });
    expect(run.signal('item', { n: 1 })).toMatchObject({ outcome: 'kept' });
  });
});

describe('a question', () => {
  it('that cannot be written is one for a person', () => {
    const text = workflow(
      '  - { id: a, call: ask.it }',
      `  ask.it:
    http: { method: POST, url: 'https://shop.example/a' }
    idempotency: none
    settlesWithin: 1m
    compensate: none
    reconcile: { http: { method: GET, url: 'https://shop.example/\${ effect.output.id }' }, found: response.status == 200, absent: final, every: 1m }`,
    );
    const run = new Play(text, { script: { 'ask.it': ['lost-done'] } }).drive().wait('5m');
    expect(run.state.control.incidents).toMatchObject([{ kind: 'unknown', step: 'a' }]);
    expect(run.rowOf('a')).toMatchObject({
      doubt: 'review',
      queries: 0,
      lastError: expect.stringContaining('output') as string,
    });
  });

  it('E08 that is answered when nobody asks any more is an observation', () => {
    // E08: "Late answers (fenced worker, webhook, second query) are stored as observations, never overwrite"
    const run = new Play(TWO).drive();
    const { key } = run.rowOf('a');
    run.decide([{ type: 'query.settled', effectKey: key, query: 1, outcome: outcome('absent') }]);
    expect(run.commits.at(-1)).toMatchObject({
      effects: [],
      observations: [{ effectKey: key, source: 'late-query', sourceId: 'query:1:fence:1', detail: { kind: 'absent' } }],
    });
  });
});

describe('an answer that cannot be read', () => {
  it('E12 is kept as an observation, and the same request is sent again', () => {
    // E12: "An answer that breaks the output schema or cannot be read or stored is kept as bytes (bounded): UNKNOWN `unreadable`."
    const run = new Play(TWO, { script: { 'do.a': ['unreadable', 'ok'] } }).drive();
    expect(run.rowOf('a')).toMatchObject({ state: 'UNKNOWN', code: 'unreadable' });
    expect(run.commits.flatMap(({ observations }) => observations)).toMatchObject([
      { effectKey: run.rowOf('a').key, source: 'unreadable', sourceId: 'attempt:1:query:0' },
    ]);
    expect(run.wait('1m').state.status).toBe('COMPLETED');
  });
});

describe('a read', () => {
  const READ = `pawl: 1\nworkflow: story\nversion: 1\nactions:\n  get.a: { function: get-a@1, effect: read }\nsteps:\n  - { id: r, call: get.a }\n`;

  it('that was not sent does not count and is asked again', () => {
    const run = new Play(READ);
    const [asked] = Object.values(run.state.control.reads);
    run.decide([
      {
        type: 'read.settled',
        step: 'r',
        attempt: asked?.serial ?? 0,
        outcome: outcome('unavailable', { sent: false }),
      },
    ]);
    expect(run.state.control.reads['r']).toMatchObject({ attempts: 0, closed: false });
    expect(run.state.status).toBe('WAITING');
  });

  it('that an event has made impossible to ask again is the failure expression of its step', () => {
    const text = workflow(
      "  - { id: r, call: look.up, with: { n: '${ 1 / vars.n }' }, on: [{ event: zero, set: { n: 0 } }] }",
      `  look.up: { function: look-up@1, effect: read, retry: { attempts: 3, delay: 10s } }
vars: { n: { type: integer, default: 1 } }
events: { zero: {} }`,
    );
    const run = new Play(text, { script: { 'look.up': ['503'] } }).drive();
    expect(run.signal('zero')).toMatchObject({ outcome: 'applied' });
    run.wait('10s');
    expect(run.head().failure).toMatchObject({ code: 'expression', step: 'r' });
    expect(run.calls).toEqual(['look.up']);
  });

  it('without an output has null', () => {
    const run = new Play(READ);
    const [asked] = Object.values(run.state.control.reads);
    run.decide([{ type: 'read.settled', step: 'r', attempt: asked?.serial ?? 0, outcome: outcome('confirmed') }]);
    expect([run.state.status, run.output('r')]).toEqual(['COMPLETED', null]);
  });
});

describe('a process that may not send any more', () => {
  it('P05 leaves what is in flight to whoever claims the run next, at once', () => {
    // P05: "A run that should have moved and has no holder is alarmed by any living process."
    const run = new Play(TWO, { script: { 'do.a': ['hang'] } }).drive();
    run.canSend = false;
    run.decide([{ type: 'due' }]);
    expect(run.commits.at(-1)?.lease).toMatchObject({ kind: 'release', readyAtMs: run.nowMs });
  });
});

describe('a step that is called as the engine calls something of its own', () => {
  it('V06 keep: it waits as long as it says, beside an event that is kept', () => {
    // V06: "only the decider applies"
    const run = new Play(
      workflow(
        '  - { id: keep, wait: 1h }\n  - { id: late, await: ping, timeout: 1d }',
        'events: { ping: { keep: 2h } }',
      ),
    ).drive();
    run.signal('ping');
    run.wait('1h');
    expect(run.state.status).toBe('COMPLETED');
    const timed = new Play(workflow('  - { id: keep, await: ping, timeout: 1h }', 'events: { ping: {} }')).drive();
    timed.wait('1h');
    expect(timed.head().failure).toMatchObject({ code: 'timeout', step: 'keep' });
  });
});
