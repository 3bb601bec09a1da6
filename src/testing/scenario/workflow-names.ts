import { closestWord } from '../../definition/closest-word.ts';
import { outlineOf } from '../../machine/outline.ts';
import { REMINDER } from '../../decision/remind.ts';
import type { Step, WorkflowDefinition } from '../../model/definition.ts';

/** What a scenario may name of its workflow. */
export interface WorkflowNames {
  readonly actions: readonly string[];
  readonly events: readonly string[];
  readonly steps: readonly string[];
  /** Steps that ask people. */
  readonly approvals: readonly string[];
  /** What it tells others. */
  readonly published: readonly string[];
}

/** Something that happened outside, as an effects text may call it. */
export interface NamedHappening {
  readonly action: string;
  /** The step and which visit of it: `pay`, `pay#2`, `undo pay`. */
  readonly label: string;
}

/** The names of a workflow, in document order. */
export function namesOf(definition: WorkflowDefinition): WorkflowNames {
  const steps = [...outlineOf(definition).steps.values()].map(({ step }) => step);
  return {
    actions: definition.actions.map(({ name }) => name),
    events: definition.events.map(({ name }) => name),
    steps: steps.filter(({ named }) => named).map(({ id }) => id),
    approvals: steps.filter(({ verb }) => verb === 'approve').map(({ id }) => id),
    published: [...new Set(steps.flatMap(publishedBy))],
  };
}

function publishedBy(step: Step): readonly string[] {
  if (step.verb === 'publish') return [step.event];
  return step.verb === 'approve' && step.remindMs !== undefined ? [REMINDER] : [];
}

/** A label without the visit, the turn and the item. */
function plainLabel(label: string): string {
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
