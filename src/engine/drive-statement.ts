import type { Decision } from '../decision/decision.ts';
import type { DecisionInput } from '../decision/decision-input.ts';
import { PawlError } from '../model/errors.ts';
import type { AttemptReport, Outcome } from '../model/outcome.ts';
import type { RunCommit } from '../model/run-commit.ts';
import type { RunState } from '../model/run.ts';
import type { SendOrder } from '../ports/action-adapter.ts';
import { BUSY_PAUSE_MS } from './commit-runs.ts';
import type { Desk } from './desk.ts';
import {
  decideOn,
  type Driven,
  driveRun,
  type Hand,
  letGo,
  parkBroken,
  type Question,
  reload,
  settle,
  withLease,
} from './drive-run.ts';
import type { Performed } from './perform-statement.ts';
import { heldBack, judgeSending, told } from './send-effect.ts';
import type { Touch } from './touch.ts';

/** A statement whose REQUESTED row is committed, and what carries it out. */
export interface Statement {
  readonly order: SendOrder;
  readonly touch: Touch;
  readonly perform: NonNullable<Desk['perform']>;
}

/** What was made of a statement inside its transaction. */
interface Conclusion {
  readonly outcome: Outcome;
  /** Null = it is taken back. */
  readonly kept: { readonly decision: Decision; readonly commit: RunCommit } | null;
}

/** Whether the statement is still to be carried out: nobody may carry it out for what the row has come to meanwhile. */
function isOpen(state: RunState, { effect, attempt }: SendOrder): boolean {
  const row = state.effects.get(effect.key);
  return row?.state === 'REQUESTED' && row.attempt === attempt && row.fence === state.fence;
}

function inputOf({ effect, attempt }: SendOrder, outcome: Outcome): DecisionInput {
  return { type: 'attempt.settled', effectKey: effect.key, attempt, outcome };
}

/** Decides, inside its transaction, what a statement came to: only what is confirmed is kept. */
function conclude(hand: Hand, state: RunState, { order, touch }: Statement, report: AttemptReport): Conclusion {
  const outcome = judgeSending(touch, order, report);
  if (outcome.kind !== 'confirmed') return { outcome, kept: null };
  const decision = decideOn(hand, { state, inputs: [inputOf(order, outcome)] });
  return { outcome, kept: { decision, commit: withLease(decision, hand) } };
}

/** What an answer means; null = again, on the reloaded run. */
async function follow(
  hand: Hand,
  question: Question,
  done: { readonly answer: Performed; readonly conclusion: Conclusion | null; readonly decidedAtMs: number },
): Promise<Driven | null> {
  const { answer, conclusion, decidedAtMs } = done;
  if (answer.kind === 'undone') return driveRun(hand, question.state, question.inputs);
  // What came of it is in the database or nowhere: nobody files it as seen.
  const nothing = { state: question.state, inputs: [] };
  if (conclusion?.kept) return settle(hand, nothing, { ...conclusion.kept, decidedAtMs, answer });
  return answer.kind === 'fenced' || answer.kind === 'lost' ? letGo(hand, nothing) : null;
}

/**
 * Carries out a statement in one transaction with the commit that keeps it (E13). What was taken back did not happen, and is
 * decided and committed as any other outcome. Transaction: the store's `act` opens one per try.
 */
export async function driveStatement(hand: Hand, begun: RunState, statement: Statement): Promise<Driven> {
  const { order, touch, perform } = statement;
  const { runId } = begun.run;
  let state = begun;
  while (!hand.desk.signal.aborted) {
    if (!isOpen(state, order)) return driveRun(hand, state, [{ type: 'due' }]);
    const decidedAtMs = hand.engine.clock.monotonicMs();
    const kept = await heldBack(touch, order);
    if (kept !== null) return driveRun(hand, state, [told(touch, order, judgeSending(touch, order, kept))]);
    const holds = state;
    let conclusion: Conclusion | null = null;
    let answer: Performed;
    try {
      answer = await perform({ runId, fence: holds.fence, revision: holds.revision, order }, (report) => {
        conclusion = conclude(hand, holds, statement, report);
        return conclusion.kept?.commit ?? null;
      });
    } catch (error) {
      if (!(error instanceof PawlError)) throw error;
      return parkBroken(hand, { state, inputs: [] }, error.message);
    }
    const made = conclusion as Conclusion | null;
    const inputs = made === null ? [] : [told(touch, order, made.outcome)];
    const driven = await follow(hand, { state, inputs }, { answer, conclusion: made, decidedAtMs });
    if (driven !== null) return driven;
    await hand.engine.clock.sleep(BUSY_PAUSE_MS, hand.desk.signal);
    const again = await reload(hand, { state, inputs: [] });
    if (again === null) return letGo(hand, { state, inputs: [] });
    state = again.state;
  }
  return letGo(hand, { state, inputs: [] });
}
