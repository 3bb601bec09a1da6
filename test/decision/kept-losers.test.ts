import { describe, expect, it } from 'vitest';
import { findFaults } from '../../src/decision/invariants/find-faults.ts';
import type { EffectKey } from '../../src/model/ids.ts';
import { checkedRun } from './support/checked-run.ts';
import { Play, type Setting, workflow } from './support/play.ts';

const BRANCHES = 'x: [{ id: a, call: do.a }], y: [{ id: b, call: do.b, retry: { attempts: 3, delay: 1m } }]';

const NO_KEY = '' as EffectKey;
const CONFIRMED = {
  kind: 'confirmed',
  code: null,
  message: 'done',
  output: null,
  named: true,
  retryAfterMs: null,
  externalId: null,
  resultBase64: '',
  sent: true,
} as const;

/** A race whose losers are kept, and calls behind it. */
const race = (more = '', head = '', behind = ''): string =>
  workflow(
    `
  - { id: p, parallel: { ${BRANCHES} }, join: any, losers: keep${more} }
  - { id: d, call: do.d }
${behind}`,
    head,
  );

function sound(run: Play): Play {
  expect(findFaults(checkedRun(run), run.nowMs)).toEqual([]);
  return run;
}

const play = (text: string, script: Setting['script'] = { 'do.b': ['hang'] }): Play =>
  sound(new Play(text, { script }).drive());

const answer = (run: Play, action: string, word: 'ok' | 'declined' | '503' = 'ok'): Play => {
  run.provider.says(action, word);
  return sound(run.drive());
};

describe('losers that are kept', () => {
  it('R08 the next step starts at once; the run does not end before they settle, and what they do stands', () => {
    // R08: "`keep`: the next step starts at once; the run does not end, and nothing is compensated, before they settle."
    const run = play(race());
    expect(run.happened).toEqual(['do.a', 'do.d']);
    expect([run.ledger()['b'], run.state.status, run.state.phase]).toEqual(['REQUESTED', 'RUNNING', 'forward']);
    expect(run.output('p')).toMatchObject({ x: { status: 'succeeded' }, y: { status: 'stopped', output: null } });
    answer(run, 'do.b');
    expect(run.happened).toEqual(['do.a', 'do.d', 'do.b']);
    expect([run.ledger()['b'], run.state.status]).toEqual(['CONFIRMED', 'COMPLETED']);
    expect(run.state.snapshot.data.steps['b']).toBeUndefined();
  });

  it('R08 nothing of it is lost in a crash, and a doubt about it is settled before the run ends', () => {
    // R08: "`keep`: the next step starts at once; the run does not end, and nothing is compensated, before they settle."
    const run = play(race());
    run.crash();
    expect([run.ledger()['b'], sound(run).state.status]).toEqual(['UNKNOWN', 'WAITING']);
    run.provider.says('do.b', 'ok');
    run.wait('1m');
    expect([sound(run).state.status, run.happened]).toEqual(['COMPLETED', ['do.a', 'do.d', 'do.b']]);
  });

  it('R08 a loser that is refused changes nothing', () => {
    // R08: "`keep`: the next step starts at once; the run does not end, and nothing is compensated, before they settle."
    const run = answer(play(race()), 'do.b', 'declined');
    expect([run.ledger()['b'], run.state.status]).toEqual(['FAILED', 'COMPLETED']);
  });

  it('R08 R05 under drain it makes its retries, under cancel it does not', () => {
    // R08: "`keep`: the next step starts at once; the run does not end, and nothing is compensated, before they settle."
    const drained = answer(play(race()), 'do.b', '503');
    expect([drained.ledger()['b'], drained.state.status]).toEqual(['AUTHORIZED', 'WAITING']);
    drained.provider.says('do.b', 'ok');
    drained.wait('2m');
    expect([sound(drained).ledger()['b'], drained.state.status]).toEqual(['CONFIRMED', 'COMPLETED']);
    const stopped = answer(play(race(', siblings: cancel')), 'do.b', '503');
    expect([stopped.ledger()['b'], stopped.state.status]).toEqual(['FAILED', 'COMPLETED']);
  });

  it('R08 a failure behind it undoes nothing before it has settled, and then what it has done, too', () => {
    // R08: "`keep`: the next step starts at once; the run does not end, and nothing is compensated, before they settle."
    const run = play(race(), { 'do.b': ['hang'], 'do.d': ['declined'] });
    expect([run.happened, run.state.phase]).toEqual([['do.a'], 'settling']);
    answer(run, 'do.b');
    expect([run.happened, run.state.status]).toEqual([['do.a', 'do.b', 'undo.b', 'undo.a'], 'COMPENSATED']);
  });

  it('R08 a cancel while the run waits for nothing but its losers is followed, and undoes all', () => {
    // R08: "`keep`: the next step starts at once; the run does not end, and nothing is compensated, before they settle."
    const run = play(race());
    expect(run.cancel()).toMatchObject({ outcome: 'applied' });
    answer(run, 'do.b');
    expect([run.happened.slice(3), run.state.status]).toEqual([['undo.b', 'undo.d', 'undo.a'], 'CANCELLED']);
  });

  it('R08 R21 the verb undo and a clause with undo wait for it, and undo what it has done, too', () => {
    // R08: "`keep`: the next step starts at once; the run does not end, and nothing is compensated, before they settle."
    const verb = play(race('', '', '  - { id: u, undo: [p] }\n  - { id: e, call: do.e }'));
    expect([verb.happened, verb.state.phase]).toEqual([['do.a', 'do.d'], 'forward']);
    answer(verb, 'do.b');
    expect(verb.happened).toEqual(['do.a', 'do.d', 'do.b', 'undo.b', 'undo.a', 'do.e']);
    expect(verb.state.status).toBe('COMPLETED');
    const steps = `
  - id: s
    scope:
      - { id: p, parallel: { ${BRANCHES} }, join: any, losers: keep }
      - { id: d, call: do.d }
    catch: [{ on: [any], undo: true }]
  - { id: e, call: do.e }`;
    const clause = play(workflow(steps), { 'do.b': ['hang'], 'do.d': ['declined'] });
    expect(clause.happened).toEqual(['do.a']);
    answer(clause, 'do.b');
    expect(clause.happened).toEqual(['do.a', 'do.b', 'undo.b', 'undo.a', 'do.e']);
  });

  it('R08 the losers of another race, and an item that failed, are undone once it has settled', () => {
    // R08: "`keep`: the next step starts at once; the run does not end, and nothing is compensated, before they settle."
    const two = `
  - { id: p, parallel: { ${BRANCHES} }, join: any, losers: keep }
  - { id: q, parallel: { x: [{ id: c, call: do.c }], y: [{ id: d, call: do.d }] }, join: any, siblings: finish }
  - { id: e, call: do.e }`;
    const race2 = play(workflow(two));
    expect(race2.happened).toEqual(['do.a', 'do.c', 'do.d']);
    answer(race2, 'do.b');
    expect(race2.happened).toEqual(['do.a', 'do.c', 'do.d', 'do.b', 'undo.d', 'do.e']);
    const items = `
  - { id: p, parallel: { ${BRANCHES} }, join: any, losers: keep }
  - id: m
    map: '["one", "two"]'
    key: item
    concurrency: 1
    join: any
    tolerate: 1
    steps: [{ id: c, call: do.c }, { id: d, call: do.d }]`;
    const item = play(workflow(items), { 'do.b': ['hang'], 'do.d': ['declined', 'ok'] });
    expect(item.happened).toEqual(['do.a', 'do.c']);
    answer(item, 'do.b');
    expect(item.happened).toEqual(['do.a', 'do.c', 'do.b', 'undo.c', 'do.c', 'do.d']);
    expect(item.state.status).toBe('COMPLETED');
  });

  it('R08 what a loser is undoing itself goes on, and the run ends after it', () => {
    // R08: "`keep`: the next step starts at once; the run does not end, and nothing is compensated, before they settle."
    const branches =
      'x: [{ id: a, call: do.a }, { id: w, wait: 1m }], y: [{ id: b, call: do.b }, { id: u, undo: [b] }]';
    const steps = `
  - { id: p, parallel: { ${branches} }, join: any, losers: keep }
  - { id: d, call: do.d }`;
    const run = play(workflow(steps), { 'undo.b': ['hang'] });
    sound(run.wait('2m'));
    expect([run.happened, run.state.status]).toEqual([['do.a', 'do.b', 'do.d'], 'RUNNING']);
    answer(run, 'undo.b');
    expect([run.happened.at(-1), run.state.status]).toEqual(['undo.b', 'COMPLETED']);
  });

  it('R08 what a loser of one race waits to undo for the loser of another is awaited, too', () => {
    // R08: "`keep`: the next step starts at once; the run does not end, and nothing is compensated, before they settle."
    const inner = '{ u: [{ id: b, call: do.b }], v: [{ id: c, call: do.c }] }';
    const y = `[{ id: q, parallel: ${inner}, join: any, losers: keep }, { id: back, undo: [b] }]`;
    const x = '[{ id: a, call: do.a }, { id: w, wait: 1m }]';
    const script = { 'do.c': ['hang'], 'undo.b': ['hang'] } as const;
    const run = play(workflow(`  - { id: p, parallel: { x: ${x}, y: ${y} }, join: any, losers: keep }`), script);
    sound(run.wait('2m'));
    expect([run.happened, run.state.status]).toEqual([['do.a', 'do.b'], 'RUNNING']);
    answer(run, 'do.c');
    expect([run.ledger()['undo b'], run.state.status]).toEqual(['REQUESTED', 'RUNNING']);
    answer(run, 'undo.b');
    expect([run.happened, run.state.status]).toEqual([['do.a', 'do.b', 'do.c', 'undo.b'], 'COMPLETED']);
  });

  it('R08 a loser that has nothing on its way is not awaited, and its approvals and waits end', () => {
    // R08: "`keep`: the next step starts at once; the run does not end, and nothing is compensated, before they settle."
    const branches =
      "x: [{ id: a, call: do.a }, { id: w, wait: 1m }], y: [{ id: ok, approve: 'Go?', from: ['role:desk'], expires: 1h }]";
    const run = play(workflow(`  - { id: p, parallel: { ${branches} }, join: any, losers: keep }`));
    run.wait('2m');
    expect([sound(run).state.status, run.approval().state]).toEqual(['COMPLETED', 'cancelled']);
  });

  it('R08 entered again while a loser of before is on its way, each visit is settled by its own', () => {
    // R08: "`keep`: the next step starts at once; the run does not end, and nothing is compensated, before they settle."
    const steps = `
  - { id: p, parallel: { ${BRANCHES} }, join: any, losers: keep }
  - { id: n, set: { n: '\${ vars.n + 1 }' } }
  - { id: again, when: vars.n < 2, set: { n: =vars.n }, next: p, maxJumps: 2 }
  - { id: d, call: do.d }`;
    const script = { 'do.a': ['ok', 'hang'], 'do.b': ['hang'] } as const;
    const run = play(workflow(steps, 'vars: { n: { type: integer, default: 0 } }'), script);
    const [first, second] = [...run.state.effects.values()].filter(({ step }) => step === 'b');
    expect([first?.state, second?.state]).toEqual(['REQUESTED', 'REQUESTED']);
    run.decide([{ type: 'attempt.settled', effectKey: first?.key ?? NO_KEY, attempt: 1, outcome: CONFIRMED }]);
    expect(Object.keys(sound(run).ledger())).toEqual(['a', 'b']);
    answer(run, 'do.a');
    expect([run.happened, run.state.status]).toEqual([['do.a', 'do.a', 'do.d'], 'RUNNING']);
    answer(run, 'do.b');
    expect([run.happened.at(-1), run.state.status]).toEqual(['do.b', 'COMPLETED']);
  });

  it('R08 R23 what people are asked about a loser of before stays open when its step is left again', () => {
    // R08: "`keep`: the next step starts at once; the run does not end, and nothing is compensated, before they settle."
    const asking =
      "call: do.b, compensate: { call: undo.b, with: { key: =effect.key }, approve: { title: Undo, from: ['role:desk'] } }";
    const branches = `x: [{ id: a, call: do.a }, { id: w, wait: 1m }], y: [{ id: b, ${asking} }, { id: u, undo: [b] }]`;
    const steps = `
  - { id: p, parallel: { ${branches} }, join: any, losers: keep }
  - { id: n, set: { n: '\${ vars.n + 1 }' } }
  - { id: again, when: vars.n < 2, set: { n: =vars.n }, next: p, maxJumps: 2 }`;
    const run = play(workflow(steps, 'vars: { n: { type: integer, default: 0 } }'), {});
    const states = (): readonly string[] =>
      [...run.state.approvals.values()].map(({ approvalId, state }) => `${approvalId} ${state}`);
    sound(run.wait('90s'));
    expect([run.happened, states()]).toEqual([['do.a', 'do.b', 'do.a', 'do.b'], ['undo:b open']]);
    run.vote('ann', 'approve');
    expect([sound(run).happened.at(-1), states()]).toEqual(['undo.b', ['undo:b approved', 'undo:b.v1 open']]);
    sound(run.wait('2m'));
    expect(run.state.status).toBe('WAITING');
    run.vote('ann', 'approve');
    expect(sound(run).state.status).toBe('COMPLETED');
  });

  it('R08 the steps of finally begin once it has settled', () => {
    // R08: "`keep`: the next step starts at once; the run does not end, and nothing is compensated, before they settle."
    const run = play(`${race()}finally:\n  - { id: z, call: do.e }\n`);
    expect(run.happened).toEqual(['do.a', 'do.d']);
    answer(run, 'do.b');
    expect([run.happened, run.state.status]).toEqual([['do.a', 'do.d', 'do.b', 'do.e'], 'COMPLETED']);
  });

  it('R08 an end with an output of its own waits for it, too, and terminating waits for nothing', () => {
    // R08: "`keep`: the next step starts at once; the run does not end, and nothing is compensated, before they settle."
    const run = play(race('', '', '  - { id: e, end: { as: won, output: { by: x } } }'));
    expect(run.state.status).toBe('RUNNING');
    answer(run, 'do.b');
    expect([run.state.status, run.head().output]).toEqual(['COMPLETED', { by: 'x' }]);
    const ended = play(race());
    ended.terminate();
    expect([sound(ended).state.status, ended.ledger()['b']]).toEqual(['TERMINATED', 'REQUESTED']);
  });
});

describe('an undo while the run goes on', () => {
  it('R04 is not held up by what is under way outside of the race that it is of, and waits for what is inside', () => {
    // R04: "No compensation is requested while a row of the scope is open."
    const inner = '{ u: [{ id: b, call: do.b }], v: [{ id: c, call: do.c }] }';
    const steps = `  - { id: p, parallel: { x: [{ id: a, call: do.a }], y: [{ id: q, parallel: ${inner}, join: any, siblings: finish }] } }`;
    const script = { 'do.a': ['hang'], 'undo.c': ['hang'] } as const;
    const run = play(workflow(steps), script);
    expect(run.ledger()).toMatchObject({ a: 'REQUESTED', 'undo c': 'REQUESTED' });
    const whole = checkedRun(run);
    const effects = whole.effects.map((row) =>
      row.step === 'b' ? { ...row, state: 'REQUESTED' as const, settledAtMs: null, receiptNo: null } : row,
    );
    const found = findFaults({ ...whole, effects }, run.nowMs).map(({ what }) => what);
    expect(found).toContain('it is requested, and b is not settled');
  });
});
