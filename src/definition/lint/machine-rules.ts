import type { Expression, WorkflowDefinition } from '../../model/definition.ts';
import { allStates, type FormAction, type FormState } from '../../model/machine-form.ts';
import { suggest } from '../suggest.ts';
import { expressionsIn } from './expressions-of.ts';
import type { LintContext } from './lint-context.ts';
import { placeOf, readsOf } from './reads.ts';

/** Every expression of a machine's transitions and actions; none where the workflow has steps. */
export function expressionsOfForm({ machine }: Pick<WorkflowDefinition, 'machine'>): readonly Expression[] {
  if (machine === undefined) return [];
  return allStates(machine.root).flatMap((state) => [
    ...state.edges.flatMap(({ guard }) => (guard === null ? [] : [guard])),
    ...actionsOf(state).flatMap(expressionsOfAction),
  ]);
}

function actionsOf({ entry, exit, edges }: FormState): readonly FormAction[] {
  return [...entry, ...exit, ...edges.flatMap(({ actions }) => actions)];
}

function expressionsOfAction(action: FormAction): readonly Expression[] {
  const own =
    action.kind === 'assign'
      ? action.set.flatMap(([, template]) => expressionsIn(template))
      : expressionsIn(action.data);
  return action.when === null ? own : [action.when, ...own];
}

/** A machine waits for events that are declared or that it raises, writes vars that are declared, and reads steps that it has. */
export function lintFormNames(context: LintContext): void {
  const { machine } = context.definition;
  if (machine === undefined) return;
  const states = allStates(machine.root);
  const actions = states.flatMap(actionsOf);
  const raised = actions.flatMap((action) => (action.kind === 'raise' ? [action.name] : []));
  for (const { trigger } of states.flatMap(({ edges }) => edges))
    if (trigger.kind === 'event' && !trigger.name.endsWith('*')) lintEvent(context, trigger, raised);
  for (const action of actions) if (action.kind === 'assign') lintAssign(context, action);
  for (const read of expressionsOfForm(context.definition).flatMap(readsOf)) lintRead(context, read);
}

function lintEvent(
  { definition, report }: LintContext,
  { name, pointer }: { readonly name: string; readonly pointer: string },
  raised: readonly string[],
): void {
  const known = [...definition.events.map((event) => event.name), ...raised];
  if (known.includes(name)) return;
  report({
    code: 'PAWL-209',
    pointer,
    at: 'key',
    message: `event "${name}" is neither declared nor raised`,
    help: suggest(name, known) ?? `declare it: "events: { ${name}: { schema: … } }"`,
  });
}

function lintAssign(context: LintContext, { set, pointer }: Extract<FormAction, { kind: 'assign' }>): void {
  const names = context.definition.vars.map(([name]) => name);
  for (const [name] of set) if (!names.includes(name)) reportVar(context, `${pointer}/params/${name}`, name);
}

function reportVar({ definition, report }: LintContext, pointer: string, name: string): void {
  const known = definition.vars.map(([declared]) => declared);
  report({
    code: 'PAWL-210',
    pointer,
    at: 'key',
    message: `"${name}" is not among vars`,
    help:
      suggest(name, known) ?? `declare it with its type and first value: "vars: { ${name}: { type: …, default: … } }"`,
  });
}

function lintRead({ graph, report }: LintContext, read: ReturnType<typeof readsOf>[number]): void {
  const [root, id] = read.path;
  if (root !== 'steps' || id === undefined || graph.byId.has(id)) return;
  report({
    code: 'PAWL-211',
    ...placeOf(read),
    message: `there is no step "${id}"`,
    help: suggest(id, [...graph.byId.keys()]) ?? 'a step of a machine is named by the `id` of its invoke',
  });
}

/** Every state of a machine can be reached, and in none of them does a run stay for ever in silence. */
export function lintFormReach({ definition, report }: LintContext): void {
  if (definition.machine === undefined) return;
  const { root } = definition.machine;
  const reached = reachedFrom(root);
  const visit = (state: FormState, around: readonly FormState[]): void => {
    if (!reached.has(state.id)) {
      // The outermost state of a stretch is told; those inside it would be noise.
      report({
        code: 'PAWL-204',
        pointer: state.pointer,
        at: 'key',
        message: `state "${state.id}" can never be reached`,
        help: 'let a transition lead to it, name it as `initial`, or remove it',
      });
      return;
    }
    if (isDeadEnd(state, around))
      report({
        code: 'PAWL-205',
        pointer: state.pointer,
        at: 'key',
        message: `in state "${state.id}" a run would stay for ever: it waits for nothing`,
        help: 'write `type: final` where the run is to end, or a transition that leads on',
      });
    for (const inner of state.states) visit(inner, [state, ...around]);
  };
  visit(root, []);
}

/** In a region others may lead out of what it stays in. */
function isDeadEnd(state: FormState, around: readonly FormState[]): boolean {
  if (state.kind !== 'atomic' || state.invoke !== null) return false;
  const parallels = around.filter(({ kind }) => kind === 'parallel');
  if (parallels.some(leadsOut)) return false;
  // A condition may come to hold only by what another region does.
  const isStill = ({ trigger, guard }: FormState['edges'][number]): boolean =>
    trigger.kind === 'done' || (trigger.kind === 'always' && guard !== null && parallels.length === 0);
  return [state, ...around].every(({ edges }) => edges.every(isStill));
}

/** Whether anything inside of it leads to a state beside it. */
function leadsOut(parallel: FormState): boolean {
  const inside = allStates(parallel);
  const ids = new Set(inside.map(({ id }) => id));
  return inside.some(({ edges }) => edges.some(({ targets }) => targets.some((id) => !ids.has(id))));
}

function reachedFrom(root: FormState): ReadonlySet<string> {
  const states = allStates(root);
  const byId = new Map(states.map((state) => [state.id, state] as const));
  const parents = new Map(states.flatMap((state) => state.states.map((inner) => [inner.id, state] as const)));
  const reached = new Set<string>();
  const open = [root];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    if (reached.has(state.id)) continue;
    reached.add(state.id);
    const parent = parents.get(state.id);
    const named = [
      ...state.edges.flatMap(({ targets }) => targets),
      ...(state.initial === null ? [] : [state.initial]),
    ];
    open.push(...named.flatMap((id) => byId.get(id) ?? []), ...(parent === undefined ? [] : [parent]));
    if (state.kind === 'parallel') open.push(...state.states);
    // A history of what was left leads to any state beside it.
    if (state.kind === 'history' && parent !== undefined && parent.kind === 'parallel') open.push(...parent.states);
  }
  return reached;
}

/** What a machine has done must be undone whichever way it fails: every write says how, but the pivot. */
export function lintFormUndo(context: LintContext): void {
  if (context.definition.machine === undefined) return;
  for (const { step, isLast } of context.graph.steps) {
    if (step.verb !== 'call' || isLast || step.pivot || step.compensate !== null) continue;
    const action = context.action(step.action);
    if (action === null || action.effect === 'read' || action.compensate !== null) continue;
    context.report({
      code: 'PAWL-303',
      pointer: `${step.pointer}/call`,
      message: `nothing says how "${step.id}" is undone when a later step fails`,
      help: `add "compensate: { call: …, with: … }" to \`meta.pawl\` of its state or to "${step.action}", or "compensate: none" if nothing is to be undone`,
    });
  }
}

const CALL_KEY =
  /^(\/machine(?:\/states\/[^/]+)*)\/invoke\/(call|with|object|intent|retry|pivot|compensate|onUnknown|review)(?=\/|$)/;

/** Where a machine says what a step says: the keys of a call stand in the `invoke` and in `meta.pawl` of its state. */
export function placeInForm(pointer: string): string {
  return pointer.replace(CALL_KEY, (_whole, state: string, key: string) => {
    if (key === 'call') return `${state}/invoke/src`;
    return key === 'with' ? `${state}/invoke/input` : `${state}/meta/pawl/${key}`;
  });
}
