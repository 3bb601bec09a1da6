import type { CompiledMachine } from '../../machine/compile.ts';
import type { Step } from '../../model/definition.ts';
import { allStates } from '../../model/machine-form.ts';
import type { Seen } from './seen.ts';

/** What of a workflow its scenarios have been through: of one kind, in document order. */
export interface CoveredKind {
  readonly kind: 'steps' | 'jumps' | 'compensations' | 'catches';
  readonly total: number;
  /** What none of them has been to. */
  readonly missed: readonly string[];
}

/** How a catch clause is called. */
function clauseName(step: Step, index: number): string {
  return `${step.id} catch ${step.catch[index]?.on.join(', ') ?? ''}`;
}

/** Whether a step has an undo that is a call: its own, or its action's. */
function isCompensated(compiled: CompiledMachine, step: Step): boolean {
  if (step.verb !== 'call') return false;
  return (step.compensate ?? compiled.action(step.action).compensate)?.kind === 'call';
}

/** What the scenarios of a workflow have been through, and what not. */
export function coverageOf(compiled: CompiledMachine, plays: readonly Seen[]): readonly CoveredKind[] {
  const entered = new Set(plays.flatMap((seen) => seen.entered));
  const jumped = new Set(plays.flatMap((seen) => seen.jumped));
  const undone = new Set(plays.flatMap((seen) => seen.undone));
  const steps = [...compiled.steps.values()];
  const { machine } = compiled.machine.definition;
  // A machine is in its states; its histories are ways and no places.
  const states = machine?.root.states.flatMap(allStates).filter(({ kind }) => kind !== 'history');
  const kindOf = (
    kind: CoveredKind['kind'],
    all: readonly { readonly name: string; readonly isCovered: boolean }[],
  ): CoveredKind => ({
    kind,
    total: all.length,
    missed: all.filter(({ isCovered }) => !isCovered).map(({ name }) => name),
  });
  const ids = (some: readonly { readonly id: string }[], covered: ReadonlySet<string>) =>
    some.map(({ id }) => ({ name: id, isCovered: covered.has(id) }));
  const clauses = steps.flatMap((step) =>
    step.catch.map((_clause, index) => ({
      name: clauseName(step, index),
      // A clause without steps leads at once to what follows it.
      isCovered: entered.has(`${step.id}$catch${index}`) || entered.has(`${step.id}$after${index}`),
    })),
  );
  const jumps = steps.filter(({ maxJumps }) => maxJumps !== null);
  const compensated = steps.filter((step) => isCompensated(compiled, step));
  return [
    kindOf('steps', ids(states ?? steps, entered)),
    kindOf('jumps', ids(jumps, jumped)),
    kindOf('compensations', ids(compensated, undone)),
    kindOf('catches', clauses),
  ];
}
