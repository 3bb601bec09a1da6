import type { DecisionInput } from '../decision/decision-input.ts';
import { PawlError } from '../model/errors.ts';
import { hashJson } from '../model/hash.ts';
import type { InboxPayload } from '../model/inbox-event.ts';
import type { Json } from '../model/json.ts';
import type { Observation } from '../model/run-commit.ts';
import type { RunState } from '../model/run.ts';
import type { Delivery } from '../ports/store.ts';
import type { Engine } from './engine.ts';

type Late = Extract<DecisionInput, { type: 'attempt.settled' | 'query.settled' }>;

/** Outcomes of what was sent that their holder may no longer write. */
function lateOnes(inputs: readonly DecisionInput[]): readonly Late[] {
  return inputs
    .filter((input) => input.type === 'attempt.settled' || input.type === 'query.settled')
    .filter(({ outcome }) => outcome.sent);
}

function turnOf(state: RunState, late: Late): string {
  const turn = late.type === 'attempt.settled' ? `attempt:${late.attempt}` : `query:${late.query}`;
  return `${turn}:fence:${state.fence}`;
}

function observationOf(state: RunState, late: Late): Observation {
  const { runId, part } = state.run;
  const { kind, code, message, externalId, resultBase64 } = late.outcome;
  const detail = { kind, code, message, externalId, resultBase64 };
  const source = late.type === 'attempt.settled' ? 'late-answer' : 'late-query';
  return { part, runId, effectKey: late.effectKey, source, sourceId: turnOf(state, late), detail };
}

/** That something happened wakes the run, which files it and heeds it: a row of its inbox is stored with the wake-up (W01). */
function deliveryOf(state: RunState, late: Late): Delivery {
  const { runId, part } = state.run;
  const { message, output, externalId, resultBase64 } = late.outcome;
  const payload: InboxPayload = {
    type: 'proof',
    effectKey: late.effectKey,
    turn: turnOf(state, late),
    observedBy: late.type === 'attempt.settled' ? 'response' : 'query',
    message,
    output: output ?? null,
    externalId,
    resultBase64,
  };
  const eventId = `${late.effectKey}:${payload.turn}`;
  return { part, runId, source: 'late-answer', eventId, payload, payloadHash: hashJson(payload as unknown as Json) };
}

/**
 * Files what a fenced holder knows; never overwrites anything (E08). Never throws: what cannot be stored is logged.
 * Transaction: the store's own, one for proofs and one for everything else.
 */
export async function observeLate(engine: Engine, state: RunState, inputs: readonly DecisionInput[]): Promise<void> {
  const late = lateOnes(inputs);
  const proofs = late.filter(({ outcome }) => outcome.kind === 'confirmed');
  const others = late.filter(({ outcome }) => outcome.kind !== 'confirmed');
  const facts = { runId: state.run.runId, fence: state.fence, count: late.length };
  try {
    if (proofs.length > 0)
      await engine.store.deliver(
        state.run.part,
        proofs.map((proof) => deliveryOf(state, proof)),
      );
    if (others.length > 0) await engine.store.observe(others.map((other) => observationOf(state, other)));
    if (late.length > 0) engine.logger.warn(facts, 'effect.late-answer');
  } catch (error) {
    engine.logger.error({ ...facts, code: error instanceof PawlError ? error.code : null }, 'effect.late-answer-lost');
  }
}
