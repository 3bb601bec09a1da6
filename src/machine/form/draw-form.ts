import type { Machine } from '../../model/machine.ts';
import { allStates, type FormEdge, type FormState, type MachineForm } from '../../model/machine-form.ts';
import type { Picture, PictureEdge, PictureNode } from '../../model/picture.ts';
import type { DiagramArrow } from '../diagram-edges.ts';

/** The box around what is taken in every state. */
const ANY_TIME = '$any';
const START = '$start';

/** An arrow with the guard under which it is taken, as it is written. */
export type FormArrow = DiagramArrow & Pick<PictureEdge, 'condition'>;

const plain: PictureNode = {
  id: START,
  kind: 'start',
  parent: null,
  title: 'start',
  detail: null,
  marks: [],
  live: null,
};

/** How the steps of a machine are drawn: that of an invoke, with what undoes it; the words of a delay. */
export interface StepDrawing {
  call(step: string): Pick<PictureNode, 'detail' | 'marks'>;
  undo(step: string, parent: string | null): readonly PictureNode[];
  undoId(step: string): string;
  delay(step: string): string;
}

/** Draws the states of a machine: boxes in boxes, each with its ways out; what the steps say is said at their states. */
export function drawForm(
  { root }: MachineForm,
  drawing: StepDrawing,
): { readonly nodes: readonly PictureNode[]; readonly arrows: readonly FormArrow[] } {
  const anyTime = waysOf(root, drawing).length === 0 ? [] : [anyTimeNode(root, drawing)];
  const nodes = [plain, ...anyTime, ...root.states.flatMap((state) => nodesOf(state, null, drawing))];
  const arrows = [...beginnings(root, START), ...allStates(root).flatMap((state) => arrowsOf(state, root, drawing))];
  return { nodes, arrows };
}

function anyTimeNode(root: FormState, drawing: StepDrawing): PictureNode {
  const call = root.invoke === null ? null : drawing.call(root.invoke);
  return { ...plain, id: ANY_TIME, kind: 'await', title: 'at any time', detail: call?.detail ?? null, marks: ['wait'] };
}

function isBox({ states }: FormState): boolean {
  return states.length > 0;
}

function nodesOf(state: FormState, parent: string | null, drawing: StepDrawing): readonly PictureNode[] {
  const call = state.invoke === null ? null : drawing.call(state.invoke);
  const own: PictureNode = { ...plain, ...kindOf(state), id: state.id, parent, title: state.id };
  const told =
    call === null ? own : { ...own, ...call, title: isBox(state) ? `${state.id}: ${call.detail}` : state.id };
  const undo = state.invoke === null ? [] : drawing.undo(state.invoke, parent);
  const begin = state.kind === 'compound' ? [{ ...plain, id: beginId(state), parent: state.id }] : [];
  return [told, ...undo, ...begin, ...state.states.flatMap((inner) => nodesOf(inner, state.id, drawing))];
}

function kindOf({ kind, history, invoke, delays, fail }: FormState): Pick<PictureNode, 'kind' | 'detail' | 'marks'> {
  const none = { detail: null, marks: [] } as const;
  if (kind === 'compound') return { ...none, kind: 'group' };
  if (kind === 'parallel') return { ...none, kind: 'parallel' };
  if (kind === 'final') return { ...none, kind: 'end', detail: fail === null ? null : `fails: ${fail}` };
  if (kind === 'history') return { ...none, kind: 'fork', detail: `${history} history` };
  if (invoke !== null) return { ...none, kind: 'call' };
  return { ...none, kind: delays.length > 0 ? 'wait' : 'await', marks: ['wait'] };
}

function beginId({ id }: FormState): string {
  return `${id}$begin`;
}

/** The arrow from where a state begins to what is entered first in it. */
function beginnings(state: FormState, from: string): readonly FormArrow[] {
  const first = state.kind === 'parallel' ? state.states.map(({ id }) => id) : [state.initial ?? ''];
  return first.map((to) => ({ from, to, kind: 'next', label: null, condition: null }));
}

function arrowsOf(state: FormState, root: FormState, drawing: StepDrawing): readonly FormArrow[] {
  const from = state === root ? ANY_TIME : state.id;
  const begins = state !== root && state.kind === 'compound' ? beginnings(state, beginId(state)) : [];
  const undo =
    state.invoke === null || drawing.undo(state.invoke, null).length === 0
      ? []
      : [{ from, to: drawing.undoId(state.invoke), kind: 'compensation' as const, label: null, condition: null }];
  const back =
    state.kind === 'history' && state.initial !== null
      ? [{ from, to: state.initial, kind: 'next' as const, label: 'the first time', condition: null }]
      : [];
  return [...begins, ...back, ...waysOf(state, drawing).map((way) => ({ from, ...way })), ...undo];
}

/** What leads somewhere out of a state. */
function waysOf(state: FormState, drawing: StepDrawing): readonly Omit<FormArrow, 'from'>[] {
  return state.edges.flatMap((edge) =>
    edge.targets.map((to) => ({ to, ...wordsOf(state, edge, drawing), condition: edge.guard?.source ?? null })),
  );
}

function wordsOf(state: FormState, { trigger }: FormEdge, drawing: StepDrawing): Pick<FormArrow, 'kind' | 'label'> {
  switch (trigger.kind) {
    case 'event':
      return { kind: 'handler', label: trigger.name };
    case 'always':
      return { kind: 'branch', label: null };
    case 'done':
      return { kind: 'next', label: 'done' };
    case 'settled':
      if (trigger.step !== state.invoke) return { kind: 'next', label: drawing.delay(trigger.step) };
      return trigger.ok ? { kind: 'next', label: null } : { kind: 'catch', label: 'failed' };
  }
}

/** What is known of a run of a machine, for its picture. */
export interface FormPath {
  /** What each transition left and entered, in order. */
  readonly moves: readonly { readonly left: readonly string[]; readonly entered: readonly string[] }[];
  /** The states in which it rests. */
  readonly states: readonly string[];
  readonly undone: readonly string[];
  readonly held: readonly string[];
}

/** Paints the way of a run into the picture of its machine. */
export function paintForm({ definition }: Machine, picture: Picture, path: FormPath): Picture {
  const entered = new Set(path.moves.flatMap((move) => move.entered));
  const invokes = new Map(
    (definition.machine === undefined ? [] : allStates(definition.machine.root)).flatMap(({ id, invoke }) =>
      invoke === null ? [] : [[id, invoke] as const],
    ),
  );
  const live = (node: PictureNode): PictureNode['live'] => {
    const step = invokes.get(node.id) ?? node.id;
    if (path.undone.some((undone) => undone === step || node.id === `${undone}$undo`)) return 'undone';
    if (path.held.includes(step)) return 'held';
    if (path.states.includes(node.id)) return 'now';
    return node.kind === 'start' || entered.has(node.id) ? 'taken' : null;
  };
  const isTaken = ({ kind, from, to }: PictureEdge): boolean => {
    if (kind === 'compensation') return path.undone.some((step) => to === `${step}$undo`);
    if (from.startsWith('$') || from.endsWith('$begin')) return entered.has(to);
    return path.moves.some((move) => move.left.includes(from) && move.entered.includes(to));
  };
  return {
    ...picture,
    nodes: picture.nodes.map((node) => ({ ...node, live: live(node) })),
    edges: picture.edges.map((edge) => ({ ...edge, taken: isTaken(edge) })),
  };
}
