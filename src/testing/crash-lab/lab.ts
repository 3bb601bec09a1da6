import type { CompiledMachine } from '../../machine/compile.ts';
import type { ActionContract, WorkflowDefinition } from '../../model/definition.ts';
import type { Effect } from '../../model/effect.ts';
import type { Json } from '../../model/json.ts';
import type { StoredVersion } from '../../ports/store.ts';
import type { LoadedVersion } from '../../engine/version-cache.ts';
import type { Digest } from '../../model/ids.ts';
import type { Lie, Untruth } from './lies.ts';
import type { Scenario } from './scenario-file.ts';

/** A workflow in the crash lab: what all plays of it share. */
export interface Lab {
  readonly version: StoredVersion;
  readonly compiled: CompiledMachine;
  readonly known: Map<Digest, LoadedVersion>;
  readonly definition: WorkflowDefinition;
  /** The versions that it, or one of them, runs as children; each before those that run it. */
  readonly children: readonly LoadedVersion[];
  readonly scenario: Scenario;
  readonly untruths: readonly Untruth[];
}

/** What somebody gives in the lab: one way through the workflow. */
export interface Story {
  /** In the words of a heading: `amount 50001`, `charge declined`. */
  readonly name: string;
  readonly input: Json;
  /** The input of another run, played first; null where none can be made. */
  readonly neighbour: Json | null;
  /** Which item of an enum events and answers take. */
  readonly pick: number;
  /** Effects that are refused for good, by label. */
  readonly declined: ReadonlySet<string>;
  /** Effects whose provider is not there whenever it is asked, by label. */
  readonly away: ReadonlySet<string>;
  /** How long after its first request the answers of an effect come, by label, milliseconds; those of the others come at once. */
  readonly slow: ReadonlyMap<string, number>;
  /** Approvals that are denied and events that never come, by step. */
  readonly denied: ReadonlySet<string>;
}

/** The actions of a workflow and of its children. */
export function actionsOf({ definition, children }: Pick<Lab, 'definition' | 'children'>): readonly ActionContract[] {
  return [...definition.actions, ...children.flatMap(({ compiled }) => compiled.machine.definition.actions)];
}

/** Which visit it was; nothing for the first. */
function visitOf(no: number): string {
  return no === 0 ? '' : `#${no + 1}`;
}

/** How an effect is called: its step, which visit of it, and whether it is the undo. */
export function labelOf(effect: Pick<Effect, 'step' | 'frames' | 'compensates'>): string {
  const visits = effect.frames.map(([kind, value]) => (kind === 'v' ? visitOf(Number(value)) : `[${value}]`)).join('');
  return `${effect.compensates === null ? '' : 'undo '}${effect.step}${visits}`;
}

/** Whether an action lies in that way, and by how much; null = it keeps its word. */
export function untruthOf(lab: Lab, lie: Lie, action: string): Untruth | null {
  return lab.untruths.find((untruth) => untruth.lie === lie && (untruth.action ?? action) === action) ?? null;
}

/** How long after its sending a request may still take effect, by its own contract; milliseconds. */
export function landsWithinMs(contract: ActionContract): number {
  // Whoever waits that long for an answer reckons with requests that take that long.
  return Math.max(contract.settlesWithinMs, contract.timeoutMs);
}

/** Whether asking what happened does something as well: only where it is said to. */
export function actsOnLookup(lab: Lab, { name, reconcile }: ActionContract): boolean {
  return reconcile?.transport.kind === 'http' && untruthOf(lab, 'reads', name) !== null;
}

/** Methods by which nobody only asks. */
const ACTING_METHODS: ReadonlySet<string> = new Set(['PUT', 'PATCH', 'DELETE']);

/** Whether a read does something: it is said to, or by its method it must. */
export function actsOnRead(lab: Lab, { name, transport }: ActionContract): boolean {
  return untruthOf(lab, 'reads', name) !== null || (transport.kind === 'http' && ACTING_METHODS.has(transport.method));
}
