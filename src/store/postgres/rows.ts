import type { Approval, AuthorizedRequest, Vote } from '../../model/approval.ts';
import { canonicalJson } from '../../model/canonical-json.ts';
import type { Effect, Frame, KeyIngredients, Receipt } from '../../model/effect.ts';
import { invariant } from '../../model/errors.ts';
import { sha256 } from '../../model/hash.ts';
import type { EffectKey, RunId, WorkerId } from '../../model/ids.ts';
import type { InboxEvent, InboxPayload } from '../../model/inbox-event.ts';
import type { Json } from '../../model/json.ts';
import type { AuditEntry, InboxAnswer, Observation, Transition } from '../../model/run-commit.ts';
import type { Timer } from '../../model/run.ts';
import { EFFECT_STATES } from '../../model/statuses.ts';
import type {
  APPROVAL,
  AUDIT,
  Columns,
  EFFECT,
  EFFECT_MOVING,
  INBOX,
  OBSERVATION,
  RECEIPT,
  TIMER,
  TRANSITION,
  VOTE,
} from './sql/columns.ts';
import type { Row } from './connections.ts';

/** A row as it travels: exactly the columns of its kind. */
export type Travelling<C extends Columns> = Readonly<Record<keyof C, string | number | boolean | null>>;

/** A JSON text, as stored. */
export function textOf(value: unknown): string {
  return JSON.stringify(value);
}

/** undefined (not given) is stored as NULL; the JSON null as the text `null`. */
export function optionalText(value: Json | undefined): string | null {
  return value === undefined ? null : textOf(value);
}

/** Reads a stored JSON text. */
export function parse<T>(text: unknown): T {
  return JSON.parse(text as string) as T;
}

/** Reads a stored JSON text that may be missing. */
export function parseOptional(text: unknown): Json | undefined {
  return text === null ? undefined : parse<Json>(text);
}

function movingToRow(effect: Effect): Travelling<typeof EFFECT_MOVING> {
  return {
    state: effect.state,
    attempt: effect.attempt,
    counted_attempts: effect.countedAttempts,
    code: effect.code,
    failure_class: effect.failureClass,
    ever_unknown: effect.everUnknown,
    fence: effect.fence,
    first_requested_at: effect.firstRequestedAtMs,
    requested_at: effect.requestedAtMs,
    send_by: effect.sendByMs,
    not_before: effect.notBeforeMs,
    unknown_since: effect.unknownSinceMs,
    doubt_since: effect.doubtSinceMs,
    resends: effect.resends,
    queries: effect.queries,
    doubt: effect.doubt,
    last_error: effect.lastError,
    output: optionalText(effect.output),
    external_id: effect.externalId,
    receipt_no: effect.receiptNo,
    settled_at: effect.settledAtMs,
    approval_id: effect.approvalId,
    cleared_at: effect.clearedAtMs ?? null,
  };
}

/** A whole ledger row. */
export function effectToRow(effect: Effect): Travelling<typeof EFFECT> {
  return {
    effect_key: effect.key,
    step: effect.step,
    frames: textOf(effect.frames),
    ingredients: textOf(effect.ingredients),
    action: effect.action,
    contract: effect.contract,
    queue: effect.queue ?? null,
    pivot: effect.pivot,
    request: effect.request,
    request_hash: effect.requestHash,
    compensates: effect.compensates,
    ...movingToRow(effect),
  };
}

/** Reads a ledger row. @throws PAWL_INVARIANT when its state is none, or its bytes are not those that its hash covers. */
export function effectFromRow(row: Row): Effect {
  invariant((EFFECT_STATES as readonly unknown[]).includes(row['state']), 'a stored effect has no known state', {
    key: row['effect_key'] as string,
  });
  invariant(sha256(row['request'] as string) === row['request_hash'], 'a stored request is not what its hash covers', {
    key: row['effect_key'] as string,
  });
  return effectAsStored(row);
}

/** Reads a ledger row as it stands, for whoever looks for what is wrong with it. */
export function effectAsStored(row: Row): Effect {
  return {
    key: row['effect_key'] as EffectKey,
    step: row['step'] as string,
    frames: parse<readonly Frame[]>(row['frames']),
    ingredients: parse<KeyIngredients>(row['ingredients']),
    action: row['action'] as string,
    contract: row['contract'] as number,
    ...(row['queue'] === null ? {} : { queue: row['queue'] as string }),
    pivot: row['pivot'] as boolean,
    request: row['request'] as string,
    requestHash: row['request_hash'] as string,
    compensates: row['compensates'] as EffectKey | null,
    state: row['state'] as Effect['state'],
    attempt: row['attempt'] as number,
    countedAttempts: row['counted_attempts'] as number,
    code: row['code'] as string | null,
    failureClass: row['failure_class'] as Effect['failureClass'],
    everUnknown: row['ever_unknown'] as boolean,
    fence: row['fence'] as number,
    firstRequestedAtMs: row['first_requested_at'] as number | null,
    requestedAtMs: row['requested_at'] as number | null,
    sendByMs: row['send_by'] as number | null,
    notBeforeMs: row['not_before'] as number | null,
    unknownSinceMs: row['unknown_since'] as number | null,
    doubtSinceMs: row['doubt_since'] as number | null,
    resends: row['resends'] as number,
    queries: row['queries'] as number,
    doubt: row['doubt'] as Effect['doubt'],
    lastError: row['last_error'] as string | null,
    output: parseOptional(row['output']),
    externalId: row['external_id'] as string | null,
    receiptNo: row['receipt_no'] as number | null,
    settledAtMs: row['settled_at'] as number | null,
    approvalId: row['approval_id'] as string | null,
    ...(row['cleared_at'] === null ? {} : { clearedAtMs: row['cleared_at'] as number }),
  };
}

/** A journal row. */
export function transitionToRow(transition: Transition): Travelling<typeof TRANSITION> {
  const { event } = transition;
  return {
    revision: transition.revision,
    event_type: event.type,
    event_id: event.id,
    step: event.step,
    detail: textOf(event.detail),
    delta: textOf(transition.delta),
    commands: textOf(transition.commands),
    state_hash: transition.stateHash,
    at: transition.atMs,
  };
}

/** Reads a journal row. */
export function transitionFromRow(row: Row): Transition & { readonly fence: number; readonly workerId: WorkerId } {
  return {
    revision: row['revision'] as number,
    event: {
      type: row['event_type'] as string,
      id: row['event_id'] as string,
      step: row['step'] as string | null,
      detail: parse<Json>(row['detail']),
    },
    delta: parse<Json>(row['delta']),
    commands: parse<readonly Json[]>(row['commands']),
    stateHash: row['state_hash'] as string,
    atMs: row['at'] as number,
    fence: row['fence'] as number,
    workerId: row['worker_id'] as WorkerId,
  };
}

/** A receipt. */
export function receiptToRow(receipt: Receipt): Travelling<typeof RECEIPT> {
  return {
    receipt_no: receipt.receiptNo,
    effect_key: receipt.effectKey,
    attempt: receipt.attempt,
    outcome: receipt.outcome,
    code: receipt.code,
    request_hash: receipt.requestHash,
    external_id: receipt.externalId,
    result: receipt.resultBase64,
    observed_by: receipt.observedBy,
    // Canonical, because the receipt's integrity covers it.
    evidence: canonicalJson(receipt.evidence),
    approval_id: receipt.approvalId,
    contract: receipt.contract,
    requested_at: receipt.requestedAtMs,
    settled_at: receipt.settledAtMs,
    previous: receipt.previous,
    integrity: receipt.integrity,
  };
}

/** Reads a receipt. */
export function receiptFromRow(row: Row): Receipt {
  return {
    receiptNo: row['receipt_no'] as number,
    effectKey: row['effect_key'] as EffectKey,
    attempt: row['attempt'] as number,
    outcome: row['outcome'] as Receipt['outcome'],
    code: row['code'] as string | null,
    requestHash: row['request_hash'] as string,
    externalId: row['external_id'] as string | null,
    resultBase64: row['result'] as string,
    observedBy: row['observed_by'] as Receipt['observedBy'],
    evidence: parse<Json>(row['evidence']),
    approvalId: row['approval_id'] as string | null,
    contract: row['contract'] as number,
    requestedAtMs: row['requested_at'] as number | null,
    settledAtMs: row['settled_at'] as number,
    previous: row['previous'] as string,
    integrity: row['integrity'] as string,
  };
}

/** A timer, with the canonical text of the inbox row that its firing will make. */
export function timerToRow(timer: Timer): Travelling<typeof TIMER> {
  const payload = canonicalJson({
    type: 'timer',
    name: timer.name,
    generation: timer.generation,
    dueAtMs: timer.dueAtMs,
  });
  return {
    name: timer.name,
    due_at: timer.dueAtMs,
    generation: timer.generation,
    payload,
    payload_hash: sha256(payload),
  };
}

/** Reads a timer. */
export function timerFromRow(row: Row): Timer {
  return { name: row['name'] as string, dueAtMs: row['due_at'] as number, generation: row['generation'] as number };
}

/** An approval; its votes are rows of their own. */
export function approvalToRow(approval: Approval): Travelling<typeof APPROVAL> {
  return {
    approval_id: approval.approvalId,
    step: approval.step,
    state: approval.state,
    title: approval.title,
    // Canonical, because the subject's hash covers it.
    subject: canonicalJson(approval.subject),
    subject_hash: approval.subjectHash,
    authorizes: textOf(approval.authorizes),
    asked_of: textOf(approval.from),
    quorum: approval.quorum,
    denials: approval.denials,
    excluded: textOf(approval.except),
    asked_at: approval.askedAtMs,
    expires_at: approval.expiresAtMs,
    on_expire: approval.onExpire,
    decided_at: approval.decidedAtMs,
  };
}

/** Reads an approval with its votes out of those of its run. */
export function approvalFromRow(row: Row, votes: readonly Row[]): Approval {
  const approvalId = row['approval_id'] as string;
  return {
    approvalId,
    step: row['step'] as string,
    state: row['state'] as Approval['state'],
    title: row['title'] as string,
    subject: parse<Json>(row['subject']),
    subjectHash: row['subject_hash'] as string,
    authorizes: parse<readonly AuthorizedRequest[]>(row['authorizes']),
    from: parse<readonly string[]>(row['asked_of']),
    quorum: row['quorum'] as number,
    denials: row['denials'] as number,
    except: parse<readonly string[]>(row['excluded']),
    askedAtMs: row['asked_at'] as number,
    expiresAtMs: row['expires_at'] as number | null,
    onExpire: row['on_expire'] as Approval['onExpire'],
    decidedAtMs: row['decided_at'] as number | null,
    votes: votes.filter((vote) => vote['approval_id'] === approvalId).map(voteFromRow),
  };
}

/** A vote. */
export function voteToRow(approvalId: string, vote: Vote): Travelling<typeof VOTE> {
  return {
    approval_id: approvalId,
    principal: vote.principal,
    decision: vote.decision,
    subject_hash: vote.subjectHash,
    roles: textOf(vote.roles),
    comment: vote.comment,
    at: vote.atMs,
    form: vote.form === undefined ? null : textOf(vote.form),
  };
}

function voteFromRow(row: Row): Vote {
  return {
    principal: row['principal'] as string,
    decision: row['decision'] as Vote['decision'],
    subjectHash: row['subject_hash'] as string,
    roles: parse<readonly string[]>(row['roles']),
    comment: row['comment'] as string | null,
    atMs: row['at'] as number,
    ...(row['form'] === null ? {} : { form: parse<Json>(row['form']) }),
  };
}

/** The canonical text of an inbox payload: what its hash covers. */
export function payloadText(payload: InboxPayload): string {
  return canonicalJson(payload as unknown as Json);
}

/** Reads an inbox row. */
export function inboxFromRow(row: Travelling<typeof INBOX> | Row): InboxEvent {
  return {
    source: row['source'] as string,
    eventId: row['event_id'] as string,
    payload: parse<InboxPayload>(row['payload']),
    payloadHash: row['payload_hash'] as string,
    receivedAtMs: row['received_at'] as number,
    outcome: row['outcome'] as InboxEvent['outcome'],
    code: row['code'] as string | null,
  };
}

/** An inbox row's answer. */
export function inboxAnswerToRow(answer: InboxAnswer): Readonly<Record<string, unknown>> {
  return {
    source: answer.source,
    event_id: answer.eventId,
    outcome: answer.outcome,
    code: answer.code,
    detail: textOf(answer.detail),
    consumed: answer.consumed,
  };
}

/** An observation. */
export function observationToRow(observation: Observation): Travelling<typeof OBSERVATION> {
  return {
    effect_key: observation.effectKey,
    source: observation.source,
    source_id: observation.sourceId,
    detail: textOf(observation.detail),
  };
}

/** Reads an observation of a run. */
export function observationFromRow(part: number, runId: RunId, row: Row): Observation {
  return {
    part,
    runId,
    effectKey: row['effect_key'] as EffectKey,
    source: row['source'] as string,
    sourceId: row['source_id'] as string,
    detail: parse<Json>(row['detail']),
  };
}

/** An act of a person. */
export function auditToRow(entry: AuditEntry): Travelling<typeof AUDIT> {
  return {
    actor: entry.actor,
    act: entry.act,
    target: entry.target,
    reason: entry.reason,
    detail: textOf(entry.detail),
    at: entry.atMs,
  };
}

/** Reads an act of a person. */
export function auditFromRow(row: Row): AuditEntry {
  return {
    actor: row['actor'] as string,
    act: row['act'] as string,
    target: row['target'] as string,
    reason: row['reason'] as string | null,
    detail: parse<Json>(row['detail']),
    atMs: row['at'] as number,
  };
}
