import { describe, expect, it } from 'vitest';
import { validateWorkflow } from '../../../src/definition/validate-workflow.ts';
import type { Place } from '../../../src/testing/chaos/chaos-house.ts';
import {
  CHAOS_CLASSES,
  chaosWorkflows,
  classOf,
  healedScripts,
  paymentWorkflows,
  troubledScripts,
} from '../../../src/testing/chaos/chaos-workflows.ts';
import { Figures } from '../../../src/testing/chaos/figures.ts';
import { busiest, createFates, killAt, nextRound, type StormPlan } from '../../../src/testing/chaos/storm.ts';
import { parseScript } from '../../../src/testing/provider/script.ts';
import { createRandom } from '../../../src/testing/random.ts';

const URLS = { honoured: 'http://127.0.0.1:1', ignored: 'http://127.0.0.1:2' };

/** A place whose worker has these sendings under way. */
function placeWith(open: ReadonlyMap<string, string>, killed: { count: number }): Place {
  let hasEnded = false;
  const worker = {
    hasEnded: () => hasEnded,
    kill: () => {
      hasEnded = true;
      killed.count += 1;
      return Promise.resolve();
    },
  };
  return { open, worker } as unknown as Place;
}

/** A plan in a house whose ledger has effects in these states; a run named `gone` cannot be read. */
function planWith(states: Readonly<Record<string, string>>, places: readonly Place[] = []) {
  const figures = new Figures();
  const filled: Place[] = [];
  const effects = Object.entries(states).map(([key, state]) => ({ key, state }));
  const house = {
    places,
    fill: (place: Place) => {
      filled.push(place);
      return Promise.resolve();
    },
    app: { show: (run: string) => (run === 'gone' ? Promise.reject(new Error('away')) : Promise.resolve({ effects })) },
  };
  const plan = { house, figures, random: createRandom(1), leaseMs: 1, say: () => undefined } as unknown as StormPlan;
  return { plan, figures, filled };
}

describe('a kill', () => {
  const hitsWith = async (states: Readonly<Record<string, string>>, open: Readonly<Record<string, string>>) => {
    const { plan, figures } = planWith(states);
    await killAt(plan, placeWith(new Map(Object.entries(open)), { count: 0 }));
    return [
      figures.of('kills'),
      figures.of('kills that hit an open attempt'),
      figures.of('attempts open at a kill'),
    ] as const;
  };

  it('is a hit where the ledger has an attempt of the dead worker REQUESTED, and counts each', async () => {
    expect(await hitsWith({ a: 'REQUESTED', b: 'REQUESTED', c: 'CONFIRMED' }, { a: 'r1', b: 'r2', c: 'r3' })).toEqual([
      1, 1, 2,
    ]);
  });

  it('is none where the worker had sent nothing, where the answer was written, or where the ledger cannot be read', async () => {
    expect(await hitsWith({ a: 'REQUESTED' }, {})).toEqual([1, 0, 0]);
    expect(await hitsWith({ a: 'CONFIRMED' }, { a: 'r1' })).toEqual([1, 0, 0]);
    expect(await hitsWith({ a: 'UNKNOWN' }, { a: 'r1' })).toEqual([1, 0, 0]);
    expect(await hitsWith({ a: 'REQUESTED' }, { a: 'gone' })).toEqual([1, 0, 0]);
  });

  it('has the place filled again, and one that is dead already is not killed twice', async () => {
    const killed = { count: 0 };
    const place = placeWith(new Map(), killed);
    const { plan, figures, filled } = planWith({});
    await killAt(plan, place);
    await killAt(plan, place);
    expect([killed.count, figures.of('kills'), filled.length]).toEqual([1, 1, 1]);
  });

  it('comes to the worker with the most sendings under way', () => {
    const [idle, busy] = [new Map(), new Map([['a', 'r']])].map((open) => placeWith(open, { count: 0 }));
    const places = [idle, busy].filter((place) => place !== undefined);
    expect(busiest(planWith({}, places).plan.house)).toBe(busy);
  });
});

describe('the plan of a storm', () => {
  it('each round has every trouble, in an order that the seed decides', () => {
    const named = (seed: number): readonly string[] => nextRound(createRandom(seed)).map(([name]) => name);
    expect(new Set(named(1))).toEqual(new Set(['SIGKILL', 'SIGSTOP', 'heads locked', 'black hole', 'server stopped']));
    expect(named(1)).toEqual(named(1));
    expect([...named(1)].sort()).toEqual([...named(2)].sort());
    expect(named(1)).not.toEqual(named(2));
  });

  it('requests meet every fate, commits more often than others, none while it is calm; each is counted', () => {
    const figures = new Figures();
    let isCalm = true;
    const choose = createFates(createRandom(3), figures, () => isCalm);
    const draw = (isCommit: boolean): readonly string[] =>
      Array.from({ length: 2_000 }, () => choose(isCommit).kind).filter((kind) => kind !== 'pass');
    expect([...draw(true), ...draw(false)]).toEqual([]);
    isCalm = false;
    const commits = draw(true);
    const others = draw(false);
    expect(new Set(commits)).toEqual(new Set(['dropped before', 'dropped after', 'late', 'delayed']));
    expect(commits.length).toBeGreaterThan(3 * others.length);
    const late = [...commits, ...others].filter((kind) => kind === 'late').length;
    expect(figures.of('late')).toBe(late);
  });

  it('its workflows are ones that Pawl takes, for every kind of provider; people are needed in one of them', () => {
    const all = [...chaosWorkflows(URLS), ...paymentWorkflows(URLS)];
    for (const { name, text } of all) {
      const { problems } = validateWorkflow(text, `${name}.pawl.yaml`);
      expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
      expect(text).not.toContain('http://provider/');
    }
    expect(all.filter(({ isAttended }) => isAttended).map(({ name }) => name)).toEqual(['case']);
    const kinds = all.flatMap(({ text }) =>
      [...text.matchAll(/^ {2}(do\.\w+):/gm)].map(([, action = '']) => classOf(action)),
    );
    expect(new Set(kinds)).toEqual(new Set(CHAOS_CLASSES));
  });

  it('its providers meet trouble as often as they are told to, and none once they are healed', () => {
    const scripts = troubledScripts(createRandom(5), 0.25);
    const words = Object.entries(scripts).flatMap(([operation, texts]) => parseScript(operation, texts).words);
    const troubled = words.filter(({ kind }) => kind !== 'ok' && kind !== 'declined').length;
    expect(troubled / words.length).toBeGreaterThan(0.2);
    expect(troubled / words.length).toBeLessThan(0.3);
    expect(Object.keys(healedScripts())).toEqual(Object.keys(scripts));
    expect(new Set(Object.values(healedScripts()))).toEqual(new Set(['ok']));
  });
});
