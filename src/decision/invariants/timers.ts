import { isTimed } from '../../machine/outline.ts';
import { bodiesAround } from '../../machine/program.ts';
import { ownValue } from '../../model/own-value.ts';
import type { Approval } from '../../model/approval.ts';
import type { Step } from '../../model/definition.ts';
import { hashJson } from '../../model/hash.ts';
import type { Timer } from '../../model/run.ts';
import type { TimerRecord } from '../../model/run-records.ts';
import { activeLeaves } from '../active-steps.ts';
import { expiryTimer, UNDO_APPROVAL } from '../approval-rules.ts';
import { remindTimer } from '../remind.ts';
import { DEADLINE } from '../settle-run.ts';
import { isWithWorkers, rowOfTimer, workerTimer } from '../hand-out.ts';
import type { Finding, PositionCheck } from './check.ts';
import { keptAddress, keptTimer } from '../kept-timers.ts';
import { inboxRow, type OpenedRun } from './opened-run.ts';
import { isSameJson } from './stored-json.ts';

/** What a timer waits with is over; null = it still stands for something. */
function orphanOf({ rows, control, phase }: OpenedRun, { name }: Timer): string | null {
  const key = rowOfTimer(name);
  if (key !== null) {
    const row = rows.effects.find((effect) => effect.key === key);
    return row !== undefined && isWithWorkers(row) ? null : 'no remote worker has or may pull that row';
  }
  if (phase === 'ended') return 'the run has ended';
  if (name === DEADLINE) return phase === 'forward' ? null : 'forward work is over';
  if (keptAddress(name) !== null) {
    const isKept = rows.inbox.some((row) => keptTimer(row) === name && row.outcome === 'kept');
    return isKept ? null : 'no event is kept under that name';
  }
  const step = name.slice(0, name.lastIndexOf(':'));
  if (step.startsWith(UNDO_APPROVAL)) {
    const isOpen = rows.approvals.some(({ approvalId, state }) => state === 'open' && approvalId === step);
    return isOpen ? null : 'nobody is asked about that undo';
  }
  return Object.hasOwn(control.activeSinceMs, step) ? null : `step ${step} is not active`;
}

/** What it will fire is what was armed: its time, its name and its generation, under their hash. */
function firingFaults({ name, generation, dueAtMs, payload, payloadHash }: TimerRecord): readonly string[] {
  const isOwn = isSameJson(payload, { type: 'timer', name, generation, dueAtMs });
  return [
    ...(isOwn ? [] : ['the event of its firing is of another time, name or generation']),
    ...(hashJson(payload) === payloadHash ? [] : ['the event of its firing is not the one that was hashed']),
  ];
}

function faultsOf(run: OpenedRun, timer: Timer): readonly string[] {
  const { name, generation } = timer;
  const current = ownValue(run.control.timerGenerations, name);
  const orphan = orphanOf(run, timer);
  const hasFired = run.rows.inbox.some(
    ({ source, eventId }) => source === 'timer' && eventId === `${name}#${generation}`,
  );
  if (hasFired) return [`generation ${generation} has fired already`];
  if (orphan !== null) return [orphan];
  return current === generation ? [] : [`it is of generation ${generation}, the run waits for ${current ?? 'none'}`];
}

/** V06: a timer stands for something that the run still waits for; the commit that leaves the state deletes it. */
export const TIMER: PositionCheck = {
  name: 'timer',
  rule: 'V06',
  promise:
    'Every timer is of the generation that its run waits for, of an active step, a kept event, an attempt of remote workers or the deadline, due when the event of its firing says.',
  mend: 'of a time that is damaged: set `due_at` to what `payload` says; else delete the row: firing it would be answered `stale` or `ended`',
  find: (run) =>
    run.rows.timers.flatMap((timer) =>
      [...faultsOf(run, timer), ...firingFaults(timer)].map((what) => ({ row: `timer ${timer.name}`, what })),
    ),
};

/** Whether a name is armed, or has fired and is still to be decided. */
function isArmed({ rows, control }: OpenedRun, name: string): boolean {
  const fired = `${name}#${ownValue(control.timerGenerations, name) ?? 0}`;
  return (
    rows.timers.some((timer) => timer.name === name) ||
    rows.inbox.some(({ source, eventId, outcome }) => source === 'timer' && eventId === fired && outcome === null)
  );
}

/** A timer that must be armed, and what waits for it. */
type Wanted = readonly [name: string, waits: string];

/** The groups with a time of their own in whose bodies a step stands. */
function timedAround({ program }: OpenedRun['rows'], step: string): readonly string[] {
  const place = new Map(program?.machine.places ?? []).get(step);
  const groups = place === undefined ? [] : bodiesAround(place);
  return groups.filter((id) => {
    const group = program?.copies.get(id);
    return group !== undefined && isTimed(group);
  });
}

function wantedByStep({ rows, snapshot }: OpenedRun): readonly Wanted[] {
  const { program } = rows;
  const steps =
    program === null ? [] : activeLeaves(program, snapshot.value).flatMap((id) => program.copies.get(id) ?? []);
  const wanted = steps.flatMap((step) => wantedBy(rows, step));
  // A group around several branches waits once.
  return [...new Map(wanted.map((one) => [one[0], one] as const)).values()];
}

function wantedBy(rows: OpenedRun['rows'], step: Step): readonly Wanted[] {
  const waits = (step.verb === 'await' || step.verb === 'approve') && step.timeoutMs !== null;
  const kind = step.verb === 'wait' ? 'wait' : 'timeout';
  const own: readonly Wanted[] = step.verb === 'wait' || waits ? [[`${step.id}:${kind}`, `step ${step.id}`]] : [];
  return [...own, ...timedAround(rows, step.id).map((id): Wanted => [`${id}:timeout`, `group ${id}`])];
}

function reminds({ program }: OpenedRun['rows'], { step }: Approval): boolean {
  const asked = program?.copies.get(step);
  return asked?.verb === 'approve' && asked.remindMs !== undefined;
}

function remindWanted({ step, approvalId }: Approval): Wanted {
  return [remindTimer(step), `the next reminder of approval ${approvalId}`];
}

/** All that must be armed for what the run waits for. */
function wantedOf(run: OpenedRun): readonly Wanted[] {
  const { rows, control, phase } = run;
  const handedOut = rows.effects.filter((row) => row.queue !== undefined && row.state === 'REQUESTED');
  const leases = handedOut.map(({ key }): Wanted => [workerTimer(key), `the attempt of ${key} that was handed out`]);
  if (phase === 'ended') return leases;
  const open = rows.approvals.filter((approval) => approval.state === 'open' && approval.expiresAtMs !== null);
  const kept = rows.inbox.filter((row) => row.outcome === 'kept' && row.payload.type === 'signal');
  // Armed once, at the start: any other number says that it was applied or taken back.
  const hasDeadline = phase === 'forward' && ownValue(control.timerGenerations, DEADLINE) === 1;
  return [
    ...leases,
    ...wantedByStep(run),
    ...open.map((approval): Wanted => [expiryTimer(approval), `approval ${approval.approvalId}`]),
    ...rows.approvals.filter((one) => one.state === 'open' && reminds(rows, one)).map(remindWanted),
    ...kept.map((row): Wanted => [keptTimer(row), inboxRow(row)]),
    ...(hasDeadline ? [[DEADLINE, 'the run'] as const] : []),
  ];
}

/**
 * V06: what waits for a time has its timer; without it nobody would ever look again. Legal in between: the timer has fired
 * and its event is not decided yet.
 */
export const TIMER_MISSING: PositionCheck = {
  name: 'timer-missing',
  rule: 'V01, V06, A06',
  promise:
    'A wait, a timeout, an expiry, a reminder, a kept event, a lease of a remote worker and a deadline each have their timer, or its event to be decided.',
  mend: '`pawl cancel RUN`, or send what it waits for; the time itself is lost',
  find: (run): readonly Finding[] =>
    wantedOf(run)
      .filter(([name]) => !isArmed(run, name))
      .map(([name, waits]) => ({
        row: `timer ${name}`,
        what: `${waits} waits for it, and it is neither armed nor fired`,
      })),
};
