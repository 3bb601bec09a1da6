import { describe, expect, it } from 'vitest';
import { answerIn, Play, T0, workflow } from './support/play.ts';

const EVENTS = `events:
  paid: { schema: { type: object, required: [amount], properties: { amount: { type: integer } } } }
  item: { keep: 1h }
  stop: {}
  order: { by: event.data.orderId, source: shop }`;

describe('events', () => {
  it('V01 store first, match later: an event before its wait is kept for its keep and matched', () => {
    // V01: "Store first, match later: an event before its wait is kept for its `keep` and matched; an unmatched one is listed, not dropped."
    const run = new Play(workflow('  - { id: w, wait: 1m }\n  - { id: e, await: item }', EVENTS));
    expect(run.signal('item', { n: 1 })).toMatchObject({ outcome: 'kept', consumed: false });
    expect(run.signal('item', { n: 2 })).toMatchObject({ outcome: 'kept' });
    run.wait('1m');
    expect(run.output('e')).toEqual({ n: 1 });
    const answers = run.commits
      .flatMap((commit) => commit.inbox)
      .filter((answer) => answer.source.startsWith('signal'));
    expect(answers.map((answer) => [answer.eventId, answer.outcome, answer.consumed])).toEqual([
      ['e1', 'kept', false],
      ['e2', 'kept', false],
      ['e1', 'applied', true],
      ['e2', 'unmatched', true],
    ]);
  });

  it('V01 an unmatched one is listed, not dropped', () => {
    // V01: "Store first, match later: an event before its wait is kept for its `keep` and matched; an unmatched one is listed, not dropped."
    const run = new Play(workflow('  - { id: w, wait: 1d }', EVENTS));
    const row = run.signalRow('item', {});
    run.deliver(row);
    run.wait('59m');
    expect(run.state.kept).toHaveLength(1);
    run.wait('2m');
    expect(run.state.kept).toHaveLength(0);
    expect(run.commits.flatMap((commit) => commit.inbox).at(-1)).toMatchObject({
      outcome: 'unmatched',
      consumed: true,
    });
  });

  it('V01 one that is taken before the end of its keep, and whose end some process has fired already, is applied once', () => {
    // V01: "Store first, match later: an event before its wait is kept for its `keep` and matched; an unmatched one is listed, not dropped."
    const run = new Play(
      workflow('  - { id: w, wait: 59m }\n  - { id: e, await: item }\n  - { id: x, wait: 1d }', EVENTS),
    );
    run.deliver(run.signalRow('item', { n: 1 }));
    run.sleep('1h');
    const fired = run.fire();
    const commits = run.decide(fired);
    expect(commits.flatMap((commit) => commit.inbox).filter(({ source }) => source === 'signal:outside')).toMatchObject(
      [{ outcome: 'applied', consumed: true }],
    );
    expect(run.output('e')).toEqual({ n: 1 });
  });

  it('V01 they are matched in the order in which they were received, not in that of their ids', () => {
    // V01: "Store first, match later: an event before its wait is kept for its `keep` and matched; an unmatched one is listed, not dropped."
    const run = new Play(workflow('  - { id: w, wait: 1m }\n  - { id: e, await: item }', EVENTS));
    run.decide([
      { type: 'inbox', event: run.signalRow('item', { n: 2 }, { id: 'a', atMs: T0 + 20 }) },
      { type: 'inbox', event: run.signalRow('item', { n: 1 }, { id: 'b', atMs: T0 + 10 }) },
    ]);
    run.wait('1m');
    expect(run.output('e')).toEqual({ n: 1 });
  });

  it('V02 the same row of the inbox again moves nothing: it has its answer', () => {
    // V02: "`(source, event id)` is unique as long as receipts are kept, before matching to a run and again in the run's inbox."
    const run = new Play(workflow('  - { id: e, await: item }\n  - { id: f, await: item }', EVENTS));
    const row = run.signalRow('item', { n: 1 });
    const [commit] = run.decide([
      { type: 'inbox', event: row },
      { type: 'inbox', event: row },
    ]);
    expect(commit?.inbox).toHaveLength(1);
    expect(run.output('f')).toBeUndefined();
    run.decide([{ type: 'inbox', event: { ...row, outcome: 'applied' } }]);
    expect(run.output('f')).toBeUndefined();
  });

  it('V04 an event for a run that ended is consumed as ended, answered 2xx', () => {
    // V04: "An event for a run that ended is consumed as `ended`, answered 2xx."
    const run = new Play(workflow('  - { id: a, call: do.a }', EVENTS)).drive();
    const { revision } = run.state;
    expect(run.signal('item', {})).toMatchObject({ outcome: 'ended', consumed: true });
    expect(run.state.revision).toBe(revision);
  });

  it('103: who comes days after the end is told how the run ended, when, and why; nothing is revived', () => {
    const text = workflow('  - { id: confirm, await: item, timeout: 24h }', EVENTS);
    const run = new Play(text).wait('3d');
    expect(run.signal('item', {})).toMatchObject({
      outcome: 'ended',
      detail: { status: 'FAILED', endedAtMs: T0 + 86_400_000, code: 'timeout' },
    });
    expect(run.state.status).toBe('FAILED');
    const done = new Play(workflow('  - { id: a, call: do.a }', EVENTS)).drive();
    expect(done.signal('item', {})).toMatchObject({ detail: { status: 'COMPLETED', endedAtMs: T0, code: null } });
  });

  it('103: who comes days after an end that nobody has seen to yet is told of that end, not of the run before it', () => {
    const run = new Play(workflow('  - { id: confirm, await: item, timeout: 24h }', EVENTS)).sleep('3d');
    const late = run.signalRow('item', {});
    const made = run.decide([...run.dueTimers(), { type: 'inbox', event: late }]);
    expect(answerIn(made, late)).toMatchObject({ outcome: 'ended', detail: { status: 'FAILED', code: 'timeout' } });
    expect(run.state.status).toBe('FAILED');
  });

  it('V05 only declared events are accepted from outside; engine events cannot be forged', () => {
    // V05: "Only declared events are accepted from outside; engine events cannot be forged."
    const run = new Play(workflow('  - { id: a, call: do.a }\n  - { id: e, await: paid }', EVENTS), {
      script: { 'do.a': ['hang'] },
    });
    for (const name of ['effect.settled', 'step.settled', 'run.stopped', 'run.undone', 'unheard']) {
      expect(run.signal(name, { step: 'a' })).toMatchObject({ outcome: 'refused', code: 'undeclared', consumed: true });
    }
    expect(run.state.revision).toBe(1);
  });

  it('V05 data that does not fit its schema is refused with the pointer', () => {
    // V05: "Only declared events are accepted from outside; engine events cannot be forged."
    const run = new Play(workflow('  - { id: e, await: paid }', EVENTS));
    expect(run.signal('paid', { amount: '5' })).toMatchObject({
      outcome: 'refused',
      code: 'schema',
      detail: { pointer: '/amount' },
    });
    expect(run.signal('paid', { amount: 5 })).toMatchObject({ outcome: 'applied' });
    expect(run.output('e')).toEqual({ amount: 5 });
  });

  it('V05 an event with a declared source is accepted from that source only', () => {
    // V05: "Only declared events are accepted from outside; engine events cannot be forged."
    const run = new Play(workflow("  - { id: e, await: order, match: 'o-1' }", EVENTS));
    expect(run.signal('order', { orderId: 'o-1' }, { source: 'elsewhere' })).toMatchObject({
      outcome: 'refused',
      code: 'source',
    });
    expect(run.signal('order', { orderId: 'o-2' }, { source: 'shop' })).toMatchObject({ outcome: 'kept' });
    expect(run.signal('order', { orderId: 'o-1' }, { source: 'shop' })).toMatchObject({ outcome: 'applied' });
  });

  it('an await takes what its where and from say, and nothing else', () => {
    const run = new Play(workflow("  - { id: e, await: paid, where: 'event.data.amount > 3', from: [bank] }", EVENTS));
    expect(run.signal('paid', { amount: 9 }, { source: 'other' })).toMatchObject({ outcome: 'kept' });
    expect(run.signal('paid', { amount: 2 }, { source: 'bank' })).toMatchObject({ outcome: 'kept' });
    expect(run.signal('paid', { amount: 4 }, { source: 'bank' })).toMatchObject({ outcome: 'applied' });
    expect(run.output('e')).toEqual({ amount: 4 });
  });

  it('V10 stored events, decisions and due timers of a run apply in the order of their database time; at a tie the event goes first', () => {
    // V10: "Stored events, decisions and due timers of a run apply in the order of their database time."
    const text = workflow(
      '  - { id: e, await: item, timeout: 10s, catch: [{ on: [timeout], do: [], next: late }] }\n  - { id: a, call: do.a, next: end }\n  - { id: late, call: do.b }',
      EVENTS,
    );
    const tie = new Play(text);
    const event = tie.signalRow('item', {}, { atMs: T0 + 10_000 });
    tie.sleep('1h');
    tie.decide([...tie.dueTimers(), { type: 'inbox', event }]);
    expect(tie.drive().happened).toEqual(['do.a']);
    const after = new Play(text);
    const late = after.signalRow('item', {}, { atMs: T0 + 10_001 });
    after.sleep('1h');
    const [commit] = after.decide([{ type: 'inbox', event: late }, ...after.dueTimers()]);
    expect(after.drive().happened).toEqual(['do.b']);
    expect(commit?.inbox.find((answer) => answer.eventId === late.eventId)).toMatchObject({ outcome: 'kept' });
  });

  it('V10 an event received after the due time finds the timer’s outcome, however late the timer is processed', () => {
    // V10: "an event received after the due time finds the timer's outcome, however late the timer is processed."
    const text = workflow(
      '  - { id: w, wait: 10s }\n  - { id: e, await: item, timeout: 10s, catch: [{ on: [timeout], do: [], next: late }] }\n  - { id: a, call: do.a, next: end }\n  - { id: late, call: do.b }',
      EVENTS,
    );
    const run = new Play(text);
    run.sleep('1h');
    // Nobody fired a timer in that hour: the wait was over at 10 s, the await at 20 s, the event came at 21 s.
    run.decide([{ type: 'inbox', event: run.signalRow('item', {}, { atMs: T0 + 21_000 }) }]);
    expect(run.drive().happened).toEqual(['do.b']);
    const firing = run.row('timer', 'w', { type: 'timer', name: 'w:wait', generation: 1, dueAtMs: T0 + 10_000 });
    expect(run.deliver(firing)).toMatchObject({ outcome: 'ended' });
  });

  it('V11 the sender is told what became of it', () => {
    // V11: "The sender is told what became of it: applied, kept, duplicate, stale, refused, already-decided, ended, unmatched."
    const run = new Play(workflow('  - { id: e, await: item }\n  - { id: f, await: item }', EVENTS));
    const told = [
      run.signal('stop'),
      run.signal('nothing'),
      run.signal('item'),
      run.signal('item'),
      run.signal('item'),
    ];
    expect(told.map((answer) => answer?.outcome)).toEqual(['kept', 'refused', 'applied', 'applied', 'ended']);
  });
});

describe('handlers', () => {
  const text = workflow(
    `  - { id: w, wait: 1m }
  - id: e
    await: item
    on: [{ event: stop, next: b }]
  - { id: a, call: do.a, next: end }
  - { id: b, call: do.b }`,
    EVENTS,
  );

  it('V13 a handler (on) never takes an event received before its step became active; await does', () => {
    // V13: "A handler (`on`) never takes an event received before its step became active; `await` does."
    const run = new Play(text);
    run.signal('stop', {});
    run.wait('1m');
    expect(run.state.kept).toHaveLength(1);
    expect(run.signal('stop', {})).toMatchObject({ outcome: 'applied', detail: { step: 'e', handler: 0 } });
    expect(run.happened).toEqual(['do.b']);
    const kept = new Play(text);
    kept.signal('item', {});
    expect(kept.wait('1m').happened).toEqual(['do.a']);
  });

  it('V13 received before, looked at after: the time of receipt counts', () => {
    // V13: "A handler (`on`) never takes an event received before its step became active; `await` does."
    const run = new Play(text);
    const row = run.signalRow('stop', {}, { atMs: T0 + 59_000 });
    run.wait('2m');
    expect(run.deliver(row)).toMatchObject({ outcome: 'kept' });
    expect(run.happened).toEqual([]);
  });

  it('V13 one event moves a run at most once: the innermost taker, await before on', () => {
    // V13: "One event moves a run at most once: the innermost taker, `await` before `on`."
    const nested = workflow(
      `  - id: outer
    choose:
      - when: 'true'
        steps:
          - { id: e, await: item, on: [{ event: item, next: x }, { event: stop, next: x }] }
          - { id: x, call: do.c }
    on: [{ event: item, next: z }, { event: stop, next: z }]
  - { id: y, call: do.b, next: end }
  - { id: z, call: do.d }`,
      EVENTS,
    );
    const awaited = new Play(nested);
    expect(awaited.signal('item', { n: 1 })).toMatchObject({ detail: { step: 'e' } });
    expect(awaited.output('e')).toEqual({ n: 1 });
    expect(awaited.happened).toEqual(['do.c', 'do.b']);
    const handled = new Play(nested);
    expect(handled.signal('stop', {})).toMatchObject({ detail: { step: 'e', handler: 1 } });
    expect(handled.happened).toEqual(['do.c', 'do.b']);
  });

  it('V13 a choose takes what comes while one of its steps is active, and nothing from before', () => {
    // V13: "A handler (`on`) never takes an event received before its step became active; `await` does."
    const nested = workflow(
      `  - { id: w, wait: 1m }
  - id: outer
    choose: [{ when: 'true', steps: [{ id: v, wait: 1m }, { id: x, wait: 1h }] }]
    on: [{ event: stop, next: z }]
  - { id: y, call: do.b, next: end }
  - { id: z, call: do.d }`,
      EVENTS,
    );
    const run = new Play(nested);
    const early = run.signalRow('stop', {}, { atMs: T0 + 59_999 });
    run.wait('3m');
    expect(run.deliver(early)).toMatchObject({ outcome: 'kept' });
    const during = run.signalRow('stop', {}, { atMs: T0 + 61_000 });
    expect(run.deliver(during)).toMatchObject({ outcome: 'applied', detail: { step: 'outer' } });
    expect(run.happened).toEqual(['do.d']);
  });

  it('with a target: retries stop, what is in flight settles, then the target, whatever the outcome', () => {
    const steps = `  - { id: a, call: do.a, retry: { attempts: 9, delay: 1m }, on: [{ event: stop, next: b }] }\n  - { id: b, call: do.b }`;
    const waiting = new Play(workflow(steps, EVENTS), { script: { 'do.a': ['503', 'ok'] } }).drive();
    expect(waiting.signal('stop')).toMatchObject({ outcome: 'applied' });
    expect(waiting.ledger()).toEqual({ a: 'CANCELLED', b: 'CONFIRMED' });
    const flying = new Play(workflow(steps, EVENTS), { script: { 'do.a': ['hang'] } }).drive();
    flying.signal('stop');
    expect(flying.ledger()).toEqual({ a: 'REQUESTED' });
    flying.provider.says('do.a', '503');
    flying.drive();
    expect(flying.ledger()).toEqual({ a: 'FAILED', b: 'CONFIRMED' });
    expect(flying.state.status).toBe('COMPLETED');
  });

  it('without a target it only sets; its step goes on', () => {
    const steps = `  - { id: e, await: item, on: [{ event: paid, set: { n: =event.data.amount } }] }\n  - { id: a, call: do.a, with: { n: =vars.n } }`;
    const run = new Play(workflow(steps, `${EVENTS}\nvars: { n: { type: integer, default: 1 } }`));
    run.signal('paid', { amount: 7 });
    run.signal('item');
    expect(JSON.parse(run.rowOf('a').request)).toMatchObject({ with: { n: 7 } });
  });

  it('then: end, cancel and fail', () => {
    const story = (then: string): Play => {
      const steps = `  - { id: a, call: do.a }\n  - { id: e, await: item, on: [{ event: stop, then: ${then} }] }\n  - { id: b, call: do.b }`;
      const run = new Play(workflow(steps, EVENTS)).drive();
      run.signal('stop');
      return run;
    };
    expect(['end', 'cancel', 'fail'].map((then) => story(then).state.status)).toEqual([
      'COMPLETED',
      'CANCELLED',
      'COMPENSATED',
    ]);
  });
});

describe('timers', () => {
  it('V06 a timer’s due time is fixed once from its event’s database time; never early, at most once', () => {
    // V06: "A timer's due time is fixed once from its event's database time."
    const run = new Play(workflow('  - { id: w, wait: 400d }\n  - { id: a, call: do.a }'));
    expect(run.state.timers.get('w:wait')?.dueAtMs).toBe(T0 + 400 * 86_400_000);
    run.crash().sleep('399d');
    run.decide([{ type: 'resumed' }]);
    expect(run.calls).toEqual([]);
    run.wait('2d');
    expect(run.happened).toEqual(['do.a']);
    expect(run.output('w')).toMatchObject({ late: false });
  });

  it('V06 a commit that leaves the state deletes its timers; a generation that is not current is ignored', () => {
    // V06: "A commit that leaves the state deletes its timers; a generation that is not current is ignored."
    const steps = '  - { id: e, await: item, timeout: 1m, next: e2 }\n  - { id: e2, wait: 5s, next: e, maxJumps: 3 }';
    const run = new Play(workflow(steps, EVENTS));
    const first = run.state.timers.get('e:timeout');
    run.signal('item');
    expect(run.commits.at(-1)?.timersCleared).toEqual(['e:timeout']);
    run.wait('5s');
    expect(run.state.timers.get('e:timeout')).toMatchObject({ generation: 3 });
    const { revision } = run.state;
    const stale = run.row('timer', 'stale', { type: 'timer', ...(first ?? { name: '', dueAtMs: 0, generation: 0 }) });
    expect(run.deliver(stale)).toMatchObject({ outcome: 'stale', code: 'generation' });
    expect(run.state.revision).toBe(revision);
  });

  it('V06 a firing that comes while its state is left is ignored, too', () => {
    // V06: "A commit that leaves the state deletes its timers; a generation that is not current is ignored."
    const run = new Play(workflow('  - { id: e, await: item, timeout: 1m }\n  - { id: f, await: stop }', EVENTS));
    const firing = run.row('timer', 'x', {
      type: 'timer',
      ...(run.state.timers.get('e:timeout') ?? { name: '', dueAtMs: 0, generation: 0 }),
    });
    run.signal('item');
    expect(run.deliver(firing)).toMatchObject({ outcome: 'stale' });
    expect(run.state.status).toBe('WAITING');
  });

  it('a wait of zero and an instant that has passed go on at once; what is no duration is a failure', () => {
    const now = workflow(
      "  - { id: w, wait: 0s }\n  - { id: v, wait: { until: '2029-12-31T00:00:00Z' } }\n  - { id: a, call: do.a }",
    );
    const run = new Play(now);
    expect(run.state.timers.size).toBe(0);
    expect(run.drive().happened).toEqual(['do.a']);
    const text = workflow(
      `  - { id: w, wait: '\${ input.d }' }`,
      'input: { type: object, properties: { d: { type: string } } }',
    );
    expect(new Play(text, { input: { d: '-5s' } }).head().failure).toMatchObject({ code: 'expression', step: 'w' });
  });
});

describe('cases', () => {
  it('26: the timeout is taken, then the event comes: the other path never runs', () => {
    const steps =
      '  - { id: e, await: item, timeout: 5s, catch: [{ on: [timeout], do: [{ id: off, call: do.b }], then: end }] }\n  - { id: ship, call: do.a }';
    const run = new Play(workflow(steps, EVENTS)).wait('5s');
    expect(run.signal('item', {}, { atMs: T0 + 5_200 })).toMatchObject({ outcome: 'ended' });
    expect(run.happened).toEqual(['do.b']);
  });

  it('40: fifty events of one name in a burst are fifty sends, in the order of their arrival', () => {
    const steps = `  - { id: e, await: item }\n  - { id: send, call: do.a, object: 'item/\${ steps.e.output.n }', with: { n: =steps.e.output.n }, next: e, maxJumps: 99 }`;
    const run = new Play(workflow(steps, EVENTS)).drive();
    const rows = Array.from({ length: 50 }, (_, n) =>
      run.signalRow('item', { n }, { id: `id-${(n * 37) % 50}`, atMs: T0 + n }),
    );
    run.decide(rows.toReversed().map((event) => ({ type: 'inbox', event })));
    run.drive();
    expect(run.happened).toHaveLength(50);
    const sent = [...run.state.effects.values()].map(
      (row) => (JSON.parse(row.request) as { with: { n: number } }).with.n,
    );
    expect(sent).toEqual(Array.from({ length: 50 }, (_, n) => n));
  });

  it('45: an old "failed" after the success is stored, answered, and changes nothing', () => {
    const events = 'events: { result: { schema: { type: object } } }';
    const steps =
      "  - { id: e, await: result, where: 'event.data.ok' }\n  - { id: ship, call: do.a }\n  - { id: w, wait: 1h }";
    const run = new Play(workflow(steps, events)).drive();
    expect(run.signal('result', { ok: true, attempt: 2 })).toMatchObject({ outcome: 'applied' });
    expect(run.signal('result', { ok: false, attempt: 1 })).toMatchObject({ outcome: 'kept' });
    expect(run.wait('2h').state.status).toBe('COMPLETED');
    expect(run.happened).toEqual(['do.a']);
  });

  const ALWAYS = `vars: { n: { type: integer, default: 0 } }
events: { item: {}, stop: {}, note: {} }
on:
  - { event: item, set: { n: '\${ vars.n + 1 }' } }
  - { event: note, where: 'event.data.ok', set: { n: '\${ vars.n + 10 }' } }
  - { event: stop, then: end }`;

  it('V13 the innermost takes it: await, then the step, then the document, each event once', () => {
    // V13: "A handler (`on`) never takes an event received before its step became active; `await` does. One event moves a run at most once: the innermost taker, `await` before `on`."
    const steps = `  - { id: e, await: item }
  - { id: w, wait: 1h, on: [{ event: item, set: { n: 5 } }] }
  - { id: x, wait: 1h }`;
    const run = new Play(workflow(steps, ALWAYS));
    expect(run.signal('item')).toMatchObject({ outcome: 'applied', detail: { step: 'e' } });
    expect(run.state.snapshot.data.vars).toEqual({ n: 0 });
    expect(run.signal('item')).toMatchObject({ outcome: 'applied', detail: { step: 'w', handler: 0 } });
    expect(run.state.snapshot.data.vars).toEqual({ n: 5 });
    run.wait('1h');
    expect(run.signal('item')).toMatchObject({ outcome: 'applied', detail: { step: null, handler: 0 } });
    expect(run.state.snapshot.data.vars).toEqual({ n: 6 });
    expect(run.signal('note', { ok: false })).toMatchObject({ outcome: 'kept' });
    expect(run.signal('note', { ok: true })).toMatchObject({ outcome: 'applied', detail: { step: null, handler: 1 } });
  });

  it('V13 the document takes nothing that was received before the run began', () => {
    // V13: "A handler (`on`) never takes an event received before its step became active; `await` does. One event moves a run at most once: the innermost taker, `await` before `on`."
    const run = new Play(workflow('  - { id: w, wait: 1h }', ALWAYS));
    expect(run.signal('item', {}, { atMs: T0 - 1 })).toMatchObject({ outcome: 'kept' });
    expect(run.signal('item', {}, { atMs: T0 })).toMatchObject({ outcome: 'applied' });
    expect(run.state.snapshot.data.vars).toEqual({ n: 1 });
  });

  it('a target of the document waits for what is open; nothing new starts', () => {
    const run = new Play(workflow('  - { id: a, call: do.a }\n  - { id: b, call: do.b }', ALWAYS), {
      script: { 'do.a': ['hang'] },
    }).drive();
    expect(run.signal('stop')).toMatchObject({ outcome: 'applied', detail: { step: null } });
    expect(run.state.status).toBe('RUNNING');
    run.provider.says('do.a', 'ok');
    run.drive();
    expect([run.state.status, run.happened]).toEqual(['COMPLETED', ['do.a']]);
  });
});
