import { allStates, type FormEdge, type FormState } from '../../model/machine-form.ts';
import type { LintContext } from './lint-context.ts';

/** Pivots of which it is known that they may lead to a state: with itself among them, another one is enough. */
const LEADING_MAX = 2;

/** States, each with the steps of pivots that may lead to it. */
type Led = Map<FormState, Set<string>>;

/** @returns whether it is new, and worth to be known. */
function note(led: Led, state: FormState, pivot: string): boolean {
  const known = led.get(state) ?? new Set();
  if (known.has(pivot) || known.size === LEADING_MAX) return false;
  led.set(state, known.add(pivot));
  return true;
}

function isDone({ trigger }: FormEdge, step: string): boolean {
  return trigger.kind === 'settled' && trigger.step === step && trigger.ok;
}

/**
 * Where a machine may be once a pivot of it is confirmed, by transitions that nothing but an event, an act or a time holds back. One with
 * a guard is not followed: what it asks may be what keeps that way from being gone. Each state is looked at twice at most.
 */
class Ways {
  readonly led: Led = new Map();
  private readonly states: ReadonlyMap<string, FormState>;
  private readonly parents: ReadonlyMap<FormState, FormState>;
  private readonly aimed: Led = new Map();
  /** Regions that have come to their ends, of each parallel state and for each pivot. */
  private readonly over = new Map<string, Set<FormState>>();
  private readonly open: { readonly state: FormState; readonly pivot: string }[] = [];

  constructor(root: FormState, pivots: ReadonlySet<string>) {
    const states = allStates(root);
    this.states = new Map(states.map((state) => [state.id, state] as const));
    this.parents = new Map(states.flatMap((state) => state.states.map((inner) => [inner, state] as const)));
    for (const state of states) if (state.invoke !== null && pivots.has(state.invoke)) this.begin(state, state.invoke);
    for (let next = this.open.pop(); next !== undefined; next = this.open.pop()) this.goOn(next.state, next.pivot);
  }

  private begin(state: FormState, pivot: string): void {
    const edges = state.edges.filter((edge) => isDone(edge, pivot));
    if (edges.every(({ targets }) => targets.length === 0)) this.be(state, pivot);
    else this.follow(edges, pivot);
  }

  private follow(edges: readonly FormEdge[], pivot: string): void {
    for (const { guard, targets } of edges)
      if (guard === null) for (const id of targets) this.aim(this.states.get(id), pivot);
  }

  /** A state is entered, and with it what begins in it. What a history leads back to was there before. */
  private aim(state: FormState | undefined, pivot: string): void {
    if (state === undefined || state.kind === 'history' || !note(this.aimed, state, pivot)) return;
    this.be(state, pivot);
    if (state.initial !== null) this.aim(this.states.get(state.initial), pivot);
    if (state.kind === 'parallel') for (const region of state.states) this.aim(region, pivot);
  }

  private be(state: FormState, pivot: string): void {
    if (note(this.led, state, pivot)) this.open.push({ state, pivot });
  }

  private goOn(state: FormState, pivot: string): void {
    this.follow(
      state.edges.filter(({ trigger }) => trigger.kind !== 'done'),
      pivot,
    );
    const parent = this.parents.get(state);
    if (parent === undefined) return;
    this.be(parent, pivot);
    if (parent.kind === 'parallel') for (const region of parent.states) this.aim(region, pivot);
    if (state.kind === 'final') this.finish(parent, pivot);
  }

  private finish(state: FormState, pivot: string): void {
    this.follow(
      state.edges.filter(({ trigger }) => trigger.kind === 'done'),
      pivot,
    );
    const parent = this.parents.get(state);
    if (parent?.kind !== 'parallel') return;
    const name = `${parent.id} ${pivot}`;
    const over = (this.over.get(name) ?? new Set()).add(state);
    this.over.set(name, over);
    if (over.size === parent.states.length) this.finish(parent, pivot);
  }
}

/** Behind the pivot of a machine there is no other one, and no end with which the run fails. */
export function lintFormPivots({ definition, graph, report }: LintContext): void {
  if (definition.machine === undefined) return;
  const calls = graph.steps.flatMap(({ step, isLast }) =>
    step.verb === 'call' && step.pivot && !isLast ? [step] : [],
  );
  const pivots = new Map(calls.map((step) => [step.id, step] as const));
  const { led } = new Ways(definition.machine.root, new Set(pivots.keys()));
  for (const [state, by] of led) {
    const [first] = by;
    if (state.fail !== null)
      report({
        code: 'PAWL-305',
        pointer: `${state.pointer}/meta/pawl/fail`,
        message: `the run fails in "${state.id}", which may come after the pivot "${String(first)}", when nothing is undone any more`,
        help: 'end there without `fail`, or let a `guard` of the way there ask whether the pivot is behind',
      });
    const second = pivots.get(state.invoke ?? '');
    const other = [...by].find((pivot) => pivot !== state.invoke);
    if (second === undefined || other === undefined) continue;
    report({
      code: 'PAWL-304',
      pointer: `${second.pointer}/pivot`,
      message: `"${second.id}" is a second pivot behind "${other}"`,
      help: 'one way through a machine has one point of no return: remove one, or let a `guard` of the way ask for it',
    });
  }
}
