import { dependenciesOf, expressionsOf } from '../../definition/dependencies.ts';
import { ExpressionFault } from '../../definition/expression/expression-fault.ts';
import { flowScope } from '../../machine/scope.ts';
import type { Expression, Step, Template } from '../../model/definition.ts';
import { bodyLists } from '../../model/step-lists.ts';
import type { RunData } from '../../model/run.ts';
import type { StoredRun } from '../../ports/store.ts';
import type { Lab } from './lab.ts';

/** What must hold, or must not, so that a step is entered. */
interface Guard {
  readonly when: Expression;
  readonly holds: boolean;
}

/** What templates compute from. */
export function expressionsIn(templates: readonly (Template | null)[]): readonly Expression[] {
  return templates.flatMap((template) => (template === null ? [] : expressionsOf(template)));
}

function varsIn(expressions: readonly Expression[]): readonly string[] {
  return expressions
    .flatMap(dependenciesOf)
    .flatMap(([root, name]) => (root === 'vars' && name !== undefined ? [name] : []));
}

/** The vars that expressions read, and those from which these were set. */
export function varsBehind(lab: Lab, expressions: readonly Expression[]): ReadonlySet<string> {
  const sets = [...lab.compiled.steps.values()].flatMap((step) => [
    ...(step.verb === 'set' ? step.set : []),
    ...step.on.flatMap(({ set }) => set),
  ]);
  sets.push(...(lab.definition.on ?? []).flatMap(({ set }) => set));
  const behind = new Set(varsIn(expressions));
  const sourcesOf = (name: string): readonly string[] =>
    varsIn(sets.filter(([set]) => set === name).flatMap(([, template]) => expressionsOf(template)));
  // A set grows while it is walked through: what is added is walked through, too.
  for (const name of behind) {
    for (const from of sourcesOf(name)) behind.add(from);
  }
  return behind;
}

/** By step, what decides whether it is entered, of those in the flow; what a `catch` does is left out. */
export function guardsOf(steps: readonly Step[], outer: readonly Guard[] = []): ReadonlyMap<string, readonly Guard[]> {
  return new Map(
    steps.flatMap((step): readonly (readonly [string, readonly Guard[]])[] => {
      const own = step.when === null ? outer : [...outer, { when: step.when, holds: true }];
      if (step.verb !== 'choose')
        return [[step.id, own], ...bodyLists(step).flatMap((list) => [...guardsOf(list.steps, own)])];
      const inner = step.branches.flatMap(({ when, steps: listed }, at) => {
        const before = step.branches.slice(0, at).flatMap((branch) => (branch.when === null ? [] : [branch.when]));
        const passed = before.map((other) => ({ when: other, holds: false }));
        const taken = when === null ? [] : [{ when, holds: true }];
        return [...guardsOf(listed ?? [], [...own, ...passed, ...taken])];
      });
      return [[step.id, own], ...inner];
    }),
  );
}

/** Approvals that a run was not asked for, and by what is stored now would be. */
export function passedBy(lab: Lab, stored: StoredRun, data: RunData): ReadonlySet<string> {
  const scope = flowScope(lab.compiled, stored.run, data);
  const holds = (guard: Guard): boolean => {
    try {
      return lab.compiled.evaluator.holds(guard.when, { kind: 'flow' }, scope) === guard.holds;
    } catch (error) {
      if (error instanceof ExpressionFault) return false;
      throw error;
    }
  };
  const asked = new Set(stored.approvals.map(({ step }) => step));
  const passed = [...guardsOf(lab.definition.steps)].filter(
    ([id, guards]) =>
      lab.compiled.steps.get(id)?.verb === 'approve' && !asked.has(id) && guards.length > 0 && guards.every(holds),
  );
  return new Set(passed.map(([id]) => id));
}
