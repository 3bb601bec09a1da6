import { describe, expect, it } from 'vitest';
import { compensationKey } from '../../src/decision/effect-key.ts';
import { Play, workflow } from './support/play.ts';

const THREE = workflow(`
  - { id: a, call: do.a }
  - { id: b, call: do.b }
  - { id: c, call: do.c }
`);
const FOUR_STEPS = `
  - { id: a, call: do.a }
  - { id: b, call: do.b }
  - { id: c, call: do.c }
  - { id: d, call: do.d }
`;
const FOUR = workflow(FOUR_STEPS);

/** A step whose action can be asked about, and is never repeated by itself. */
const ASKED = `
  ask.it:
    function: ask-it@1
    idempotency: none
    settlesWithin: 1m
    reconcile: { function: ask-it@1, absent: final, every: 1m }
    compensate: { call: undo.e, with: { key: =effect.key } }`;

describe('compensation', () => {
  it('R01 reverse: A, B, C confirmed in this completion order, D rejected: C’s compensation is requested first, B’s only after C’s is confirmed, A’s only after B’s', () => {
    // R01: "Never two at once within a plan."
    const run = new Play(FOUR, {
      script: { 'do.d': ['declined'], 'undo.c': ['503', 'ok'], 'undo.b': ['hang'] },
    }).drive();
    expect(run.happened).toEqual(['do.a', 'do.b', 'do.c']);
    expect(run.ledger()).toMatchObject({ 'undo c': 'AUTHORIZED', 'undo b': 'PROPOSED', 'undo a': 'PROPOSED' });
    run.wait('1m');
    expect(run.ledger()).toMatchObject({ 'undo c': 'CONFIRMED', 'undo b': 'REQUESTED', 'undo a': 'PROPOSED' });
    expect(run.state.status).toBe('COMPENSATING');
    run.provider.says('undo.b', 'ok');
    run.drive();
    expect(run.happened).toEqual(['do.a', 'do.b', 'do.c', 'undo.c', 'undo.b', 'undo.a']);
    expect(run.state.status).toBe('COMPENSATED');
  });

  it('R02 FAILED, ABSENT, CANCELLED, REFUSED rows, skipped steps and reads get no compensation', () => {
    // R02: "FAILED, ABSENT, CANCELLED, REFUSED rows, skipped steps and reads get no compensation."
    const text = workflow(
      `
  - { id: a, call: do.a }
  - { id: b, call: do.b, when: 'false' }
  - { id: look, call: look.up }
  - { id: c, call: do.c, catch: [{ on: [any], do: [] }] }
  - { id: d, call: do.d }`,
      `  look.up: { function: look-up@1, effect: read }`,
    );
    const run = new Play(text, { script: { 'do.c': ['declined'], 'do.d': ['declined'] } }).drive();
    expect(run.happened).toEqual(['do.a', 'undo.a']);
    expect(Object.keys(run.ledger())).toEqual(['a', 'c', 'd', 'undo a']);
  });

  it('R03 the failing step itself, if UNKNOWN, is settled before anything is compensated; CONFIRMED: it is compensated first', () => {
    // R03: "The failing step itself, if UNKNOWN, is settled before anything is compensated; CONFIRMED: it is compensated first; ABSENT: not at all."
    const run = new Play(THREE, { script: { 'do.c': ['lost-done', 'ok'] } }).drive();
    expect(run.cancel()).toMatchObject({ outcome: 'applied' });
    expect(run.ledger()).toEqual({ a: 'CONFIRMED', b: 'CONFIRMED', c: 'UNKNOWN' });
    expect(run.state.phase).toBe('settling');
    run.wait('1m');
    expect(run.happened).toEqual(['do.a', 'do.b', 'do.c', 'undo.c', 'undo.b', 'undo.a']);
    expect(run.state.status).toBe('CANCELLED');
  });

  it('R03 ABSENT: not at all', () => {
    // R03: "The failing step itself, if UNKNOWN, is settled before anything is compensated; CONFIRMED: it is compensated first; ABSENT: not at all."
    const text = workflow('  - { id: a, call: do.a }\n  - { id: x, call: ask.it }', ASKED.slice(1));
    const run = new Play(text, { script: { 'ask.it': ['lost-not-done'] } }).drive();
    run.cancel();
    run.wait('30s');
    expect(run.ledger()).toEqual({ a: 'CONFIRMED', x: 'UNKNOWN' });
    run.wait('5m');
    expect(run.ledger()).toMatchObject({ x: 'ABSENT', 'undo a': 'CONFIRMED' });
    expect(run.happened).toEqual(['do.a', 'undo.a']);
  });

  it('R12 a compensation’s request is computed once from the recorded request, receipt and failure, stored, and never altered', () => {
    // R12: "A compensation's request is computed once from the recorded request, receipt and failure, stored, and never altered."
    const text = workflow(
      `  - { id: a, call: go.a, with: { n: =vars.n } }
  - { id: s, set: { n: 2 } }
  - { id: b, call: do.b }`,
      `  go.a: { function: go-a@1, idempotency: { remembers: 24h }, compensate: { call: back.a, with: { n: =effect.input.n, got: =effect.output.id, why: =failure.code } } }
  back.a: { function: back-a@1, idempotency: { remembers: 24h }, compensate: none }
vars: { n: { type: integer, default: 1 } }`,
    );
    const run = new Play(text, { script: { 'do.b': ['declined'], 'back.a': ['503', 'lost-not-done', 'ok'] } }).drive();
    const first = run.rowOf('a', 'undo');
    expect(JSON.parse(first.request)).toMatchObject({ with: { n: 1, got: 'go.a-1', why: 'declined' } });
    run.crash().wait('2m');
    expect(run.rowOf('a', 'undo')).toMatchObject({
      state: 'CONFIRMED',
      request: first.request,
      requestHash: first.requestHash,
      attempt: 3,
    });
  });

  it('R12 if that computation fails: HELD before any row of the plan is requested', () => {
    // R12: "If that computation fails: HELD before any row of the plan is requested."
    const text = workflow(
      `  - { id: a, call: do.a }
  - { id: b, call: go.b }
  - { id: c, call: do.c }
  - { id: d, call: do.d }`,
      `  go.b: { function: go-b@1, idempotency: { remembers: 24h }, compensate: { call: undo.b, with: { n: '=effect.output.nowhere' } } }`,
    );
    const run = new Play(text, { script: { 'do.d': ['declined'] } }).drive();
    expect(run.happened).toEqual(['do.a', 'go.b', 'do.c']);
    expect(run.ledger()).toEqual({ a: 'CONFIRMED', b: 'CONFIRMED', c: 'CONFIRMED', d: 'FAILED' });
    expect(run.state.status).toBe('HELD');
    expect(run.incidents).toEqual(['compensation']);
    expect(run.terminate()).toMatchObject({ outcome: 'applied' });
    expect(run.state.status).toBe('TERMINATED');
  });

  it('R13 two workers, a crash loop, a double call: one row, at most one effect', () => {
    // R13: "Two workers, a crash loop, a double call: one row, at most one effect."
    const run = new Play(THREE, {
      script: { 'do.c': ['declined'], 'undo.b': ['lost-done', 'lost-done', 'ok'] },
    }).drive();
    const keys = ['b', 'a'].map((step) => compensationKey(run.rowOf(step).key));
    run.crash().crash().crash().wait('10m');
    expect(run.happened).toEqual(['do.a', 'do.b', 'undo.b', 'undo.a']);
    expect(['b', 'a'].map((step) => run.rowOf(step, 'undo').key)).toEqual(keys);
    expect(run.state.effects.size).toBe(5);
  });

  it('R15 a compensation that becomes UNKNOWN is settled like any effect; never assumed done', () => {
    // R15: "A compensation that becomes UNKNOWN is settled like any effect; never assumed done."
    const text = workflow(
      `  - { id: a, call: do.a }
  - { id: b, call: go.b }
  - { id: c, call: do.c }`,
      `  go.b: { function: go-b@1, idempotency: { remembers: 24h }, compensate: { call: once.b } }
  once.b: { function: once-b@1, idempotency: none, settlesWithin: 1m, compensate: none }`,
    );
    const run = new Play(text, { script: { 'do.c': ['declined'], 'once.b': ['lost-done'] } }).drive();
    expect(run.ledger()).toMatchObject({ 'undo b': 'UNKNOWN', 'undo a': 'PROPOSED' });
    expect(run.state.status).toBe('HELD');
    expect(run.incidents).toEqual(['unknown']);
    expect(run.resolve(run.rowOf('b', 'undo'), 'confirmed', { output: {} })).toMatchObject({
      outcome: 'refused',
      code: 'quarantine',
    });
    run.wait('5m');
    expect(run.resolve(run.rowOf('b', 'undo'), 'confirmed', { output: {} })).toMatchObject({ outcome: 'applied' });
    expect(run.happened).toEqual(['do.a', 'go.b', 'once.b', 'undo.a']);
    expect(run.state.status).toBe('COMPENSATED');
  });
});

describe('a compensation that is refused for good', () => {
  const refused = (): Play => new Play(FOUR, { script: { 'do.d': ['declined'], 'undo.b': ['declined'] } }).drive();

  it('R16 under hold: HELD, the rest untouched; it says how far it is', () => {
    // R16: "Refused for good under `hold`: HELD, the rest untouched."
    const run = refused();
    expect(run.happened).toEqual(['do.a', 'do.b', 'do.c', 'undo.c']);
    expect(run.ledger()).toMatchObject({ 'undo c': 'CONFIRMED', 'undo b': 'FAILED', 'undo a': 'PROPOSED' });
    expect(run.state.status).toBe('HELD');
    expect(run.state.control.incidents[0]?.message).toContain('1 of 3 undone, 1 needs a person');
    expect(run.head().needs).toEqual(['incident:compensation']);
  });

  it('R16 a person retries (next generation): another key, the same bytes, and it goes on from there', () => {
    // R16: "a person retries (next generation), marks it undone (with evidence: a new row CONFIRMED, observed by person) or waives it (with reason)."
    const run = refused();
    const first = run.rowOf('b', 'undo');
    run.provider.says('undo.b', 'ok');
    expect(run.resolve(first, 'retry')).toMatchObject({ outcome: 'applied' });
    const second = run.rowOf('b', 'undo');
    expect(second).toMatchObject({
      key: compensationKey(run.rowOf('b').key, 1),
      requestHash: first.requestHash,
      state: 'CONFIRMED',
    });
    expect(run.happened).toEqual(['do.a', 'do.b', 'do.c', 'undo.c', 'undo.b', 'undo.a']);
    expect(run.state.status).toBe('COMPENSATED');
    expect(run.incidents).toEqual([]);
  });

  it('R16 two people retry it at once: the second is told that the next try counts', () => {
    // R16: "a person retries (next generation), marks it undone (with evidence: a new row CONFIRMED, observed by person) or waives it (with reason)."
    const run = refused();
    const first = run.rowOf('b', 'undo');
    expect(run.resolve(first, 'retry')).toMatchObject({ outcome: 'applied' });
    const second = run.rowOf('b', 'undo');
    expect(second).toMatchObject({ key: compensationKey(run.rowOf('b').key, 1), state: 'FAILED' });
    for (const word of ['retry', 'undone', 'waived'] as const)
      expect(run.resolve(first, word)).toMatchObject({ outcome: 'refused', code: 'not-in-doubt' });
    expect(run.resolve(second, 'waived')).toMatchObject({ outcome: 'applied' });
    expect(run.resolve(second, 'waived', { roles: [] })).toMatchObject({
      outcome: 'refused',
      code: 'not-in-doubt',
      detail: { message: expect.stringMatching(/^the undo of step b is WAIVED since .* any more$/) },
    });
    expect(run.ledger()).toMatchObject({ 'undo b': 'WAIVED', 'undo a': 'CONFIRMED' });
  });

  it('R16 a person marks it undone (with evidence: a new row CONFIRMED, observed by person)', () => {
    // R16: "a person retries (next generation), marks it undone (with evidence: a new row CONFIRMED, observed by person) or waives it (with reason)."
    const run = refused();
    expect(run.resolve(run.rowOf('b', 'undo'), 'undone', { evidence: ' ' })).toMatchObject({
      code: 'evidence-missing',
    });
    expect(run.resolve(run.rowOf('b', 'undo'), 'undone')).toMatchObject({ outcome: 'applied' });
    const receipt = run.stored.receipts.find((row) => row.effectKey === run.rowOf('b', 'undo').key);
    expect(receipt).toMatchObject({ observedBy: 'person', outcome: 'confirmed' });
    expect(run.happened).toEqual(['do.a', 'do.b', 'do.c', 'undo.c', 'undo.a']);
    expect(run.state.status).toBe('COMPENSATED');
  });

  it('R16 a person waives it (with reason); the end says so', () => {
    // R16: "a person retries (next generation), marks it undone (with evidence: a new row CONFIRMED, observed by person) or waives it (with reason)."
    const run = refused();
    expect(run.resolve(run.rowOf('b', 'undo'), 'waived', { roles: ['clerk'] })).toMatchObject({
      outcome: 'refused',
      code: 'not-eligible',
    });
    expect(run.resolve(run.rowOf('b', 'undo'), 'waived')).toMatchObject({ outcome: 'applied' });
    expect(run.rowOf('b', 'undo').state).toBe('WAIVED');
    expect(run.state.status).toBe('COMPENSATED_WITH_ERRORS');
    expect(run.head().failure).toMatchObject({ code: 'declined', undone: ['a', 'c'], standing: ['b'] });
    expect(run.commits.flatMap((commit) => commit.audit)).toContainEqual(
      expect.objectContaining({ actor: 'op', act: 'resolve' }),
    );
  });

  it('R06 what was undone and what stands is told in the order in which it was done', () => {
    // R06: "Completion order is the receipt number, not a wall clock, not the start order."
    const steps = `
  - { id: g, parallel: { one: [{ id: a, call: do.a }, { id: p, call: do.e, compensate: none }], two: [{ id: b, call: do.b }] } }
  - { id: q, call: do.d, compensate: none }
  - { id: c, call: do.c }
`;
    const run = new Play(workflow(steps), { script: { 'do.a': ['hang'], 'do.c': ['declined'] } }).drive();
    run.provider.says('do.a', 'ok');
    run.crash().drive();
    run.wait('1h');
    expect(run.state.status).toBe('COMPENSATED');
    expect(run.happened.filter((name) => name.startsWith('do.'))).toEqual(['do.b', 'do.a', 'do.e', 'do.d']);
    expect(run.head().failure).toMatchObject({ undone: ['b', 'a'], standing: ['p', 'q'] });
  });

  it('R17 continue: the rest runs, then HELD for what is left', () => {
    // R17: "`continue`: the rest runs, then HELD for what is left."
    const text = workflow(FOUR_STEPS, 'compensation: { onFailure: continue }');
    const run = new Play(text, { script: { 'do.d': ['declined'], 'undo.b': ['declined'] } }).drive();
    expect(run.happened).toEqual(['do.a', 'do.b', 'do.c', 'undo.c', 'undo.a']);
    expect(run.state.status).toBe('HELD');
    run.resolve(run.rowOf('b', 'undo'), 'waived');
    expect(run.state.status).toBe('COMPENSATED_WITH_ERRORS');
  });

  it('R01 under continue: what a person lets go once more waits for the undo that is under way, and goes before the next', () => {
    // R01: "Never two at once within a plan."
    const text = workflow(FOUR_STEPS, 'compensation: { onFailure: continue }');
    const run = new Play(text, {
      script: { 'do.d': ['declined'], 'undo.c': ['declined', 'ok'], 'undo.b': ['hang'] },
    }).drive();
    expect(run.ledger()).toMatchObject({ 'undo c': 'FAILED', 'undo b': 'REQUESTED', 'undo a': 'PROPOSED' });
    expect(run.resolve(run.rowOf('c', 'undo'), 'retry')).toMatchObject({ outcome: 'applied' });
    expect(run.ledger()).toMatchObject({ 'undo c': 'PROPOSED', 'undo b': 'REQUESTED', 'undo a': 'PROPOSED' });
    run.provider.says('undo.b', 'ok');
    run.drive();
    expect(run.happened.slice(3)).toEqual(['undo.b', 'undo.c', 'undo.a']);
    expect(run.state.status).toBe('COMPENSATED');
  });

  it('R01 under continue: two that are let go once more, one after the other', () => {
    // R01: "Never two at once within a plan."
    const text = workflow(FOUR_STEPS, 'compensation: { onFailure: continue }');
    const run = new Play(text, {
      script: { 'do.d': ['declined'], 'undo.c': ['declined', 'hang'], 'undo.b': ['declined', 'ok'] },
    }).drive();
    expect(run.incidents).toEqual(['compensation', 'compensation']);
    run.resolve(run.rowOf('c', 'undo'), 'retry');
    run.resolve(run.rowOf('b', 'undo'), 'retry');
    expect(run.ledger()).toMatchObject({ 'undo c': 'REQUESTED', 'undo b': 'PROPOSED', 'undo a': 'CONFIRMED' });
    expect(run.incidents).toEqual([]);
    run.provider.says('undo.c', 'ok');
    run.drive();
    expect(run.happened.slice(3)).toEqual(['undo.a', 'undo.c', 'undo.b']);
    expect(run.state.status).toBe('COMPENSATED');
  });

  it('its own retry policy is used before it counts as refused', () => {
    const run = new Play(FOUR, { script: { 'do.d': ['declined'], 'undo.c': ['503', '503', '503', 'ok'] } })
      .drive()
      .wait('1m');
    expect(run.rowOf('c', 'undo')).toMatchObject({ state: 'CONFIRMED', countedAttempts: 4 });
    expect(run.state.status).toBe('COMPENSATED');
  });
});

describe('cases', () => {
  it('54: the undo runs 4, 3, 2, 1, also after a kill between two of them', () => {
    const run = new Play(FOUR, { script: { 'do.d': ['lost-done', 'ok'], 'undo.b': ['hang'] } }).drive();
    run.cancel();
    run.wait('1m');
    expect(run.happened).toEqual(['do.a', 'do.b', 'do.c', 'do.d', 'undo.d', 'undo.c']);
    run.provider.says('undo.b', 'ok');
    run.crash().wait('1m');
    expect(run.happened.slice(4)).toEqual(['undo.d', 'undo.c', 'undo.b', 'undo.a']);
  });

  it('56: an undo that gave up is an incident in the same commit, never "rolled back"', () => {
    const run = new Play(THREE, { script: { 'do.c': ['declined'], 'undo.b': ['declined'] } }).drive();
    const commit = run.commits.find((made) =>
      made.effects.some(({ effect }) => effect.compensates !== null && effect.state === 'FAILED'),
    );
    expect(commit?.head).toMatchObject({ status: 'HELD', needs: ['incident:compensation'] });
    expect(run.state.control.incidents[0]).toMatchObject({
      acts: ['retry', 'undone', 'waived', 'terminate'],
      from: ['role:operator'],
    });
  });
});
