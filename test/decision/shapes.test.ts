import { describe, expect, it } from 'vitest';
import { compensationKey, readRequest } from '../../src/decision/effect-key.ts';
import { findFaults } from '../../src/decision/invariants/find-faults.ts';
import type { Effect } from '../../src/model/effect.ts';
import { checkedRun } from './support/checked-run.ts';
import { planHash, Play, type Setting, workflow } from './support/play.ts';

const A = '{ id: a, call: do.a }';
const B = '{ id: b, call: do.b, with: { of: =steps.a.output } }';
const C = '{ id: c, call: do.c }';
const COUNT = '{ set: { n: "${ vars.n + 1 }" } }';
const VARS = 'vars: { n: { type: integer, default: 0 } }';

/** Three acts or four in a shape of the language, and one more that is its last. */
const SHAPES: readonly (readonly [shape: string, steps: (last: string) => readonly string[]])[] = [
  ['a list', (last) => [A, B, C, `{ ${last} }`]],
  ['branches', (last) => [`{ id: g, parallel: { one: [${A}, ${B}, { ${last} }], two: [${C}] } }`]],
  [
    'a map',
    (last) => [`{ id: g, map: '["x", "y"]', key: item, steps: [${A}, ${B}, { ${last}, when: 'item == "y"' }] }`],
  ],
  [
    'a repeat',
    (last) => [
      `{ id: g, repeat: 3, until: vars.n >= 2, steps: [${A}, ${B}, ${COUNT}, { ${last}, when: vars.n == 2 }] }`,
    ],
  ],
  ['a scope', (last) => [`{ id: g, scope: [${A}, ${B}, ${C}, { ${last} }] }`]],
];

const faultsOf = (run: Play): readonly string[] =>
  findFaults(checkedRun(run), run.nowMs).map(({ row, what }) => `${row}: ${what}`);
const rowsOf = (run: Play): readonly Effect[] => [...run.state.effects.values()];
const undoRows = (run: Play): readonly Effect[] => rowsOf(run).filter(({ compensates }) => compensates !== null);
const confirmed = (run: Play): readonly Effect[] =>
  rowsOf(run).filter(({ compensates, state }) => compensates === null && state === 'CONFIRMED');
const undos = (run: Play): readonly string[] => run.happened.filter((name) => name.startsWith('undo.'));
/** The undos of all that was done, the last act first. */
const backwards = (run: Play): readonly string[] =>
  run.happened
    .filter((name) => name.startsWith('do.'))
    .map((name) => `undo.${name.slice(3)}`)
    .toReversed();

/** The most undos that were ever under way at once. */
function atOnce(run: Play): number {
  const open = new Set<string>();
  let most = 0;
  for (const { effect } of run.commits.flatMap(({ effects }) => effects)) {
    if (effect.compensates === null) continue;
    if (effect.state === 'REQUESTED') open.add(effect.key);
    else open.delete(effect.key);
    most = Math.max(most, open.size);
  }
  return most;
}

const REFUSED = { 'do.d': ['declined'] } as const;

describe.each(SHAPES)('what is undone in %s', (_shape, steps) => {
  const text = (last: string, { behind = '', head = '' } = {}): string =>
    workflow(
      `${steps(last)
        .map((step) => `\n  - ${step}`)
        .join('')}${behind}`,
      `${VARS}\n${head}`,
    );
  const play = (script: Setting['script'] = REFUSED, head = ''): Play =>
    new Play(text('id: d, call: do.d', { head }), { script }).drive();

  it('R01 goes in the reverse order of the receipts, never two at once', () => {
    // R01: "C's compensation is requested first, B's only after C's is confirmed, A's only after B's. Never two at once within a plan."
    const run = play();
    expect(undos(run)).toEqual(backwards(run));
    expect(undos(run).length).toBeGreaterThanOrEqual(3);
    expect([run.state.status, atOnce(run)]).toEqual(['COMPENSATED', 1]);
  });

  it('R02 is what was confirmed, and nothing else', () => {
    // R02: "FAILED, ABSENT, CANCELLED, REFUSED rows, skipped steps and reads get no compensation."
    const run = play();
    const keys = confirmed(run).map(({ key }) => key);
    expect(
      undoRows(run)
        .map(({ compensates }) => compensates)
        .toSorted(),
    ).toEqual(keys.toSorted());
    expect(Object.keys(run.ledger())).not.toContain('undo d');
  });

  it('R03 begins with the last act, once it is known that it happened', () => {
    // R03: "The failing step itself, if UNKNOWN, is settled before anything is compensated; CONFIRMED: it is compensated first"
    const run = play({ 'do.d': ['lost-done', 'ok'] });
    run.cancel();
    expect(undos(run)).toEqual([]);
    run.wait('1m');
    expect(undos(run)).toEqual(backwards(run));
    expect([undos(run)[0], run.state.status]).toEqual(['undo.d', 'CANCELLED']);
  });

  it('R07 waits in graph order for whoever has read it', () => {
    // R07: "a compensation starts when those of all steps that read its step's output, and those its own `after` names, are confirmed"
    const run = play({ ...REFUSED, 'undo.b': ['hang'] }, 'compensation: { order: graph }');
    const statesOf = (step: string): ReadonlySet<string> =>
      new Set(undoRows(run).flatMap((row) => (row.step === step ? [row.state] : [])));
    expect([statesOf('a'), statesOf('b').has('REQUESTED')]).toEqual([new Set(['PROPOSED']), true]);
    run.provider.says('undo.b', 'ok');
    run.drive();
    expect([undos(run).toSorted(), run.state.status]).toEqual([backwards(run).toSorted(), 'COMPENSATED']);
  });

  it('R12 is asked for as it was planned, all of it before the first of it is requested', () => {
    // R12: "A compensation's request is computed once from the recorded request, receipt and failure, stored, and never altered."
    const run = play({ ...REFUSED, 'undo.b': ['hang'] });
    const planned = (): readonly string[] =>
      undoRows(run)
        .map(({ key, requestHash }) => `${key} ${requestHash}`)
        .toSorted();
    const first = planned();
    expect(first).toHaveLength(backwards(run).length);
    expect(undoRows(run).map((row) => readRequest(row).with)).toEqual(
      undoRows(run).map(({ compensates }) => ({ key: compensates })),
    );
    run.provider.says('undo.b', 'ok');
    run.crash().drive().wait('1h');
    expect([planned(), run.state.status]).toEqual([first, 'COMPENSATED']);
  });

  it('R13 has one row under the key of its act, however often it is decided', () => {
    // R13: "Two workers, a crash loop, a double call: one row, at most one effect."
    const run = play({ ...REFUSED, 'undo.b': ['hang'] });
    run.crash().crash().crash();
    run.provider.says('undo.b', 'ok');
    run.drive().wait('1h');
    expect(
      undoRows(run)
        .map(({ key }) => key)
        .toSorted(),
    ).toEqual(
      confirmed(run)
        .map(({ key }) => compensationKey(key))
        .toSorted(),
    );
    expect(undos(run)).toEqual(backwards(run));
  });

  it('R14 is the same with a crash at each boundary', () => {
    // R14: "Crash at each boundary of a compensation, resume twice: same ledger, one effect each."
    const whole = play();
    for (let boundary = 0; boundary <= whole.calls.length; boundary += 1) {
      const run = new Play(text('id: d, call: do.d'), { script: { 'do.d': ['named'] } });
      for (let answered = 0; answered < boundary; answered += 1) {
        const input = run.answerNext();
        if (input !== null) run.decide([input]);
      }
      run.crash().crash();
      expect(faultsOf(run)).toEqual([]);
      run.drive().wait('1h');
      expect([run.happened.toSorted(), run.state.status]).toEqual([whole.happened.toSorted(), 'COMPENSATED']);
      expect(undos(run)).toEqual(backwards(run));
      expect(Object.keys(run.ledger()).toSorted()).toEqual(Object.keys(whole.ledger()).toSorted());
    }
  });

  it('R15 is never assumed done', () => {
    // R15: "A compensation that becomes UNKNOWN is settled like any effect; never assumed done."
    const run = play({ ...REFUSED, 'undo.b': ['lost-done', 'ok'] });
    expect(undoRows(run).map(({ state }) => state)).toEqual(expect.arrayContaining(['UNKNOWN', 'PROPOSED']));
    run.wait('1m');
    expect([undos(run), run.state.status]).toEqual([backwards(run), 'COMPENSATED']);
  });

  it('R16 stops for a person where it is refused, the rest untouched, and goes on from there', () => {
    // R16: "Refused for good under `hold`: HELD, the rest untouched; a person retries (next generation), marks it undone (with evidence: a new row CONFIRMED, observed by person) or waives it (with reason); it goes on from there."
    const run = play({ ...REFUSED, 'undo.b': ['declined', 'ok'] });
    expect([run.state.status, run.incidents]).toEqual(['HELD', ['compensation']]);
    expect(
      undoRows(run)
        .filter(({ step }) => step === 'a')
        .map(({ state }) => state),
    ).not.toContain('CONFIRMED');
    expect(run.resolve(refusedUndo(run), 'waived')).toMatchObject({ outcome: 'applied' });
    expect(run.state.status).toBe('COMPENSATED_WITH_ERRORS');
    expect(undos(run)).toEqual(backwards(run).toSpliced(backwards(run).indexOf('undo.b'), 1));
  });

  it('R17 goes on under `continue`, and a person is asked for what is left', () => {
    // R17: "`continue`: the rest runs, then HELD for what is left."
    const run = play({ ...REFUSED, 'undo.b': ['declined', 'ok'] }, 'compensation: { onFailure: continue }');
    expect(run.state.status).toBe('HELD');
    expect(undoRows(run).flatMap(({ state }) => (state === 'CONFIRMED' ? [] : [state]))).toEqual(['FAILED']);
    expect(run.resolve(refusedUndo(run), 'undone')).toMatchObject({ outcome: 'applied' });
    expect(run.state.status).toBe('COMPENSATED');
  });

  it('R18 is all of it when the run is cancelled, once what is on its way is there', () => {
    // R18: "Later: settle, undo, CANCELLED."
    const run = play({ 'do.d': ['hang'] });
    expect(run.cancel()).toMatchObject({ outcome: 'applied' });
    expect([undos(run), run.rowOf('d').state]).toEqual([[], 'REQUESTED']);
    run.provider.says('do.d', 'ok');
    run.drive();
    expect([undos(run), run.state.status]).toEqual([backwards(run), 'CANCELLED']);
  });

  it('R19 is not begun by the deadline while anything is on its way', () => {
    // R19: "The run's deadline never interrupts an open row: no new forward work, then R04."
    const run = play({ 'do.d': ['hang'] }, 'timeout: 1h');
    run.wait('2h');
    expect([undos(run), run.rowOf('d').state]).toEqual([[], 'REQUESTED']);
    run.provider.says('do.d', 'ok');
    run.drive();
    expect([undos(run), run.state.status]).toEqual([backwards(run), 'COMPENSATED']);
  });

  it('R20 is nothing behind a pivot', () => {
    // R20: "After the confirmed pivot nothing compensates by itself: failures retry, then HELD."
    const behind = '\n  - { id: p, call: do.e, pivot: true }\n  - { id: z, call: do.d }';
    const run = new Play(text('id: n, choose: [{ else: [] }]', { behind }), { script: REFUSED }).drive();
    expect([undoRows(run), run.state.status]).toEqual([[], 'HELD']);
  });

  it('R22 is undone once, whoever asks again', () => {
    // R22: "a scope is undone at most once per visit; asking again answers with the first result."
    const inner = steps('id: d, call: do.d').join(', ');
    const around = `\n  - { id: e, call: do.e }\n  - { id: o, scope: [${inner}], catch: [{ undo: true, then: raise }] }`;
    const run = new Play(workflow(around, VARS), { script: REFUSED }).drive();
    expect([undos(run), run.state.status]).toEqual([backwards(run), 'COMPENSATED']);
    expect(undoRows(run)).toHaveLength(confirmed(run).length);
  });

  it('R23 waits for the people who must agree to it, and what comes after it waits with it', () => {
    // R23: "A compensation with its own `approve` waits PROPOSED, holds no worker; expiry or denial means HELD, never skipped."
    const asks =
      "compensate: { call: undo.d, with: { key: =effect.key }, approve: { title: 'Undo?', from: ['role:desk'] } }";
    const behind = '\n  - { id: z, call: do.e }';
    const script = { 'do.e': ['declined'] } as const;
    const run = new Play(text(`id: d, call: do.d, ${asks}`, { behind }), { script }).drive();
    expect([undos(run), run.rowOf('d', 'undo').state]).toEqual([[], 'PROPOSED']);
    expect(run.vote('ann', 'approve')).toMatchObject({ outcome: 'applied' });
    run.drive();
    expect([undos(run), run.state.status]).toEqual([backwards(run), 'COMPENSATED']);
  });

  it('R24 is undone by order when the run has completed', () => {
    // R24: "An operator can compensate a COMPLETED run: plan, preview with `planHash`, reason, authorization; stale if the run moved."
    const run = play({});
    expect(run.state.status).toBe('COMPLETED');
    expect(run.compensate(planHash(run))).toMatchObject({ outcome: 'applied' });
    run.drive();
    expect([undos(run), run.state.status]).toEqual([backwards(run), 'COMPENSATED']);
    expect(undos(run)).toContain('undo.d');
  });

  it('R25 makes the status, with the end and nothing else', () => {
    // R25: "The final status is a pure function of (the end that the machine reached: done, failed, cancelled, terminated, ordered; the ledger)."
    const ends = [play({}), play(), play({ 'do.a': ['declined'], 'do.c': ['declined'] })];
    expect(ends.map((run) => run.state.status)).toEqual(['COMPLETED', 'COMPENSATED', 'FAILED']);
    expect(ends.flatMap(faultsOf)).toEqual([]);
  });
});

function refusedUndo(run: Play): Effect {
  const refused = undoRows(run).find(({ state }) => state === 'FAILED');
  if (refused === undefined) throw new Error('no undo was refused');
  return refused;
}
