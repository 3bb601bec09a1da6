import { describe, expect, it } from 'vitest';
import * as xstate from 'xstate';
import { parseTemplate } from '../../src/definition/parse-template.ts';
import { initialData } from '../../src/machine/advance.ts';
import { ASSIGN_NAMES, applyAssign } from '../../src/machine/assigns.ts';
import type { Turn } from '../../src/machine/compute.ts';
import { describeMachine } from '../../src/machine/diagram.ts';
import { exportMachine } from '../../src/machine/export/export-machine.ts';
import { writtenTemplate } from '../../src/machine/export/written-template.ts';
import { checkGuard, GUARD_NAMES } from '../../src/machine/guards.ts';
import { lower } from '../../src/machine/lower.ts';
import { toMermaid } from '../../src/machine/mermaid.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import type { KernelEvent } from '../../src/model/kernel.ts';
import type { MachineState } from '../../src/model/machine.ts';
import type { RunData } from '../../src/model/run.ts';
import { type Element, parseXml } from './scxml/xml.ts';
import { fc } from '../support/fast-check.ts';
import { definitionFrom, eventFrom, tapes } from './support/arbitrary.ts';
import {
  action,
  branch,
  call,
  cel,
  choose,
  clause,
  expr,
  literal,
  scope,
  wait,
  workflow,
} from './support/definitions.ts';
import { Driver, eventView, failure } from './support/driver.ts';
import { definitionOf } from './scxml/session.ts';

/** What the text of the module holds once it has been loaded. */
function loaded(text: string): xstate.AnyStateMachine {
  const [first, ...rest] = text.split('\n');
  expect(first).toBe("import { createMachine } from 'xstate';");
  const body = rest.join('\n').replace('export const machine =', 'return');
  return (new Function('createMachine', body) as (create: unknown) => xstate.AnyStateMachine)(xstate.createMachine);
}

interface Given {
  readonly context: { readonly data: RunData };
  readonly event: { readonly turn?: Turn; readonly input?: { readonly turn: Turn } };
}

/** The turn of an event; XState's own events belong to that of the event before them. */
function turnIn({ event }: Given, last: { turn?: Turn }): Turn {
  const turn = event.turn ?? event.input?.turn ?? last.turn;
  if (turn === undefined) throw new Error('an event without its turn');
  last.turn = turn;
  return turn;
}

/** The names of the module, filled in as Pawl means them; a command is noted down instead of carried out. */
function provided(machine: xstate.AnyStateMachine, asked: JsonObject[]): xstate.AnyStateMachine {
  const last: { turn?: Turn } = {};
  const guards = GUARD_NAMES.map((type) => {
    const check = (given: Given, params: JsonObject): boolean =>
      checkGuard(turnIn(given, last), given.context.data, { type, params });
    return [type, check];
  });
  const assigns = ASSIGN_NAMES.map((type) => {
    const change = (given: Given, params: JsonObject): object => ({
      data: applyAssign(turnIn(given, last), given.context.data, { type, params }),
    });
    return [type, xstate.assign(change as never)];
  });
  const commands = ['step.enter', 'step.leave', 'step.drain', 'step.held', 'group.enter', 'group.leave', 'group.undo'];
  const sides = ['item.undo', 'branches.stop', 'losers.undo', 'losers.keep'];
  const noted = [...commands, ...sides, 'run.settle', 'run.compensate', 'run.end'].map((type) => [
    type,
    (_given: unknown, params: JsonObject): void => void asked.push({ type, ...params }),
  ]);
  return machine.provide({
    guards: Object.fromEntries(guards) as never,
    actions: Object.fromEntries([...assigns, ...noted]) as never,
  });
}

function turnFor(run: Driver, event: KernelEvent | null): Turn {
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

describe('the exported XState module', () => {
  it('goes the same way in memory as our interpreter, with the same data and the same commands, on random walks', () => {
    let moves = 0;
    fc.assert(
      fc.property(tapes, tapes, (tape, events) => {
        const run = new Driver(definitionFrom(tape), { flag: true });
        const asked: JsonObject[] = [];
        const machine = provided(loaded(exportMachine(run.compiled.machine, 'xstate')), asked);
        const actor = xstate.createActor(machine, { input: { turn: turnFor(run, null) } as never });
        actor.start();
        const compare = (): void => {
          const { value, context } = actor.getSnapshot() as { value: Json; context: { data: RunData } };
          expect([value, context.data, asked.splice(0)]).toEqual([run.value, run.data, run.commands]);
        };
        compare();
        for (let count = 0; count < 12; count += 1) {
          const event = eventFrom(events, run);
          const turn = turnFor(run, event);
          run.give(event);
          actor.send({ type: event.type, turn } as never);
          moves += run.last.changed ? 1 : 0;
          compare();
        }
        actor.stop();
      }),
      { numRuns: 30 },
    );
    expect(moves).toBeGreaterThan(50);
  });

  it('goes the same way with the states of an author, and carries at each what its call carries', () => {
    const work = {
      type: 'parallel',
      states: {
        l: {
          initial: 'la',
          states: { la: { invoke: { id: 'a', src: 'act', onDone: 'lx', onError: 'la' } }, lx: { type: 'final' } },
        },
        r: {
          initial: 'ra',
          states: {
            ra: { on: { go: 'rb' } },
            rb: { invoke: { id: 'b', src: 'act' }, meta: { pawl: { pivot: true } }, on: { go: 'rx' } },
            rx: { type: 'final' },
          },
        },
        back: { type: 'history', history: 'deep' },
      },
      on: {
        pause: {
          target: 'rest',
          guard: 'vars.n < 3.0',
          actions: { type: 'assign', params: { n: '${ vars.n + 1.0 }' } },
        },
      },
      onDone: 'end',
    };
    const states = { work, rest: { on: { go: 'work.back', pause: 'work' } }, end: { type: 'final' } };
    const definition = definitionOf({ initial: 'work', states }, { vars: [['n', { default: 0 }]] });
    const text = exportMachine(lower(definition), 'xstate');
    expect(text).toContain('"pivot": true');
    const outcome = { ok: true, output: null, attempts: 1 } as const;
    const happenings = fc.constantFrom<KernelEvent>(
      ...['go', 'pause'].map(
        (name) => ({ type: 'event.received', event: eventView(name), atMs: 9, hold: false }) as const,
      ),
      ...['a', 'b'].map((step) => ({ type: 'effect.settled', step, outcome, atMs: 9, hold: false }) as const),
      {
        type: 'effect.settled',
        step: 'a',
        outcome: { ok: false, failure: failure('no'), attempts: 1 },
        atMs: 9,
        hold: false,
      },
    );
    fc.assert(
      fc.property(fc.array(happenings, { maxLength: 12 }), (events) => {
        const run = new Driver(definition);
        const asked: JsonObject[] = [];
        const actor = xstate.createActor(provided(loaded(text), asked), {
          input: { turn: turnFor(run, null) } as never,
        });
        actor.start();
        for (const event of events) {
          const turn = turnFor(run, event);
          asked.splice(0);
          run.give(event);
          actor.send({ type: event.type, turn } as never);
          const { value, context } = actor.getSnapshot() as { value: Json; context: { data: RunData } };
          expect([value, context.data, asked]).toEqual([run.value, run.data, run.commands]);
        }
        actor.stop();
      }),
      { numRuns: 60 },
    );
  });

  it('holds at every step what its reader must know, and of a call all that it carries', () => {
    const definition = workflow([
      call('pay', {
        with: { kind: 'map', entries: [['amount', expr('input.amount')]] },
        object: literal('=odd'),
        pivot: true,
        onUnknown: 'review',
        compensate: {
          kind: 'call',
          action: 'undo',
          with: { kind: 'text', parts: ['no ${', cel('effect.key')] },
          object: null,
          retry: null,
          timeoutMs: null,
          onFailure: 'hold',
          after: ['rest'],
          pointer: '',
        },
        retry: {
          attempts: 2,
          delayMs: 5,
          factor: 1,
          capMs: null,
          jitter: 0,
          withinMs: null,
          on: ['unavailable'],
          when: cel('true'),
        },
      }),
      wait('rest', { when: cel('input.slow') }),
      call('last', { compensate: { kind: 'none' } }),
    ]);
    const config = JSON.parse(exportMachine(lower(definition), 'json')) as Json;
    const metas: Json[] = [];
    const find = (value: Json): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [key, inner] of Object.entries(value))
        if (key === 'meta') metas.push(inner as Json);
        else find(inner as Json);
    };
    find(config);
    expect(metas).toEqual([
      { pawl: { workflow: 'sample', version: 1 } },
      {
        pawl: {
          verb: 'call',
          call: 'act',
          with: { amount: '${ input.amount }' },
          object: '==odd',
          pivot: true,
          onUnknown: 'review',
          compensate: { call: 'undo', with: 'no $${${ effect.key }', onFailure: 'hold', after: ['rest'] },
          retry: { attempts: 2, delayMs: 5, factor: 1, jitter: 0, on: ['unavailable'], when: 'true' },
        },
      },
      { pawl: { verb: 'wait' } },
      { pawl: { verb: 'call', call: 'act', compensate: 'none' } },
    ]);
    expect(JSON.stringify(config)).toContain('"description":"input.slow"');
  });

  it('writes templates so that they are the same when they are parsed again', () => {
    const texts: Json[] = [
      '=input.a',
      'plain',
      '==a',
      '$${ b',
      'x ${ input.a } y',
      ['=input.b', { c: '${ 1 + 1 }', d: null }],
      3,
    ];
    for (const text of texts) {
      const parsed = parseTemplate(text, '/t');
      if (!parsed.ok) throw new Error('no template');
      const again = parseTemplate(writtenTemplate(parsed.template), '/t');
      const bare = (value: unknown): unknown =>
        JSON.parse(JSON.stringify(value, (key, one: unknown) => (key === 'offset' ? 0 : one)));
      expect(bare(again)).toEqual(bare(parsed));
    }
  });
});

describe('the exported texts', () => {
  const small = workflow(
    [
      scope('paying', [
        call('pay', {
          compensate: {
            kind: 'call',
            action: 'undo',
            with: null,
            object: null,
            retry: null,
            timeoutMs: null,
            onFailure: null,
            pointer: '',
          },
          catch: [clause(['any'], { do: [wait('pause')] })],
        }),
      ]),
      choose('which', [branch('input.a < 2 && input.b == "x"', [wait('first')]), branch(null, [])]),
    ],
    {
      actions: [action('act', { idempotency: { kind: 'none' } }), action('undo')],
      vars: [
        ['n', { default: 1 }],
        ['m', {}],
      ],
    },
  );

  it.each([
    ['xstate', workflow([call('pay', { pivot: true })])],
    ['scxml', workflow([call('pay', { pivot: true })])],
    ['dot', small],
  ] as const)('are, as %s, what they were', async (format, definition) => {
    await expect(exportMachine(lower(definition), format)).toMatchFileSnapshot(`golden/export-${format}.txt`);
  });

  it('are, as JSON, the config of the module, and as Mermaid the picture', () => {
    const config = exportMachine(lower(small), 'json').trimEnd();
    expect(exportMachine(lower(small), 'xstate')).toContain(`createMachine(${config});`);
    expect(exportMachine(lower(small), 'mermaid')).toBe(toMermaid(describeMachine(lower(small))));
  });

  it('are, as SCXML, well-formed, with every state, transition and command of the machine', () => {
    fc.assert(
      fc.property(tapes, (tape) => {
        const machine = lower(definitionFrom(tape));
        const states = (state: MachineState): readonly MachineState[] => [state, ...state.states.flatMap(states)];
        const own = states(machine.root).slice(1);
        const elements = (element: Element): readonly Element[] => [element, ...element.children.flatMap(elements)];
        const all = elements(parseXml(exportMachine(machine, 'scxml')));
        const of = (name: string): readonly Element[] => all.filter((element) => element.name === name);
        const ids = [...of('state'), ...of('parallel')].map(({ attributes }) => attributes['id']);
        expect([ids.length, new Set(ids).size]).toEqual([own.length, own.length]);
        const edges = own.flatMap((state) => state.edges);
        expect(of('transition').length).toBe(edges.length);
        for (const { attributes } of of('transition'))
          if (attributes['target'] !== undefined) expect(ids).toContain(attributes['target']);
        const actions = own.flatMap(({ entry, exit, edges: ways }) => [
          ...entry,
          ...exit,
          ...ways.flatMap((edge) => edge.actions),
        ]);
        expect(of('send').length + of('script').length).toBe(actions.length);
      }),
      { numRuns: 25 },
    );
  });

  it('draw in DOT every box and every arrow of the picture', () => {
    fc.assert(
      fc.property(tapes, (tape) => {
        const machine = lower(definitionFrom(tape));
        const picture = describeMachine(machine);
        const text = exportMachine(machine, 'dot');
        const boxes = text.match(/^ +(?:subgraph cluster_)?n\d+ [[{]/gm) ?? [];
        const arrows = text.match(/^ +n\d+ -> n\d+/gm) ?? [];
        expect([boxes.length, arrows.length]).toEqual([picture.nodes.length, picture.edges.length]);
      }),
      { numRuns: 40 },
    );
  });

  it('begin with the data that a run begins with', () => {
    const config = JSON.parse(exportMachine(lower(small), 'json')) as JsonObject;
    expect(config['context']).toEqual({ data: initialData(small) });
    expect(initialData(small).vars).toEqual({ n: 1 });
  });
});
