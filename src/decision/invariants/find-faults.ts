import { APPROVAL, VOTE } from './approvals.ts';
import { ARRIVAL } from './arrivals.ts';
import { AUDIT } from './audit.ts';
import type { CheckFacts, InvariantFault, PositionCheck, RowCheck } from './check.ts';
import { COMPENSATION } from './compensations.ts';
import { EFFECT_KEY } from './effect-key.ts';
import { EFFECT_ORIGIN } from './effect-origin.ts';
import { EFFECT_STATE } from './effect-state.ts';
import { ENDED } from './ended.ts';
import { INBOX, KEPT } from './inbox.ts';
import { JOURNAL, STATE_HASH } from './journal.ts';
import { LEASE } from './leases.ts';
import { type CheckedRun, openRun } from './opened-run.ts';
import { LOCK } from './locks.ts';
import { OUTBOX } from './outbox.ts';
import { HELD } from './people.ts';
import { PRUNED } from './pruned.ts';
import { RECEIPT_CHAIN, RECEIPT_ROW } from './receipts.ts';
import { REQUEST_HASH } from './request-hash.ts';
import { SETTLEMENT } from './settlements.ts';
import { PIN, START_KEY } from './starts.ts';
import { STATUS } from './status.ts';
import { TIMER, TIMER_MISSING } from './timers.ts';
import { WAKE_UP } from './wake-ups.ts';

const ROW_CHECKS: readonly RowCheck[] = [
  EFFECT_KEY,
  REQUEST_HASH,
  EFFECT_ORIGIN,
  EFFECT_STATE,
  RECEIPT_CHAIN,
  RECEIPT_ROW,
  JOURNAL,
  SETTLEMENT,
  ARRIVAL,
  INBOX,
  APPROVAL,
  VOTE,
  AUDIT,
  OUTBOX,
  LEASE,
  START_KEY,
  PIN,
  PRUNED,
];

/** Of a run whose state is gone: what is kept of it is still what it was. */
const PRUNED_CHECKS: readonly RowCheck[] = [
  EFFECT_KEY,
  EFFECT_STATE,
  RECEIPT_CHAIN,
  RECEIPT_ROW,
  AUDIT,
  LEASE,
  START_KEY,
  PIN,
  PRUNED,
];

/** P07: the position can be read; without it the rows alone are checked. */
const SNAPSHOT: CheckFacts = {
  name: 'snapshot',
  rule: 'P07, P15',
  promise: "A run's snapshot can be read, is of its version, kernel and layout, and of the head's revision.",
  mend: null,
};

const POSITION_CHECKS: readonly PositionCheck[] = [
  STATE_HASH,
  STATUS,
  ENDED,
  HELD,
  COMPENSATION,
  LOCK,
  KEPT,
  TIMER,
  TIMER_MISSING,
  WAKE_UP,
];

/** What the checks of one run say of themselves. */
export const RUN_CHECKS: readonly CheckFacts[] = [...ROW_CHECKS, SNAPSHOT, ...POSITION_CHECKS];

/**
 * Looks for everything that breaks an invariant in one run. Each holds at every committed instant, not only at rest: where
 * a state is legal only for a moment, the check says which. Pure; reads nothing but what it is given.
 * @param rows the run's complete rows as of one instant, and its version.
 * @param nowMs the database's time of that instant.
 * @returns one fault per finding, in the order of the checks; none = the run is as it must be.
 */
export function findFaults(rows: CheckedRun, nowMs: number): readonly InvariantFault[] {
  const { runId } = rows.run;
  const named = ({ name, rule, mend }: CheckFacts, findings: ReturnType<RowCheck['find']>): InvariantFault[] =>
    findings.map(({ row, what }) => ({ runId, check: name, rule, row, what, mend }));
  if (rows.head.prunedAtMs !== null) return PRUNED_CHECKS.flatMap((check) => named(check, check.find(rows, nowMs)));
  const opened = openRun(rows, nowMs);
  return [
    ...ROW_CHECKS.flatMap((check) => named(check, check.find(rows, nowMs))),
    ...(opened.kind === 'unreadable'
      ? named(SNAPSHOT, [{ row: 'head', what: opened.what }])
      : POSITION_CHECKS.flatMap((check) => named(check, check.find(opened.run)))),
  ];
}
