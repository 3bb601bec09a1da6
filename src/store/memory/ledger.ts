import type { EffectFilter, EffectLine } from '../../ports/ledger-store.ts';
import { compareText } from './row.ts';
import type { RunRows, Statement } from './tables.ts';

function linesOf({ run, effects }: RunRows): EffectLine[] {
  const { runId, key: runKey, workflow, version, startedAtMs } = run;
  return [...effects.values()].map(({ key, step, action, state, attempt, code, settledAtMs, ...effect }) => {
    const sinceMs = settledAtMs ?? effect.unknownSinceMs ?? effect.requestedAtMs ?? startedAtMs;
    return {
      ...{ runId, runKey, workflow, version, startedAtMs, key, step, action, state, attempt, code },
      ...{ sinceMs, settledAtMs },
    };
  });
}

/** Newest run first, then by key. */
function compare(a: Pick<EffectLine, 'startedAtMs' | 'runId' | 'key'>, b: typeof a): number {
  return b.startedAtMs - a.startedAtMs || compareText(b.runId, a.runId) || compareText(a.key, b.key);
}

/** Whether the filter asks for nothing else of it; what is left out asks for nothing. */
function isNamed(filter: EffectFilter, line: EffectLine): boolean {
  const { action = line.action, runId = line.runId, workflow = line.workflow } = filter;
  return line.action === action && line.runId === runId && line.workflow === workflow;
}

function isAsked(filter: EffectFilter, line: EffectLine): boolean {
  const { states = [line.state], workflows = [line.workflow], beforeMs = Number.POSITIVE_INFINITY, after } = filter;
  if (!isNamed(filter, line) || !states.includes(line.state) || !workflows.includes(line.workflow)) return false;
  return line.sinceMs < beforeMs && (after === undefined || compare(line, after) > 0);
}

/** Effects of a tenant. */
export function listEffects({ runs }: Statement, filter: EffectFilter): EffectLine[] {
  return [...runs.values()]
    .filter(({ run }) => run.tenant === filter.tenant)
    .flatMap(linesOf)
    .filter((line) => isAsked(filter, line))
    .sort(compare)
    .slice(0, filter.limit);
}
