import { allStates, type FormEdge, type FormState } from '../../model/machine-form.ts';
import type { Finding } from '../report-problem.ts';

/** Transitions that are taken at once, whatever the data, and lead back to where they begin: such a machine never rests. */
export function findAlwaysLoops(root: FormState): readonly Finding[] {
  const states = new Map(allStates(root).map((state) => [state.id, state] as const));
  const onLoop = [...states.values()].flatMap((state) => {
    const edge = freeEdge(state);
    return edge !== null && returns(states, state) ? [edge] : [];
  });
  return onLoop.map(({ pointer }) => ({
    code: 'PAWL-205',
    pointer,
    message: 'this transition is always taken and leads back to itself: the machine would never rest',
    help: 'give it a `guard` that becomes false, or let it wait with `on` or `after`',
  }));
}

/** The first transition that nothing holds back. */
function freeEdge({ edges }: FormState): FormEdge | null {
  const always = edges.filter(({ trigger }) => trigger.kind === 'always');
  return always[0]?.guard === null ? always[0] : null;
}

type States = ReadonlyMap<string, FormState>;

function returns(states: States, from: FormState): boolean {
  const seen = new Set<FormState>();
  for (let at = nextOf(states, from); at !== null && !seen.has(at); at = nextOf(states, at)) {
    if (at === from) return true;
    seen.add(at);
  }
  return false;
}

/** The state whose free transition is the next one to be taken, the innermost of those that are entered; null where it rests. */
function nextOf(states: States, state: FormState): FormState | null {
  const edge = freeEdge(state);
  if (edge === null || edge.targets.length > 1) return null;
  const [target = state.id] = edge.targets;
  const entered: FormState[] = [];
  for (let at = states.get(target); at !== undefined; at = states.get(at.initial ?? '')) entered.push(at);
  return entered.findLast((one) => freeEdge(one) !== null) ?? null;
}
