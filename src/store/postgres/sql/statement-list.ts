import { HOLD } from './act.ts';
import { DEPRECATE, LIST_DEPRECATIONS, RESTORE } from './deprecation.ts';
import { BEGIN_PAUSE, END_PAUSE, LIST_PAUSES, WAKE_PAUSED } from './pause.ts';
import { CREATE_KEY, FIND_KEY, LIST_KEYS, REVOKE_KEY } from './api-key.ts';
import { BATCH_ITEMS, CREATE_BATCH, LIST_BATCHES, ORDER_BATCH, SETTLE_BATCH_ITEM, TAKE_BATCH } from './batch.ts';
import { CHANGES, FORGET_CHANGES } from './change.ts';
import { LIST_ACTS, RUN_CHAINS, TENANT_CHAINS } from './audit.ts';
import { CLAIM, CLAIM_RUN } from './claim.ts';
import { COMMIT, COMMIT_FULL } from './commit.ts';
import { FIND_VERSION, LIST_VERSIONS, LOAD_VERSION, PUBLISH } from './definition.ts';
import { ANSWER_OF, DELIVER, DELIVER_AND_CLAIM, DRAIN } from './deliver.ts';
import { GAUGES_OF } from './gauge.ts';
import { LIST_EFFECTS } from './ledger.ts';
import { HINT } from './hint.ts';
import { HEADS, JOIN_LOCK, LEAVE_LOCK, LIMIT_LOCK, LOCK_ROWS, SWEEP_LOCKS } from './lock.ts';
import { ACT_ON_OUTBOX, CLAIM_OUTBOX, LIST_OUTBOX, OUTBOX_ROWS, SETTLE_OUTBOX } from './outbox.ts';
import { LOAD, NOW, TRACE } from './load.ts';
import { CLAIM_SCHEDULES, LIST_SCHEDULES, ORDER_SCHEDULE, SETTLE_SCHEDULE } from './schedule.ts';
import {
  AUDIT_ROWS,
  COUNT_RUNS,
  FIND_RUN_BY_ID,
  FIND_RUN_BY_KEY,
  HOLDER,
  INBOX_ROWS,
  JOURNAL,
  LIST_RUNS,
  OBSERVATIONS,
  OBSERVE,
  RECEIPTS,
  WORKERS,
} from './reads.ts';
import { PRUNE, RETAINED } from './prune.ts';
import { QUEUE_ROWS, TAKE_OFFERS } from './queue.ts';
import { RECORDS, STRAYS } from './records.ts';
import { BEAT, DISOWN, LEAVE_SEAT, SWEEP, TAKE_SEAT } from './seat.ts';
import { PUT_SHARED_EFFECT, SHARED_EFFECT, SHARED_EFFECTS } from './share.ts';
import { START } from './start.ts';
import type { Statement } from './statement.ts';
import { FIRE, NEXT_DUE } from './timer.ts';
import { LIST_APPROVALS, LIST_TIMERS } from './waiting.ts';
import { BEGIN_RECOVERY, END_RECOVERY, OVERDUE, WITNESS, WITNESS_READ } from './witness.ts';

/** Every statement that the store sends; tests prepare each, read each for its part, and look at each plan. */
export const STATEMENTS: readonly Statement[] = [
  COMMIT,
  COMMIT_FULL,
  START,
  CLAIM,
  CLAIM_RUN,
  TAKE_SEAT,
  BEAT,
  LEAVE_SEAT,
  DISOWN,
  SWEEP,
  DELIVER,
  DELIVER_AND_CLAIM,
  ANSWER_OF,
  DRAIN,
  FIRE,
  NEXT_DUE,
  HINT,
  LOAD,
  TRACE,
  OBSERVE,
  NOW,
  PUBLISH,
  FIND_VERSION,
  LOAD_VERSION,
  LIST_VERSIONS,
  DEPRECATE,
  RESTORE,
  LIST_DEPRECATIONS,
  BEGIN_PAUSE,
  END_PAUSE,
  WAKE_PAUSED,
  LIST_PAUSES,
  CREATE_KEY,
  FIND_KEY,
  LIST_KEYS,
  REVOKE_KEY,
  LIST_ACTS,
  RUN_CHAINS,
  LIST_EFFECTS,
  LIST_APPROVALS,
  LIST_TIMERS,
  GAUGES_OF,
  TENANT_CHAINS,
  FIND_RUN_BY_ID,
  FIND_RUN_BY_KEY,
  LIST_RUNS,
  COUNT_RUNS,
  JOURNAL,
  RECEIPTS,
  OBSERVATIONS,
  INBOX_ROWS,
  AUDIT_ROWS,
  HOLDER,
  WORKERS,
  OVERDUE,
  WITNESS,
  WITNESS_READ,
  BEGIN_RECOVERY,
  END_RECOVERY,
  RECORDS,
  STRAYS,
  JOIN_LOCK,
  LEAVE_LOCK,
  LIMIT_LOCK,
  SWEEP_LOCKS,
  LOCK_ROWS,
  HEADS,
  HOLD,
  SHARED_EFFECT,
  PUT_SHARED_EFFECT,
  SHARED_EFFECTS,
  TAKE_OFFERS,
  QUEUE_ROWS,
  CLAIM_OUTBOX,
  SETTLE_OUTBOX,
  ACT_ON_OUTBOX,
  OUTBOX_ROWS,
  LIST_OUTBOX,
  CLAIM_SCHEDULES,
  SETTLE_SCHEDULE,
  ORDER_SCHEDULE,
  LIST_SCHEDULES,
  RETAINED,
  PRUNE,
  CHANGES,
  FORGET_CHANGES,
  CREATE_BATCH,
  LIST_BATCHES,
  BATCH_ITEMS,
  TAKE_BATCH,
  SETTLE_BATCH_ITEM,
  ORDER_BATCH,
];
