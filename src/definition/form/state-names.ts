import type { BuildContext } from '../build-context.ts';
import { suggest } from '../suggest.ts';
import { child, entriesOf, textOf, type YamlNode } from '../yaml-node.ts';

/** A state of the file before it is read: where it stands, and what it is called among all. */
export interface NamedState {
  readonly name: string;
  readonly node: YamlNode;
  readonly parent: NamedState | null;
  readonly states: NamedState[];
  /** Its name where nothing else has it, else its path, joined by colons. */
  id: string;
}

/** Every state of a machine by what can be said of it. */
export interface StateNames {
  readonly root: NamedState;
  /** By the `id` that the author gave. */
  readonly byId: ReadonlyMap<string, NamedState>;
}

/** What a state's `meta` says to Pawl. */
export function pawlOf({ node }: NamedState): YamlNode | null {
  return child(child(node, 'meta'), 'pawl');
}

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** Walks the states once; names that XState mistakes for something else are refused. */
export function nameStates(context: BuildContext, machine: YamlNode): StateNames {
  const taken = new Set(context.ids);
  const byId = new Map<string, NamedState>();
  const byName = new Map<string, NamedState[]>();
  const visit = (name: string, node: YamlNode, parent: NamedState | null): NamedState => {
    const state: NamedState = { name, node, parent, states: [], id: name };
    noteId(context, byId, state);
    for (const [key, inner] of entriesOf(child(node, 'states'))) {
      checkName(context, key, inner.pointer);
      const named = visit(key, inner, state);
      state.states.push(named);
      byName.set(key, [...(byName.get(key) ?? []), named]);
    }
    return state;
  };
  const root = visit('$forward', machine, null);
  for (const [name, same] of byName) {
    // The run itself, and the steps of `finally`, are states of the same whole.
    const isTaken = name === 'run' || taken.has(name);
    for (const state of same) {
      if (isTaken) state.id = `:${pathOf(state).join(':')}`;
      else if (same.length > 1) state.id = pathOf(state).join(':');
    }
  }
  return { root, byId };
}

function pathOf(state: NamedState): readonly string[] {
  return state.parent === null ? [] : [...pathOf(state.parent), state.name];
}

function checkName(context: BuildContext, name: string, pointer: string): void {
  if (NAME.test(name)) return;
  context.report({
    code: 'PAWL-112',
    pointer,
    at: 'key',
    message: `\`${name}\` cannot be the name of a state`,
    help: 'a name begins with a letter; letters, digits, `_` and `-` may follow (at most 64)',
  });
}

function noteId(context: BuildContext, byId: Map<string, NamedState>, state: NamedState): void {
  const node = child(state.node, 'id');
  const id = textOf(node);
  if (node === null || id === null) return;
  if (byId.has(id))
    context.report({
      code: 'PAWL-201',
      pointer: node.pointer,
      message: `two states have the id \`${id}\``,
      help: 'give one of them another id',
    });
  byId.set(id, state);
}

/**
 * The state that a target names, as XState reads it: `name` beside the state, `.name` inside it, `#id` anywhere; further names
 * behind dots lead inward.
 */
export function findTarget(names: StateNames, from: NamedState, target: string): NamedState | null {
  const [first = '', ...path] = target.split('.');
  if (first.startsWith('#')) {
    const found = names.byId.get(first.slice(1)) ?? null;
    return inward(found, path);
  }
  if (first === '') return inward(from, path);
  return inward(from.parent ?? from, [first, ...path]);
}

function inward(state: NamedState | null, path: readonly string[]): NamedState | null {
  return path.reduce<NamedState | null>((at, name) => at?.states.find((inner) => inner.name === name) ?? null, state);
}

/** Resolves a target; one that leads nowhere is told. @returns null then. */
export function readTarget(
  context: BuildContext,
  at: { readonly names: StateNames; readonly from: NamedState },
  node: YamlNode,
): string | null {
  const text = textOf(node);
  if (text === null) {
    context.report({
      code: 'PAWL-103',
      pointer: node.pointer,
      message: 'a target is the name of a state',
      help: 'write `name` for a state beside it, `.name` for one inside it, or `#id`',
    });
    return null;
  }
  const found = findTarget(at.names, at.from, text);
  if (found !== null) return found.id;
  const near = (at.from.parent ?? at.from).states.map(({ name }) => name);
  context.report({
    code: 'PAWL-202',
    pointer: node.pointer,
    message: `\`${text}\` leads to no state`,
    help: suggest(text, near) ?? 'write `name` for a state beside it, `.name` for one inside it, or `#id`',
  });
  return null;
}

/** The state inside that an `initial` names. */
export function readInitial(context: BuildContext, state: NamedState): string | null {
  const node = child(state.node, 'initial');
  const names = state.states.map(({ name }) => name);
  if (node === null) {
    context.report({
      code: 'PAWL-102',
      pointer: state.node.pointer,
      message: 'a state with states inside needs `initial`',
      help: `add \`initial: ${names[0] ?? ''}\`, or \`type: parallel\` where all of them are active`,
    });
    return null;
  }
  const found = state.states.find(({ name }) => name === textOf(node));
  if (found !== undefined) return found.id;
  const text = String(textOf(node));
  context.report({
    code: 'PAWL-202',
    pointer: node.pointer,
    message: `\`initial\` names \`${text}\`, which is no state directly inside`,
    help: suggest(text, names) ?? `one of ${names.join(', ')}`,
  });
  return null;
}
