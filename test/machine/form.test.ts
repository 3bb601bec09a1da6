import { describe, expect, it } from 'vitest';
import { checkExpressions } from '../../src/definition/check-expressions.ts';
import { readForm } from '../../src/definition/form/read-form.ts';
import type { Finding } from '../../src/definition/report-problem.ts';
import type { SourceMap } from '../../src/definition/source-map.ts';
import { checkSnapshot } from '../../src/machine/advance.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import type { KernelSnapshot } from '../../src/model/run.ts';
import { framesOf } from '../../src/decision/frames.ts';
import { definitionOf } from './scxml/session.ts';
import { Driver, eventView } from './support/driver.ts';

function found(machine: JsonObject): readonly Finding[] {
  const findings: Finding[] = [];
  readForm(
    { map: null as unknown as SourceMap, report: (one) => findings.push(one), ids: new Set<string>() },
    { value: machine, pointer: '/machine' },
  );
  return findings;
}

function run(machine: JsonObject, vars: Readonly<Record<string, JsonObject>> = {}, holds = false): Driver {
  return new Driver(definitionOf(machine, { vars: Object.entries(vars) }), {}, { holds });
}

function send(driver: Driver, name: string, data: Json = {}): Driver {
  return driver.give({ type: 'event.received', event: eventView(name, data), atMs: driver.nowMs, hold: false });
}

const two = (more: JsonObject = {}, a: JsonObject = {}): JsonObject => ({
  initial: 'a',
  states: { a, b: {} },
  ...more,
});

describe('reading a machine', () => {
  it.each<[string, JsonObject, string, string]>([
    ['an unknown key', two({}, { onn: {} }), 'PAWL-101', '/machine/states/a/onn'],
    ['functions by name', two({ guards: {} }), 'PAWL-261', '/machine/guards'],
    ['data beside the vars', two({ context: { n: 1 } }), 'PAWL-261', '/machine/context'],
    ['named delays', two({ delays: {} }), 'PAWL-261', '/machine/delays'],
    ['a named delay where it is used', two({}, { after: { soon: 'b' } }), 'PAWL-261', '/machine/states/a/after/soon'],
    [
      'a guard by name',
      two({}, { on: { go: { target: 'b', guard: { type: 'isIt' } } } }),
      'PAWL-261',
      '/machine/states/a/on/go/guard',
    ],
    ['an action that nobody has', two({}, { entry: 'spawnChild' }), 'PAWL-261', '/machine/states/a/entry'],
    [
      'an action of a closed list, misspelt',
      two({}, { entry: { type: 'asign' } }),
      'PAWL-261',
      '/machine/states/a/entry',
    ],
    ['a raise of nothing', two({}, { entry: { type: 'raise' } }), 'PAWL-102', '/machine/states/a/entry'],
    [
      'two states with one id',
      two({}, { id: 'x', states: { c: { id: 'x' } }, initial: 'c' }),
      'PAWL-201',
      '/machine/states/a/states/c/id',
    ],
    ['a wrong initial', two({ initial: 'c' }), 'PAWL-202', '/machine/initial'],
    ['no initial', { states: { a: {} } }, 'PAWL-102', '/machine'],
    ['no states', {}, 'PAWL-107', '/machine'],
    ['a target that leads nowhere', two({}, { on: { go: 'c' } }), 'PAWL-202', '/machine/states/a/on/go'],
    ['a target that is no name', two({}, { on: { go: { target: 3 } } }), 'PAWL-103', '/machine/states/a/on/go/target'],
    ['a name like a number', { initial: '1', states: { 1: {} } }, 'PAWL-112', '/machine/states/1'],
    [
      'a name that objects inherit',
      { initial: '__proto__', states: JSON.parse('{"__proto__": {}}') as Json },
      'PAWL-112',
      '/machine/states/__proto__',
    ],
    ['a type that there is not', two({}, { type: 'atom' }), 'PAWL-104', '/machine/states/a/type'],
    ['a state that is no map', { initial: 'a', states: { a: 'b' } }, 'PAWL-103', '/machine/states/a'],
    ['two invokes of a state', two({}, { invoke: [{ src: 'act' }] }), 'PAWL-103', '/machine/states/a/invoke'],
    ['an invoke of no action', two({}, { invoke: { input: {} } }), 'PAWL-102', '/machine/states/a/invoke'],
    [
      'an invoke of a machine',
      two({}, { invoke: { src: { states: {} } } }),
      'PAWL-103',
      '/machine/states/a/invoke/src',
    ],
    [
      'an invoke whose state cannot name a step',
      { initial: 'A', states: { A: { invoke: { src: 'act' } } } },
      'PAWL-112',
      '/machine/states/A/invoke',
    ],
    [
      'two steps of one name',
      two({}, { invoke: { src: 'act', id: 'x' }, initial: 'c', states: { c: { invoke: { src: 'act', id: 'x' } } } }),
      'PAWL-201',
      '/machine/states/a/states/c/invoke/id',
    ],
    [
      'a key that a call has not',
      two({}, { invoke: { src: 'act' }, meta: { pawl: { pivott: true } } }),
      'PAWL-101',
      '/machine/states/a/meta/pawl/pivott',
    ],
  ])('refuses %s with its place and its mend', (_what, machine, code, pointer) => {
    const all = found(machine);
    expect(all.map((one) => [one.code, one.pointer])).toContainEqual([code, pointer]);
    for (const { help } of all) expect(help.length).toBeGreaterThan(10);
  });

  it('refuses transitions that are always taken and lead back to themselves, through whatever is entered on the way', () => {
    const looping: readonly JsonObject[] = [
      two({}, { always: 'a' }),
      two({}, { always: { actions: [] } }),
      {
        initial: 'a',
        states: { a: { always: 'b' }, b: { initial: 'c', states: { c: { always: '#top' } } } },
        id: 'top',
      },
    ];
    for (const machine of looping) expect(found(machine).map(({ code }) => code)).toContain('PAWL-205');
    const resting: readonly JsonObject[] = [
      two({}, { always: 'b' }),
      two({}, { always: { target: 'a', guard: 'vars.n < 3' } }),
      { initial: 'a', states: { a: { always: 'b' }, b: { on: { back: 'a' } } } },
    ];
    for (const machine of resting) expect(found(machine)).toEqual([]);
  });

  it('checks every expression where it stands, with the event that is taken there', () => {
    const declared = {
      name: 'paid',
      schema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
      source: null,
      by: null,
      keepMs: 1,
    };
    const more = { vars: [['n', { type: 'integer' }]] as const, events: [declared] };
    const wrong = (a: JsonObject): readonly string[] =>
      checkExpressions(definitionOf(two({}, a), more)).map(
        ({ code, pointer }) => `${code} ${pointer.replace('/machine/states/a', '')}`,
      );
    expect(wrong({ on: { paid: { guard: 'event.data.sum > 1.0', target: 'b' } } })).toEqual([]);
    expect(wrong({ on: { paid: { guard: 'event.data.sum', target: 'b' } } })).toEqual(['PAWL-406 /on/paid/guard']);
    expect(wrong({ always: { guard: 'event.data.ok', target: 'b' } })).toEqual(['PAWL-403 /always/guard']);
    expect(wrong({ entry: { type: 'assign', when: 'vars.m', params: { n: 'no' } } })).toEqual([
      'PAWL-403 /entry/when',
      'PAWL-412 /entry/params/n',
    ]);
    expect(wrong({ exit: { type: 'raise', params: { event: 'x', data: '=vars.m' } } })).toEqual([
      'PAWL-403 /exit/params/data',
    ]);
  });

  it('lets pass what there is to say', () => {
    const pawl = { object: '=input.id', intent: 'pay', pivot: true, compensate: 'none', onUnknown: 'review' };
    const a = {
      invoke: {
        id: 'pay',
        src: 'act',
        input: { n: '=vars.n' },
        onDone: 'b',
        onError: { target: 'b', actions: { type: 'assign', params: { n: 1 } } },
      },
      tags: ['busy'],
      meta: { pawl },
      description: 'pays',
    };
    expect(found({ initial: 'a', states: { a, b: { type: 'final' } } })).toEqual([]);
    expect(definitionOf({ initial: 'a', states: { a, b: {} } }).steps).toMatchObject([
      {
        id: 'pay',
        verb: 'call',
        action: 'act',
        pivot: true,
        onUnknown: 'review',
        compensate: { kind: 'none' },
        with: { kind: 'map' },
      },
    ]);
  });

  it('finds targets beside a state, inside it, by id and by a path', () => {
    const states = {
      a: {
        initial: 'x',
        states: { x: {}, y: { id: 'why', initial: 'z', states: { z: {} } } },
        on: { in: '.y', id: '#why', path: '#why.z', out: 'b' },
      },
      b: {},
    };
    const driver = (): Driver => run({ initial: 'a', states });
    expect(send(driver(), 'in').value).toEqual({ $forward: { a: { y: 'z' } } });
    expect(send(driver(), 'id').value).toEqual({ $forward: { a: { y: 'z' } } });
    expect(send(driver(), 'path').value).toEqual({ $forward: { a: { y: 'z' } } });
    expect(send(driver(), 'out').value).toEqual({ $forward: 'b' });
  });

  it('tells states of one name apart by where they stand', () => {
    const inner = { initial: 'idle', states: { idle: { on: { go: 'busy' } }, busy: {} } };
    const driver = run({ type: 'parallel', states: { left: inner, right: inner } });
    expect(driver.value).toEqual({ $forward: { left: 'left:idle', right: 'right:idle' } });
    expect(send(driver, 'go').value).toEqual({ $forward: { left: 'left:busy', right: 'right:busy' } });
    expect(checkSnapshot(driver.compiled, driver.snapshot)).toBe(driver.snapshot);
  });
});

describe('a machine that runs', () => {
  it('is left at its final state with the output of the document', () => {
    const driver = run({ initial: 'a', states: { a: { on: { go: 'b' } }, b: { type: 'final' } } });
    expect(send(driver, 'go').value).toBe('$completed');
    expect(driver.data.ending).toMatchObject({ kind: 'done' });
  });

  it('E01: gives each entry of a state with an invoke a visit of its own, and none at a retry or a restored snapshot', () => {
    // E01: "*visit* is a counter of the step list: 0 at entry from outside, +1 per authored jump back, in the commit that takes it; hold, resume, retry, history and migration never change it."
    const machine = {
      initial: 'a',
      states: { a: { invoke: { src: 'act', onDone: 'b' } }, b: { on: { back: 'a', on: 'c' } }, c: {} },
    };
    const driver = run(machine, {}, true);
    const key = (): string => JSON.stringify(framesOf(driver.compiled.place('a').lists, driver.data));
    const keys = [key()];
    for (let count = 0; count < 3; count += 1) {
      driver.ok('a');
      send(driver, 'back');
      expect(driver.asked).toEqual(['step.enter a']);
      keys.push(key());
    }
    expect(new Set(keys).size).toBe(4);
    driver.fails('a', 'lost');
    expect([driver.asked, driver.value, driver.data.failing]).toEqual([['step.held a'], { $forward: 'a' }, null]);
    driver.give({ type: 'step.retried', step: 'a', atMs: driver.nowMs });
    expect([driver.asked, key()]).toEqual([['step.enter a'], keys[3]]);
    const again = JSON.parse(JSON.stringify(driver.snapshot)) as KernelSnapshot;
    expect(framesOf(driver.compiled.place('a').lists, again.data)).toEqual([['v', 3]]);
  });

  it('E01: enters an invoke through a history as the act that it was, and by its name as another one', () => {
    // E01: "*visit* is a counter of the step list: 0 at entry from outside, +1 per authored jump back, in the commit that takes it; hold, resume, retry, history and migration never change it."
    const work = {
      initial: 'one',
      states: {
        one: { invoke: { src: 'act', onDone: 'two' } },
        two: { invoke: { src: 'act' } },
        back: { type: 'history' },
      },
    };
    const states = { work: { ...work, on: { pause: 'rest' } }, rest: { on: { resume: 'work.back', again: 'work' } } };
    const driver = run({ initial: 'work', states });
    send(driver, 'pause');
    expect(send(driver, 'resume').asked).toEqual(['step.enter one']);
    expect(driver.data.visits).toEqual({ one$visits: 0 });
    driver.ok('one');
    send(send(driver, 'pause'), 'resume');
    expect([driver.asked, driver.data.visits]).toEqual([['step.enter two'], { one$visits: 0, two$visits: 0 }]);
    send(send(driver, 'pause'), 'again');
    expect([driver.asked, driver.data.visits]).toEqual([['step.enter one'], { one$visits: 1, two$visits: 0 }]);
  });

  it('E01: goes on after a fault with the acts that it was left at', () => {
    // E01: "*visit* is a counter of the step list: 0 at entry from outside, +1 per authored jump back, in the commit that takes it; hold, resume, retry, history and migration never change it."
    const bad = { actions: { type: 'assign', params: { text: 3 } } };
    const driver = run(
      { initial: 'a', states: { a: { invoke: { src: 'act' }, on: { go: bad } } } },
      { text: { type: 'string' } },
      true,
    );
    expect(send(driver, 'go').value).toBe('$faultHeld');
    driver.give({ type: 'step.retried', step: '$output', atMs: driver.nowMs });
    expect([driver.asked, driver.data.visits]).toEqual([['step.enter a'], { a$visits: 0 }]);
  });

  it('counts the visits of each invoke for itself, in regions too', () => {
    const region = (name: string): JsonObject => ({
      initial: name,
      states: { [name]: { invoke: { src: 'act' }, on: { [`again_${name}`]: { target: name, reenter: true } } } },
    });
    const driver = run({ type: 'parallel', states: { r1: region('one'), r2: region('two') } });
    expect(driver.asked).toEqual(['step.enter one', 'step.enter two']);
    expect(send(driver, 'again_one').asked).toEqual(['step.leave one', 'step.enter one']);
    expect(driver.data.visits).toEqual({ one$visits: 1, two$visits: 0 });
  });

  it('undoes after an invoke that fails and that no onError takes', () => {
    const driver = run({ initial: 'a', states: { a: { invoke: { src: 'act' } } } });
    driver.fails('a', 'lost');
    expect([driver.value, driver.data.ending]).toMatchObject([
      '$settling',
      { kind: 'failed', failure: { code: 'lost', step: 'a' } },
    ]);
  });

  it('goes on by onError, and remembers what the step came to', () => {
    const driver = run({ initial: 'a', states: { a: { invoke: { src: 'act', onError: 'b' } }, b: {} } });
    driver.fails('a', 'lost');
    expect([driver.value, driver.data.steps['a']]).toMatchObject([{ $forward: 'b' }, { code: 'lost' }]);
  });

  it('fails where a final state says so, wherever it stands, and is held there where nothing may be undone', () => {
    const lost = { type: 'final', meta: { pawl: { fail: 'lost' } } };
    const inner = { initial: 'a', states: { a: { on: { go: 'b' } }, b: lost }, onDone: 'after' };
    const machine = { initial: 'work', states: { work: inner, after: {} } };
    const failed = send(run(machine), 'go');
    expect([failed.value, failed.data.ending]).toMatchObject([
      '$settling',
      { kind: 'failed', failure: { code: 'lost', class: 'rejected', step: null } },
    ]);
    const held = send(run(machine, {}, true), 'go');
    expect([held.value, held.asked.at(-1)]).toEqual(['$faultHeld', 'step.held $output']);
  });

  it('tells apart from the run itself what its author calls like it', () => {
    const driver = run({ initial: 'run', states: { run: { on: { go: 'main' } }, main: { on: { go: 'run' } } } });
    expect(driver.value).toEqual({ $forward: ':run' });
    expect(send(driver, 'go').value).toEqual({ $forward: 'main' });
  });

  it('remembers what acts came to while an event was put aside', () => {
    const driver = run({ initial: 'a', states: { a: { invoke: { src: 'act' }, on: { go: 'b' } }, b: {} } });
    const act = { id: 'k:settled', step: 'a', outcome: { ok: true, output: { n: 1 }, attempts: 2 }, atMs: 7 } as const;
    driver.give({ type: 'event.received', event: eventView('go'), atMs: 9, hold: false, before: [act] });
    expect([driver.value, driver.data.steps['a']]).toMatchObject([
      { $forward: 'b' },
      { output: { n: 1 }, attempts: 2, atMs: 7 },
    ]);
  });

  it('makes one action after the other, each on what the one before it left', () => {
    const step = { type: 'assign', params: { n: '${ vars.n + 1.0 }' } };
    const skipped = { type: 'assign', when: 'vars.n > 100.0', params: { n: 0 } };
    const driver = run({ initial: 'a', states: { a: { entry: [step, step, skipped] } } }, { n: { default: 1 } });
    expect(driver.data.vars).toEqual({ n: 3 });
  });

  it.each<[string, JsonObject]>([
    ['a guard', { on: { go: { target: 'b', guard: 'vars.n.missing > 1' } } }],
    ['an assign', { on: { go: { actions: { type: 'assign', params: { n: '=vars.n.missing' } } } } }],
    ['a raise', { on: { go: { actions: { type: 'raise', params: { event: 'x', data: '=vars.n.missing' } } } } }],
    ['a value that does not fit its var', { on: { go: { actions: { type: 'assign', params: { text: 3 } } } } }],
  ])('ends its forward part when %s cannot be computed, or is held where nothing may be undone', (_what, a) => {
    const vars = { n: { default: 1 }, text: { type: 'string' } };
    const failed = send(run({ initial: 'a', states: { a, b: {} } }, vars), 'go');
    expect([failed.value, failed.data.ending]).toMatchObject([
      '$settling',
      { kind: 'failed', failure: { code: 'expression' } },
    ]);
    const held = send(run({ initial: 'a', states: { a, b: {} } }, vars, true), 'go');
    expect([held.value, held.asked.at(-1)]).toEqual(['$faultHeld', 'step.held $output']);
    held.give({ type: 'step.retried', step: '$output', atMs: held.nowMs });
    expect([held.value, held.data.failing]).toEqual([{ $forward: 'a' }, null]);
  });

  it('takes a name before a pattern, a longer pattern before a shorter one, and no pattern beside a name whose guard is false', () => {
    const on = { '*': 'any', 'order.*': 'some', 'order.paid': { target: 'one', guard: 'event.data.ok' } };
    const at = (name: string, data: Json): Json =>
      send(run({ initial: 'a', states: { a: { on }, any: {}, some: {}, one: {} } }), name, data).value;
    expect(at('order.paid', { ok: true })).toEqual({ $forward: 'one' });
    expect(at('order.paid', { ok: false })).toEqual({ $forward: 'a' });
    expect(at('order.lost', {})).toEqual({ $forward: 'some' });
    expect(at('orders', {})).toEqual({ $forward: 'any' });
  });

  it('refuses a snapshot that names a state twice, too few regions, or one that is not there', () => {
    const driver = run({ type: 'parallel', states: { r1: { initial: 'a', states: { a: {} } }, r2: {} } });
    const stored = JSON.parse(JSON.stringify(driver.snapshot)) as KernelSnapshot;
    expect(checkSnapshot(driver.compiled, stored)).toBe(stored);
    for (const value of [
      { $forward: { r1: 'a' } },
      { $forward: { r1: 'b', r2: {} } },
      { $forward: 3 },
      '$forward',
      { $forward: ['r1'] },
    ])
      expect(() => checkSnapshot(driver.compiled, { ...stored, value })).toThrow('no state that this machine rests in');
  });
});
