import type { Json } from '../../model/json.ts';
import type { Random } from '../random.ts';
import { ACTION_CLASSES, type ActionClass, actionLines } from './action-classes.ts';

/** What the world does to a run beside the faults: each with the time at which it first comes, milliseconds. */
export type OutsideAct =
  | {
      readonly kind: 'signal';
      readonly atMs: number;
      readonly name: string;
      /** Its sender's own number of it: the same comes `times` times, by any road. */
      readonly no: number;
      readonly data: Json;
      readonly times: number;
    }
  | { readonly kind: 'vote'; readonly atMs: number; readonly by: string; readonly decision: 'approve' | 'deny' }
  | { readonly kind: 'cancel' | 'compensate' | 'terminate'; readonly atMs: number }
  | { readonly kind: 'prune'; readonly atMs: number };

/** An action of a scenario's workflow. */
export interface ScenarioAction {
  readonly name: string;
  readonly kind: ActionClass;
  readonly undo: string | null;
  /** Share of its calls that are refused for good. */
  readonly declines: number;
  /** Whether remote workers carry it out. */
  readonly isRemote?: boolean;
}

/** A workflow, its provider and what happens around its runs; drawn from the seed. */
export interface Scenario {
  readonly name: string;
  /** Its versions, each in whose place the next is published. */
  readonly texts: readonly [string, string];
  /** Workflows that it runs as children, each before those that run it. */
  readonly children: readonly string[];
  /** Its own and those of its children. */
  readonly actions: readonly ScenarioAction[];
  /** What comes from outside to one run; drawn anew for each. */
  outside(random: Random): readonly OutsideAct[];
}

/** How a scenario is drawn. */
export type Draw = (random: Random) => Scenario;

/** What a scenario is made of. */
interface Parts {
  readonly name: string;
  readonly head?: readonly string[];
  readonly actions: readonly ScenarioAction[];
  readonly steps?: readonly string[];
  /** What it runs as children, each before those that run it. */
  readonly children?: readonly Scenario[];
  /** Instead of steps. */
  readonly machine?: readonly string[];
  readonly outside?: Scenario['outside'];
}

const calm = (): readonly OutsideAct[] => [];

/** A workflow of these parts, in two versions. */
export function scenarioOf(parts: Parts): Scenario {
  const { name, head = [], actions, steps = [], machine, children = [], outside = calm } = parts;
  const text = (version: number, first: readonly string[]): string =>
    [
      'pawl: 1',
      `workflow: ${name}`,
      `version: ${version}`,
      'key: input.no',
      'input: { type: object, required: [no], properties: { no: { type: string } } }',
      ...head,
      'actions:',
      ...actions.flatMap(actionLines),
      machine === undefined ? 'steps:' : 'machine:',
      ...(machine ?? [...first, ...steps]).map((line) => `  ${line}`),
      '',
    ].join('\n');
  return {
    name,
    texts: [text(1, []), text(2, ['- { id: news, wait: 1s }'])],
    children: children.map(({ texts: [first] }) => first),
    actions: [...actions, ...children.flatMap((child) => child.actions)],
    outside,
  };
}

/** A call of an action of the scenario. */
export const call = (id: string, more = ''): string =>
  `- { id: ${id}, call: do.${id}, with: { no: =input.no }${more} }`;

/** An action with its undo, which nearly never is refused. */
export function undoable(random: Random, name: string, declines: number): readonly ScenarioAction[] {
  const undo = `un${name}`;
  return [
    { name, kind: random.pick(ACTION_CLASSES), undo, declines },
    { name: undo, kind: random.pick(ACTION_CLASSES), undo: null, declines: random.pick([0, 0, 0.1]) },
  ];
}
