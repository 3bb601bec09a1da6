import { compileSchema } from '../definition/schema-validator.ts';
import { isUndoApproval } from '../decision/approval-rules.ts';
import { isWithWorkers } from '../decision/hand-out.ts';
import { itemNameOf, placeNameOf } from '../decision/item-name.ts';
import { isQueued } from '../decision/on-lock.ts';
import type { SnapshotEnvelope } from '../decision/snapshot-envelope.ts';
import { activeStates } from '../machine/form/active-states.ts';
import { authorOf } from '../machine/lane-steps.ts';
import type { Approval } from '../model/approval.ts';
import type { Effect } from '../model/effect.ts';
import type { InboxEvent } from '../model/inbox-event.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { ownValue } from '../model/own-value.ts';
import { displayRunId } from '../model/run-id.ts';
import type { Incident } from '../model/run.ts';
import type { StoredRun } from '../ports/store.ts';
import { childOf } from '../decision/child-run.ts';
import { isShared } from '../decision/share-effect.ts';
import type { Whereabouts } from './child-view.ts';
import type { ShareStanding, ShareStandings } from './share-view.ts';
import { sampleOf } from './sample.ts';
import { attemptWords } from './attempt-words.ts';
import { awaitedOf, sampleFor, termsOf } from './awaited-event.ts';
import type { LoadedVersion } from './version-cache.ts';

/** One thing that keeps a run from moving, and who or what can move it. */
export interface WaitingFor {
  readonly kind:
    | 'approval'
    | 'event'
    | 'timer'
    | 'worker'
    | 'queue'
    | 'answer'
    | 'retry'
    | 'resend'
    | 'query'
    | 'person'
    | 'lock'
    | 'child'
    | 'share'
    | 'decision';
  readonly step: string | null;
  /** Key of the item of a map that it is done for; absent where it stands in none. */
  readonly item?: string;
  readonly since: string | null;
  /** When it ends by itself, null = never. */
  readonly until: string | null;
  /** Who can move it: roles and names, an event's name, `the provider`, `a worker`, `time`. */
  readonly by: readonly string[];
  /**
   * How far it is: `1 of 2 approve`; what is stored: `terminate by ana`; a child's status; what the last attempt has met; what an event
   * must say to be taken: `event.data.order == "o-1"`; null where there is nothing to tell.
   */
  readonly progress: string | null;
  /** How to give it, null where nobody has to. */
  readonly command: string | null;
}

/** What a list of blockers is read from. */
export interface WaitingSource {
  readonly version: LoadedVersion | null;
  readonly stored: StoredRun;
  readonly envelope: SnapshotEnvelope | null;
  readonly incidents: readonly Incident[];
  /** Where its children stand. */
  readonly children: Whereabouts;
  /** Where the acts that it shares stand. */
  readonly shares?: ShareStandings;
  /** The database's time. */
  readonly nowMs: number;
}

function text(atMs: number | null | undefined): string | null {
  return atMs === null || atMs === undefined ? null : new Date(atMs).toISOString();
}

/** The form of an approval; null where it has none, or its version cannot be read here. */
export function formOf(version: LoadedVersion | null, { step }: Pick<Approval, 'step'>): JsonObject | null {
  const known = version?.compiled.copies.get(step);
  return known?.verb === 'approve' ? (known.form ?? null) : null;
}

/** Options for the fields that have to be filled in, and have no value of their own. */
function fieldsOf(form: JsonObject | null): string {
  const required = form?.['required'];
  const names = Array.isArray(required) ? required : [];
  return names.map((name: Json) => ` --form ${String(name)}=VALUE`).join('');
}

/** The item that something stands for, as part of what is told; nothing where it stands in no map. */
function itemPart(item: string | null): { readonly item?: string } {
  return item === null ? {} : { item };
}

/** A step of the machine as it is told: the author's, with the item that it is active for. */
function placed({ version, envelope }: WaitingSource, id: string): { readonly step: string; readonly item?: string } {
  if (envelope === null) return { step: authorOf(id) };
  const { step, item } = placeNameOf(version?.compiled ?? null, envelope.snapshot.data, id);
  return { step, ...itemPart(item) };
}

function fromApproval(source: WaitingSource, run: string, approval: Approval): WaitingFor {
  const { from, askedAtMs, expiresAtMs } = approval;
  return {
    kind: 'approval',
    ...placed(source, approval.step),
    since: text(askedAtMs),
    until: text(expiresAtMs),
    by: from,
    progress: progressOf(approval),
    command: `pawl approve ${run}${nameOf(source, approval)}${fieldsOf(formOf(source.version, approval))}`,
  };
}

/** Of one step several undos or items may be asked about, so each is named by itself. */
function nameOf({ stored }: WaitingSource, approval: Approval): string {
  const alike = stored.approvals.filter(
    ({ state, step }) => state === 'open' && authorOf(step) === authorOf(approval.step),
  );
  return isUndoApproval(approval) || alike.length > 1 ? ` ${quoted(approval.approvalId)}` : '';
}

/** What it is asked for where that is no step, and the votes so far. */
function progressOf(approval: Approval): string | null {
  const votes = votesSoFar(approval);
  if (!isUndoApproval(approval)) return votes;
  return votes === null ? 'its undo' : `its undo, ${votes}`;
}

/** `1 of 2 approve, needs 1 more`; null where one vote decides and none was cast. */
function votesSoFar({ quorum, denials, votes }: Approval): string | null {
  if (quorum === 1 && votes.length === 0) return null;
  const denied = votes.filter(({ decision }) => decision === 'deny').length;
  const approved = votes.length - denied;
  const against = denied === 0 ? '' : `, ${denied} of ${denials} deny`;
  return `${approved} of ${quorum} approve${against}, needs ${quorum - approved} more`;
}

const PROVIDER = ['the provider'] as const;
const WORKER = ['a worker'] as const;
const TIME = ['time'] as const;

/** Whether a doubt is settled without a person. */
function isAskedByItself(doubt: Effect['doubt']): doubt is 'resend' | 'query' {
  return doubt === 'resend' || doubt === 'query';
}

/** What an open ledger row waits for; null where somebody else's turn is told elsewhere (a plan's later rows, an approval, a review). */
function fromEffect(effect: Effect, { version, nowMs }: WaitingSource): WaitingFor | null {
  const { step, frames, notBeforeMs } = effect;
  const waits = notBeforeMs !== null && notBeforeMs > nowMs;
  const until = waits ? text(notBeforeMs) : null;
  const row = {
    step,
    ...itemPart(itemNameOf(frames)),
    since: text(effect.unknownSinceMs ?? effect.requestedAtMs),
    until,
    progress: null,
    command: null,
  };
  const met = { progress: attemptWords(version, effect) };
  switch (effect.state) {
    case 'AUTHORIZED':
      return waits ? { ...row, ...met, kind: 'retry', by: TIME } : { ...row, kind: 'worker', by: WORKER };
    case 'REQUESTED':
      return { ...row, kind: 'answer', by: PROVIDER };
    case 'UNKNOWN':
      return isAskedByItself(effect.doubt) ? { ...row, ...met, kind: effect.doubt, by: waits ? TIME : WORKER } : null;
    default:
      return null;
  }
}

/** A row that a remote worker has, or may pull: until its lease ends, or from when it may be pulled again. */
function fromQueue(effect: Effect, source: WaitingSource): WaitingFor {
  const { step, frames, state, queue = '', unknownSinceMs, requestedAtMs, sendByMs, notBeforeMs } = effect;
  const row = { kind: 'queue', step, ...itemPart(itemNameOf(frames)), command: 'pawl queue ls' } as const;
  if (state === 'REQUESTED')
    return { ...row, since: text(requestedAtMs), until: text(sendByMs), by: ['a remote worker'], progress: null };
  const sinceMs = activeSince(source, step);
  const notBefore = notBeforeMs !== null && notBeforeMs > source.nowMs ? text(notBeforeMs) : null;
  const until = notBefore ?? (state === 'AUTHORIZED' ? text(sendByMs) : null);
  return { ...row, since: text(unknownSinceMs ?? sinceMs), until, by: [`a worker of queue ${queue}`], progress: queue };
}

/** A child, or its undo, comes to its end by itself, or why it does not is its own to tell. */
function fromChild(effect: Effect, children: Whereabouts): WaitingFor {
  const runId = childOf(effect);
  const child = displayRunId(runId);
  return {
    kind: 'child',
    step: effect.step,
    ...itemPart(itemNameOf(effect.frames)),
    since: text(effect.requestedAtMs),
    until: null,
    by: [child],
    progress: children.get(runId) ?? null,
    command: `pawl why ${child}`,
  };
}

/** What a row waits for: a child, remote workers, or what it would wait for anywhere. */
function fromRow(effect: Effect, source: WaitingSource): WaitingFor | null {
  if (effect.doubt === 'event') return fromChild(effect, source.children);
  return isWithWorkers(effect) ? fromQueue(effect, source) : fromEffect(effect, source);
}

/** A row that waits for the word of the run that carries the act out; null for any other. */
function fromShare(effect: Effect, standing: ShareStanding | undefined): WaitingFor | null {
  if (!isShared(effect) || effect.state !== 'PROPOSED') return null;
  const owner = standing === undefined || standing.owner === null ? null : displayRunId(standing.owner);
  const status = standing?.status ?? null;
  return {
    kind: 'share',
    step: effect.step,
    ...itemPart(itemNameOf(effect.frames)),
    since: null,
    until: null,
    by: owner === null ? ['a worker'] : [owner],
    progress: status === null ? null : `${status}${standing?.isUndone === true ? ', and undoes it' : ''}`,
    command: owner === null ? null : `pawl why ${owner}`,
  };
}

/** Kinds whose acts are answers to `pawl resolve`, but for the verbs among them. */
const ANSWERED: ReadonlySet<Incident['kind']> = new Set(['unknown', 'compensation', 'late-proof']);
const VERBS: ReadonlySet<string> = new Set(['compensate', 'terminate']);

/** The first way out: the answers that are offered and no others, else the verb that resolves it. */
function commandOf(run: string, { kind, step, acts }: Incident, output: string): string | null {
  const subject = step ?? kind;
  const answers = ANSWERED.has(kind) ? acts.filter((act) => !VERBS.has(act)) : [];
  if (answers.length > 0)
    return `pawl resolve ${run} ${subject} --as ${answers.join('|')} --evidence TEXT${answers.includes('confirmed') ? output : ''}`;
  const [act] = acts;
  if (act === undefined) return null;
  if (act === 'retry') return `pawl retry ${run} ${subject} --reason TEXT`;
  return act === 'terminate' ? `pawl cancel ${run} --terminate` : `pawl ${act} ${run}`;
}

/** What "confirmed" takes with it, where the action promises an output: without it that word is refused. */
function outputOption({ version }: WaitingSource, { action }: Effect): string {
  if (version === null) return '';
  const { output } = version.compiled.action(action);
  return compileSchema(output)(null).length === 0 ? '' : ` [--output ${quoted(sampleOf(output))}]`;
}

function fromIncident(source: WaitingSource, run: string, incident: Incident): WaitingFor {
  const row = source.stored.effects.find(({ key }) => key === incident.effectKey);
  const at = incident.step === null ? { step: null } : placed(source, incident.step);
  return {
    kind: 'person',
    ...at,
    ...(row === undefined ? {} : itemPart(itemNameOf(row.frames))),
    since: text(incident.sinceMs),
    until: null,
    by: incident.from,
    progress: null,
    command: commandOf(run, { ...incident, step: at.step }, row === undefined ? '' : outputOption(source, row)),
  };
}

/** An argument for a shell. */
function quoted(argument: string): string {
  return `'${argument.replaceAll("'", String.raw`'\''`)}'`;
}

/** Steps that are active and wait for the world by themselves: `wait` and `await`. */
function fromSteps(source: WaitingSource, run: string): readonly WaitingFor[] {
  const { version, envelope, stored } = source;
  if (version === null || envelope === null) return [];
  const dueOf = (name: string): string | null => text(stored.timers.find((timer) => timer.name === name)?.dueAtMs);
  return Object.keys(envelope.control.activeSinceMs).flatMap((id): readonly WaitingFor[] => {
    const step = version.compiled.copies.get(id);
    const at = placed(source, id);
    const since = text(ownValue(envelope.control.activeSinceMs, id));
    if (step?.verb === 'wait')
      return [{ kind: 'timer', ...at, since, until: dueOf(`${id}:wait`), by: TIME, progress: null, command: null }];
    if (step?.verb !== 'await') return [];
    const event = version.compiled.machine.definition.events.find(({ name }) => name === step.event);
    const awaited = awaitedOf({ version, run: stored.run, envelope }, step, event);
    const command = `pawl signal ${run} ${step.event} ${quoted(sampleFor(event?.schema ?? {}, awaited))}`;
    const until = dueOf(`${id}:timeout`);
    return [{ kind: 'event', ...at, since, until, by: [step.event], progress: termsOf(step, awaited), command }];
  });
}

/** The events that the states take in which a run of a machine is; patterns name none. */
function fromStates({ version, envelope }: WaitingSource, run: string): readonly WaitingFor[] {
  const { machine, events } = version?.compiled.machine.definition ?? {};
  if (machine === undefined || envelope === null) return [];
  const taken = activeStates(machine, envelope.snapshot.value).flatMap(({ id, edges }) =>
    edges.flatMap(({ trigger }) => (trigger.kind === 'event' ? [{ id, name: trigger.name }] : [])),
  );
  // An event that a state further inside takes is listed there.
  const names = new Map(taken.map(({ id, name }) => [name, id] as const));
  return [...names].flatMap(([name, id]): readonly WaitingFor[] => {
    const event = events?.find((declared) => declared.name === name);
    if (event === undefined) return [];
    const since = text(ownValue(envelope.control.statesSinceMs ?? {}, id));
    const command = `pawl signal ${run} ${name} ${quoted(sampleOf(event.schema))}`;
    const step = id === machine.root.id ? null : id;
    return [{ kind: 'event', step, since, until: null, by: [name], progress: null, command }];
  });
}

/** Since when a step is active; undefined where it is not, or its notes cannot be read here. */
function activeSince({ envelope }: WaitingSource, step: string): number | undefined {
  return envelope === null ? undefined : ownValue(envelope.control.activeSinceMs, step);
}

const HOLDER = ['its holder'] as const;
const HOLDERS = ['the runs that hold the lock'] as const;

/** What somebody has told the run and nobody has decided yet; what it tells itself is no news to people. */
function fromInbox({ payload, receivedAtMs, outcome }: InboxEvent): readonly WaitingFor[] {
  if (
    outcome !== null ||
    payload.type === 'timer' ||
    payload.type === 'pull' ||
    payload.type === 'proof' ||
    payload.type === 'lock.granted'
  )
    return [];
  if (payload.type === 'child.ended' || payload.type === 'share.told') return [];
  const by = payload.type === 'vote' ? payload.principal : payload.by;
  const progress = `${payload.type} by ${by}`;
  return [
    { kind: 'decision', step: null, since: text(receivedAtMs), until: null, by: HOLDER, progress, command: null },
  ];
}

/** A run that has not begun waits for its turn; how many are before it is the queue's to tell. */
function fromLock({ stored, envelope }: WaitingSource): readonly WaitingFor[] {
  const { lock, startedAtMs } = stored.run;
  if (lock === undefined || envelope === null || !isQueued(envelope)) return [];
  const command = `pawl lock ls ${quoted(lock.name)}`;
  return [
    { kind: 'lock', step: null, since: text(startedAtMs), until: null, by: HOLDERS, progress: lock.name, command },
  ];
}

/** Why a run is not moving and who can move it; of a run that has ended, what it left in doubt. */
export function waitingFor(source: WaitingSource): readonly WaitingFor[] {
  const { stored, incidents } = source;
  const run = displayRunId(stored.run.runId);
  return [
    ...stored.inbox.flatMap(fromInbox),
    ...incidents.map((incident) => fromIncident(source, run, incident)),
    ...stored.approvals.flatMap((approval) => (approval.state === 'open' ? [fromApproval(source, run, approval)] : [])),
    ...fromLock(source),
    ...fromSteps(source, run),
    ...fromStates(source, run),
    ...stored.effects.flatMap((effect) => fromRow(effect, source) ?? []),
    ...stored.effects.flatMap((effect) => fromShare(effect, source.shares?.get(effect.key)) ?? []),
  ];
}
