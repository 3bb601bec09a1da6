import type { Step } from '../../model/definition.ts';
import type { FormEdge, FormState, FormTrigger, MachineForm } from '../../model/machine-form.ts';
import { type BuildContext, readTexts } from '../build-context.ts';
import { child, entriesOf, isObject, textOf, wordOf, type YamlNode } from '../yaml-node.ts';
import { findAlwaysLoops } from './always-loops.ts';
import { checkKeys } from './form-keys.ts';
import { checkNotes, checkPlaces } from './form-places.ts';
import { readActions } from './read-actions.ts';
import { readDelay, readInvoke } from './read-steps.ts';
import { readTransitions } from './read-transitions.ts';
import { type NamedState, nameStates, pawlOf, readInitial, readTarget, type StateNames } from './state-names.ts';

/** A machine as it was read, and the steps that its invokes and delays are. */
export interface FormReading {
  readonly form: MachineForm;
  readonly steps: readonly Step[];
}

/**
 * Reads a JSON config of XState v5. What cannot be kept (functions, names without what they name) or is not known is told with
 * its place and its mend.
 */
export function readForm(context: BuildContext, machine: YamlNode): FormReading {
  const names = nameStates(context, machine);
  const steps: Step[] = [];
  const root = readState({ context, names, steps }, names.root);
  if (root.states.length === 0)
    context.report({
      code: 'PAWL-107',
      pointer: machine.pointer,
      message: 'a machine without states',
      help: 'add `initial` and `states`',
    });
  for (const loop of findAlwaysLoops(root)) context.report(loop);
  return { form: { root }, steps };
}

interface Reading {
  readonly context: BuildContext;
  readonly names: StateNames;
  readonly steps: Step[];
}

const KINDS = ['atomic', 'compound', 'parallel', 'final', 'history'] as const;

function readState(reading: Reading, state: NamedState): FormState {
  const { context } = reading;
  const { node } = state;
  checkKeys(context, node, 'state');
  const kind = kindOf(context, state);
  checkPlaces(context, state, kind);
  checkNotes(context, state, kind);
  const own = new StepsOf(reading, state);
  const edges = [
    ...edgesOn(reading, state),
    ...own.invokes(),
    ...own.delays(),
    ...read(reading, state, 'always', { kind: 'always' }),
    ...read(reading, state, 'onDone', { kind: 'done' }),
  ];
  return {
    id: state.id,
    kind,
    initial: initialOf(reading, state, kind),
    history: kind === 'history' ? wordOf(child(node, 'history'), ['shallow', 'deep'] as const, 'shallow') : null,
    states: state.states.map((inner) => readState(reading, inner)),
    entry: readActions(context, child(node, 'entry'), null),
    exit: readActions(context, child(node, 'exit'), null),
    edges,
    fail: kind === 'final' ? textOf(child(pawlOf(state), 'fail')) : null,
    invoke: own.invoke,
    delays: own.waits,
    tags: readTexts(child(node, 'tags')),
    pointer: node.pointer,
  };
}

function kindOf(context: BuildContext, state: NamedState): FormState['kind'] {
  const node = child(state.node, 'type');
  const usual = state.states.length > 0 ? 'compound' : 'atomic';
  if (node === null) return child(state.node, 'history') === null ? usual : 'history';
  const text = textOf(node);
  const known = KINDS.find((kind) => kind === text);
  if (known === undefined)
    context.report({
      code: 'PAWL-104',
      pointer: node.pointer,
      message: `\`${String(text)}\` is no type of a state`,
      help: `one of ${KINDS.join(', ')}`,
    });
  return known ?? usual;
}

function initialOf({ context, names }: Reading, state: NamedState, kind: FormState['kind']): string | null {
  if (kind === 'compound') return readInitial(context, state);
  if (kind !== 'history') return null;
  const target = child(state.node, 'target');
  const beside = state.parent === null ? null : textOf(child(state.parent.node, 'initial'));
  if (target === null) return state.parent?.states.find(({ name }) => name === beside)?.id ?? null;
  return readTarget(context, { names, from: state }, target);
}

function read(reading: Reading, state: NamedState, key: string, trigger: FormTrigger): readonly FormEdge[] {
  const at = { names: reading.names, from: state };
  return readTransitions(reading.context, at, { node: child(state.node, key), trigger });
}

/** Patterns come after the names that they could stand for, longer ones first (as in XState). */
function edgesOn(reading: Reading, state: NamedState): readonly FormEdge[] {
  const at = { names: reading.names, from: state };
  const rank = (name: string): number => (name.endsWith('*') ? name.length : Number.MAX_SAFE_INTEGER);
  return entriesOf(child(state.node, 'on'))
    .toSorted(([a], [b]) => rank(b) - rank(a))
    .flatMap(([name, node]) => {
      const trigger = { kind: 'event', name, pointer: node.pointer } as const;
      return readTransitions(reading.context, at, { node, trigger });
    });
}

/** The steps of one state: its invoke, then its delays. */
class StepsOf {
  invoke: string | null = null;
  readonly waits: string[] = [];
  private readonly reading: Reading;
  private readonly state: NamedState;

  constructor(reading: Reading, state: NamedState) {
    this.reading = reading;
    this.state = state;
  }

  invokes(): readonly FormEdge[] {
    const node = child(this.state.node, 'invoke');
    if (node === null) return [];
    const { context } = this.reading;
    if (!isObject(node.value)) {
      context.report({
        code: 'PAWL-103',
        pointer: node.pointer,
        message: 'a state invokes one action',
        help: 'write `invoke: { src: action }`; two at once are two regions of a parallel state',
      });
      return [];
    }
    const step = readInvoke(context, this.state, node);
    this.invoke = step.id;
    this.reading.steps.push(step);
    return [
      ...this.#settled(node, 'onDone', { step, ok: true }),
      ...this.#settled(node, 'onError', { step, ok: false }),
    ];
  }

  delays(): readonly FormEdge[] {
    return entriesOf(child(this.state.node, 'after')).flatMap(([key, node]) => {
      const step = readDelay(this.reading.context, this.state, { key, node });
      this.waits.push(step.id);
      this.reading.steps.push(step);
      const at = { names: this.reading.names, from: this.state };
      return readTransitions(this.reading.context, at, { node, trigger: { kind: 'settled', step: step.id, ok: true } });
    });
  }

  #settled(node: YamlNode, key: string, { step, ok }: { step: Step; ok: boolean }): readonly FormEdge[] {
    const at = { names: this.reading.names, from: this.state };
    const trigger: FormTrigger = { kind: 'settled', step: step.id, ok };
    return readTransitions(this.reading.context, at, { node: child(node, key), trigger });
  }
}
