import { invariant } from '../../model/errors.ts';
import type {
  CatchClause,
  EndStep,
  MapStep,
  ParallelStep,
  RepeatStep,
  Step,
  WorkflowDefinition,
} from '../../model/definition.ts';
import { bodyLists, isGroup } from '../../model/step-lists.ts';

/** How control passes along an edge; only `done` means that the step it leaves has completed. */
export type FlowKind = 'start' | 'done' | 'skip' | 'enter' | 'failed' | 'taken';

/** One way that control can go, by node number. */
export interface FlowEdge {
  readonly from: number;
  readonly to: number;
  readonly kind: FlowKind;
  /** Pointer of the `next` that made it; null for falling through. */
  readonly nextPointer: string | null;
}

/** A step with where it stands. */
export interface PlacedStep {
  readonly step: Step;
  /** Document order, 0-based; also its node number. */
  readonly index: number;
  /** The step that holds the list it stands in; null in the main list. */
  readonly parent: PlacedStep | null;
  /** All steps of the list it stands in; a `next` may name these or those of enclosing lists. */
  readonly siblings: readonly Step[];
  /** Whether it stands in `finally`, however deep. */
  readonly isLast: boolean;
  /** Where it stands among them, 0-based. */
  readonly position: number;
}

/** Every way control can go through a workflow, over-approximated: a failure can come from any step. */
export interface FlowGraph {
  readonly steps: readonly PlacedStep[];
  readonly byId: ReadonlyMap<string, PlacedStep>;
  readonly edges: readonly FlowEdge[];
  /** Node of the start, before the first step. */
  readonly start: number;
  /** Node of the end `done`. */
  readonly end: number;
  /** Node behind `finally`; nothing leads there where there is none. */
  readonly over: number;
  /** Node of a failure that nothing more handles: where a catch that raises leads. */
  readonly raised: number;
  readonly nodeCount: number;
  /** The step whose completion a node's `done` edges stand for; null for start, end and raised. */
  completes(node: number): PlacedStep | null;
  /** Nodes that control comes to only when it has come to all of these: a parallel step of which all branches must succeed. */
  readonly joins: ReadonlyMap<number, readonly number[]>;
  /** The node from which the `done` edges of a step lead: of a group its exit, else its own. */
  exitOf(index: number): number;
}

/** Verbs of steps that rest, so that an event finds them. */
const WAITING: readonly Step['verb'][] = ['call', 'wait', 'await', 'approve'];

interface ListFrame {
  /** Node to which the list's last step falls through. */
  readonly after: number;
  /** Where a failure of a step of the list can go. */
  readonly failTo: readonly number[];
}

/** Builds the graph in one pass over the steps. */
export function buildFlowGraph(definition: WorkflowDefinition): FlowGraph {
  return new GraphBuilder(definition).build();
}

class GraphBuilder {
  private readonly definition: WorkflowDefinition;
  private readonly steps: PlacedStep[] = [];
  private readonly byId = new Map<string, PlacedStep>();
  private readonly edges: FlowEdge[] = [];
  private readonly exits = new Map<number, PlacedStep>();
  private readonly exitOf = new Map<number, number>();
  private readonly joins = new Map<number, readonly number[]>();
  private end = 0;
  private over = 0;
  private start = 0;
  private raised = 0;
  private nodeCount = 0;

  constructor(definition: WorkflowDefinition) {
    this.definition = definition;
  }

  build(): FlowGraph {
    const { steps: main, finally: last = [] } = this.definition;
    this.place(main, null, false);
    this.place(last, null, true);
    this.nodeCount = this.steps.length;
    for (const placed of this.steps) if (isGroup(placed.step)) this.addExit(placed);
    this.start = this.nodeCount++;
    this.end = this.nodeCount++;
    this.over = this.nodeCount++;
    this.raised = this.nodeCount++;
    this.add(this.start, this.firstOf(main) ?? this.end, 'start');
    this.linkList(main, { after: this.end, failTo: [] });
    this.linkFinally(last);
    const { steps, byId, edges, start, end, over, raised, nodeCount, exits, joins } = this;
    const completes = (node: number): PlacedStep | null =>
      exits.get(node) ?? (this.exitOf.has(node) ? null : (steps[node] ?? null));
    const exitOf = (index: number): number => this.exitOf.get(index) ?? index;
    return { steps, byId, edges, start, end, over, raised, nodeCount, completes, joins, exitOf };
  }

  /** It may begin before any step has completed: whatever ends a run leads there. In it, `end` is its own. */
  private linkFinally(last: readonly Step[]): void {
    const first = this.firstOf(last);
    if (first === null) return;
    const { end } = this;
    this.end = this.over;
    this.add(this.start, first, 'failed');
    this.linkList(last, { after: this.over, failTo: [this.over] });
    this.end = end;
  }

  private place(list: readonly Step[], parent: PlacedStep | null, isLast: boolean): void {
    for (const [position, step] of list.entries()) {
      const placed = { step, index: this.steps.length, parent, siblings: list, position, isLast };
      this.steps.push(placed);
      if (!this.byId.has(step.id)) this.byId.set(step.id, placed);
      this.byPointer.set(step.pointer, placed);
      for (const { steps } of bodyLists(step)) this.place(steps, placed, isLast);
      for (const clause of step.catch) this.place(clause.do, placed, isLast);
    }
  }

  private readonly byPointer = new Map<string, PlacedStep>();

  private addExit(placed: PlacedStep): void {
    const node = this.nodeCount++;
    this.exits.set(node, placed);
    this.exitOf.set(placed.index, node);
  }

  private add(from: number, to: number, kind: FlowKind, nextPointer: string | null = null): void {
    this.edges.push({ from, to, kind, nextPointer });
  }

  private nodeOf(step: Step): number {
    const placed = this.byPointer.get(step.pointer);
    invariant(placed !== undefined, 'a step that was not placed', { pointer: step.pointer });
    return placed.index;
  }

  private firstOf(list: readonly Step[]): number | null {
    const [first] = list;
    return first === undefined ? null : this.nodeOf(first);
  }

  private linkList(list: readonly Step[], frame: ListFrame): void {
    for (const [position, step] of list.entries()) {
      const following = list[position + 1];
      this.linkStep(step, frame, following === undefined ? frame.after : this.nodeOf(following));
    }
  }

  private linkStep(step: Step, frame: ListFrame, following: number): void {
    const node = this.nodeOf(step);
    const exit = this.exitOf.get(node) ?? node;
    const done = step.next === null ? following : this.targetOf(step.next);
    if (step.when !== null) this.add(node, following, 'skip');
    if (step.verb === 'end') this.linkEnd(node, step);
    else if (step.verb !== 'fail') this.add(exit, done, 'done', step.next === null ? null : `${step.pointer}/next`);
    const failTo = this.linkCatches(step, frame, done);
    for (const target of failTo) this.add(node, target, 'failed');
    this.linkBody(step, node, { after: exit, failTo });
    this.linkHandlers(step, node);
  }

  /** An end that says its own output never comes to the document's. */
  private linkEnd(node: number, { end, output }: EndStep): void {
    if (end !== 'cancelled' && output === null) this.add(node, this.end, 'done');
  }

  private linkHandlers(step: Step, node: number): void {
    for (const handler of step.on) {
      if (handler.next !== null) this.add(node, this.targetOf(handler.next), 'taken', `${handler.pointer}/next`);
      if (handler.then === 'end') this.add(node, this.end, 'taken');
    }
    const ends = (this.definition.on ?? []).some(({ then }) => then === 'end');
    if (ends && WAITING.includes(step.verb)) this.add(node, this.end, 'taken');
  }

  /** Between two turns all that is inside may happen again; with `while` there may be no turn at all. */
  private linkTurns(step: RepeatStep, node: number, { after, failTo }: ListFrame): void {
    const turned = this.nodeCount++;
    const first = this.firstOf(step.steps) ?? turned;
    this.add(node, first, 'enter');
    this.linkList(step.steps, { after: turned, failTo });
    this.add(turned, first, 'taken');
    this.add(turned, after, 'taken');
    if (step.while !== null) this.add(node, after, 'enter');
  }

  /** There may be no item at all; one that fails is followed by the next as well as by what the map's failure leads to. */
  private linkItems(step: MapStep, node: number, { after, failTo }: ListFrame): void {
    const over = this.nodeCount++;
    const first = this.firstOf(step.steps) ?? over;
    this.add(node, first, 'enter');
    this.linkList(step.steps, { after: over, failTo: [over, ...failTo] });
    this.add(over, first, 'taken');
    this.add(over, after, 'taken');
    this.add(node, after, 'enter');
  }

  /** No branch comes after another; what they have in common is what was there before, unless all must succeed. */
  private linkBranches(step: ParallelStep, node: number, { after, failTo }: ListFrame): void {
    const ends = step.branches.map(({ steps }) => {
      const end = this.nodeCount++;
      this.add(node, this.firstOf(steps) ?? end, 'enter');
      this.linkList(steps, { after: end, failTo });
      this.add(end, after, 'taken');
      return end;
    });
    if (step.join.kind === 'all') this.joins.set(after, ends);
    if (step.join.kind === 'count') this.add(node, after, 'enter');
  }

  private linkBody(step: Step, node: number, frame: ListFrame): void {
    if (step.verb === 'map') {
      this.linkItems(step, node, frame);
      return;
    }
    if (step.verb === 'parallel') {
      this.linkBranches(step, node, frame);
      return;
    }
    if (step.verb === 'repeat') {
      this.linkTurns(step, node, frame);
      return;
    }
    for (const { steps } of bodyLists(step)) {
      this.add(node, this.firstOf(steps) ?? frame.after, 'enter');
      this.linkList(steps, frame);
    }
    if (step.verb !== 'choose') return;
    for (const branch of step.branches) {
      if (branch.next !== null) this.add(node, this.targetOf(branch.next), 'taken', `${branch.pointer}/next`);
      else if (branch.steps === null || branch.steps.length === 0) this.add(node, frame.after, 'enter');
    }
  }

  /** Links the catch lists and returns where a failure of the step can go: its clauses, and outward when none is sure. */
  private linkCatches(step: Step, frame: ListFrame, done: number): readonly number[] {
    const targets: number[] = [];
    for (const clause of step.catch) {
      const after = this.afterCatch(clause, frame, done);
      const first = this.firstOf(clause.do);
      if (first === null) targets.push(...after);
      else targets.push(first);
      this.linkCatchList(clause, after, frame);
    }
    const sure = step.catch.some((clause) => clause.when === null && clause.on.includes('any'));
    return sure ? targets : [...targets, ...frame.failTo];
  }

  private linkCatchList(clause: CatchClause, after: readonly number[], frame: ListFrame): void {
    const last = clause.do.at(-1);
    if (last === undefined) return;
    // A list that is left for several places is linked once per place: the extra edges stand for the same way out.
    const [main = this.raised] = after;
    this.linkList(clause.do, { after: main, failTo: frame.failTo });
    for (const target of after.slice(1)) this.add(this.nodeOf(last), target, 'done');
  }

  private afterCatch(clause: CatchClause, frame: ListFrame, done: number): readonly number[] {
    if (clause.next !== null) return [this.targetOf(clause.next)];
    if (clause.then === 'end') return [this.end];
    return clause.then === 'raise' ? frame.failTo : [done];
  }

  private targetOf(next: string): number {
    return next === 'end' ? this.end : (this.byId.get(next)?.index ?? this.end);
  }
}
