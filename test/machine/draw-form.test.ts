import { describe, expect, it } from 'vitest';
import { describeMachine } from '../../src/machine/diagram.ts';
import { paintForm } from '../../src/machine/form/draw-form.ts';
import { lower } from '../../src/machine/lower.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { Machine } from '../../src/model/machine.ts';
import type { Picture } from '../../src/model/picture.ts';
import { definitionOf } from './scxml/session.ts';
import { action } from './support/definitions.ts';

const CONFIG: JsonObject = {
  initial: 'work',
  on: { off: 'gone' },
  states: {
    work: {
      initial: 'pay',
      on: { pause: { target: 'rest', guard: 'true' } },
      onDone: 'both',
      states: {
        pay: { invoke: { src: 'act', onDone: 'paid', onError: '#gone' } },
        paid: { type: 'final' },
        back: { type: 'history', history: 'deep' },
      },
    },
    rest: { after: { '10s': 'work.back' } },
    both: { type: 'parallel', states: { l: { always: { target: '#gone', guard: 'false' } }, r: { on: { go: {} } } } },
    gone: { id: 'gone', type: 'final', meta: { pawl: { fail: 'gone' } } },
  },
};

function machineOf(config: JsonObject): Machine {
  const undo = {
    kind: 'call',
    action: 'undo',
    with: null,
    object: null,
    retry: null,
    timeoutMs: null,
    onFailure: null,
    pointer: '',
  } as const;
  return lower(definitionOf(config, { actions: [action('act', { compensate: undo }), action('undo')] }));
}

const nodesOf = ({ nodes }: Picture): readonly string[] =>
  nodes.map(({ id, kind, parent, title, detail }) => [id, kind, parent ?? '', title, detail ?? ''].join(' | '));
const edgesOf = ({ edges }: Picture): readonly string[] =>
  edges.map(({ from, to, kind, label, condition }) => [from, to, kind, label ?? '', condition ?? ''].join(' | '));

describe('the picture of a machine', () => {
  const picture = describeMachine(machineOf(CONFIG));

  it('has a box for each state, in the boxes of the states around it, and says what they do', () => {
    expect(nodesOf(picture)).toEqual([
      '$start | start |  | start | ',
      '$any | await |  | at any time | ',
      'work | group |  | work | ',
      'work$begin | start | work | start | ',
      'pay | call | work | pay | act',
      'pay$undo | compensation | work | undo | undoes pay',
      'paid | end | work | paid | ',
      'back | fork | work | back | deep history',
      'rest | wait |  | rest | ',
      'both | parallel |  | both | ',
      'l | await | both | l | ',
      'r | await | both | r | ',
      'gone | end |  | gone | fails: gone',
    ]);
  });

  it('has an arrow for each way, with what it waits for and asks', () => {
    expect(edgesOf(picture)).toEqual([
      '$start | work | next |  | ',
      '$any | gone | handler | off | ',
      'work$begin | pay | next |  | ',
      'work | rest | handler | pause | true',
      'work | both | next | done | ',
      'pay | paid | next |  | ',
      'pay | gone | catch | failed | ',
      'pay | pay$undo | compensation |  | ',
      'back | pay | next | the first time | ',
      'rest | back | next | after 10s | ',
      'l | gone | branch |  | false',
    ]);
  });

  it('shows where a run has been, where it is, what was undone and what is held', () => {
    const path = {
      moves: [
        { left: [], entered: ['run', '$forward', 'work', 'pay'] },
        { left: ['pay', 'work'], entered: ['rest'] },
      ],
      states: ['rest'],
      undone: [],
      held: [],
    };
    const machine = machineOf(CONFIG);
    const painted = paintForm(machine, picture, path);
    const live = (of: Picture): Readonly<Record<string, string | null>> =>
      Object.fromEntries(of.nodes.map((node) => [node.id, node.live]));
    expect(live(painted)).toMatchObject({ work: 'taken', pay: 'taken', paid: null, rest: 'now' });
    const taken = painted.edges.filter((edge) => edge.taken).map(({ from, to }) => `${from} ${to}`);
    expect(taken).toEqual(['$start work', 'work$begin pay', 'work rest']);
    const undone = paintForm(machine, picture, { ...path, undone: ['pay'], states: [] });
    expect(live(undone)).toMatchObject({ pay: 'undone', pay$undo: 'undone' });
    expect(undone.edges.find(({ to }) => to === 'pay$undo')?.taken).toBe(true);
    expect(live(paintForm(machine, picture, { ...path, held: ['pay'] }))['pay']).toBe('held');
  });

  it('says at a box with states inside what it calls, and draws what is done at every end', () => {
    const config = {
      initial: 'a',
      invoke: { src: 'act', id: 'whole' },
      on: { go: '.a' },
      states: { a: { initial: 'b', states: { b: {} }, invoke: { src: 'act', id: 'inner' } } },
    };
    const drawn = nodesOf(describeMachine(machineOf(config)));
    expect(drawn).toContain('a | group |  | a: act | act');
    expect(drawn).toContain('$any | await |  | at any time | act');
  });
});
