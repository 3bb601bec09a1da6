import type { CompletedBefore } from '../../definition/lint/completed-before.ts';
import type { FlowGraph, PlacedStep } from '../../definition/lint/flow-graph.ts';
import type { CatchClause, Step, Template } from '../../model/definition.ts';

/** Why a step ends the way forward: a class of failure, or that the run is cancelled there. */
export type FailingCause =
  | 'call'
  | 'denied'
  | 'expired'
  | 'timeout'
  | 'no-match'
  | 'limit'
  | 'impossible'
  | 'fail'
  | 'expression'
  | 'cancel';

/** A step whose failure no catch is sure to take. */
export interface FailingPoint {
  readonly placed: PlacedStep;
  readonly causes: readonly [FailingCause, ...FailingCause[]];
}

/** Every reachable step from which a run can leave its way, in document order. */
export function failingPoints(graph: FlowGraph, completed: CompletedBefore): readonly FailingPoint[] {
  return graph.steps.flatMap((placed) => {
    if (!completed.isReachable(placed.index)) return [];
    const isCaught = isSureToBeCaught(placed);
    const [first, ...more] = causesOf(placed.step).filter((cause) => cause === 'cancel' || !isCaught);
    return first === undefined ? [] : [{ placed, causes: [first, ...more] }];
  });
}

function causesOf(step: Step): readonly FailingCause[] {
  const causes: FailingCause[] = [...ownCauses(step)];
  if (causes.length === 0 && computes(step)) causes.push('expression');
  if (step.on.some(({ then }) => then === 'fail')) causes.push('fail');
  if (step.on.some(({ then }) => then === 'cancel')) causes.push('cancel');
  return [...new Set(causes)];
}

function ownCauses(step: Step): readonly FailingCause[] {
  switch (step.verb) {
    case 'call':
    case 'fail':
      return [step.verb];
    case 'approve':
      return ['denied', ...given(step.expires !== null && step.onExpire === 'deny', 'expired')];
    case 'await':
    case 'scope':
      return given(step.timeoutMs !== null, 'timeout');
    case 'map':
      return ['expression', ...given(step.timeoutMs !== null, 'timeout')];
    case 'parallel':
      return [...given(step.join.kind !== 'all', 'impossible'), ...given(step.timeoutMs !== null, 'timeout')];
    case 'repeat':
      return ['limit', ...given(step.timeoutMs !== null, 'timeout')];
    case 'choose':
      return given(
        step.branches.every(({ when }) => when !== null),
        'no-match',
      );
    case 'end':
      return given(step.end === 'cancelled', 'cancel');
    default:
      return [];
  }
}

function given(holds: boolean, cause: FailingCause): readonly FailingCause[] {
  return holds ? [cause] : [];
}

/** Whether something is computed when the step is entered, which can go wrong. */
function computes(step: Step): boolean {
  if (step.when !== null) return true;
  if (step.verb === 'set') return step.set.some(([, template]) => isComputed(template));
  if (step.verb === 'wait') return isComputed(step.wait.kind === 'for' ? step.wait.duration : step.wait.instant);
  if (step.verb === 'publish') return step.key !== null || (step.data !== null && isComputed(step.data));
  if (step.verb === 'await') return step.match !== null && isComputed(step.match);
  return step.verb === 'choose' && step.branches.some(({ when }) => when !== null);
}

function isComputed(template: Template): boolean {
  return template.kind !== 'literal';
}

/** Whether a clause around the step takes whatever failure it has and does not raise it again (R22: not one whose own list it is in). */
function isSureToBeCaught(placed: PlacedStep): boolean {
  if (placed.step.catch.some(takesAll)) return true;
  for (let inner = placed, outer = placed.parent; outer !== null; inner = outer, outer = outer.parent) {
    const isInCatch = inner.step.pointer.startsWith(`${outer.step.pointer}/catch/`);
    if (!isInCatch && outer.step.catch.some(takesAll)) return true;
  }
  return false;
}

function takesAll({ when, on, then }: CatchClause): boolean {
  return when === null && on.includes('any') && then !== 'raise';
}
