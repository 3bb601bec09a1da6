import type { Approval, Vote } from '../../model/approval.ts';
import type { Effect } from '../../model/effect.ts';
import { hashJson, sha256 } from '../../model/hash.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { RunRecords } from '../../model/run-records.ts';
import { expiryTimer, isExcepted, isUndoApproval, tally } from '../approval-rules.ts';
import { undoVoting } from '../undo-voters.ts';
import type { RowCheck } from './check.ts';
import type { CheckedRun } from './opened-run.ts';
import { effectRow } from './opened-run.ts';
import { isSameJson, storedJson } from './stored-json.ts';
import { authorOf } from '../../machine/lane-steps.ts';
import { votingFaults } from './voters.ts';

type Fault = readonly [broken: boolean, what: string];

/** Whether the votes, or the expiry, came to what stands there. */
function isDecidedSo(approval: Approval): boolean {
  const { state, onExpire, expiresAtMs } = approval;
  const mayExpire = expiresAtMs !== null;
  switch (state) {
    case 'open':
      return tally(approval) === 'open';
    case 'approved':
      return tally(approval) === 'approved' || (mayExpire && onExpire === 'approve');
    case 'denied':
      return tally(approval) === 'denied';
    case 'expired':
      return mayExpire && onExpire === 'deny';
    case 'held':
      return mayExpire && onExpire === 'hold';
    case 'cancelled':
      return true;
  }
}

/** Whether what a yes authorizes is what people were shown, which the subject's hash covers. */
function isShown({ subject, authorizes }: Approval): boolean {
  const shown = (subject as JsonObject | null)?.['effects'];
  const asked = authorizes.map(
    ({ step, action, request }): Json => ({ step: authorOf(step), action, request: storedJson(request) }),
  );
  const isWhole = authorizes.every(({ request, requestHash, edited }) => {
    return sha256(request) === requestHash && (edited === undefined || sha256(edited.request) === edited.requestHash);
  });
  return isWhole && isSameJson(asked, shown ?? null);
}

/** The time to answer in is that of the timer which ends it. */
function isTimedSo({ timers }: CheckedRun, approval: Approval): boolean {
  const timer = timers.find(({ name }) => name === expiryTimer(approval));
  return approval.state !== 'open' || timer === undefined || timer.dueAtMs === approval.expiresAtMs;
}

function faultsOf(run: CheckedRun, approval: Approval): readonly string[] {
  const { state, decidedAtMs } = approval;
  const faults: readonly Fault[] = [
    [hashJson(approval.subject) !== approval.subjectHash, 'its subject is not the one that was shown'],
    [
      (state === 'open') !== (decidedAtMs === null),
      `it is ${state} and has ${decidedAtMs === null ? 'no' : 'a'} time of decision`,
    ],
    [!isDecidedSo(approval), `it is ${state}, and its votes do not say so`],
    [!isShown(approval), 'what it authorizes is not what was shown'],
    [!isTimedSo(run, approval), 'it expires at another time than its timer'],
  ];
  return [...faults.filter(([broken]) => broken).map(([, what]) => what), ...votingFaults(run, approval)];
}

/** A step that an approval authorizes sends nothing without it, nor does an undo that people must agree to (R23). */
function unasked({ program }: CheckedRun, { attempt, state, step, compensates }: Effect): string | null {
  const known = program?.steps.get(step);
  if (program === null || known?.verb !== 'call') return null;
  if (compensates === null) {
    const { authorizedBy } = known;
    const isAllowed = attempt > 0 || state === 'AUTHORIZED';
    return authorizedBy === null || !isAllowed ? null : `it may be sent, and ${authorizedBy} never approved it`;
  }
  if (attempt === 0) return null;
  const { actions } = program.machine.definition;
  const voting = actions.flatMap((action) => (action.name === known.action ? [undoVoting(known, () => action)] : []));
  return voting.some((asked) => asked !== null) ? 'it was sent, and nobody has agreed to it' : null;
}

/** An undo that people are asked about waits for them, and for nothing else. */
function undoFault({ effects }: CheckedRun, approval: Approval): string | null {
  if (approval.state !== 'open' || !isUndoApproval(approval)) return null;
  const waits = effects.some(({ key, state }) => state === 'PROPOSED' && key === approval.authorizes[0]?.effectKey);
  return waits ? null : 'it is open, and no undo waits for it';
}

/** What was authorized is what people saw: this request, by an approval that was given. */
function authorityFault(run: CheckedRun, effect: Effect): string | null {
  const { approvalId, requestHash } = effect;
  if (approvalId === null) return unasked(run, effect);
  const approval = run.approvals.find((known) => known.approvalId === approvalId);
  if (approval?.state !== 'approved') return `approval ${approvalId} is ${approval?.state ?? 'not there'}`;
  const isShown = approval.authorizes.some((shown) => (shown.edited ?? shown).requestHash === requestHash);
  return isShown ? null : `approval ${approvalId} was for another request`;
}

/** A04, A05, V18: a decision is what the votes say, about what was shown, and nothing else is sent. */
export const APPROVAL: RowCheck = {
  name: 'approval',
  rule: 'A04, A05',
  promise:
    'An approval is decided once, as its votes say, about the subject that was hashed, by whom the workflow names; what it authorizes is its request, and was shown.',
  mend: null,
  find: (run) => [
    ...run.approvals.flatMap((approval) =>
      [...faultsOf(run, approval), ...[undoFault(run, approval) ?? []].flat()].map((what) => ({
        row: `approval ${approval.approvalId}`,
        what,
      })),
    ),
    ...run.effects.flatMap((effect) => {
      const what = authorityFault(run, effect);
      return what === null ? [] : [{ row: effectRow(effect), what }];
    }),
  ],
};

function voteFaults({ inbox }: RunRecords, approval: Approval, at: number, vote: Vote): readonly string[] {
  const { approvalId } = approval;
  const isFirst = !approval.votes.slice(0, at).some(({ principal }) => principal === vote.principal);
  const isStored = inbox.some(
    ({ payload, outcome }) =>
      payload.type === 'vote' &&
      outcome === 'applied' &&
      payload.approvalId === approvalId &&
      payload.principal === vote.principal &&
      payload.decision === vote.decision &&
      payload.comment === vote.comment &&
      isSameJson([...payload.roles], [...vote.roles]),
  );
  const faults: readonly Fault[] = [
    [!isFirst, 'it is a second vote of one person'],
    [isExcepted(approval, vote.principal), 'it is of somebody who must not decide this'],
    [vote.subjectHash !== approval.subjectHash, 'it is about another subject'],
    [!isStored, 'no event in the inbox brought it'],
  ];
  return faults.filter(([broken]) => broken).map(([, what]) => what);
}

/** A02, A03, A04: one vote a person, of somebody who may, about what was shown, and brought by an event. */
export const VOTE: RowCheck = {
  name: 'vote',
  rule: 'A02, A03',
  promise:
    'Each person votes once, about the subject as it stands, is not excepted, and the vote came through the inbox.',
  mend: null,
  find: (run) =>
    run.approvals.flatMap((approval) =>
      approval.votes.flatMap((vote, at) =>
        voteFaults(run, approval, at, vote).map((what) => ({
          row: `vote ${approval.approvalId} ${vote.principal}`,
          what,
        })),
      ),
    ),
};
