import { APPROVAL_STATES } from '../model/approval.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { EFFECT_STATES, REVIEW_WORDS, RUN_STATUSES } from '../model/statuses.ts';
import type { QueryDoc } from './route.ts';

const TEXT = { type: 'string' } as const;
const TEXT_OR_NULL = { type: ['string', 'null'] } as const;
const TIME = { type: 'string', format: 'date-time' } as const;
const TIME_OR_NULL = { anyOf: [TIME, { type: 'null' }] } as const;
const COUNT = { type: 'integer', minimum: 0 } as const;

/** An object of exactly these properties; those behind `?` may be left out. */
export function objectOf(properties: Readonly<Record<string, Json>>): JsonObject {
  const names = Object.keys(properties);
  return {
    type: 'object',
    additionalProperties: false,
    required: names.filter((name) => !name.endsWith('?')),
    properties: Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name.replace('?', ''), schema])),
  };
}

/** A list of some items. */
export function listOf(items: Json): JsonObject {
  return { type: 'array', items };
}

/** A page of a list: `nextCursor` is null on the last one. */
export function pageOf(items: Json): JsonObject {
  return objectOf({ data: listOf(items), nextCursor: TEXT_OR_NULL });
}

/** A reason that is kept with an act. */
export const REASON = { type: 'string', minLength: 1, maxLength: 2_000, pattern: '\\S' } as const;

/** A whole run, as `schemas/run.schema.json` has it; the document and the tests put that in its place. */
export const RUN_SCHEMA = { $ref: 'run.schema.json' } as const;

/** A line of a list of runs. */
export const RUN_LINE = objectOf({
  id: TEXT,
  key: TEXT,
  workflow: TEXT,
  version: COUNT,
  status: { enum: [...RUN_STATUSES] },
  revision: COUNT,
  needs: listOf(TEXT),
  startedBy: TEXT,
  startedAt: TIME,
  endedAt: { anyOf: [TIME, { type: 'null' }] },
  'finallyFailed?': { type: 'object' },
});

/** A published version. */
export const VERSION = objectOf({
  workflow: TEXT,
  version: COUNT,
  digest: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  publishedBy: TEXT,
  publishedAt: TIME,
  deprecated: { anyOf: [{ type: 'null' }, objectOf({ by: TEXT, reason: TEXT, at: TIME })] },
});

/** A place of a request or of a file, and what is wrong there. */
export const PLACE = objectOf({
  pointer: TEXT,
  message: TEXT,
  'code?': TEXT,
  'source?': objectOf({ file: TEXT, line: COUNT, column: COUNT }),
});

/** RFC 9457. */
export const PROBLEM = objectOf({
  type: TEXT,
  title: TEXT,
  status: COUNT,
  detail: TEXT,
  instance: TEXT,
  code: TEXT,
  requestId: TEXT,
  retry: { enum: ['never', 'later', 'reconcile'] },
  errors: listOf(PLACE),
  details: { type: 'object' },
});

/** What became of an event, a vote or an order. */
export const DELIVERED = objectOf({
  source: TEXT,
  eventId: TEXT,
  outcome: { enum: ['applied', 'kept', 'duplicate', 'ended', 'unmatched', 'pending'] },
  code: TEXT_OR_NULL,
  detail: true,
  again: { type: 'boolean' },
});

const UNDO = {
  undo: listOf(
    objectOf({
      effectKey: TEXT,
      round: { type: ['integer', 'null'] },
      step: TEXT,
      'item?': TEXT,
      'turn?': TEXT,
      action: TEXT,
      compensates: TEXT_OR_NULL,
      request: true,
      state: { enum: [...EFFECT_STATES] },
      approve: { type: ['object', 'null'] },
      // A plan holds plans of children, and these of theirs: `undo` and `standing` as here.
      'child?': objectOf({ id: TEXT, plan: { type: ['object', 'null'] }, refused: TEXT_OR_NULL }),
    }),
  ),
  standing: listOf(
    objectOf({
      effectKey: TEXT,
      step: TEXT,
      'item?': TEXT,
      'turn?': TEXT,
      action: TEXT,
      output: true,
      why: { enum: ['finally', 'waived', 'none', 'undeclared'] },
    }),
  ),
};

/** What ordering the compensation would do now. */
export const COMPENSATION_PREVIEW = objectOf({ revision: COUNT, planHash: TEXT, ...UNDO });

/** What a cancel would come to now. */
export const CANCEL_PREVIEW = objectOf({
  verdict: { enum: ['applies', 'waits', 'refused'] },
  code: TEXT_OR_NULL,
  open: listOf(objectOf({ step: TEXT, action: TEXT, state: { enum: [...EFFECT_STATES] } })),
  ...UNDO,
  fault: TEXT_OR_NULL,
});

/** A row of the journal. */
export const TRANSITION = {
  type: 'object',
  required: ['revision', 'event', 'delta', 'commands', 'stateHash', 'at', 'fence', 'workerId'],
  properties: { revision: COUNT, at: TIME, fence: COUNT, workerId: TEXT },
} as const;

/** An answer to a review. */
export const REVIEW_AS = { enum: [...REVIEW_WORDS] } as const;

/** Seconds that a caller waits for a run to rest, `1s` to `60s`. */
export const WAIT: QueryDoc = {
  description:
    'wait so long at most until the run rests: until it has ended, or only the world or a person can move it',
  schema: { type: 'string', pattern: '^([1-9]|[1-5][0-9]|60)s$' },
};

/** A preview: everything is checked, nothing is written. */
export const DRY_RUN: QueryDoc = {
  description: 'only say what would be done: everything is checked, nothing is written',
  schema: { enum: ['true', 'false'] },
};

/** Lines of a page unless it is said otherwise. */
export const LIMIT_DEFAULT = 50;

/** How many lines of a list are asked for. */
export const LIMIT: QueryDoc = {
  description: 'at most so many, 1 to 200; 50 unless given',
  schema: { type: 'string', pattern: '^([1-9]|[1-9][0-9]|1[0-9][0-9]|200)$' },
};

/** Where a page begins. */
export const CURSOR: QueryDoc = {
  description: '`nextCursor` of the page before, for the same filter',
  schema: { type: 'string', minLength: 1, maxLength: 1_024 },
};

/** An instant in a query: RFC 3339 UTC, to the millisecond at most. */
export const INSTANT = {
  type: 'string',
  pattern: '^[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,3})?Z$',
} as const;

/** An act of a person or a key. */
export const ACT = objectOf({
  at: TIME,
  actor: TEXT,
  act: TEXT,
  run: TEXT_OR_NULL,
  workflow: TEXT_OR_NULL,
  target: TEXT,
  reason: TEXT_OR_NULL,
  detail: true,
  no: COUNT,
});

/** The acts of a run, recomputed. */
export const RUN_ACTS = objectOf({
  data: listOf(
    objectOf({
      no: COUNT,
      at: TIME,
      actor: TEXT,
      act: TEXT,
      target: TEXT,
      reason: TEXT_OR_NULL,
      detail: true,
      previous: TEXT,
      integrity: TEXT,
    }),
  ),
  verified: { type: 'boolean' },
  faults: listOf(objectOf({ no: COUNT, what: TEXT })),
});

/** A line of a list of effects. */
export const EFFECT_LINE = objectOf({
  run: TEXT,
  runKey: TEXT,
  workflow: TEXT,
  version: COUNT,
  startedAt: TIME,
  key: TEXT,
  step: TEXT,
  action: TEXT,
  state: { enum: [...EFFECT_STATES] },
  attempt: COUNT,
  code: TEXT_OR_NULL,
  since: TIME,
  settledAt: TIME_OR_NULL,
});

/** An effect with its proof. */
export const EFFECT_DETAIL = objectOf({
  run: TEXT,
  workflow: TEXT,
  version: COUNT,
  effect: {
    type: 'object',
    required: ['key', 'step', 'action', 'state', 'attempt', 'sent', 'unsent', 'resends', 'queries', 'requestHash'],
    properties: { key: TEXT, step: TEXT, action: TEXT, state: { enum: [...EFFECT_STATES] } },
  },
  receipts: listOf(
    objectOf({
      receiptNo: COUNT,
      attempt: COUNT,
      outcome: { enum: ['confirmed', 'failed', 'absent', 'waived'] },
      code: TEXT_OR_NULL,
      requestHash: TEXT,
      externalId: TEXT_OR_NULL,
      resultBase64: TEXT,
      observedBy: { enum: ['response', 'query', 'webhook', 'person'] },
      evidence: true,
      approvalId: TEXT_OR_NULL,
      contract: COUNT,
      previous: TEXT,
      integrity: TEXT,
      requestedAt: TIME_OR_NULL,
      settledAt: TIME,
      verified: { type: 'boolean' },
    }),
  ),
  faults: listOf(TEXT),
  observations: listOf(objectOf({ source: TEXT, id: TEXT, detail: true })),
});

/** A schedule of a workflow. */
export const SCHEDULE = objectOf({
  workflow: TEXT,
  version: COUNT,
  cron: TEXT,
  timezone: TEXT,
  overlap: TEXT,
  catchUp: true,
  paused: { type: 'boolean' },
  next: TIME_OR_NULL,
  lastFired: TIME_OR_NULL,
  lastRun: TEXT_OR_NULL,
  lastSkipped: TIME_OR_NULL,
  error: TEXT_OR_NULL,
  acts: listOf(objectOf({ act: TEXT, by: TEXT, reason: TEXT, at: TIME })),
});

const LOCK_PLACE = objectOf({ run: TEXT, startedAt: TIME, limit: COUNT, grantedAt: TIME_OR_NULL });

/** A lock with who holds it and who waits for it. */
export const LOCK = objectOf({
  name: TEXT,
  setLimit: { type: ['integer', 'null'] },
  held: COUNT,
  waiting: COUNT,
  holders: listOf(LOCK_PLACE),
  queue: listOf(LOCK_PLACE),
  acts: listOf(objectOf({ by: TEXT, reason: TEXT, limit: { type: ['integer', 'null'] }, at: TIME })),
});

/** A message that has not arrived. */
export const MESSAGE = objectOf({
  run: TEXT,
  id: TEXT,
  topic: TEXT,
  event: TEXT_OR_NULL,
  key: TEXT_OR_NULL,
  step: TEXT_OR_NULL,
  state: { enum: ['waiting', 'dead'] },
  attempts: COUNT,
  at: TIME,
  dueAt: TIME_OR_NULL,
  lastError: TEXT_OR_NULL,
});

/** A queue of remote workers. */
export const QUEUE = objectOf({ queue: TEXT, offered: COUNT, since: TIME_OR_NULL, askedAt: TIME_OR_NULL });

/** A process's seat in a part. */
export const WORKER = objectOf({
  worker: TEXT,
  part: COUNT,
  leaseUntil: TIME,
  alive: { type: 'boolean' },
  runs: COUNT,
});

const ASKED = {
  id: TEXT,
  step: TEXT,
  state: { enum: [...APPROVAL_STATES] },
  title: TEXT,
  subject: true,
  subjectHash: TEXT,
  from: listOf(TEXT),
  except: listOf(TEXT),
  quorum: COUNT,
  askedAt: TIME,
  expiresAt: TIME_OR_NULL,
  decidedAt: TIME_OR_NULL,
  votes: listOf(objectOf({ principal: TEXT, decision: TEXT, at: TIME, comment: TEXT_OR_NULL, 'form?': true })),
};

/** An approval. */
export const APPROVAL = objectOf({ ...ASKED, 'form?': true });

const OF_RUN = { run: TEXT, runKey: TEXT, workflow: TEXT, version: COUNT, startedAt: TIME };

/** A line of a list of approvals. */
export const APPROVAL_LINE = objectOf({ ...OF_RUN, ...ASKED });

/** A line of a list of timers. */
export const TIMER_LINE = objectOf({
  ...OF_RUN,
  name: TEXT,
  kind: TEXT,
  step: TEXT_OR_NULL,
  effect: TEXT_OR_NULL,
  dueAt: TIME,
});

/** One thing that only a person can do. */
export const NEED = objectOf({
  run: TEXT,
  key: TEXT,
  workflow: TEXT,
  version: COUNT,
  kind: TEXT,
  since: TIME,
  step: TEXT_OR_NULL,
  message: TEXT,
  from: listOf(TEXT),
  acts: listOf(TEXT),
  command: TEXT_OR_NULL,
});

/** Why a run is where it is. */
export const WHY = objectOf({
  run: TEXT,
  key: TEXT,
  status: { enum: [...RUN_STATUSES] },
  reasons: listOf(
    objectOf({
      kind: TEXT,
      step: TEXT_OR_NULL,
      text: TEXT,
      since: TIME_OR_NULL,
      until: TIME_OR_NULL,
      by: listOf(TEXT),
      command: TEXT_OR_NULL,
    }),
  ),
});
