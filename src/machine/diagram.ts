import type { ActionContract, CallStep, Compensation, Handler, Join, Step, Template } from '../model/definition.ts';
import { elementAt } from '../model/element-at.ts';
import type { Machine } from '../model/machine.ts';
import type { MachineForm } from '../model/machine-form.ts';
import type { Picture, PictureEdge, PictureMark, PictureNode } from '../model/picture.ts';
import { anyTimeId, type DiagramArrow, diagramArrows, documentArrows } from './diagram-edges.ts';
import { drawForm } from './form/draw-form.ts';
import { FINALLY } from './kernel-names.ts';
import { clauseLabel } from './routes.ts';
import {
  isBranchList,
  isLast,
  type ListOutline,
  type Outline,
  outlineOf,
  stepAt,
  type StepOutline,
} from './outline.ts';

/** The box around the body of a group. */
export function groupId(step: string): string {
  return `${step}$group`;
}

/** The box of a step's compensation. */
export function undoId(step: string): string {
  return `${step}$undo`;
}

const START = '$start';

/**
 * Draws a machine as a person thinks of it: one box a step, boxes around branches and catches, dashed arrows to the
 * compensations. Gates, failing and held states are folded away; what they lead to is an arrow of their step.
 */
export function describeMachine(machine: Machine): Picture {
  const { machine: form } = machine.definition;
  return form === undefined ? describeSteps(machine) : describeForm(machine, form);
}

/** The states of a machine, with what its steps say. */
function describeForm({ definition }: Machine, form: MachineForm): Picture {
  const outline = outlineOf(definition);
  const { workflow, version, finally: last = [] } = definition;
  const stepOf = (id: string): Step => stepAt(outline, id).step;
  const { nodes, arrows } = drawForm(form, {
    call: (id) => ({ detail: subjectOf(stepOf(id)), marks: marksOf(outline, stepOf(id)) }),
    undo: (id, parent) => undoNodes(outline, stepAt(outline, id), parent),
    undoId,
    delay: (id) => `after ${subjectOf(stepOf(id))}`,
  });
  const ends = nodes.filter(({ kind, parent }) => kind === 'end' && parent === null);
  const behind = finallyArrows(ends, last).map((arrow) => ({ ...arrow, condition: null }));
  const edges = [...arrows, ...behind].map(
    (arrow, index): PictureEdge => ({ id: `e${index}`, taken: false, ...arrow }),
  );
  return { title: `${workflow} ${version}`, nodes: [...nodes, ...finallyNodes(outline, last)], edges };
}

function describeSteps(machine: Machine): Picture {
  const outline = outlineOf(machine.definition);
  const { workflow, version } = machine.definition;
  const { on = [], steps, finally: last = [] } = machine.definition;
  const ways = [...startArrow(machine), ...diagramArrows(machine, outline), ...documentArrows(on)];
  const ends = endNodes(ways);
  const arrows = [...ways, ...finallyArrows(ends, last)];
  const nodes = [
    startNode,
    ...on.map(anyTimeNode),
    ...listNodes(outline, steps),
    ...ends,
    ...finallyNodes(outline, last),
  ];
  const edges = [...arrows, ...undoArrows(outline)].map(
    (arrow, index): PictureEdge => ({
      id: `e${index}`,
      taken: false,
      condition: outline.steps.get(arrow.to)?.step.when?.source ?? null,
      ...arrow,
    }),
  );
  return { title: `${workflow} ${version}`, nodes, edges };
}

const startNode: PictureNode = {
  id: START,
  kind: 'start',
  parent: null,
  title: 'start',
  detail: null,
  marks: [],
  live: null,
};

/** An event that is accepted in every step: what it sets, and where it leads, whatever the run is doing. */
function anyTimeNode(handler: Handler, index: number): PictureNode {
  const names = handler.set.map(([name]) => name);
  const detail = names.length === 0 ? handler.event : `${handler.event}: sets ${names.join(', ')}`;
  return { ...startNode, id: anyTimeId(index), kind: 'await', title: 'at any time', detail, marks: ['wait'] };
}

function startArrow(machine: Machine): readonly DiagramArrow[] {
  const first = machine.definition.steps.slice(0, 1);
  return first.map(({ id }) => ({ from: START, to: id, kind: 'next', label: null }));
}

/** Ends that something leads to, in the order of first use. */
function endNodes(arrows: readonly DiagramArrow[]): readonly PictureNode[] {
  const titles = new Map([
    ['$completed', 'completed'],
    ['$failed', 'failed'],
    ['$cancelled', 'cancelled'],
  ]);
  return [...new Set(arrows.map((arrow) => arrow.to))].flatMap((id) => {
    const title = titles.get(id);
    return title === undefined ? [] : [{ ...startNode, id, kind: 'end' as const, title }];
  });
}

/** The steps of `finally` in a box of their own, behind every end. */
function finallyNodes(outline: Outline, last: readonly Step[]): readonly PictureNode[] {
  if (last.length === 0) return [];
  return [{ ...startNode, id: FINALLY, kind: 'group', title: 'finally' }, ...listNodes(outline, last)];
}

function finallyArrows(ends: readonly PictureNode[], last: readonly Step[]): readonly DiagramArrow[] {
  return last.slice(0, 1).flatMap(({ id }) => ends.map((end) => ({ from: end.id, to: id, kind: 'next', label: null })));
}

function listNodes(outline: Outline, steps: readonly Step[]): readonly PictureNode[] {
  return steps.flatMap((step) => stepNodes(outline, stepAt(outline, step.id)));
}

function stepNodes(outline: Outline, at: StepOutline): readonly PictureNode[] {
  const { step } = at;
  const parent = boxOf(at.list);
  const kind = step.verb === 'parallel' ? 'parallel' : 'group';
  const group: PictureNode = { ...startNode, id: groupId(step.id), kind, parent, title: titleOf(step) };
  const hasGroup = hasBox(at);
  const own: PictureNode = {
    ...startNode,
    id: step.id,
    kind: step.verb === 'parallel' ? 'fork' : step.verb,
    parent: hasGroup ? group.id : parent,
    title: titleOf(step),
    detail: subjectOf(step),
    marks: marksOf(outline, step),
  };
  const catches = at.inner.filter((list) => list.kind === 'catch');
  return [
    ...(hasGroup ? [group] : []),
    own,
    ...undoNodes(outline, at, own.parent),
    ...at.inner.filter((list) => list.kind === 'body').flatMap((list) => bodyNodes(outline, at, list)),
    ...catches.flatMap((list) => [catchNode(at, list, parent), ...listNodes(outline, list.steps)]),
  ];
}

/** Branches stand side by side, each in a box of its own. */
function bodyNodes(outline: Outline, at: StepOutline, list: ListOutline): readonly PictureNode[] {
  const nodes = listNodes(outline, list.steps);
  if (at.step.verb !== 'parallel') return nodes;
  const title = elementAt(at.step.branches, list.index).name;
  return [{ ...startNode, id: list.id, kind: 'group', parent: groupId(at.step.id), title }, ...nodes];
}

/** A group has a box of its own where its body holds steps. */
export function hasBox(at: StepOutline): boolean {
  return at.inner.some((list) => list.kind === 'body');
}

/** The box that a list's steps stand in; null = the page. */
function boxOf(list: ListOutline): string | null {
  if (list.owner === null) return list.kind === 'finally' ? FINALLY : null;
  return list.kind === 'body' && !isBranchList(list.id) ? groupId(list.owner.step.id) : list.id;
}

function catchNode(at: StepOutline, list: ListOutline, parent: string | null): PictureNode {
  const clause = at.step.catch[list.index];
  const on = clause === undefined ? '' : clauseLabel(clause);
  return { ...startNode, id: list.id, kind: 'group', parent, title: `${titleOf(at.step)} fails: ${on}` };
}

function titleOf(step: Step): string {
  return step.named ? step.id : step.verb;
}

function subjectOf(step: Step): string | null {
  switch (step.verb) {
    case 'call':
      return step.action;
    case 'set':
      return step.set.map(([name]) => name).join(', ');
    case 'wait':
      return step.wait.kind === 'for' ? wordsOf(step.wait.duration) : `until ${wordsOf(step.wait.instant)}`;
    case 'await':
    case 'publish':
      return step.event;
    case 'approve':
      return wordsOf(step.title);
    case 'fail':
      return wordsOf(step.code);
    case 'end':
      return step.as ?? step.end;
    default:
      return subjectOfGroup(step);
  }
}

function subjectOfGroup(step: Step): string | null {
  if (step.verb === 'undo') return step.undo.join(', ');
  if (step.verb === 'map') return `for each ${step.as} of ${step.items.source}`;
  if (step.verb === 'parallel') return `${joinWords(step.join)}${step.losers === 'keep' ? ', losers are kept' : ''}`;
  if (step.verb !== 'repeat') return null;
  return step.while === null ? `until ${String(step.until?.source)}` : `while ${step.while.source}`;
}

/** How many branches must succeed. */
function joinWords(join: Join): string {
  return join.kind === 'count' ? `${wordsOf(join.count)} must succeed` : `${join.kind} must succeed`;
}

/** A template in a few words; expressions as they are written. */
function wordsOf(template: Template): string {
  switch (template.kind) {
    case 'literal':
      return typeof template.value === 'string' ? template.value : JSON.stringify(template.value);
    case 'expression':
      return template.expression.source;
    case 'text':
      return template.parts.map((part) => (typeof part === 'string' ? part : `{${part.source}}`)).join('');
    case 'list':
    case 'map':
      return '…';
  }
}

function marksOf(outline: Outline, step: Step): readonly PictureMark[] {
  const marks: PictureMark[] = [];
  if (step.verb === 'approve') marks.push('human');
  if (step.verb === 'wait' || step.verb === 'await') marks.push('wait');
  if (step.verb !== 'call') return marks;
  if (step.pivot) marks.push('pivot');
  if (step.authorizedBy !== null) marks.push('authorized');
  if (endsInReview(step, actionOf(outline, step.action))) marks.push('unknown');
  return marks;
}

/** Whether an answer that is lost on the way can only be settled by a person: nothing to resend by, nobody to ask. */
function endsInReview(step: CallStep, action: ActionContract | undefined): boolean {
  if (action === undefined || action.effect === 'read') return false;
  if (step.onUnknown === 'review') return true;
  return action.idempotency?.kind === 'none' && action.reconcile === null;
}

function actionOf(outline: Outline, name: string): ActionContract | undefined {
  return outline.definition.actions.find((action) => action.name === name);
}

function undoOf(outline: Outline, step: Step): Extract<Compensation, { kind: 'call' }> | null {
  if (step.verb !== 'call' || isLast(stepAt(outline, step.id))) return null;
  const action = actionOf(outline, step.action);
  const compensate = step.compensate ?? action?.compensate;
  return action?.effect === 'write' && compensate?.kind === 'call' ? compensate : null;
}

function undoNodes(outline: Outline, at: StepOutline, parent: string | null): readonly PictureNode[] {
  const undo = undoOf(outline, at.step);
  if (undo === null) return [];
  return [
    {
      ...startNode,
      id: undoId(at.step.id),
      kind: 'compensation',
      parent,
      title: undo.action,
      detail: `undoes ${at.step.id}`,
      marks: undo.approve === undefined ? [] : ['human'],
    },
  ];
}

function undoArrows(outline: Outline): readonly DiagramArrow[] {
  return [...outline.steps.values()].flatMap(({ step }) =>
    undoOf(outline, step) === null
      ? []
      : [{ from: step.id, to: undoId(step.id), kind: 'compensation' as const, label: null }],
  );
}
