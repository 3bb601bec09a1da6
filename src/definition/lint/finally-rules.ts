import type { Step } from '../../model/definition.ts';
import type { LintContext } from './lint-context.ts';

/** In `finally` the end is reached and stays: nothing in it ends, cancels or undoes, and what it does itself is not undone. */
export function lintFinally({ graph, report }: LintContext): void {
  for (const { step, isLast } of graph.steps) {
    if (!isLast) continue;
    for (const { word, pointer, help } of misplacedIn(step)) {
      const message = `"${word}" has no place in finally: the end is reached, and nothing of it changes any more`;
      report({ code: 'PAWL-216', pointer, at: 'key', message, help });
    }
  }
}

interface Misplaced {
  readonly word: string;
  readonly pointer: string;
  readonly help: string;
}

const AS_IT_ENDS = 'leave it out: the run ends as it came here';
const NOT_AWAITED = 'leave it out: behind finally nothing waits for what is on its way';
const NOT_UNDONE = 'leave it out: what finally does is not undone';

function misplacedIn(step: Step): readonly Misplaced[] {
  const undone = step.catch.filter(({ undo }) => undo === true);
  const cancels = step.on.filter(({ then }) => then === 'cancel');
  return [
    ...misplacedVerb(step),
    ...undone.map(({ pointer }) => ({ word: 'undo', pointer: `${pointer}/undo`, help: NOT_UNDONE })),
    ...cancels.map(({ pointer }) => ({ word: 'then: cancel', pointer: `${pointer}/then`, help: AS_IT_ENDS })),
  ];
}

/** The verb, or an option of it. */
function misplacedVerb(step: Step): readonly Misplaced[] {
  const at = (word: string, help: string): Misplaced => ({ word, pointer: `${step.pointer}/${word}`, help });
  if (step.verb === 'end') return [at('end', AS_IT_ENDS)];
  if (step.verb === 'undo') return [at('undo', 'undo it before: in a catch, or in the steps')];
  if (step.verb === 'scope') return step.compensation === null ? [] : [at('compensation', NOT_UNDONE)];
  if (step.verb === 'parallel') return step.losers === undefined ? [] : [at('losers', NOT_AWAITED)];
  if (step.verb !== 'call') return [];
  const pivot = step.pivot ? [at('pivot', NOT_UNDONE)] : [];
  return step.compensate?.kind === 'call' ? [...pivot, at('compensate', NOT_UNDONE)] : pivot;
}
