import { phaseOf, unpackSnapshot, type SnapshotEnvelope } from '../decision/snapshot-envelope.ts';
import { readRequest } from '../decision/effect-key.ts';
import { itemNameOf, turnNameOf } from '../decision/item-name.ts';
import { Ledger } from '../decision/ledger.ts';
import { callsOf } from '../decision/settlement.ts';
import { restingStates } from '../machine/form/active-states.ts';
import { authorOf } from '../machine/lane-steps.ts';
import type { Approval } from '../model/approval.ts';
import type { Effect, Receipt } from '../model/effect.ts';
import { PawlError } from '../model/errors.ts';
import type { EffectKey } from '../model/ids.ts';
import type { Json } from '../model/json.ts';
import type { OutboxRecord } from '../model/outbox.ts';
import type { Incident, RunControl, RunIdentity, RunLock } from '../model/run.ts';
import type { RunPhase, RunStatus } from '../model/statuses.ts';
import { PRUNED_REQUEST } from '../model/retention.ts';
import { displayRunId } from '../model/run-id.ts';
import type { StoredRun } from '../ports/store.ts';
import { type ChildView, childViews, type ParentView, parentView, type Whereabouts } from './child-view.ts';
import { incidentsOf } from './park-run.ts';
import { type MessageView, messageView } from './list-messages.ts';
import { type OrderView, orderView, type PastOrderView, pastOrderViews } from './order-view.ts';
import type { ShareStandings } from './share-view.ts';
import { type StepView, stepViews } from './step-view.ts';
import { toldFailure } from './told-failure.ts';
import type { LoadedVersion } from './version-cache.ts';
import { formOf, type WaitingFor, waitingFor } from './waiting-for.ts';

/** A ledger row as people and programs see it; times RFC 3339 UTC. */
export interface EffectRowView {
  readonly key: string;
  readonly step: string;
  /** Key of the item of a map that it was done for; absent where its step stands in none. */
  readonly item?: string;
  /** Number of the turn of a repeat that it was done in, from 1, `1/2` of nested ones; absent where its step stands in none. */
  readonly turn?: string;
  readonly action: string;
  readonly state: string;
  /** Number of the last sending, as its receipt and `Pawl-Attempt` have it. */
  readonly attempt: number;
  /** Sendings that left. */
  readonly sent: number;
  /** Sendings that never left (E05): they count nowhere. */
  readonly unsent: number;
  readonly code: string | null;
  readonly doubt: string | null;
  readonly pivot: boolean;
  readonly request: Json;
  readonly requestHash: string;
  readonly output: Json;
  readonly externalId: string | null;
  readonly receiptNo: number | null;
  /** Who saw the outcome that its receipt tells; null without a receipt. */
  readonly observedBy: Receipt['observedBy'] | null;
  readonly compensates: string | null;
  readonly requestedAt: string | null;
  readonly notBefore: string | null;
  readonly unknownSince: string | null;
  readonly resends: number;
  readonly queries: number;
  readonly lastError: string | null;
}

/** An approval as people and programs see it. */
export interface ApprovalView {
  readonly id: string;
  readonly step: string;
  readonly state: string;
  readonly title: string;
  readonly subject: Json;
  readonly subjectHash: string;
  readonly from: readonly string[];
  readonly except: readonly string[];
  readonly quorum: number;
  readonly askedAt: string;
  readonly expiresAt: string | null;
  readonly decidedAt: string | null;
  readonly votes: readonly {
    readonly principal: string;
    readonly decision: string;
    readonly at: string;
    readonly comment: string | null;
    /** What was filled in; absent where there is no form. */
    readonly form?: Json;
  }[];
  /** JSON Schema of what whoever approves fills in; absent where nothing is. */
  readonly form?: Json;
}

/** An incident as people and programs see it. */
export interface IncidentView {
  readonly id: string;
  readonly kind: string;
  readonly since: string;
  readonly step: string | null;
  readonly effect: string | null;
  readonly message: string;
  readonly from: readonly string[];
  readonly acts: readonly string[];
}

/** `show -o json`: `schemas/run.schema.json`. */
export interface RunView {
  readonly id: string;
  readonly key: string;
  /** Which start of its key it is, where it is not the first (`again: afterFailure`). */
  readonly startNumber?: number;
  readonly workflow: string;
  readonly version: number;
  readonly digest: string;
  readonly tenant: string;
  readonly status: RunStatus;
  readonly phase: RunPhase;
  readonly revision: number;
  readonly startedBy: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** When its state was pruned: input, output, steps, requests and messages are gone; absent while they are there. */
  readonly prunedAt?: string;
  /** The lock that it holds from its turn to its end; null where its workflow names none. */
  readonly lock: RunLock | null;
  readonly input: Json;
  readonly output: Json;
  readonly failure: Json;
  /** What its `finally` failed with, whatever its end; absent where it did not. */
  readonly finallyFailed?: Json;
  readonly waitingFor: readonly WaitingFor[];
  /** Who has stopped it where it stands, until it is resumed; absent = nobody has. */
  readonly paused?: { readonly by: string; readonly reason: string; readonly since: string };
  /** A person's order that the run follows or has recorded; null when there is none, or the run has ended. */
  readonly order: OrderView | null;
  /** Orders that it does not follow any more: lapsed, or followed by another; oldest first. */
  readonly pastOrders: readonly PastOrderView[];
  /** The states in which a machine rests; absent where the workflow has steps. */
  readonly states?: readonly string[];
  readonly steps: readonly StepView[];
  readonly effects: readonly EffectRowView[];
  readonly approvals: readonly ApprovalView[];
  readonly incidents: readonly IncidentView[];
  /** Runs that it has started, and where they stand; absent where there are none. */
  readonly children?: readonly ChildView[];
  /** The run that has started it; absent where a person has. */
  readonly parent?: ParentView;
  /** What it has sent, in the order of sending. */
  readonly messages: readonly MessageView[];
}

/** RFC 3339 UTC of epoch milliseconds. */
export function timeText(atMs: number): string {
  return new Date(atMs).toISOString();
}

function timeOrNull(atMs: number | null): string | null {
  return atMs === null ? null : timeText(atMs);
}

function effectRow(
  effect: Effect,
  observedBy: EffectRowView['observedBy'],
  version: LoadedVersion | null,
): EffectRowView {
  const {
    key,
    step,
    action,
    state,
    attempt,
    code,
    doubt,
    pivot,
    requestHash,
    receiptNo,
    compensates,
    resends,
    queries,
    lastError,
  } = effect;
  const item = itemNameOf(effect.frames);
  const turn = version === null ? null : turnNameOf(version.compiled.place(step).lists, effect.frames);
  return {
    key,
    step,
    ...(item === null ? {} : { item }),
    ...(turn === null ? {} : { turn }),
    action,
    state,
    attempt,
    sent: callsOf(effect),
    unsent: attempt - callsOf(effect),
    code,
    doubt,
    pivot,
    request: effect.request === PRUNED_REQUEST ? null : readRequest(effect).with,
    requestHash,
    output: effect.output ?? null,
    externalId: effect.externalId,
    receiptNo,
    observedBy,
    compensates,
    requestedAt: timeOrNull(effect.requestedAtMs),
    notBefore: timeOrNull(effect.notBeforeMs),
    unknownSince: timeOrNull(effect.unknownSinceMs),
    resends,
    queries,
    lastError,
  };
}

/** An approval as it is told. @param version null: without what is filled in. */
export function approvalView(version: LoadedVersion | null, approval: Approval): ApprovalView {
  const step = authorOf(approval.step);
  const { state, title, subject, subjectHash, from, except, quorum } = approval;
  const form = formOf(version, approval);
  return {
    id: approval.approvalId,
    step,
    state,
    title,
    subject,
    subjectHash,
    from,
    except,
    quorum,
    askedAt: timeText(approval.askedAtMs),
    expiresAt: timeOrNull(approval.expiresAtMs),
    decidedAt: timeOrNull(approval.decidedAtMs),
    votes: approval.votes.map(({ principal, decision, atMs, comment, form: filled }) => ({
      principal,
      decision,
      at: timeText(atMs),
      comment,
      ...(filled === undefined ? {} : { form: filled }),
    })),
    ...(form === null ? {} : { form }),
  };
}

function incidentView(incident: Incident): IncidentView {
  const { id, kind, step, effectKey, message, from, acts } = incident;
  const told = { id, kind, since: timeText(incident.sinceMs), step: authorOf(step) };
  return { ...told, effect: effectKey, message, from, acts };
}

/** The keys of what is being undone, in the order of its plans. */
function plannedIn({ plan, undos = [] }: RunControl, effects: readonly Effect[]): readonly EffectKey[] {
  const ledger = Ledger.of(new Map(effects.map((effect) => [effect.key, effect])));
  return [...undos.flatMap(({ keys }) => keys), ...(plan === null ? [] : ledger.keysOf(plan))];
}

/** Ledger rows as they came: forward rows, then undos; each by when it began, what has not begun in the order of the plan. */
function inOrder(effects: readonly Effect[], plan: readonly EffectKey[]): readonly Effect[] {
  const places = new Map(plan.map((key, place) => [key, place]));
  const ranks = (effect: Effect): readonly number[] => [
    Number(effect.compensates !== null),
    effect.firstRequestedAtMs ?? effect.settledAtMs ?? Number.POSITIVE_INFINITY,
    effect.receiptNo ?? Number.POSITIVE_INFINITY,
    places.get(effect.key) ?? -1,
  ];
  const ranked = effects.map((effect) => ({ effect, ranks: ranks(effect) }));
  return ranked.sort((a, b) => compareRanks(a.ranks, b.ranks)).map(({ effect }) => effect);
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  const [first = 0, ...rest] = a;
  const [other = 0, ...others] = b;
  if (first !== other) return first < other ? -1 : 1;
  return rest.length === 0 ? 0 : compareRanks(rest, others);
}

function identity(
  run: RunIdentity,
): Pick<
  RunView,
  'id' | 'key' | 'startNumber' | 'workflow' | 'version' | 'digest' | 'tenant' | 'startedBy' | 'startedAt' | 'input'
> {
  const { key, startNumber, workflow, version, digest, tenant, startedBy, input } = run;
  return {
    id: displayRunId(run.runId),
    key,
    ...(startNumber === 1 ? {} : { startNumber }),
    workflow,
    version,
    digest,
    tenant,
    startedBy,
    startedAt: timeText(run.startedAtMs),
    input,
  };
}

/** The envelope, or the pin that does not fit, told as an incident: a run that cannot be decided can still be shown (P07). */
export function openEnvelope(stored: StoredRun): {
  readonly envelope: SnapshotEnvelope | null;
  readonly incidents: readonly Incident[];
} {
  if (stored.prunedAtMs !== null) return { envelope: null, incidents: [] };
  try {
    const envelope = unpackSnapshot(stored.snapshot, stored.run.digest);
    return { envelope, incidents: incidentsOf(stored, envelope.control) };
  } catch (error) {
    if (!(error instanceof PawlError)) throw error;
    const incident = {
      id: `pin:${String(error.details['field'])}`,
      kind: 'pin',
      sinceMs: stored.run.startedAtMs,
      step: null,
      effectKey: null,
      message: error.message,
      from: ['role:operator'],
      acts: ['retry'],
    } as const;
    return { envelope: null, incidents: [incident] };
  }
}

/** A run's parent and children; nothing where it has none. */
function family(
  { effects }: StoredRun,
  envelope: SnapshotEnvelope | null,
  statuses: Whereabouts,
): Pick<RunView, 'parent' | 'children'> {
  const children = childViews(effects, statuses);
  const parent = envelope === null ? null : parentView(envelope);
  return { ...(children.length === 0 ? {} : { children }), ...(parent === null ? {} : { parent }) };
}

/** A run that cannot be read has gone nowhere yet; one that was pruned had ended. */
function pausedIn(envelope: SnapshotEnvelope | null): Pick<RunView, 'paused'> {
  const paused = envelope?.control.paused;
  if (paused === undefined) return {};
  const { by, reason, atMs } = paused;
  return { paused: { by, reason, since: timeText(atMs) } };
}

function phaseIn({ prunedAtMs }: StoredRun, envelope: SnapshotEnvelope | null): RunPhase {
  if (prunedAtMs !== null) return 'ended';
  return envelope === null ? 'forward' : phaseOf(envelope.snapshot);
}

/** Where a machine rests. */
export function statesOf(version: LoadedVersion | null, envelope: SnapshotEnvelope | null): Pick<RunView, 'states'> {
  const form = version?.compiled.machine.definition.machine;
  if (form === undefined || envelope === null) return {};
  return { states: restingStates(form, envelope.snapshot.value).map(({ id }) => id) };
}

/** What a view of a run is made from. */
export interface RunRecords {
  readonly stored: StoredRun;
  readonly receipts: readonly Receipt[];
  /** Left out: they are not told. */
  readonly messages?: readonly OutboxRecord[];
  /** Where its children stand; left out: nothing is known of them. */
  readonly children?: Whereabouts;
  /** Where the acts stand that it shares; left out: nothing is known of them. */
  readonly shares?: ShareStandings;
  /** The database's time. */
  readonly nowMs: number;
}

/**
 * A run as `show` prints it and the API answers it: everything with its words, nothing secret.
 * @param version its version; null where this process cannot read it, then there are no steps.
 * @param records its rows, its receipts, and the database's time.
 */
export function runView(
  version: LoadedVersion | null,
  { stored, receipts, messages = [], children = new Map(), shares = new Map(), nowMs }: RunRecords,
): RunView {
  const { envelope, incidents } = openEnvelope(stored);
  const effects = inOrder(stored.effects, envelope === null ? [] : plannedIn(envelope.control, stored.effects));
  const observers = new Map(receipts.map(({ receiptNo, observedBy }) => [receiptNo, observedBy]));
  return {
    ...identity(stored.run),
    status: stored.status,
    phase: phaseIn(stored, envelope),
    revision: stored.revision,
    endedAt: timeOrNull(stored.endedAtMs),
    ...(stored.prunedAtMs === null ? {} : { prunedAt: timeText(stored.prunedAtMs) }),
    lock: stored.run.lock ?? null,
    output: stored.output ?? null,
    ...toldFailure(stored.failure),
    waitingFor: waitingFor({ version, stored, envelope, incidents, children, shares, nowMs }),
    ...pausedIn(envelope),
    order: envelope === null ? null : orderView(envelope, stored),
    pastOrders: envelope === null ? [] : pastOrderViews(envelope.control),
    ...statesOf(version, envelope),
    steps: version === null || envelope === null ? [] : stepViews(version, envelope, stored.effects),
    effects: effects.map((effect) => effectRow(effect, observers.get(effect.receiptNo ?? 0) ?? null, version)),
    approvals: stored.approvals.map((approval) => approvalView(version, approval)),
    incidents: incidents.map(incidentView),
    ...family(stored, envelope, children),
    messages: messages.map(messageView),
  };
}
