import { layoutOf } from './layout.ts';
import { NumberList, StateSet } from './state-set.ts';

/** Takes one successor; the array is copied at once and may be used again. */
export type Emit = (next: Uint8Array, label: string, kind?: 'fault') => void;

/** Something that must stay reachable by fair steps from every state. */
export interface Goal {
  readonly name: string;
  readonly isReached: (state: Uint8Array) => boolean;
}

/** A system of finitely many states, each an array of fields of a byte or less. */
export interface Model {
  /** Bits that each field needs. */
  readonly bits: readonly number[];
  /** What must hold in every state, by name; `violations` speaks of them by position. */
  readonly invariants: readonly string[];
  /** What must stay reachable from every state. */
  readonly goals: readonly Goal[];
  /** Emits every successor of a state. Faults are steps on whose coming no goal may rely. */
  readonly expand: (state: Uint8Array, emit: Emit) => void;
  /** One bit for each invariant that a state breaks. */
  readonly violations: (state: Uint8Array) => number;
}

/** Something that does not hold, with the shortest way to the first state where it does not. */
export interface Violation {
  readonly name: string;
  /** For a goal: in how many states it is out of reach. For an invariant: in how many it is broken. */
  readonly states: number;
  readonly steps: readonly string[];
}

/** What an exploration found. */
export interface Exploration {
  readonly states: number;
  readonly edges: number;
  /** Whether it ended at its limit: what was not seen until then is unknown, goals among it. */
  readonly isCapped: boolean;
  readonly violations: readonly Violation[];
}

/** Limits of an exploration, and who hears of its progress. */
export interface ExploreOptions {
  /** States after which no new one is looked at. */
  readonly statesMax: number;
  /** Called after each million of looked-at states with the numbers of looked-at and of known ones. */
  readonly onProgress?: (looked: number, known: number) => void;
}

const PROGRESS_EVERY = 1_000_000;

/** Every state that a model can reach from the one whose fields are all 0, breadth first; each is looked at once. */
export function explore(model: Model, options: ExploreOptions): Exploration {
  const layout = layoutOf(model.bits);
  const known = new StateSet(layout.words);
  const parents = new NumberList();
  const edges = new NumberList();
  const edgesFrom = new NumberList();
  const words = new Uint32Array(layout.words);
  const state = new Uint8Array(model.bits.length);
  const broken = model.invariants.map(() => ({ first: 0, states: 0 }));
  let looked = 0;
  let edgeCount = 0;

  const visit = (next: Uint8Array, _label: string, kind?: 'fault'): void => {
    layout.pack(next, words);
    const before = known.size;
    const number = known.add(words);
    if (known.size > before) parents.push(looked);
    edgeCount += 1;
    if (kind !== 'fault') edges.push(number);
  };
  const judge = (mask: number): void => {
    for (const [at, count] of broken.entries()) {
      if ((mask & (1 << at)) === 0) continue;
      if (count.states === 0) count.first = looked;
      count.states += 1;
    }
  };

  known.add(words);
  parents.push(0);
  for (; looked < known.size && known.size <= options.statesMax; looked += 1) {
    layout.unpack(known.states, looked * layout.words, state);
    const mask = model.violations(state);
    if (mask !== 0) judge(mask);
    edgesFrom.push(edges.length);
    model.expand(state, visit);
    if ((looked + 1) % PROGRESS_EVERY === 0) options.onProgress?.(looked + 1, known.size);
  }
  edgesFrom.push(edges.length);

  const isCapped = looked < known.size;
  const read = (number: number): Uint8Array => {
    layout.unpack(known.states, number * layout.words, state);
    return state;
  };
  const graph: Graph = { model, size: known.size, parents, edges, edgesFrom, read };
  const goals = isCapped ? [] : model.goals.map((goal) => ({ name: goal.name, ...outOfReach(graph, goal) }));
  const found = [...model.invariants.map((name, at) => ({ name, ...(broken[at] ?? NEVER) })), ...goals];
  return {
    states: known.size,
    edges: edgeCount,
    isCapped,
    violations: found
      .filter(({ states }) => states > 0)
      .map(({ name, first, states }) => ({ name, states, steps: stepsTo(graph, first) })),
  };
}

interface Graph {
  readonly model: Model;
  readonly size: number;
  readonly parents: NumberList;
  /** Fair steps, those of state n from `edgesFrom[n]` up to `edgesFrom[n + 1]`. */
  readonly edges: NumberList;
  readonly edgesFrom: NumberList;
  readonly read: (number: number) => Uint8Array;
}

interface Found {
  readonly first: number;
  readonly states: number;
}
const NEVER: Found = { first: 0, states: 0 };

/** States from which no fair way leads to the goal: whoever reaches one that can is marked, until nothing changes. */
function outOfReach({ size, edges, edgesFrom, read }: Graph, goal: Goal): Found {
  const canReach = new Uint8Array(size);
  for (let number = 0; number < size; number += 1) if (goal.isReached(read(number))) canReach[number] = 1;
  const leadsOn = (number: number): boolean => {
    for (let at = edgesFrom.at(number); at < edgesFrom.at(number + 1); at += 1)
      if (canReach[edges.at(at)] === 1) return true;
    return false;
  };
  // From the far end inwards: most marks then arrive in the first pass.
  for (let isChanged = true; isChanged; ) {
    isChanged = false;
    for (let number = size - 1; number >= 0; number -= 1) {
      if (canReach[number] === 1 || !leadsOn(number)) continue;
      canReach[number] = 1;
      isChanged = true;
    }
  }
  const first = canReach.indexOf(0);
  return first === -1 ? NEVER : { first, states: canReach.reduce((count, can) => count + (can === 0 ? 1 : 0), 0) };
}

/** The labels on the way to a state, found by expanding its ancestors again. */
function stepsTo({ model, parents, read }: Graph, number: number): readonly string[] {
  const steps: string[] = [];
  for (let child = number; child !== 0; child = parents.at(child)) {
    const wanted = read(child).slice();
    let step = '';
    model.expand(read(parents.at(child)).slice(), (next, label) => {
      if (step === '' && next.every((field, at) => field === wanted[at])) step = label;
    });
    steps.unshift(step);
  }
  return steps;
}
