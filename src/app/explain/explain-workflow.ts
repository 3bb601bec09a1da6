import { compensationOf, compensationPolicy, forwardPolicy } from '../../decision/effect-policy.ts';
import { linksIn } from '../../decision/link-root.ts';
import { type CompletedBefore, completedBefore, ledTo } from '../../definition/lint/completed-before.ts';
import { isInBranch } from '../../definition/lint/branch-rules.ts';
import { buildFlowGraph, type FlowGraph, type FlowKind, type PlacedStep } from '../../definition/lint/flow-graph.ts';
import type { SourceMap } from '../../definition/source-map.ts';
import type { ActionContract, ApproveStep, CallStep, Voting, WorkflowDefinition } from '../../model/definition.ts';
import { elementAt } from '../../model/element-at.ts';
import { invariant } from '../../model/errors.ts';
import { type ExplainedSending, explainSending } from './explain-sending.ts';
import { type FailingCause, type FailingPoint, failingPoints } from './failing-points.ts';
import { type Ahead, pointsAhead } from './later-points.ts';
import { templateWords } from './template-words.ts';

/** A step and its line in the file. */
export interface ExplainedStep {
  readonly step: string;
  readonly line: number;
}

/** What makes amends for an effect. */
export type ExplainedUndo =
  /** The author says that nothing is to be undone, or behind the pivot says nothing, or it is done in `finally`. */
  | { readonly kind: 'none'; readonly because: 'said' | 'pivot' | 'finally' }
  /** A child undoes itself, on its own version (`by` = null), or a run of another workflow undoes what was done. */
  | {
      readonly kind: 'child';
      /** The version that undoes it, `name@version`. */
      readonly by: string | null;
      /** Who must agree first (R23); null = nobody is asked. */
      readonly approve: ExplainedVoters | null;
      readonly onlyByOrder: boolean;
    }
  | {
      readonly kind: 'call';
      readonly action: string;
      readonly line: number;
      /** The catalogue's file in which it is said; null = the workflow's. */
      readonly file: string | null;
      readonly sending: ExplainedSending;
      /** Who must agree first (R23); null = nobody is asked. */
      readonly approve: ExplainedVoters | null;
      /** What a refusal for good does to the rest of the undo; a person decides in both cases. */
      readonly onRefusal: 'hold' | 'continue';
      /** Whether only an operator's order begins it: behind the pivot nothing is undone by itself. */
      readonly onlyByOrder: boolean;
    };

/** What becomes of an effect when a later step fails or the run is cancelled there. */
export interface ExplainedLater extends ExplainedStep {
  readonly causes: readonly FailingCause[];
  /** `maybe-held`: held where the way led over the pivot, else undone (or standing, where nothing undoes it). */
  readonly then: 'undone' | 'stands' | 'held' | 'maybe-held';
}

/** An effect of a workflow. */
export interface ExplainedEffect extends ExplainedStep {
  readonly kind: 'effect';
  readonly action: string;
  readonly pivot: boolean;
  readonly authorizedBy: string | null;
  /** With which other runs it is shared (E11); null = it is this run's alone. */
  readonly sharedWith: 'workflow' | 'global' | null;
  /** null for a child: its start is a message that is not lost, and its end is its own affair. */
  readonly sending: ExplainedSending | null;
  /** Whether it is a child that nobody waits for. */
  readonly isDetached: boolean;
  /** Steps whose addresses it sends; absent = none. */
  readonly links?: readonly string[];
  /** Maps in whose items it is done, outermost first, and how many of each are under way at once; absent where there is none. */
  readonly maps?: readonly { readonly step: string; readonly atOnce: number }[];
  readonly undo: ExplainedUndo;
  /** In document order; of those that end alike the first ones. */
  readonly later: readonly ExplainedLater[];
  /** Ends that more later steps have than are listed. */
  readonly more: readonly ExplainedLater['then'][];
}

/** The maps in whose items a step stands: never one whose catch it is in. */
function mapsAround(placed: PlacedStep): Pick<ExplainedEffect, 'maps'> {
  const maps: { readonly step: string; readonly atOnce: number }[] = [];
  for (let at: PlacedStep | null = placed; at !== null; at = at.parent) {
    const { parent } = at;
    if (parent?.step.verb === 'map' && isInBranch(at))
      maps.unshift({ step: parent.step.id, atOnce: parent.step.concurrency });
  }
  return maps.length === 0 ? {} : { maps };
}

function linksOf(step: CallStep): Pick<ExplainedEffect, 'links'> {
  const links = linksIn(step.with);
  return links.length === 0 ? {} : { links };
}

/** Who decides, and how long that may take. */
export interface ExplainedVoters {
  readonly from: readonly string[];
  readonly quorum: string;
  readonly expires: string | null;
}

/** A decision by people. */
export interface ExplainedApproval extends ExplainedStep, ExplainedVoters {
  readonly kind: 'approval';
  readonly onExpire: 'deny' | 'approve' | 'hold';
}

/** What a workflow may do to the world, where people are needed, and what stands at its ends. */
export interface Explanation {
  readonly workflow: string;
  readonly version: number;
  /** In the order of the file. */
  readonly parts: readonly (ExplainedEffect | ExplainedApproval)[];
  readonly pivots: readonly ExplainedStep[];
  /** What an unhandled failure before the pivot does, and the run's deadline likewise. */
  readonly onFailure: 'compensate' | 'hold';
  readonly timeoutMs: number | null;
  /** Whether the end computes an output: if that fails the run is HELD and nothing is undone. */
  readonly computesOutput: boolean;
  /** The steps of `finally`; empty where there is none. */
  readonly last: readonly ExplainedStep[];
}

/** Explains a valid definition. @param map finds the lines. */
export function explainWorkflow(definition: WorkflowDefinition, map: SourceMap): Explanation {
  const explainer = new Explainer(definition, map);
  return explainer.explain();
}

type PlacedCall = PlacedStep & { readonly step: CallStep };

/** Where the point of no return is when a step is entered: on every way behind, on some, or on none. */
type PivotAt = 'ahead' | 'maybe' | 'behind';

/** A later step that can fail, or be cancelled; what becomes of an effect there depends on its kind. */
interface LaterPoint extends ExplainedStep {
  readonly node: number;
  readonly kind: string;
  readonly pivotAt: PivotAt;
  readonly causes: readonly FailingCause[];
}

/** How a call is left once it is confirmed: also where an event took it while it was open. */
const LEAVES: readonly FlowKind[] = ['done', 'taken'];

/** Later steps of one kind that are listed. */
const LISTED_MAX = 20;

function votersOf({ from, quorum, expires }: Voting): ExplainedVoters {
  return {
    from: from.map(templateWords),
    quorum: templateWords(quorum),
    expires: expires === null ? null : templateWords(expires),
  };
}

class Explainer {
  private readonly definition: WorkflowDefinition;
  private readonly map: SourceMap;
  private readonly graph: FlowGraph;
  private readonly completed: CompletedBefore;
  private readonly actions: ReadonlyMap<string, ActionContract>;
  private readonly pivots: readonly PlacedCall[];
  private readonly isBehind: (node: number) => boolean;
  /** By node the pivots that may lie behind. */
  private readonly ledByPivot: readonly (readonly number[])[];
  /** One more of each kind than are listed, so that it is known whether there are more. */
  private readonly ahead: Ahead<LaterPoint>;
  /** By call where control goes once it is confirmed. */
  private readonly after = new Map<number, number[]>();

  constructor(definition: WorkflowDefinition, map: SourceMap) {
    this.definition = definition;
    this.map = map;
    this.graph = buildFlowGraph(definition);
    this.completed = completedBefore(this.graph);
    this.actions = new Map(definition.actions.map((action) => [action.name, action]));
    this.pivots = this.calls().filter(({ step }) => step.pivot);
    const indexes = new Set(this.pivots.map(({ index }) => index));
    this.isBehind = this.completed.alwaysOneOf(indexes);
    this.ledByPivot = ledTo(this.graph, indexes, LEAVES);
    const points = failingPoints(this.graph, this.completed).flatMap((point) => this.laterPoints(point));
    this.ahead = pointsAhead(this.graph, points, LISTED_MAX + 1);
    for (const { from, to, kind } of this.graph.edges)
      if (LEAVES.includes(kind)) this.after.set(from, [...(this.after.get(from) ?? []), to]);
  }

  explain(): Explanation {
    const { workflow, version, onFailure, timeoutMs, output } = this.definition;
    const parts = this.graph.steps.flatMap((placed) => this.part(placed));
    const pivots = this.pivots.map((placed) => this.at(placed));
    const computesOutput = output !== null && output.kind !== 'literal';
    const last = this.graph.steps.filter(({ parent, isLast }) => isLast && parent === null).map((one) => this.at(one));
    return { workflow, version, parts, pivots, onFailure, timeoutMs, computesOutput, last };
  }

  private calls(): readonly PlacedCall[] {
    return this.graph.steps.filter((placed): placed is PlacedCall => placed.step.verb === 'call');
  }

  private part(placed: PlacedStep): readonly (ExplainedEffect | ExplainedApproval)[] {
    const { step } = placed;
    if (step.verb === 'approve') return [this.approval(placed, step)];
    if (step.verb !== 'call' || this.action(step.action).effect === 'read') return [];
    return [this.effect(placed, step)];
  }

  private effect(placed: PlacedStep, step: CallStep): ExplainedEffect {
    const contract = this.action(step.action);
    const undo = this.undo(placed, step);
    return {
      ...this.at(placed),
      kind: 'effect',
      action: step.action,
      pivot: step.pivot,
      authorizedBy: step.authorizedBy,
      sharedWith: step.reach ?? null,
      sending: step.child === undefined ? explainSending(contract, forwardPolicy(step, contract)) : null,
      isDetached: step.child?.detach === true,
      ...linksOf(step),
      ...mapsAround(placed),
      undo,
      ...this.later(placed, undo),
    };
  }

  private undo(placed: PlacedStep, step: CallStep): ExplainedUndo {
    if (placed.isLast) return { kind: 'none', because: 'finally' };
    const compensation = compensationOf(step, this.action(step.action));
    if (compensation === null) return { kind: 'none', because: 'pivot' };
    if (compensation.kind === 'none') return { kind: 'none', because: 'said' };
    const contract = this.action(compensation.action);
    const onlyByOrder = step.pivot || this.pivotAt(placed) === 'behind';
    const approve = compensation.approve === undefined ? null : votersOf(compensation.approve);
    if (contract.transport.kind === 'child') {
      const by = contract.transport.act === 'start' ? compensation.action : null;
      return { kind: 'child', by, approve, onlyByOrder };
    }
    const { file } = this.map.homeOf(compensation.pointer);
    const policy = compensationPolicy(compensation, contract, this.definition.compensation);
    return {
      kind: 'call',
      action: compensation.action,
      line: this.map.valueRange(compensation.pointer).line,
      file: file === this.map.file ? null : file,
      sending: explainSending(contract, policy),
      approve,
      onRefusal: policy.onFailure,
      onlyByOrder,
    };
  }

  private laterPoints({ placed, causes }: FailingPoint): readonly LaterPoint[] {
    const failures = causes.filter((cause) => cause !== 'cancel');
    const cancels = causes.filter((cause) => cause === 'cancel');
    const ways = [failures, cancels].filter((way) => way.length > 0);
    const pivotAt = this.pivotAt(placed);
    return ways.map((way) => ({
      ...this.at(placed),
      node: placed.index,
      kind: `${pivotAt} ${way === cancels ? 'cancel' : 'failure'}`,
      pivotAt,
      causes: way,
    }));
  }

  private later({ index, isLast }: PlacedStep, undo: ExplainedUndo): Pick<ExplainedEffect, 'later' | 'more'> {
    if (isLast) return { later: [], more: [] };
    // The ways through a machine are its states', and are not followed: any may come later.
    if (this.definition.machine !== undefined) return { later: [], more: ['maybe-held'] };
    const counts = new Map<string, number>();
    const more = new Set<ExplainedLater['then']>();
    const later = this.ahead.of(this.after.get(index) ?? []).flatMap((point): readonly ExplainedLater[] => {
      const then = this.fate(point, undo);
      const count = (counts.get(point.kind) ?? 0) + 1;
      counts.set(point.kind, count);
      if (count > LISTED_MAX) {
        more.add(then);
        return [];
      }
      return [{ step: point.step, line: point.line, causes: point.causes, then }];
    });
    return { later, more: [...more] };
  }

  private fate({ pivotAt, causes }: LaterPoint, undo: ExplainedUndo): ExplainedLater['then'] {
    if (pivotAt === 'behind') return 'held';
    // A cancel undoes what was done, whatever a failure does.
    if (this.definition.onFailure === 'hold' && !causes.includes('cancel')) return 'held';
    if (pivotAt === 'maybe') return 'maybe-held';
    return undo.kind === 'none' ? 'stands' : 'undone';
  }

  private pivotAt({ index }: PlacedStep): PivotAt {
    if (this.definition.machine !== undefined) return 'maybe';
    if (this.isBehind(index)) return 'behind';
    return elementAt(this.ledByPivot, index).length > 0 ? 'maybe' : 'ahead';
  }

  private approval(placed: PlacedStep, step: ApproveStep): ExplainedApproval {
    return {
      ...this.at(placed),
      kind: 'approval',
      ...votersOf(step),
      onExpire: step.onExpire,
    };
  }

  private action(name: string): ActionContract {
    const action = this.actions.get(name);
    invariant(action !== undefined, 'a valid definition has the actions that it calls', { action: name });
    return action;
  }

  private at({ step }: PlacedStep): ExplainedStep {
    return { step: step.id, line: this.map.valueRange(step.pointer).line };
  }
}
