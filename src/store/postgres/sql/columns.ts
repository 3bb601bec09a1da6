import { msOf, timeOf } from './statement.ts';

/** How a column travels: times as epoch milliseconds, bytes as base64. */
type ColumnKind = 'text' | 'integer' | 'bigint' | 'boolean' | 'time' | 'bytes';

/** The columns of one row kind that travel with a member as JSON, in the order of the lists below. */
export type Columns = Readonly<Record<string, ColumnKind>>;

const WIRE_TYPES: Readonly<Record<ColumnKind, string>> = {
  text: 'text',
  integer: 'integer',
  bigint: 'bigint',
  boolean: 'boolean',
  time: 'bigint',
  bytes: 'text',
};

function each(columns: Columns, write: (name: string, kind: ColumnKind) => string): string {
  return Object.entries(columns)
    .map(([name, kind]) => write(name, kind))
    .join(', ');
}

function stored(kind: ColumnKind, expression: string): string {
  if (kind === 'time') return timeOf(expression);
  return kind === 'bytes' ? `decode(${expression}, 'base64')` : expression;
}

/** Column names, for an INSERT. */
export function namesOf(columns: Columns): string {
  return each(columns, (name) => name);
}

/** The record type of `json_to_recordset`. */
export function recordOf(columns: Columns): string {
  return each(columns, (name, kind) => `${name} ${WIRE_TYPES[kind]}`);
}

/** Values of a travelled record, as stored. */
export function valuesOf(columns: Columns, alias: string): string {
  return each(columns, (name, kind) => stored(kind, `${alias}.${name}`));
}

/** Assignments from a row that is stored alike, for an UPDATE. */
export function assignmentsFrom(columns: Columns, alias: string): string {
  return each(columns, (name) => `${name} = ${alias}.${name}`);
}

/** The columns of a table as they travel back. */
export function readingOf(columns: Columns, alias: string): string {
  return each(columns, (name, kind) => {
    if (kind === 'time') return `${msOf(`${alias}.${name}`)} AS ${name}`;
    return kind === 'bytes'
      ? `translate(encode(${alias}.${name}, 'base64'), E'\\n', '') AS ${name}`
      : `${alias}.${name}`;
  });
}

/** What never changes in a ledger row. */
export const EFFECT_FIXED = {
  effect_key: 'text',
  step: 'text',
  frames: 'text',
  ingredients: 'text',
  action: 'text',
  contract: 'integer',
  queue: 'text',
  pivot: 'boolean',
  request: 'text',
  request_hash: 'text',
  compensates: 'text',
} as const satisfies Columns;

/** What a move of a ledger row may change. */
export const EFFECT_MOVING = {
  state: 'text',
  attempt: 'integer',
  counted_attempts: 'integer',
  code: 'text',
  failure_class: 'text',
  ever_unknown: 'boolean',
  fence: 'bigint',
  first_requested_at: 'time',
  requested_at: 'time',
  send_by: 'time',
  not_before: 'time',
  unknown_since: 'time',
  doubt_since: 'time',
  resends: 'integer',
  queries: 'integer',
  doubt: 'text',
  last_error: 'text',
  output: 'text',
  external_id: 'text',
  receipt_no: 'integer',
  settled_at: 'time',
  approval_id: 'text',
  cleared_at: 'time',
} as const satisfies Columns;

/** A whole ledger row. */
export const EFFECT = { ...EFFECT_FIXED, ...EFFECT_MOVING } as const;

/** A journal row, without its fence and worker. */
export const TRANSITION = {
  revision: 'bigint',
  event_type: 'text',
  event_id: 'text',
  step: 'text',
  detail: 'text',
  delta: 'text',
  commands: 'text',
  state_hash: 'text',
  at: 'time',
} as const satisfies Columns;

/** A receipt. */
export const RECEIPT = {
  receipt_no: 'integer',
  effect_key: 'text',
  attempt: 'integer',
  outcome: 'text',
  code: 'text',
  request_hash: 'text',
  external_id: 'text',
  result: 'bytes',
  observed_by: 'text',
  evidence: 'text',
  approval_id: 'text',
  contract: 'integer',
  requested_at: 'time',
  settled_at: 'time',
  previous: 'text',
  integrity: 'text',
} as const satisfies Columns;

/** A timer with the inbox row that its firing will make. */
export const TIMER = {
  name: 'text',
  due_at: 'time',
  generation: 'integer',
  payload: 'text',
  payload_hash: 'text',
} as const satisfies Columns;

/** An approval, its votes apart. */
export const APPROVAL = {
  approval_id: 'text',
  step: 'text',
  state: 'text',
  title: 'text',
  subject: 'text',
  subject_hash: 'text',
  authorizes: 'text',
  asked_of: 'text',
  quorum: 'integer',
  denials: 'integer',
  excluded: 'text',
  asked_at: 'time',
  expires_at: 'time',
  on_expire: 'text',
  decided_at: 'time',
} as const satisfies Columns;

/** A vote. */
export const VOTE = {
  approval_id: 'text',
  principal: 'text',
  decision: 'text',
  subject_hash: 'text',
  roles: 'text',
  comment: 'text',
  at: 'time',
  form: 'text',
} as const satisfies Columns;

/** An inbox row as its holder reads it. */
export const INBOX = {
  source: 'text',
  event_id: 'text',
  payload: 'text',
  payload_hash: 'text',
  received_at: 'time',
  outcome: 'text',
  code: 'text',
} as const satisfies Columns;

/** Knowledge from outside the guard. */
export const OBSERVATION = {
  effect_key: 'text',
  source: 'text',
  source_id: 'text',
  detail: 'text',
} as const satisfies Columns;

/** An act of a person; its number and chain are made by the table. */
export const AUDIT = {
  actor: 'text',
  act: 'text',
  target: 'text',
  reason: 'text',
  detail: 'text',
  at: 'time',
} as const satisfies Columns;

/** A message as its commit writes it. */
export const OUTBOX = {
  revision: 'bigint',
  ordinal: 'integer',
  message_id: 'text',
  topic: 'text',
  outward: 'boolean',
  key: 'text',
  step: 'text',
  frames: 'text',
  body: 'text',
  at: 'time',
} as const satisfies Columns;

/** A message with how far it has come. */
export const OUTBOX_RECORD = {
  ...OUTBOX,
  state: 'text',
  attempts: 'integer',
  due_at: 'time',
  last_error: 'text',
  settled_at: 'time',
} as const satisfies Columns;

/** What may be pulled; without a due time it may not any more. */
export const OFFER = {
  effect_key: 'text',
  queue: 'text',
  due_at: 'time',
} as const satisfies Columns;

/** What never changes in the life of a run. */
export const RUN = {
  run_id: 'text',
  part: 'integer',
  tenant: 'text',
  workflow: 'text',
  version: 'integer',
  digest: 'text',
  run_key: 'text',
  start_number: 'integer',
  input: 'text',
  started_at: 'time',
  started_by: 'text',
  lock_name: 'text',
  lock_limit: 'integer',
  traceparent: 'text',
} as const satisfies Columns;
