import type { CallStep, Step } from '../../model/definition.ts';
import { allSteps, bodyLists } from '../../model/step-lists.ts';
import type { LintContext } from './lint-context.ts';

/** Most places of acts that are named beside an undo. */
const NAMED_MAX = 3;

/** What is to be undone, and where that is said. */
interface Ordered {
  readonly pointer: string;
  readonly id: string;
  readonly steps: readonly Step[];
}

/** An undo of steps whose acts nothing undoes is silently none: whoever wrote it takes them for undone. */
export function lintVainUndos(context: LintContext): void {
  const { graph, map, report } = context;
  for (const { pointer, id, steps } of graph.steps.flatMap(({ step }) => orderedBy(context, step))) {
    const acts = allSteps(steps).filter((step) => step.verb === 'call');
    const standing = acts.filter((step) => !mayBeUndone(context, step) && isAct(context, step));
    if (standing.length === 0 || acts.some((step) => mayBeUndone(context, step))) continue;
    report({
      code: 'PAWL-364',
      severity: 'warning',
      pointer,
      message: `nothing in "${id}" can be undone: what it does stays done`,
      help: 'say how it is undone ("compensate"), or leave out "undo"',
      related: standing.slice(0, NAMED_MAX).map((step) => {
        const said = `${step.pointer}/compensate`;
        return { message: `nothing undoes "${step.id}"`, pointer: map.has(said) ? said : step.pointer };
      }),
    });
  }
}

/** A step by name with all that is in it, and what a group has done that fails. */
function orderedBy({ graph }: LintContext, step: Step): readonly Ordered[] {
  const body = bodyLists(step).flatMap(({ steps }) => steps);
  const caught = step.catch.flatMap(({ undo, pointer }) =>
    undo === true && body.length > 0 ? [{ pointer: `${pointer}/undo`, id: step.id, steps: body }] : [],
  );
  if (step.verb !== 'undo') return caught;
  const named = step.undo.flatMap((id, index) => {
    const target = graph.byId.get(id)?.step;
    return target === undefined ? [] : [{ pointer: `${step.pointer}/undo/${index}`, id, steps: [target] }];
  });
  return [...named, ...caught];
}

function isAct({ action }: LintContext, step: CallStep): boolean {
  return step.child !== undefined || action(step.action)?.effect === 'write';
}

/** Of an action that is not known nobody can say. */
function mayBeUndone({ action }: LintContext, step: CallStep): boolean {
  const own = step.compensate;
  if (step.child !== undefined) return !step.child.detach && own?.kind !== 'none';
  const contract = action(step.action);
  if (contract === null) return true;
  return contract.effect === 'write' && (own ?? contract.compensate ?? { kind: 'none' }).kind !== 'none';
}
