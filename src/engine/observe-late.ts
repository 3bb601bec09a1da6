import type { DecisionInput } from '../decision/decision-input.ts';
import { PawlError } from '../model/errors.ts';
import type { Observation } from '../model/run-commit.ts';
import type { RunState } from '../model/run.ts';
import type { Engine } from './engine.ts';

/** Outcomes that their holder may no longer write, as knowledge for whoever holds the run now (E08). */
function asObservations(state: RunState, inputs: readonly DecisionInput[]): readonly Observation[] {
  const { runId, part } = state.run;
  return inputs.flatMap((input): readonly Observation[] => {
    if (input.type !== 'attempt.settled' && input.type !== 'query.settled') return [];
    if (!input.outcome.sent) return [];
    const turn = input.type === 'attempt.settled' ? `attempt:${input.attempt}` : `query:${input.query}`;
    const { kind, code, message, externalId, resultBase64 } = input.outcome;
    const detail = { kind, code, message, externalId, resultBase64 };
    return [
      {
        part,
        runId,
        effectKey: input.effectKey,
        source: 'late-answer',
        sourceId: `${turn}:fence:${state.fence}`,
        detail,
      },
    ];
  });
}

/**
 * Files what a fenced holder knows; never overwrites anything (E08). Never throws: what cannot be stored is logged.
 * Transaction: the store's own.
 */
export async function observeLate(engine: Engine, state: RunState, inputs: readonly DecisionInput[]): Promise<void> {
  const observations = asObservations(state, inputs);
  if (observations.length === 0) return;
  const facts = { runId: state.run.runId, fence: state.fence, count: observations.length };
  try {
    await engine.store.observe(observations);
    engine.logger.warn(facts, 'effect.late-answer');
  } catch (error) {
    engine.logger.error({ ...facts, code: error instanceof PawlError ? error.code : null }, 'effect.late-answer-lost');
  }
}
