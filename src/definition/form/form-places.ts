import type { FormState } from '../../model/machine-form.ts';
import type { BuildContext } from '../build-context.ts';
import { child, entriesOf } from '../yaml-node.ts';
import { checkKeys } from './form-keys.ts';
import { type NamedState, pawlOf } from './state-names.ts';

type Kind = FormState['kind'];

const WAYS = ['on', 'after', 'always', 'invoke', 'onDone'] as const;

/** Keys that XState passes over without a word at states of a kind. */
const IDLE: Readonly<Record<Kind, readonly string[]>> = {
  atomic: ['initial', 'onDone', 'history', 'target', 'states'],
  compound: ['history', 'target'],
  parallel: ['initial', 'history', 'target'],
  final: [...WAYS, 'initial', 'states', 'history', 'target'],
  history: [...WAYS, 'initial', 'states', 'entry', 'exit', 'tags'],
};

const HELP: Readonly<Record<Kind, string>> = {
  atomic: 'only a state with `states` inside has it',
  compound: 'only a state of `type: history` has it',
  parallel: 'all states of a parallel state are active: take it out',
  final: 'a final state is where the states around it go on, by their `onDone`: nothing leads out of it',
  history: 'a history is only a way back: it has `history` and `target`, and nothing happens in it',
};

/** A key that would be passed over is refused: what it says would never happen. */
export function checkPlaces(context: BuildContext, { node }: NamedState, kind: Kind): void {
  for (const key of IDLE[kind]) {
    const found = child(node, key);
    // An empty list says nothing.
    if (found === null || (Array.isArray(found.value) && found.value.length === 0)) continue;
    context.report({
      code: 'PAWL-262',
      pointer: found.pointer,
      at: 'key',
      message: `\`${key}\` means nothing at ${kind === 'atomic' ? 'a state without states inside' : `a ${kind} state`}`,
      help: HELP[kind],
    });
  }
}

/** `meta.pawl` of a state: `fail` of a final one, else what belongs to its call. */
export function checkNotes(context: BuildContext, state: NamedState, kind: Kind): void {
  const notes = pawlOf(state);
  if (notes === null || !checkKeys(context, notes, 'call')) return;
  const isCall = child(state.node, 'invoke') !== null;
  for (const [key, { pointer }] of entriesOf(notes)) {
    if (key === 'fail' ? kind === 'final' : isCall) continue;
    const [where, help] =
      key === 'fail'
        ? ['a state that is not final', 'a run fails where it ends: write `type: final`']
        : ['a state without an `invoke`', 'it belongs to a call: add `invoke: { src: action }`, or take it out'];
    context.report({ code: 'PAWL-262', pointer, at: 'key', message: `\`${key}\` means nothing at ${where}`, help });
  }
}
