import { TROUBLES } from './fault-plan.ts';
import { simulate, type SimulationAsk, type SimulationResult } from './simulate.ts';

/** A smaller world in which the same promise still breaks. */
export interface Shrunk {
  readonly ask: SimulationAsk;
  readonly result: SimulationResult;
}

/** One step smaller in each direction. */
function smaller(ask: SimulationAsk): readonly SimulationAsk[] {
  const fewer = ask.runsMax > 1 ? [{ ...ask, runsMax: ask.runsMax - 1 }] : [];
  const shorter = ask.stormMs > 1_000 ? [{ ...ask, stormMs: Math.floor(ask.stormMs / 2) }] : [];
  const calmer = TROUBLES.filter((trouble) => !ask.without.has(trouble)).map((trouble) => ({
    ...ask,
    without: new Set([...ask.without, trouble]),
  }));
  return [...fewer, ...shorter, ...calmer];
}

/**
 * Leaves out whatever can be left out of a failing seed: runs, time, kinds of trouble.
 * @param play plays a smaller world.
 */
export async function shrink(found: Shrunk, play: typeof simulate = simulate): Promise<Shrunk> {
  const rules = new Set(found.result.violations.map(({ rule }) => rule));
  let best = found;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const ask of smaller(best.ask)) {
      const result = await play(ask);
      if (!result.violations.some(({ rule }) => rules.has(rule))) continue;
      best = { ask, result };
      isSmaller = true;
      break;
    }
  }
  return best;
}
