import { closestWord } from '../../definition/closest-word.ts';
import { undoVoting } from '../../decision/undo-voters.ts';
import { outlineOf } from '../../machine/outline.ts';
import { REMINDER } from '../../decision/remind.ts';
import type { Step, WorkflowDefinition } from '../../model/definition.ts';
import { allStates } from '../../model/machine-form.ts';

/** What a scenario may name of its workflow. */
export interface WorkflowNames {
  readonly actions: readonly string[];
  readonly events: readonly string[];
  readonly steps: readonly string[];
  /** Steps that ask people, or whose undo does. */
  readonly approvals: readonly string[];
  /** What it tells others. */
  readonly published: readonly string[];
  /** By the step that runs it, what may be named of a child. */
  readonly children: ReadonlyMap<string, WorkflowNames>;
}

/** Something that happened outside, as an effects text may call it. */
export interface NamedHappening {
  readonly action: string;
  /** The step and which visit of it: `pay`, `pay#2`, `undo pay`. */
  readonly label: string;
}

/** The names of a workflow, in document order. @param children the versions that it, or one of them, runs. */
export function namesOf(definition: WorkflowDefinition, children: readonly WorkflowDefinition[] = []): WorkflowNames {
  const steps = [...outlineOf(definition).steps.values()].map(({ step }) => step);
  const named = steps.filter((step) => step.named).map(({ id }) => id);
  const states = definition.machine === undefined ? [] : definition.machine.root.states.flatMap(allStates);
  return {
    actions: [...new Set([definition, ...children].flatMap(({ actions }) => actions.map(({ name }) => name)))],
    events: definition.events.map(({ name }) => name),
    // What is visited of a machine are its states; its effects are called by its steps as everywhere.
    steps: [...new Set([...named, ...states.map(({ id }) => id)])],
    approvals: steps.filter((step) => asksPeople(step, definition)).map(({ id }) => id),
    published: [...new Set(steps.flatMap(publishedBy))],
    children: new Map(steps.flatMap((step) => childNames(step, children))),
  };
}

function childNames(
  step: Step,
  children: readonly WorkflowDefinition[],
): readonly (readonly [string, WorkflowNames])[] {
  if (step.verb !== 'call' || step.child === undefined) return [];
  const child = children.find(({ workflow, version }) => step.action === `${workflow}@${version}`);
  return child === undefined ? [] : [[step.id, namesOf(child, children)]];
}

/** Whether there is an approval of a step: its own, or of its undo (R23). */
function asksPeople(step: Step, { actions }: WorkflowDefinition): boolean {
  if (step.verb === 'approve') return true;
  return actions.some(
    (action) => step.verb === 'call' && action.name === step.action && undoVoting(step, () => action) !== null,
  );
}

function publishedBy(step: Step): readonly string[] {
  if (step.verb === 'publish') return [step.event];
  return step.verb === 'approve' && step.remindMs !== undefined ? [REMINDER] : [];
}

/** A label without the visit, the turn and the item. */
export function plainLabel(label: string): string {
  return label.replace(/[#[].*$/s, '');
}

/** The step in `undo pay#2`. */
function stepIn(name: string): string {
  return plainLabel(name).replace(/^undo\s+/, '');
}

/** Whether an effects text may use a name. */
export function isEffectName({ actions, steps }: WorkflowNames, name: string): boolean {
  return actions.includes(name) || steps.includes(stepIn(name));
}

/** Whether a happening is called so: by its action; where no action has that name, by its step. */
export function isCalled(names: WorkflowNames, { action, label }: NamedHappening, name: string): boolean {
  if (names.actions.includes(name)) return name === action;
  return name === label || (name === plainLabel(label) && !name.includes('#'));
}

/** The mend for a name that is none. */
export function nameHelp(name: string, known: readonly string[], what: string): string {
  const near = closestWord(name, known);
  if (near !== null) return `did you mean \`${near}\`?`;
  return known.length === 0 ? `it has no ${what}` : `it has ${known.join(', ')}`;
}
