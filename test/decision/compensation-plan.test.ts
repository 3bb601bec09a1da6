import { fc } from '../support/fast-check.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type CompensationPlan,
  describeProgress,
  nextGeneration,
  nextInPlan,
  type PlanSource,
  planCompensation,
  planProgress,
} from '../../src/decision/compensation-plan.ts';
import { compensationKey, readRequest } from '../../src/decision/effect-key.ts';
import { Ledger } from '../../src/decision/ledger.ts';
import { CHAIN_START, issueReceipt, type ReceiptChain } from '../../src/decision/receipt.ts';
import { settleAttempt } from '../../src/decision/settle-effect.ts';
import type { ActionContract, CallStep } from '../../src/model/definition.ts';
import type { Effect } from '../../src/model/effect.ts';
import type { EffectKey } from '../../src/model/ids.ts';
import type { Json } from '../../src/model/json.ts';
import { EFFECT_STATES, type EffectState } from '../../src/model/statuses.ts';
import {
  authorized,
  authorizedUndo,
  callStep,
  compensation,
  contract,
  definition,
  evaluatorFor,
  outcome,
  RUN,
  requested,
  settling,
  T0,
  template,
} from './ledger-fixtures.ts';

const CHARGE = contract({ compensate: compensation() });
const REFUND = contract({
  name: 'psp.refund',
  input: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
});
const steps = (...list: CallStep[]) => new Map(list.map((step) => [step.id, step]));

function source(
  effects: readonly Effect[],
  patch: { steps?: Map<string, CallStep>; actions?: ActionContract[]; revision?: number } = {},
): PlanSource {
  const actions = patch.actions ?? [CHARGE, REFUND];
  const find = (name: string): ActionContract => {
    const found = actions.find((action) => action.name === name);
    if (!found) throw new Error(`no action ${name}`);
    return found;
  };
  return {
    program: {
      machine: { format: 'machine/1', definition: definition({ actions }), root: ROOT, places: [] },
      evaluator: evaluatorFor(...actions),
      step: (id) => patch.steps?.get(id) ?? callStep(id),
      steps: patch.steps ?? new Map(),
      place: () => ({ lists: [], parents: [] }),
      action: find,
      isLast: () => false,
    },
    run: RUN,
    revision: patch.revision ?? 7,
    effects,
    ledger: Ledger.of(new Map(effects.map((row) => [row.key, row]))),
    failure: { code: 'declined', message: 'no', step: 'd' },
  };
}
const ROOT = {
  id: 'root',
  kind: 'compound',
  initial: null,
  states: [],
  entry: [],
  exit: [],
  edges: [],
  step: null,
  role: 'run',
} as const;

/** Rows of steps settled in this order, each confirmed one with its receipt; the output names the step. */
function ledger(...rows: readonly (readonly [string, 'confirmed' | 'rejected' | EffectState])[]): Effect[] {
  let chain: ReceiptChain = { runId: RUN.runId, lastReceiptNo: 0, lastReceiptHash: CHAIN_START };
  return rows.map(([step, how]) => {
    if (how !== 'confirmed' && how !== 'rejected') return { ...authorized(step), state: how };
    const settled = settleAttempt(
      settling(requested(authorized(step))),
      outcome(how, { output: { id: `id-${step}` } }),
    );
    if (settled.receipt === null) throw new Error('open');
    const issued = issueReceipt(settled.effect, settled.receipt, chain);
    chain = issued.chain;
    return issued.effect;
  });
}
function planned(of: PlanSource): CompensationPlan {
  const plan = planCompensation(of);
  if (plan.kind !== 'plan') throw new Error(`${plan.kind}`);
  return plan;
}
const stepsOf = (plan: CompensationPlan): string[] => plan.rows.map((row) => row.step);
const mapOf = (...effects: Effect[]): Map<EffectKey, Effect> => new Map(effects.map((effect) => [effect.key, effect]));
const HOLD = (): 'hold' => 'hold';
const CONTINUE = (): 'continue' => 'continue';
const as = (row: Effect | undefined, state: EffectState): Effect => {
  if (!row) throw new Error('no row');
  return { ...row, state };
};

describe('the order of a plan', () => {
  it('R01: A, B, C confirmed in this order, D rejected: C is undone first, B only after C, A only after B', () => {
    // R01: "`reverse`: A, B, C confirmed in this completion order, D rejected: C's compensation is requested first, B's only after C's is confirmed, A's only …"
    const forward = ledger(['a', 'confirmed'], ['b', 'confirmed'], ['c', 'confirmed'], ['d', 'rejected']);
    const plan = planned(source(forward));
    expect(stepsOf(plan)).toEqual(['c', 'b', 'a']);
    const [c, b, a] = plan.rows;
    const next = (...rows: Effect[]) => nextInPlan(plan.keys, mapOf(...forward, ...plan.rows, ...rows), HOLD);
    expect(next()).toEqual({ kind: 'authorize', key: c?.key });
    for (const state of ['AUTHORIZED', 'REQUESTED', 'UNKNOWN'] as const)
      expect(next(as(c, state))).toEqual({ kind: 'wait', key: c?.key });
    expect(next(as(c, 'CONFIRMED'))).toEqual({ kind: 'authorize', key: b?.key });
    expect(next(as(c, 'CONFIRMED'), as(b, 'REQUESTED'))).toEqual({ kind: 'wait', key: b?.key });
    expect(next(as(c, 'CONFIRMED'), as(b, 'CONFIRMED'))).toEqual({ kind: 'authorize', key: a?.key });
    expect(next(as(c, 'CONFIRMED'), as(b, 'CONFIRMED'), as(a, 'CONFIRMED'))).toEqual({ kind: 'done' });
  });

  it('R01: whatever the ledger looks like, at most one compensation may be authorized or is open at once', () => {
    // R01: "Never two at once within a plan."
    const forward = ledger(['a', 'confirmed'], ['b', 'confirmed'], ['c', 'confirmed']);
    const plan = planned(source(forward));
    const states = fc.array(fc.constantFrom(...EFFECT_STATES), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(states, fc.boolean(), (given, hold) => {
        const rows = plan.rows.map((row, at) => as(row, given[at] ?? 'PROPOSED'));
        const next = nextInPlan(plan.keys, mapOf(...forward, ...rows), hold ? HOLD : CONTINUE);
        if (next.kind !== 'authorize') return;
        const before = rows.slice(0, plan.keys.indexOf(next.key));
        expect(before.filter((row) => row.state === 'PROPOSED')).toEqual([]);
        expect(rows.filter((row) => ['AUTHORIZED', 'REQUESTED', 'UNKNOWN'].includes(row.state))).toEqual([]);
      }),
    );
  });

  it('R02: FAILED, ABSENT, CANCELLED, REFUSED rows get no compensation, nor does what has none declared', () => {
    // R02: "FAILED, ABSENT, CANCELLED, REFUSED rows, skipped steps and reads get no compensation."
    const forward = ledger(
      ['a', 'confirmed'],
      ['b', 'FAILED'],
      ['c', 'ABSENT'],
      ['d', 'CANCELLED'],
      ['e', 'REFUSED'],
      ['f', 'confirmed'],
      ['g', 'confirmed'],
    );
    const without = steps(callStep('f', { compensate: { kind: 'none' } }));
    expect(stepsOf(planned(source(forward, { steps: without })))).toEqual(['g', 'a']);
    const actions = [contract({ compensate: null }), REFUND];
    expect(stepsOf(planned(source(forward, { actions })))).toEqual([]);
  });

  it('R03: the failing step is compensated first if it was confirmed, not at all if it is ABSENT, and nothing before it is settled', () => {
    // R03: "The failing step itself, if UNKNOWN, is settled before anything is compensated; CONFIRMED: it is compensated first; ABSENT: not at all."
    const failing = ledger(['a', 'confirmed'], ['b', 'confirmed']);
    expect(stepsOf(planned(source(failing)))[0]).toBe('b');
    const [a] = failing;
    if (!a) throw new Error('no row');
    const absent: Effect = { ...authorized('b'), state: 'ABSENT' };
    expect(stepsOf(planned(source([a, absent])))).toEqual(['a']);
    for (const state of ['UNKNOWN', 'REQUESTED', 'AUTHORIZED', 'PROPOSED'] as const) {
      const open: Effect = { ...authorized('b'), state };
      expect(planCompensation(source([a, open]))).toEqual({ kind: 'open', open: [open.key] });
    }
  });

  it('R06: completion order is the receipt number, not the order of rows, starts or clocks', () => {
    // R06: "Completion order is the receipt number, not a wall clock, not the start order."
    const forward = ledger(['a', 'confirmed'], ['b', 'confirmed'], ['c', 'confirmed'], ['d', 'confirmed']);
    fc.assert(
      fc.property(
        fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }),
        fc.array(fc.nat(9), { minLength: 4, maxLength: 4 }),
        (order, clocks) => {
          const shuffled = order.map((at) => {
            const row = forward[at];
            if (!row) throw new Error('no row');
            return { ...row, settledAtMs: T0 + (clocks[at] ?? 0), requestedAtMs: T0 - (clocks[at] ?? 0) };
          });
          expect(stepsOf(planned(source(shuffled)))).toEqual(['d', 'c', 'b', 'a']);
        },
      ),
    );
  });

  it('R06: a confirmed row without a receipt is a bug', () => {
    // R06: "Completion order is the receipt number, not a wall clock, not the start order."
    expect(() => planCompensation(source([{ ...authorized(), state: 'CONFIRMED' }]))).toThrow('has a receipt');
  });
});

describe('the requests of a plan', () => {
  it('R12: each is computed from the recorded request, receipt and failure, and from nothing that can change', () => {
    // R12: "A compensation's request is computed once from the recorded request, receipt and failure, stored, and never altered."
    const undo = compensation({
      with: template({
        id: '=effect.output.id',
        amount: '=effect.input.amount',
        no: '=effect.receipt.number',
        why: '${ failure.code }',
        order: '=input.orderId',
        run: '=run.key',
        currency: '=constants.currency',
      }),
    });
    const forward = ledger(['a', 'confirmed']);
    const plan = planned(source(forward, { steps: steps(callStep('a', { compensate: undo })) }));
    const [row] = plan.rows;
    if (!row) throw new Error('no row');
    const expected: Json = {
      id: 'id-a',
      amount: 100,
      no: 1,
      why: 'declined',
      order: 'O-1',
      run: 'O-1',
      currency: 'EUR',
    };
    expect(readRequest(row)).toMatchObject({ action: 'psp.refund', with: expected, body: expected });
    expect(row).toMatchObject({ state: 'PROPOSED', compensates: forward[0]?.key, step: 'a', pivot: false });
  });

  it('R12: an order without a failure computes them too', () => {
    // R12: "A compensation's request is computed once from the recorded request, receipt and failure, stored, and never altered."
    const undo = compensation({ with: template({ id: '${ failure.code }' }) });
    const of = source(ledger(['a', 'confirmed']), { steps: steps(callStep('a', { compensate: undo })) });
    const [row] = planned({ ...of, failure: null }).rows;
    expect(row && readRequest(row).with).toEqual({ id: 'ordered' });
  });

  it('R12: if one cannot be computed no row is planned at all, and the step is named', () => {
    // R12: "If that computation fails: HELD before any row of the plan is requested."
    const faulty = compensation({ with: template({ id: '=effect.output.missing' }) });
    const of = source(ledger(['a', 'confirmed'], ['b', 'confirmed']), {
      steps: steps(callStep('a', { compensate: faulty })),
    });
    const plan = planCompensation(of);
    expect(plan).toMatchObject({ kind: 'fault', step: 'a', forwardKey: authorized('a').key });
    expect(plan).not.toHaveProperty('rows');
  });

  it("R12: a request that breaks the undoing action's input schema cannot be sent and so is not planned", () => {
    // R12: "A compensation's request is computed once from the recorded request, receipt and failure, stored, and never altered."
    const wrong = compensation({ with: template({ id: 5 }) });
    const plan = planCompensation(
      source(ledger(['a', 'confirmed']), { steps: steps(callStep('a', { compensate: wrong })) }),
    );
    expect(plan).toMatchObject({ kind: 'fault', step: 'a' });
    const bare = compensation({ with: null });
    expect(
      planCompensation(source(ledger(['a', 'confirmed']), { steps: steps(callStep('a', { compensate: bare })) })).kind,
    ).toBe('fault');
  });

  it('R12: a bug is not taken for a fault of the definition', () => {
    // R12: "A compensation's request is computed once from the recorded request, receipt and failure, stored, and never altered."
    expect(() => planCompensation(source(ledger(['a', 'confirmed']), { actions: [CHARGE] }))).toThrow(
      'no action psp.refund',
    );
    const of = source(ledger(['a', 'confirmed']));
    const step = { ...callStep('a'), verb: 'set', set: [] } as unknown as CallStep;
    expect(() => planCompensation({ ...of, program: { ...of.program, step: () => step } })).toThrow(
      'belongs to a call',
    );
  });

  it('R13: two deciders, a crash and a second order plan the same rows under the same keys', () => {
    // R13: "Two workers, a crash loop, a double call: one row, at most one effect."
    const forward = ledger(['a', 'confirmed'], ['b', 'confirmed']);
    const first = planned(source(forward));
    expect(planned(source(forward))).toEqual(first);
    expect(first.keys).toEqual([compensationKey(authorized('b').key), compensationKey(authorized('a').key)]);
    const half = planned(source([...forward, ...first.rows]));
    expect(half).toMatchObject({ rows: [], keys: first.keys });
    const [b] = first.rows;
    const done = planned(source([...forward, ...first.rows.map((row) => (row === b ? as(row, 'CONFIRMED') : row))]));
    expect(done.keys).toEqual([compensationKey(authorized('a').key)]);
    const waived = planned(source([...forward, ...first.rows.map((row) => as(row, 'WAIVED'))]));
    expect(waived).toMatchObject({ rows: [], keys: [] });
  });

  it('R13: frames and object of the forward effect separate its compensations', () => {
    // R13: "Two workers, a crash loop, a double call: one row, at most one effect."
    const again = {
      ...authorized('a', [['v', 1]]),
      state: 'CONFIRMED' as const,
      receiptNo: 2,
      output: { id: 'x' },
      settledAtMs: T0,
    };
    const plan = planned(source([...ledger(['a', 'confirmed']), again]));
    expect(new Set(plan.keys).size).toBe(2);
    expect(plan.rows[0]?.frames).toEqual([['v', 1]]);
  });
});

describe('a compensation that was refused for good', () => {
  let forward: readonly Effect[];
  let plan: CompensationPlan;
  let [c, b, a]: readonly (Effect | undefined)[] = [];
  let refused: Effect;
  beforeAll(() => {
    forward = ledger(['a', 'confirmed'], ['b', 'confirmed'], ['c', 'confirmed']);
    plan = planned(source(forward));
    [c, b, a] = plan.rows;
    refused = as(c, 'FAILED');
  });
  const book = (...rows: Effect[]) => mapOf(...forward, ...plan.rows, refused, ...rows);

  it('R16: holds the plan, the rest untouched; a retry under the next generation lets it go on from there', () => {
    // R16: "Refused for good under `hold`: HELD, the rest untouched."
    expect(nextInPlan(plan.keys, book(), HOLD)).toEqual({ kind: 'held', keys: [refused.key] });
    const retry = nextGeneration(refused);
    expect(retry).toMatchObject({
      state: 'PROPOSED',
      key: compensationKey(authorized('c').key, 1),
      request: refused.request,
      attempt: 0,
    });
    expect(nextInPlan(plan.keys, book(retry), HOLD)).toEqual({ kind: 'authorize', key: retry.key });
    expect(nextInPlan(plan.keys, book(as(retry, 'AUTHORIZED')), HOLD)).toEqual({ kind: 'wait', key: retry.key });
    expect(nextInPlan(plan.keys, book(as(retry, 'CONFIRMED')), HOLD)).toEqual({ kind: 'authorize', key: b?.key });
    expect(nextInPlan(plan.keys, book(as(c, 'WAIVED')), HOLD)).toEqual({ kind: 'authorize', key: b?.key });
    const third = nextGeneration(as(retry, 'FAILED'));
    expect(third.key).toBe(compensationKey(authorized('c').key, 2));
    expect(Ledger.of(mapOf(third, refused, retry)).undoOf(authorized('c').key)?.key).toBe(third.key);
  });

  it('R17: under `continue` the rest runs, then what is left is held', () => {
    // R17: "`continue`: the rest runs, then HELD for what is left."
    expect(nextInPlan(plan.keys, book(), CONTINUE)).toEqual({ kind: 'authorize', key: b?.key });
    const rest = book(as(b, 'CONFIRMED'), as(a, 'CONFIRMED'));
    expect(nextInPlan(plan.keys, rest, CONTINUE)).toEqual({ kind: 'held', keys: [refused.key] });
  });

  it('R16: only a settled compensation has a next generation', () => {
    // R16: "a person retries (next generation), marks it undone (with evidence: a new row CONFIRMED, observed by person) or waives it (with reason)."
    expect(() => nextGeneration(as(c, 'REQUESTED'))).toThrow('only a settled compensation');
    expect(() => nextGeneration({ ...authorized(), state: 'FAILED' })).toThrow('only a settled compensation');
  });

  it('comes back under the next generation when it was withdrawn before it was sent', () => {
    const replanned = planned(source([...forward, ...plan.rows.map((row) => as(row, 'CANCELLED'))]));
    expect(replanned.rows.map((row) => row.state)).toEqual(['PROPOSED', 'PROPOSED', 'PROPOSED']);
    expect(replanned.keys[0]).toBe(compensationKey(authorized('c').key, 1));
  });

  it('counts in words: k of n undone, and how many need a person', () => {
    expect(describeProgress(planProgress(plan.keys, book(as(b, 'CONFIRMED'), as(a, 'CONFIRMED'))))).toBe(
      '2 of 3 undone, 1 needs a person',
    );
    expect(describeProgress(planProgress(plan.keys, mapOf(...forward, ...plan.rows)))).toBe('0 of 3 undone');
    expect(describeProgress(planProgress(plan.keys, book(as(b, 'FAILED'), as(a, 'WAIVED'))))).toBe(
      '0 of 3 undone, 1 waived, 2 need a person',
    );
    expect(planProgress([], new Map())).toEqual({ total: 0, undone: 0, waived: 0, refused: 0 });
  });

  it('a plan that names what is no compensation is a bug', () => {
    expect(() => Ledger.of(new Map()).planned(['x' as EffectKey])).toThrow('no compensation');
    expect(() => Ledger.of(mapOf(authorized('a'))).planned([authorized('a').key])).toThrow('no compensation');
  });
});

describe('the hash of a plan', () => {
  it('R24: is stale once the run or the ledger has moved', () => {
    // R24: "An operator can compensate a COMPLETED run: plan, preview with `planHash`, reason, authorization; stale if the run moved."
    const forward = ledger(['a', 'confirmed'], ['b', 'confirmed']);
    const { planHash } = planned(source(forward));
    expect(planned(source(forward.toReversed())).planHash).toBe(planHash);
    expect(planned(source(forward, { revision: 8 })).planHash).not.toBe(planHash);
    expect(planned(source(forward.slice(1))).planHash).not.toBe(planHash);
    const undo = authorizedUndo(authorized('b').key, 'b');
    expect(planned(source([...forward, undo])).planHash).not.toBe(planHash);
  });
});
