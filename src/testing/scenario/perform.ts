import type { Verbs } from '../../app/verbs.ts';
import type { VoteAsk } from '../../engine/cast-vote.ts';
import type { Delivered } from '../../engine/deliver-event.ts';
import type { Approval } from '../../model/approval.ts';
import { PawlError } from '../../model/errors.ts';
import type { RunIdentity } from '../../model/run.ts';
import type { OutsideAct, TestScenario } from './test-scenario.ts';

/** As long as people wait for an answer, milliseconds. */
const WAIT_MS = 2_000;

/** What somebody outside was told: an outcome with its code, and whether that was known already, or an error's code. */
export interface Told {
  readonly words: readonly string[];
  /** Whether it was taken, now or later. */
  readonly isTaken: boolean;
}

const TAKEN: ReadonlySet<string> = new Set(['applied', 'kept', 'pending']);

/** What whoever sends something to a run that is not there is told. */
const NOBODY = 'PAWL_RUN_NOT_FOUND';

/** What somebody looked at before they said something: whoever says it again says it of the same. */
export interface Looks {
  /** By event id, the hash of the plan. */
  readonly plans: Map<string, string | null>;
  /** By event id, the approval and the hash of what was shown. */
  readonly asked: Map<string, Pick<Approval, 'approvalId' | 'subjectHash'>>;
}

/** What an act is done to. */
export interface Addressee {
  readonly verbs: Verbs;
  /** null = it is not there. */
  readonly run: RunIdentity | null;
  /** What its people are asked and were asked. */
  readonly approvals: readonly Approval[];
  readonly scenario: TestScenario;
  readonly looks: Looks;
}

interface Reached extends Addressee {
  readonly run: RunIdentity;
}

async function planHashOf({ verbs, run, looks }: Reached, eventId: string): Promise<string | null> {
  const known = looks.plans.get(eventId);
  if (known !== undefined) return known;
  const { planHash } = await verbs.previewCompensation(run.runId);
  looks.plans.set(eventId, planHash);
  return planHash;
}

/** The approval that a vote is for: an open one before those that are over, the last visit first; null = it cannot be told. */
function approvalFor(approvals: readonly Approval[], step: string | null): Approval | null {
  const named = approvals.filter((approval) => step === null || approval.step === step);
  const open = named.filter(({ state }) => state === 'open' || state === 'held');
  const meant = open.length > 0 ? open : named;
  return step === null && meant.length > 1 ? null : (meant.at(-1) ?? null);
}

/** A vote names what was seen (A04): said again after its approval was decided, it is none for the next one. */
function askedBy(
  { approvals, looks }: Reached,
  step: string | null,
  eventId: string,
): Pick<VoteAsk, 'approval' | 'subjectHash'> {
  const seen = looks.asked.get(eventId) ?? approvalFor(approvals, step);
  if (seen === null) return { approval: step, subjectHash: null };
  looks.asked.set(eventId, seen);
  return { approval: seen.approvalId, subjectHash: seen.subjectHash };
}

/** Does what goes to the run as an event. @param no tells its acts apart, so that one that is repeated is the same. */
async function deliver(to: Reached, act: OutsideAct, no: number): Promise<Delivered | null> {
  const { verbs, run } = to;
  const eventId = `event-${no}`;
  switch (act.kind) {
    case 'signal': {
      const { name, data, id, source, by } = act;
      return verbs.signal(run.runId, { name, data, source, eventId: id ?? eventId, by, waitMs: WAIT_MS });
    }
    case 'vote': {
      const { step, decision, by, roles, form } = act;
      const vote = { ...askedBy(to, step, eventId), decision, principal: by, roles, comment: null };
      return verbs.vote(run.runId, form === undefined ? vote : { ...vote, form });
    }
    case 'order': {
      const { order, by, reason } = act;
      if (order !== 'compensate') return verbs[order](run.runId, { by, reason, eventId });
      return verbs.compensate(run.runId, { by, reason, eventId }, await planHashOf(to, eventId));
    }
    case 'retry':
      return verbs.retry(run.runId, act.step, { by: act.by, reason: 'the scenario says so', eventId });
    case 'resolve': {
      const { step, as, evidence, output, by, roles } = act;
      return verbs.resolve(run.runId, { effect: step, as, evidence, output, by, roles, eventId });
    }
    default:
      return null;
  }
}

async function startAgain({ verbs, run, scenario }: Reached, act: OutsideAct & { kind: 'start' }): Promise<Told> {
  const { workflow, version } = run;
  const { created } = await verbs.start({ workflow, version, input: act.input, by: scenario.by });
  return { words: [created ? 'started' : 'same'], isTaken: true };
}

/** Does what somebody outside does, and says what they are told. */
export async function perform({ run, ...rest }: Addressee, act: OutsideAct, no: number): Promise<Told> {
  if (run === null) return { words: [NOBODY], isTaken: false };
  const to = { ...rest, run };
  try {
    if (act.kind === 'start') return await startAgain(to, act);
    const delivered = await deliver(to, act, no);
    if (delivered === null) return { words: [], isTaken: true };
    const { outcome, code, again } = delivered;
    const words = [outcome, ...(code === null ? [] : [code]), ...(again ? ['duplicate'] : [])];
    return { words, isTaken: TAKEN.has(outcome) };
  } catch (error) {
    if (!(error instanceof PawlError)) throw error;
    return { words: [error.code], isTaken: false };
  }
}
