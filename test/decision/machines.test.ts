import { describe, expect, it } from 'vitest';
import { findFaults } from '../../src/decision/invariants/find-faults.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { checkedRun } from './support/checked-run.ts';
import { Play, type Setting, T0, workflow } from './support/play.ts';

const faultsOf = (run: Play): readonly string[] =>
  findFaults(checkedRun(run), run.nowMs).map(({ row, what }) => `${row}: ${what}`);

const EVENTS = 'events: { go: { keep: 2d }, on: {}, stop: {}, back: {}, tick: {} }';

/** A workflow with the actions of the stories, and a machine for its steps. */
const machine = (config: JsonObject, head = EVENTS): string =>
  workflow('', head).replace(/\nsteps:\n[\s\S]*$/, `\nmachine: ${JSON.stringify(config)}\n`);

const play = (config: JsonObject, script: Setting['script'] = {}, head = EVENTS): Play =>
  new Play(machine(config, head), { script }).drive();

/** A state that calls `do.x` under the name `x`. */
const call = (name: string, more: JsonObject = {}, pawl: JsonObject = {}): JsonObject => ({
  invoke: { id: name, src: `do.${name}`, ...(more['invoke'] as JsonObject | undefined) },
  ...Object.fromEntries(Object.entries(more).filter(([key]) => key !== 'invoke')),
  ...(Object.keys(pawl).length === 0 ? {} : { meta: { pawl } }),
});
const then = (onDone: Json, onError: Json = null): JsonObject => ({
  invoke: { onDone, ...(onError === null ? {} : { onError }) },
});
const END: JsonObject = { type: 'final' };

/** Where a machine rests. */
const at = (run: Play): Json => {
  const { value } = run.state.snapshot;
  return typeof value === 'object' && value !== null && '$forward' in value ? (value['$forward'] ?? null) : value;
};
const kept = (run: Play): readonly string[] => run.state.kept.map(({ eventId }) => eventId);

const TWO: JsonObject = {
  initial: 'one',
  states: { one: call('a', then('two')), two: call('b', then('end')), end: END },
};

describe('a machine', () => {
  it('does what its states invoke, one after the other, and ends at its final state', () => {
    const run = play(TWO);
    expect(run.happened).toEqual(['do.a', 'do.b']);
    expect(run.state.status).toBe('COMPLETED');
    expect(faultsOf(run)).toEqual([]);
  });

  it('gives the same keys as the same workflow written as steps', () => {
    const steps = new Play(workflow('\n  - { id: a, call: do.a }\n  - { id: b, call: do.b }\n', EVENTS)).drive();
    const run = play(TWO);
    expect([...run.state.effects.keys()]).toEqual([...steps.state.effects.keys()]);
    expect(run.provider.keys).toEqual(steps.provider.keys);
  });

  it('R01 undoes what it has done in the reverse order when an invoke fails that nothing takes', () => {
    // R01: "A, B, C confirmed in this completion order, D rejected: C's compensation is requested first"
    const states = {
      one: call('a', then('two')),
      two: call('b', then('three')),
      three: call('c', then('end')),
      end: END,
    };
    const run = play({ initial: 'one', states }, { 'do.c': ['declined'] });
    expect(run.happened).toEqual(['do.a', 'do.b', 'undo.b', 'undo.a']);
    expect([run.state.status, faultsOf(run)]).toEqual(['COMPENSATED', []]);
  });

  it('tries again, asks and sends again as the contract of its action says', () => {
    const retry = { attempts: 3, delay: '10s' };
    const run = play(
      { initial: 'one', states: { one: call('a', then('end'), { retry }), end: END } },
      { 'do.a': ['503', 'lost-done', 'ok'] },
    );
    expect(run.ledger()).toEqual({ a: 'AUTHORIZED' });
    run.wait('10m');
    expect([run.happened, run.state.status]).toEqual([['do.a'], 'COMPLETED']);
  });

  it('R20 holds behind its pivot what fails, and a person lets it go on under a key of the next generation', () => {
    // R20: "After the confirmed pivot nothing compensates by itself: failures retry, then HELD."
    const states = { one: call('a', then('two'), { pivot: true }), two: call('b', then('end')), end: END };
    const run = play({ initial: 'one', states }, { 'do.b': ['declined', 'ok'] });
    expect([run.state.status, run.incidents, at(run)]).toEqual(['HELD', ['pivot'], 'two']);
    expect(run.retry('b')?.outcome).toBe('applied');
    expect([run.happened, run.state.status, faultsOf(run)]).toEqual([['do.a', 'do.b'], 'COMPLETED', []]);
    expect(run.rowOf('b').ingredients.generation).toBe(1);
  });

  it('R18 undoes before it is cancelled, and terminates without undo', () => {
    // R18: "Later: settle, undo, CANCELLED."
    const states = { one: call('a', then('wait')), wait: { on: { go: 'end' } }, end: END };
    const cancelled = play({ initial: 'one', states });
    expect(cancelled.cancel()?.outcome).toBe('applied');
    expect([cancelled.happened, cancelled.state.status]).toEqual([['do.a', 'undo.a'], 'CANCELLED']);
    const terminated = play({ initial: 'one', states });
    terminated.terminate();
    expect([terminated.happened, terminated.state.status]).toEqual([['do.a'], 'TERMINATED']);
    expect([faultsOf(cancelled), faultsOf(terminated)]).toEqual([[], []]);
  });

  it('runs `finally` after its end, whichever that is', () => {
    const last = `${EVENTS}\nfinally:\n  - { id: two, call: do.e }`;
    const done = play(TWO, {}, last);
    expect([done.happened, done.state.status]).toEqual([['do.a', 'do.b', 'do.e'], 'COMPLETED']);
    const failed = play(TWO, { 'do.b': ['declined'] }, last);
    expect([failed.happened, failed.state.status]).toEqual([['do.a', 'undo.a', 'do.e'], 'COMPENSATED']);
    expect(faultsOf(failed)).toEqual([]);
  });

  it('R07 takes for read whatever was done before, where the order is `graph`: any guard may have led there', () => {
    // R07: "a compensation starts when those of all steps that read its step's output, and those its own `after` names, are confirmed"
    const head = `${EVENTS}\ncompensation: { order: graph }`;
    const states = {
      one: call('a', then({ target: 'two', guard: 'has(steps.a.output)' })),
      two: call('b', then('three')),
      three: call('c', then('end')),
      end: END,
    };
    const run = play({ initial: 'one', states }, { 'do.c': ['declined'], 'undo.b': ['hang'] }, head);
    expect(run.calls).toEqual(['do.a', 'do.b', 'do.c']);
    run.provider.says('undo.b', 'ok');
    run.drive();
    expect(run.happened).toEqual(['do.a', 'do.b', 'undo.b', 'undo.a']);
  });
});

describe('events of a machine', () => {
  const WAITS: JsonObject = {
    initial: 'one',
    states: { one: call('a', then('wait')), wait: { on: { go: 'end' } }, end: END },
  };

  it('are taken by the state that waits for them', () => {
    const run = play(WAITS);
    expect([at(run), run.state.status]).toEqual(['wait', 'WAITING']);
    expect(faultsOf(run)).toEqual([]);
    expect(run.signal('go')).toMatchObject({ outcome: 'applied', detail: { event: 'go' } });
    expect(run.state.status).toBe('COMPLETED');
  });

  it('V01 that come before their state are kept, and taken when it is entered', () => {
    // V01: "Store first, match later: an event before its wait is kept for its `keep` and matched; an unmatched one is listed, not dropped."
    const run = play(WAITS, { 'do.a': ['hang'] });
    expect(run.signal('go', {}, { id: 'early' })?.outcome).toBe('kept');
    expect([kept(run), faultsOf(run)]).toEqual([['early'], []]);
    run.crash();
    run.provider.says('do.a', 'ok');
    run.wait('5m');
    expect([run.state.status, kept(run), run.state.timers.size]).toEqual(['COMPLETED', [], 0]);
    expect(faultsOf(run)).toEqual([]);
  });

  it('V01 that no state ever takes are listed as unmatched when their time is over', () => {
    // V01: "an unmatched one is listed, not dropped."
    const states = { one: { on: { on: 'end' } }, end: END };
    const run = play({ initial: 'one', states });
    run.signal('go', {}, { id: 'lost' });
    expect(kept(run)).toEqual(['lost']);
    run.wait('3d');
    const answers = run.commits.flatMap(({ inbox }) => inbox).filter(({ eventId }) => eventId === 'lost');
    expect(answers.map(({ outcome }) => outcome)).toEqual(['kept', 'unmatched']);
  });

  it('V13 that came before a state began that does something are not taken by it, and are by one that waits', () => {
    // V13: "A handler (`on`) never takes an event received before its step became active; `await` does."
    const acts = {
      initial: 'one',
      states: { one: call('a', then('two')), two: call('b', { on: { go: 'end' } }), end: END },
    };
    const early = new Play(machine(acts), { script: { 'do.a': ['hang'], 'do.b': ['hang'] } }).drive();
    early.signal('go', {}, { id: 'early' });
    early.sleep('1s');
    early.provider.says('do.a', 'ok');
    early.drive();
    expect([at(early), kept(early)]).toEqual(['two', ['early']]);
    early.provider.says('do.b', 'ok');
    expect(early.signal('go')?.outcome).toBe('applied');
    early.drive();
    expect([early.state.status, faultsOf(early)]).toEqual(['COMPLETED', []]);
  });

  it('V05 that are not declared are refused, whatever a pattern takes', () => {
    // V05: "Only declared events are accepted from outside; engine events cannot be forged."
    const run = play({ initial: 'one', states: { one: { on: { '*': 'end' } }, end: END } });
    expect(run.signal('strange')?.outcome).toBe('refused');
    expect(run.signal('tick')?.outcome).toBe('applied');
  });

  it('may be taken and lead nowhere: then nobody around takes them', () => {
    const inner = { initial: 'deep', states: { deep: { on: { go: {} } } }, on: { go: 'end' } };
    const run = play({ initial: 'outer', states: { outer: inner, end: END } });
    expect(run.signal('go')?.outcome).toBe('applied');
    expect(at(run)).toEqual({ outer: 'deep' });
  });

  it('move every region that takes them at once', () => {
    const region = (name: string): JsonObject => ({
      initial: `${name}0`,
      states: { [`${name}0`]: { on: { go: `${name}1` } }, [`${name}1`]: END },
    });
    const both = { type: 'parallel', states: { r: region('r'), s: region('s') }, onDone: 'end' };
    const run = play({ initial: 'both', states: { both, end: END } });
    run.signal('go');
    expect(run.state.status).toBe('COMPLETED');
  });

  it('V03 that are kept are taken in the order of their sender', () => {
    // V03: "With `sequence`, a lower or equal number than the last applied is stored as stale and ignored."
    const head =
      'events: { go: { schema: { type: object, properties: { n: { type: integer } } }, sequence: event.data.n } }\n' +
      'vars: { seen: { type: array, items: { type: integer }, default: [] } }';
    const note = { type: 'assign', params: { seen: '${ vars.seen + [event.data.n] }' } };
    const states = {
      one: call('a', then('wait')),
      wait: { on: { go: { actions: note } }, after: { '1h': 'end' } },
      end: END,
    };
    const run = play({ initial: 'one', states }, { 'do.a': ['hang'] }, head);
    run.signal('go', { n: 2 });
    run.signal('go', { n: 1 });
    run.provider.says('do.a', 'ok');
    run.drive();
    expect(run.state.snapshot.data.vars).toEqual({ seen: [1, 2] });
    run.wait('2h');
    expect(run.state.status).toBe('COMPLETED');
  });

  it('P02c that are kept are all taken, in as many commits as they need', () => {
    // P02c: "A RunCommit carries 0..64 transitions of one run"
    const states = { one: call('a', then('wait')), wait: { on: { tick: {}, go: 'end' } }, end: END };
    const run = play({ initial: 'one', states }, { 'do.a': ['hang'] });
    for (let count = 0; count < 70; count += 1) run.signal('tick');
    expect(run.state.kept.length).toBe(70);
    run.provider.says('do.a', 'ok');
    run.drive();
    expect([run.state.kept.length, at(run)]).toEqual([0, 'wait']);
  });
});

describe('delays of a machine', () => {
  it('V06 outlive a process, and are never early', () => {
    // V06: "A timer's due time is fixed once from its event's database time."
    const states = { one: { after: { 90000: 'end' }, on: { go: 'one' } }, end: END };
    const run = play({ initial: 'one', states });
    run.wait('1m').crash();
    expect([at(run), faultsOf(run)]).toEqual(['one', []]);
    run.wait('29s');
    expect(at(run)).toBe('one');
    run.wait('1s');
    expect([run.state.status, run.state.endedAtMs]).toEqual(['COMPLETED', T0 + 90_000]);
  });

  it('V06 end when their state is left, and begin again when it is entered again', () => {
    // V06: "A commit that leaves the state deletes its timers; a generation that is not current is ignored."
    const states = { one: { after: { '1h': 'end' }, on: { go: 'two' } }, two: { on: { back: 'one' } }, end: END };
    const run = play({ initial: 'one', states });
    run.signal('go');
    expect(run.state.timers.size).toBe(0);
    run.wait('30m');
    run.signal('back');
    run.wait('59m');
    expect(at(run)).toBe('one');
    run.wait('1m');
    expect([run.state.status, faultsOf(run)]).toEqual(['COMPLETED', []]);
  });
});

describe('a state that is left while its act is on its way', () => {
  const LEFT: JsonObject = {
    initial: 'one',
    states: {
      one: call('a', { invoke: { onDone: 'two' }, on: { stop: 'three' } }),
      two: call('b', then('end')),
      three: call('c', then('end')),
      end: END,
    },
  };

  it('waits for it, and then goes where the event leads, whatever the act came to', () => {
    const run = play(LEFT, { 'do.a': ['hang'] });
    expect(run.signal('stop')?.outcome).toBe('applied');
    expect([at(run), run.ledger(), run.state.control.aside?.length]).toEqual(['one', { a: 'REQUESTED' }, 1]);
    expect(faultsOf(run)).toEqual([]);
    run.provider.says('do.a', 'ok');
    run.drive();
    expect([run.happened, run.state.status]).toEqual([['do.a', 'do.c'], 'COMPLETED']);
    expect([run.output('a'), faultsOf(run)]).toEqual([run.rowOf('a').output, []]);
    const failed = play(LEFT, { 'do.a': ['hang'] });
    failed.signal('stop');
    failed.provider.says('do.a', 'declined');
    failed.drive();
    expect([failed.happened, failed.state.snapshot.data.steps['a']?.code]).toEqual([['do.c'], 'declined']);
  });

  it('makes no retry any more, and settles what nobody knows', () => {
    const retrying = {
      ...(LEFT['states'] as JsonObject),
      one: call('a', { invoke: { onDone: 'two' }, on: { stop: 'three' } }, { retry: { attempts: 5, delay: '1s' } }),
    };
    const run = play({ initial: 'one', states: retrying }, { 'do.a': ['hang'] });
    run.signal('stop');
    run.provider.says('do.a', '503', 'ok');
    run.drive();
    expect([run.happened, run.ledger()['a']]).toEqual([['do.c'], 'FAILED']);
    const lost = play({ initial: 'one', states: retrying }, { 'do.a': ['hang'] });
    lost.signal('stop');
    lost.crash();
    expect([at(lost), lost.ledger()]).toEqual(['one', { a: 'UNKNOWN' }]);
    lost.provider.says('do.a', 'lost-done', 'ok');
    lost.wait('10m');
    expect([lost.happened, lost.state.status, faultsOf(lost)]).toEqual([['do.a', 'do.c'], 'COMPLETED', []]);
  });

  it('gives up at once what waits for its next attempt', () => {
    const states = {
      ...(LEFT['states'] as JsonObject),
      one: call('a', { invoke: { onDone: 'two' }, on: { stop: 'three' } }, { retry: { attempts: 5, delay: '1h' } }),
    };
    const run = play({ initial: 'one', states }, { 'do.a': ['503'] });
    expect(run.ledger()).toEqual({ a: 'AUTHORIZED' });
    run.signal('stop');
    expect([run.ledger(), run.state.status]).toEqual([{ a: 'CANCELLED', c: 'CONFIRMED' }, 'COMPLETED']);
  });

  it('waits for it when its time is over, too', () => {
    const states = {
      one: call('a', { invoke: { onDone: 'end' }, after: { '1m': 'two' } }),
      two: call('b', then('end')),
      end: END,
    };
    const run = play({ initial: 'one', states }, { 'do.a': ['hang'] });
    run.wait('2m');
    expect([at(run), run.ledger()]).toEqual(['one', { a: 'REQUESTED' }]);
    run.provider.says('do.a', 'ok');
    run.drive();
    expect([run.happened, run.state.status, faultsOf(run)]).toEqual([['do.a', 'do.b'], 'COMPLETED', []]);
  });

  it('begins the act of the next visit only when that of the one before has settled', () => {
    const again = {
      one: call('a', { invoke: { onDone: 'end' }, on: { back: { target: 'one', reenter: true } } }),
      end: END,
    };
    const run = play({ initial: 'one', states: again }, { 'do.a': ['hang'] });
    run.signal('back');
    expect(run.state.effects.size).toBe(1);
    run.provider.says('do.a', 'ok');
    run.drive();
    expect([run.happened, run.state.effects.size, run.state.status]).toEqual([['do.a', 'do.a'], 2, 'COMPLETED']);
    expect([new Set(run.provider.keys).size, faultsOf(run)]).toEqual([2, []]);
  });

  const REGIONS: JsonObject = {
    initial: 'both',
    states: {
      both: {
        type: 'parallel',
        states: {
          r: { initial: 'ra', states: { ra: call('a', then('rb')), rb: call('b', then('rx')), rx: END } },
          s: { initial: 'sc', states: { sc: call('c', then('sd')), sd: call('d', then('sx')), sx: END } },
        },
        onDone: 'end',
        on: { stop: 'five', on: { target: '.r.rb' } },
      },
      five: call('e', then('end')),
      end: END,
    },
  };

  it('R04 starts nothing new in any region of what is left, and goes on when all have settled', () => {
    // R04: "Sibling in flight: nothing new starts, it is awaited to settlement"
    const run = play(REGIONS, { 'do.a': ['hang'], 'do.c': ['hang'] });
    run.signal('stop');
    run.provider.says('do.a', 'ok');
    run.drive();
    expect([run.happened, run.ledger()]).toEqual([['do.a'], { a: 'CONFIRMED', c: 'REQUESTED' }]);
    expect(at(run)).toEqual({ both: { r: 'ra', s: 'sc' } });
    run.crash();
    run.provider.says('do.c', 'ok');
    run.wait('10m');
    expect([run.happened, run.state.status]).toEqual([['do.a', 'do.c', 'do.e'], 'COMPLETED']);
    expect([run.output('a'), run.output('c')]).not.toContain(undefined);
    expect(faultsOf(run)).toEqual([]);
  });

  it('gives up what waits for its next attempt beside what is on its way', () => {
    const both = ((REGIONS['states'] as JsonObject)['both'] as JsonObject)['states'] as JsonObject;
    const sc = call('c', then('sx'), { retry: { attempts: 3, delay: '1h' } });
    const s = { initial: 'sc', states: { sc, sx: END } };
    const states = {
      ...(REGIONS['states'] as JsonObject),
      both: { type: 'parallel', states: { r: both['r'] ?? null, s }, on: { stop: 'five' }, onDone: 'end' },
    };
    const run = play({ initial: 'both', states }, { 'do.a': ['hang'], 'do.c': ['503'] });
    expect(run.ledger()).toEqual({ a: 'REQUESTED', c: 'AUTHORIZED' });
    run.signal('stop');
    expect(run.ledger()).toEqual({ a: 'REQUESTED', c: 'CANCELLED' });
    run.provider.says('do.a', 'ok');
    run.drive();
    expect([run.happened, run.state.status, faultsOf(run)]).toEqual([['do.a', 'do.e'], 'COMPLETED', []]);
    expect(run.state.snapshot.data.steps['c']?.code).toBe('cancelled');
  });

  it('keeps what would lead out of the same states until that is done', () => {
    const run = play(REGIONS, { 'do.a': ['hang'], 'do.c': ['hang'] });
    run.signal('stop');
    expect(run.signal('on', {}, { id: 'second' })?.outcome).toBe('kept');
    run.provider.says('do.a', 'ok');
    run.provider.says('do.c', 'ok');
    run.drive();
    expect([run.happened, run.state.status, kept(run)]).toEqual([['do.a', 'do.c', 'do.e'], 'COMPLETED', []]);
  });

  it('leaves a region alone that the event does not lead out of', () => {
    const states = {
      both: {
        type: 'parallel',
        states: {
          r: { initial: 'ra', states: { ra: call('a', { invoke: { onDone: 'rx' }, on: { go: 'rx' } }), rx: END } },
          s: { initial: 'sc', states: { sc: call('c', then('sd')), sd: call('d', then('sx')), sx: END } },
        },
        onDone: 'end',
      },
      end: END,
    };
    const run = play({ initial: 'both', states }, { 'do.a': ['hang'] });
    run.signal('go');
    expect(run.happened).toEqual(['do.c', 'do.d']);
    run.provider.says('do.a', 'ok');
    run.drive();
    expect(run.state.status).toBe('COMPLETED');
  });

  it('goes where the act leads when nobody takes the event any more', () => {
    const head = `${EVENTS}\nvars: { n: { type: integer, default: 0 } }`;
    const guarded = { target: 'three', guard: 'or(steps.a.attempts, 0) == 0' };
    const states = {
      ...(LEFT['states'] as JsonObject),
      one: call('a', { invoke: { onDone: 'two' }, on: { stop: guarded } }),
    };
    const run = play({ initial: 'one', states }, { 'do.a': ['hang'] }, head);
    run.signal('stop');
    run.provider.says('do.a', 'ok');
    run.drive();
    expect([run.happened, run.state.status, faultsOf(run)]).toEqual([['do.a', 'do.b'], 'COMPLETED', []]);
  });

  it('does what was given up for an event that in the end nobody takes', () => {
    const guarded = { target: 'three', guard: 'or(steps.a.attempts, 0) == 0' };
    const region = (name: string, pawl: JsonObject = {}): JsonObject => ({
      initial: `${name}a`,
      states: { [`${name}a`]: call(name, then(`${name}x`), pawl), [`${name}x`]: END },
    });
    const states = {
      both: {
        type: 'parallel',
        states: { l: region('a'), r: region('b', { retry: { attempts: 3, delay: '1h' } }) },
        onDone: 'end',
        on: { stop: guarded },
      },
      three: call('c', then('end')),
      end: END,
    };
    const run = play({ initial: 'both', states }, { 'do.a': ['hang'], 'do.b': ['503', 'ok'] });
    run.signal('stop');
    expect(run.ledger()['b']).toBe('CANCELLED');
    run.provider.says('do.a', 'ok');
    run.drive();
    expect([run.happened, run.state.status, faultsOf(run)]).toEqual([['do.a', 'do.b'], 'COMPLETED', []]);
  });

  it('follows the event also where a fault of another region has held the run meanwhile', () => {
    const assign = (params: JsonObject): JsonObject => ({ type: 'assign', params });
    const region = (name: string, more: JsonObject = {}): JsonObject => ({
      initial: name,
      states: {
        [name]: call(name, {
          invoke: { onDone: `${name}x` },
          on: { stop: { target: `${name}y`, ...more } },
        }),
        [`${name}x`]: END,
        [`${name}y`]: END,
      },
    });
    const faulty = {
      initial: 'c',
      states: { c: call('c', then({ target: 'cx', actions: assign({ m: '${ vars.m / vars.n }' }) })), cx: END },
    };
    const states = {
      both: {
        type: 'parallel',
        states: { l: region('a'), r: region('b', { actions: assign({ n: 1 }) }), f: faulty },
        onDone: 'end',
      },
      end: END,
    };
    const vars = 'vars: { n: { type: integer, default: 0 }, m: { type: integer, default: 1 } }';
    const hang = { 'do.a': ['hang'], 'do.b': ['hang'], 'do.c': ['hang'] } as const;
    const run = play({ initial: 'both', states }, hang, `${EVENTS}\nonFailure: hold\n${vars}`);
    run.signal('stop');
    for (const name of ['do.b', 'do.c', 'do.a']) {
      run.provider.says(name, 'ok');
      run.drive();
    }
    expect([run.state.status, run.state.snapshot.value]).toEqual(['HELD', '$faultHeld']);
    run.retry('$output');
    expect([run.happened, run.state.status]).toEqual([['do.b', 'do.c', 'do.a'], 'COMPLETED']);
    expect([run.state.snapshot.data.vars, run.state.control.aside, faultsOf(run)]).toEqual([{ n: 1, m: 1 }, [], []]);
  });

  it('forgets what it was to follow when the run is cancelled meanwhile', () => {
    const run = play(LEFT, { 'do.a': ['hang'] });
    run.signal('tick', {}, { id: 'lost' });
    run.signal('stop');
    run.cancel();
    expect([run.state.phase, kept(run)]).toEqual(['settling', ['lost']]);
    run.provider.says('do.a', 'ok');
    run.drive();
    expect([run.happened, run.state.status, run.state.control.aside]).toEqual([['do.a', 'undo.a'], 'CANCELLED', []]);
    expect(faultsOf(run)).toEqual([]);
  });

  it('E01 leads back through a history to the act that it was, and does it if it was given up', () => {
    // E01: "*visit* is a counter of the step list: 0 at entry from outside, +1 per authored jump back, in the commit that takes it; hold, resume, retry, history and migration never change it."
    const work = {
      initial: 'wa',
      states: {
        wa: call('a', then('wb'), { retry: { attempts: 3, delay: '1h' } }),
        wb: call('b', then('wx')),
        wx: END,
        hist: { type: 'history', history: 'deep' },
      },
      on: { stop: 'rest' },
      onDone: 'end',
    };
    const states = { work, rest: { on: { back: 'work.hist' } }, end: END };
    const run = play({ initial: 'work', states }, { 'do.a': ['503', 'ok'] });
    run.signal('stop');
    expect([at(run), run.ledger()]).toEqual(['rest', { a: 'CANCELLED' }]);
    run.signal('back');
    expect([run.happened, run.state.status, faultsOf(run)]).toEqual([['do.a', 'do.b'], 'COMPLETED', []]);
    const again = play({ initial: 'work', states }, { 'do.b': ['hang'] });
    again.signal('stop');
    again.provider.says('do.b', 'ok');
    again.drive();
    expect(at(again)).toBe('rest');
    again.signal('back');
    expect([again.happened, again.state.effects.size, again.state.status]).toEqual([['do.a', 'do.b'], 2, 'COMPLETED']);
  });
});
