import { createRequire } from 'node:module';
import { fc } from '../support/fast-check.ts';
import { describe, expect, it, vi } from 'vitest';
import { createEvaluator, type Evaluator } from '../../src/definition/evaluator.ts';
import { advance, checkSnapshot, enter } from '../../src/machine/advance.ts';
import type { Turn } from '../../src/machine/compute.ts';
import { createKernel, xstateMachine } from '../../src/machine/kernel.ts';
import { lower } from '../../src/machine/lower.ts';
import { createProgram } from '../../src/machine/program.ts';
import { ITERATIONS_MAX, xstateConfig } from '../../src/machine/xstate-config.ts';
import type { Step } from '../../src/model/definition.ts';
import type { Json } from '../../src/model/json.ts';
import type { KernelSnapshot } from '../../src/model/run.ts';
import { definitionFrom, eventFrom, tapes } from './support/arbitrary.ts';
import { branch, call, cel, choose, clause, expr, set, workflow } from './support/definitions.ts';
import { Driver, failure, identity } from './support/driver.ts';

/**
 * What Pawl builds on in XState 5.33.3, fact by fact (design 4-architecture, "XState's place"), in both of its builds: Node
 * loads the production build, a bundler or test runner with the `development` condition the other.
 */

const require = createRequire(import.meta.url);
const dist = '../../node_modules/xstate/dist';

type Any = Record<string, never> & { [key: string]: Any } & ((...args: unknown[]) => Any);
interface Library {
  readonly assign: (change: unknown) => unknown;
  readonly createMachine: (config: unknown, implementations?: unknown) => Any;
  readonly enqueueActions: (collect: unknown) => unknown;
  readonly transition: (logic: unknown, snapshot: unknown, event: unknown) => [Any, Any[]];
  readonly initialTransition: (logic: unknown, input?: unknown) => [Any, Any[]];
  readonly createActor: (logic: unknown, options?: unknown) => Any;
  readonly fromPromise: (create: unknown) => unknown;
}
const builds: readonly (readonly [string, Library])[] = [
  ['production', require(`${dist}/xstate.cjs.js`) as Library],
  ['development', require(`${dist}/xstate.development.cjs.js`) as Library],
];

const plain = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;

it('XState is pinned to the version whose facts these are', () => {
  const installed = require('../../node_modules/xstate/package.json') as { version: string };
  const wanted = require('../../package.json') as { dependencies: Record<string, string> };
  expect([installed.version, wanted.dependencies['xstate']]).toEqual(['5.33.3', '5.33.3']);
});

describe.each(builds)('XState, %s build', (_name, xstate) => {
  const { createMachine, transition, initialTransition } = xstate;

  it('hands an action without implementation back as inert data, with its parameters and the context of that moment', () => {
    const machine = createMachine(
      {
        context: { n: 0 },
        initial: 'a',
        states: {
          a: {
            on: {
              go: { target: 'b', actions: [{ type: 'add' }, { type: 'command', params: { x: 1 } }, { type: 'add' }] },
            },
          },
          b: {},
        },
      },
      { actions: { add: xstate.assign(({ context }: { context: { n: number } }) => ({ n: context.n + 1 })) } },
    );
    const [first] = initialTransition(machine);
    const [next, actions] = transition(machine, first, { type: 'go' });
    expect(actions.map((action) => [action['type'], action['params'], action['exec']])).toEqual([
      ['command', { x: 1 }, undefined],
    ]);
    expect(actions[0]?.['info']?.['context']).toEqual({ n: 1 });
    expect(next['context']).toEqual({ n: 2 });
  });

  it('puts a child into the snapshot for an invoke, and none for plain states', () => {
    const actors = { actors: { work: xstate.fromPromise(() => Promise.resolve(1)) } };
    const invoking = createMachine({ initial: 'a', states: { a: { invoke: { src: 'work', id: 'w' } } } }, actors);
    expect(Object.keys(initialTransition(invoking)[0]['children'] ?? {})).toEqual(['w']);
    const ours = xstateMachine(lower(workflow([call('a')])), xstate);
    const turn = turnFor(new Driver(workflow([call('a')])), null);
    const [entered] = initialTransition(ours, { turn, data: {} });
    expect(entered['children']).toEqual({});
    expect(entered['value']).toEqual({ $forward: 'a' });
  });

  it('ends a machine for a late xstate.error.actor event; the kernel lets no such type in', () => {
    const machine = createMachine({ initial: 'a', states: { a: {} } });
    const [first] = initialTransition(machine);
    const [next] = transition(machine, first, { type: 'xstate.error.actor.w', error: new Error('late'), actorId: 'w' });
    expect(next['status']).toBe('error');
    const run = new Driver(workflow([call('a')]));
    for (const type of ['xstate.error.actor.w', 'xstate.stop', 'xstate.init', '', '*']) {
      expect(() => advance(run.compiled, run.snapshot, { type } as never, run.env)).toThrow('no event of the kernel');
    }
  });

  it('computes the initial snapshot again at each public transition; machine.transition does not', () => {
    const context = vi.fn(() => ({}));
    const machine = createMachine({ context, initial: 'a', states: { a: { on: { go: 'a' } } } });
    const [first] = initialTransition(machine);
    const before = context.mock.calls.length;
    transition(machine, first, { type: 'go' });
    expect(context.mock.calls.length).toBeGreaterThan(before);
    const after = context.mock.calls.length;
    (machine['transition'] as unknown as (...args: unknown[]) => unknown)(first, { type: 'go' }, inert());
    expect(context.mock.calls.length).toBe(after);
  });

  it('gives with our inert scope what the public functions give, on random walks', () => {
    fc.assert(
      fc.property(tapes, tapes, (tape, events) => {
        const run = new Driver(definitionFrom(tape), { flag: true });
        const raw = xstateMachine(run.compiled.machine, xstate);
        const kernel = createKernel(run.compiled.machine, xstate);
        const started = enter(run.compiled, run.env);
        const data = initialDataOf(run);
        const turn = turnFor(run, null);
        let [publicly, actions] = initialTransition(raw, { turn, data });
        expect(viewOf(publicly, actions)).toEqual(ours(started));
        expect(kernel.enter(data, turnFor(run, null)).snapshot).toEqual(started.snapshot);
        for (let count = 0; count < 8; count += 1) {
          const event = eventFrom(events, run);
          const before = run.snapshot;
          run.give(event);
          const given = turnFor(run, event);
          [publicly, actions] = transition(raw, publicly, { type: event.type, turn: given });
          expect(viewOf(publicly, actions)).toEqual(ours(run.last));
          expect(kernel.move(before, turnFor(run, event)).snapshot).toEqual(run.snapshot);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('restores history with restoreSnapshot; resolveState breaks it', () => {
    const machine = historyMachine(xstate);
    const [first] = initialTransition(machine);
    const [second] = transition(machine, first, { type: 'next' });
    const [away] = transition(machine, second, { type: 'leave' });
    const stored = plain((machine['getPersistedSnapshot'] as never as (s: unknown) => unknown)(away));
    const restored = (machine['restoreSnapshot'] as never as (s: unknown, scope: unknown) => unknown)(stored, inert());
    expect(transition(machine, restored, { type: 'back' })[0]['value']).toEqual({ group: 'two' });
    const resolved = (machine['resolveState'] as never as (s: unknown) => unknown)(stored);
    const back = (): Json => plain(transition(machine, resolved, { type: 'back' })[0]['value']);
    expect(outcomeOf(back)).not.toEqual({ group: 'two' });
  });

  it('runs entry commands again when a state is entered again through history', () => {
    const machine = historyMachine(xstate);
    const [first] = initialTransition(machine);
    const [second, entering] = transition(machine, first, { type: 'next' });
    const [away] = transition(machine, second, { type: 'leave' });
    const [, again] = transition(machine, away, { type: 'back' });
    expect(entering.map((action) => action['type'])).toEqual(['enter two']);
    expect(again.map((action) => action['type'])).toEqual(['enter two']);
  });

  it('repairs a damaged value without a word when it restores; our check refuses it', () => {
    const machine = createMachine({ initial: 'a', states: { a: { initial: 'x', states: { x: {}, y: {} } }, b: {} } });
    const restored = restoreRaw(machine, { value: 'a' });
    expect(restored['value']).toEqual({ a: 'x' });
    const run = new Driver(workflow([call('a')]));
    for (const value of [
      '$forward',
      { $forward: {} },
      {},
      { $forward: 'a', $settling: 'x' },
      { $forward: 'a$failed' },
      'a',
      'toString',
      null,
      7,
    ]) {
      expect(() => checkSnapshot(run.compiled, { ...run.snapshot, value })).toThrow('does not fit its machine');
    }
  });

  it('drops unknown history ids when it restores; our check refuses them', () => {
    const restored = restoreRaw(historyMachine(xstate), {
      value: 'away',
      historyValue: { 'm.group.h': [{ id: 'gone' }] },
    });
    expect(restored['historyValue']).toEqual({});
    const run = new Driver(workflow([call('a')]));
    expect(() => checkSnapshot(run.compiled, { ...run.snapshot, history: { gone: [{ id: 'a' }] } })).toThrow('history');
    expect(() => checkSnapshot(run.compiled, { ...run.snapshot, history: { $forward: [{ id: 'gone' }] } })).toThrow(
      'history',
    );
  });

  it('accepts a state of another machine that has the same name; the data about other steps gives it away to our check', () => {
    const other = createMachine({ id: 'other', initial: 'a', states: { a: {}, b: {} } });
    expect(restoreRaw(other, { value: 'b' })['value']).toBe('b');
    const mine = new Driver(workflow([call('x'), call('a')])).ok('x');
    const theirs = new Driver(workflow([call('a')]));
    expect(mine.value).toEqual(theirs.value);
    expect(() => checkSnapshot(theirs.compiled, mine.snapshot)).toThrow('unknown step x');
  });

  it('turns data that looks like an actor into undefined when it restores; ours never passes through', () => {
    const machine = createMachine({ initial: 'a', states: { a: {} } });
    const looks = { xstate$$type: 1, id: 'q' };
    const restored = restoreRaw(machine, { value: 'a', context: { data: { user: { ...looks } } } });
    expect(restored['context']?.['data']).toEqual({ user: undefined });
    const run = new Driver(workflow([call('a'), call('b')])).ok('a', looks);
    expect(checkSnapshot(run.compiled, plain(run.snapshot)).data.steps['a']?.output).toEqual(looks);
    run.ok('b', [looks]);
    expect([run.data.steps['a']?.output, run.data.steps['b']?.output]).toEqual([looks, [looks]]);
  });

  it('takes a missing named delay as no delay at all; we name none', () => {
    const machine = createMachine({ initial: 'a', states: { a: { after: { nowhere: 'b' } }, b: {} } });
    vi.spyOn(console, 'warn').mockImplementation(() => {});
    expect(initialTransition(machine)[0]['value']).toBe('b');
    vi.restoreAllMocks();
    expect(JSON.stringify(xstateConfig(lower(workflow([call('a')]))))).not.toContain('"after"');
  });

  it('lets unknown keys, duplicate ids and a wrong initial pass when a machine is made', () => {
    const make = (config: unknown): unknown => createMachine(config);
    expect(() => make({ initial: 'a', states: { a: { onn: { go: 'b' } } } })).not.toThrow();
    expect(() => make({ initial: 'gone', states: { a: {} } })).not.toThrow();
    expect(() => make({ initial: 'a', states: { a: { id: 'same' }, b: { id: 'same' } } })).not.toThrow();
    const [duplicate] = initialTransition(
      createMachine({ initial: 'a', on: { go: '#same' }, states: { a: { id: 'same' }, b: { id: 'same' } } }),
    );
    expect(duplicate['value']).toBe('a');
    expect(() => lower(workflow([call('a'), call('a')]))).toThrow('two steps have one id');
  });

  it('misplaces integer-like names and loses __proto__; names that every object has are safe with us', () => {
    const order = createMachine({ initial: 'b', states: { b: {}, '2': {}, '1': {} } });
    expect(Object.keys(order['states'] ?? {})).toEqual(['1', '2', 'b']);
    const lost = createMachine(JSON.parse('{"initial":"a","states":{"a":{},"__proto__":{}}}'));
    expect(Object.keys(lost['states'] ?? {})).not.toContain('__proto__');
    const names = ['constructor', 'toString', 'hasOwnProperty', 'a1', 'valueOf'];
    const kernel = createKernel(lower(workflow(names.map((id) => call(id)))), xstate);
    const run = new Driver(workflow(names.map((id) => call(id))));
    for (const id of names) {
      expect(run.at).toBe(id);
      expect(kernel.restored(plain(run.snapshot) as never)).toEqual(run.snapshot);
      run.ok(id, id);
    }
    expect(run.value).toBe('$completed');
    expect(Object.keys(run.data.steps)).toEqual(names);
  });

  it('loops for ever unless maxIterations is set; ours is', () => {
    const states = { a: { always: 'b' }, b: { always: 'a' } };
    expect(createMachine({ initial: 'a', states })['options']?.['maxIterations']).toBe(Number.POSITIVE_INFINITY);
    const bounded = createMachine({ initial: 'a', states, options: { maxIterations: 100 } });
    const [stuck] = initialTransition(bounded);
    expect([stuck['status'], String(stuck['error'])]).toEqual(['error', expect.stringContaining('Infinite loop')]);
    const ours = xstateMachine(lower(workflow([call('a')])), xstate) as Any;
    expect(ours['options']?.['maxIterations']).toBe(ITERATIONS_MAX);
  });

  it('carries no incarnation: a state left and entered again gives an equal snapshot', () => {
    const machine = createMachine({ initial: 'a', states: { a: { on: { go: 'b' } }, b: { on: { back: 'a' } } } });
    const [first] = initialTransition(machine);
    const [away] = transition(machine, first, { type: 'go' });
    const [again] = transition(machine, away, { type: 'back' });
    expect(plain(again)).toEqual(plain(first));
    const run = new Driver(workflow([call('a', { next: 'a', maxJumps: 1 })]));
    const before = run.snapshot;
    expect(run.ok('a').snapshot.data.visits).not.toEqual(before.data.visits);
  });

  it('remembers every event type for ever; our types are a dozen at most, whatever the ids', () => {
    const machine = createMachine({ initial: 'a', states: { a: { on: { go: 'a' } } } });
    const transitions = machine['states']?.['a']?.['transitions'] as unknown as Map<string, unknown>;
    const asked = vi.spyOn(transitions, 'get');
    const [first] = initialTransition(machine);
    transition(machine, first, { type: 'id-1' });
    const once = asked.mock.calls.length;
    transition(machine, first, { type: 'id-1' });
    expect(asked.mock.calls.length).toBe(once);
    transition(machine, first, { type: 'id-2' });
    expect(asked.mock.calls.length).toBeGreaterThan(once);
    const types = new Set<string>();
    const collect = (config: Json): void => {
      if (typeof config !== 'object' || config === null) return;
      if (!Array.isArray(config) && 'on' in config)
        for (const type of Object.keys(config['on' as never] as object)) types.add(type);
      for (const inner of Object.values(config)) collect(inner as Json);
    };
    fc.assert(
      fc.property(tapes, (tape) => collect(xstateConfig(lower(definitionFrom(tape))))),
      { numRuns: 60 },
    );
    expect(types.size).toBeLessThanOrEqual(12);
    expect([...types].filter((type) => !/^(effect|step|handler|group|branches|run)\.[a-z]+$/.test(type))).toEqual([]);
  });

  it('has the order of states in its object keys; the intermediate machine has it in arrays', () => {
    const forth = lower(workflow([call('a'), call('b')]));
    const back = lower(workflow([call('b'), call('a')]));
    const names = (machine: typeof forth): readonly string[] =>
      machine.root.states[0]?.states.map((state) => state.id) ?? [];
    expect(names(forth)).toEqual(['a', 'a$failed', 'a$held', 'b', 'b$failed', 'b$held']);
    expect(names(back)).toEqual(['b', 'b$failed', 'b$held', 'a', 'a$failed', 'a$held']);
  });

  it('is given plain JSON and nothing else', () => {
    fc.assert(
      fc.property(tapes, (tape) => {
        const config = xstateConfig(lower(definitionFrom(tape)));
        expect(plain(config)).toEqual(config);
      }),
      { numRuns: 60 },
    );
  });
});

describe('the kernel', () => {
  it('computes every expression at most once per event and set of values', () => {
    const guarded = (id: string, guard: string): Step =>
      call(id, { when: cel(guard), catch: [clause(['any'], { when: cel('failure.code == "no"') })] });
    const branches = [branch('input.a', [guarded('x', 'true')]), branch('input.b', []), branch('input.c', [])];
    const definition = workflow([choose('c', branches), set('s', [['n', expr('1 + 1')]]), guarded('z', 'input.d')], {
      output: expr('vars.n'),
    });
    const machine = lower(definition);
    const evaluator = createEvaluator(definition);
    const asked: string[] = [];
    const counting: Evaluator = {
      evaluate: (...given) => evaluator.evaluate(...given),
      holds: (expression, ...rest) => {
        asked.push(expression.source);
        return evaluator.holds(expression, ...rest);
      },
      render: (template, ...rest) => {
        asked.push(JSON.stringify(template));
        return evaluator.render(template, ...rest);
      },
    };
    const compiled = { ...createProgram(machine, counting), kernel: createKernel(machine) };
    const env = { run: { ...identity, input: { a: false, b: false, c: true, d: true } }, nowMs: 1 };
    const entered = enter(compiled, env);
    expect(entered.snapshot.value).toEqual({ $forward: 'z' });
    expect(asked.toSorted()).toEqual([...new Set(asked)].toSorted());
    expect(asked).toHaveLength(5);
    asked.length = 0;
    const outcome = { ok: false, failure: failure('yes', { step: 'z' }), attempts: 1 } as const;
    const failed = advance(
      compiled,
      entered.snapshot,
      { type: 'effect.settled', step: 'z', outcome, atMs: 1, hold: false },
      env,
    );
    expect(failed.snapshot.value).toBe('$settling');
    expect(asked).toEqual(['failure.code == "no"']);
  });

  it('starts no actor and leaves no child behind, on random walks', () => {
    fc.assert(
      fc.property(tapes, tapes, (tape, events) => {
        const run = new Driver(definitionFrom(tape), { flag: true });
        for (let count = 0; count < 6; count += 1) run.give(eventFrom(events, run));
        expect(Object.keys(run.snapshot).toSorted()).toEqual(['data', 'history', 'value']);
      }),
      { numRuns: 30 },
    );
  });
});

function historyMachine(xstate: Library): Any {
  return xstate.createMachine({
    id: 'm',
    initial: 'group',
    states: {
      group: {
        initial: 'one',
        on: { leave: 'away' },
        states: { one: { on: { next: 'two' } }, two: { entry: { type: 'enter two' } }, h: { type: 'history' } },
      },
      away: { on: { back: 'group.h' } },
    },
  });
}

function restoreRaw(machine: Any, snapshot: object): Any {
  const whole = { status: 'active', context: {}, children: {}, historyValue: {}, ...snapshot };
  return (machine['restoreSnapshot'] as never as (s: unknown, scope: unknown) => Any)(whole, inert());
}

function inert(): object {
  const nothing = (): void => {};
  return {
    self: {},
    system: { _sendInspectionEvent: nothing },
    defer: nothing,
    emit: nothing,
    actionExecutor: nothing,
  };
}

function outcomeOf(act: () => Json): Json {
  try {
    return act();
  } catch (error) {
    return String(error);
  }
}

function turnFor(run: Driver, event: Turn['event']): Turn {
  const holds = run.holds || (event !== null && 'hold' in event && event.hold);
  return {
    program: run.compiled,
    run: run.env.run,
    nowMs: run.nowMs,
    holds,
    event,
    recalled: new Set(),
    memo: new Map(),
  };
}

function initialDataOf(run: Driver): KernelSnapshot['data'] {
  const vars = run.compiled.machine.definition.vars.map(([name, schema]) => [name, schema['default'] ?? null] as const);
  return { vars: Object.fromEntries(vars), steps: {}, visits: {}, jumps: {}, failing: null, caught: {}, ending: null };
}

function viewOf(snapshot: Any, actions: readonly Any[]): unknown {
  const commands = actions
    .filter((action) => action['exec'] === undefined)
    .map((action) => ({
      command: { type: action['type'], ...(action['params'] as unknown as object) },
      data: action['info']?.['context']?.['data'],
    }));
  return { value: snapshot['value'], data: snapshot['context']?.['data'], commands };
}

function ours(moved: { readonly snapshot: KernelSnapshot; readonly commands: unknown }): unknown {
  return { value: moved.snapshot.value, data: moved.snapshot.data, commands: moved.commands };
}
