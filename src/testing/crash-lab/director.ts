import { authorOf } from '../../machine/lane-steps.ts';
import type { RunId } from '../../model/ids.ts';
import type { QueryOrder, ReadOrder, SendOrder } from '../../model/order.ts';
import type { EffectChange, RunCommit } from '../../model/run-commit.ts';
import { labelOf } from './lab.ts';
import type { ComparedField } from './literals.ts';
import { type CallFate, type CommitFate, type Trouble, WHOLE } from './trouble.ts';

/** How lookups fail, one after the other. */
const FAILURES = [500, 503, 401, 429];

/** Says when which part of the trouble comes; each part as often as it is asked for. */
export class Director {
  readonly trouble: Trouble | null;
  #calls = 0;
  #commits = 0;
  #claims = 0;
  #lookups = 0;
  #run: RunId | null = null;

  constructor(trouble: Trouble | null) {
    this.trouble = trouble;
  }

  /** From now on that run is the one in trouble. */
  watch(run: RunId): void {
    this.#run = run;
  }

  /** Whether the words of a script are for the calls of that run. */
  isScripted(run: RunId): boolean {
    return run === this.#run;
  }

  /** What becomes of a call. */
  callFate({ run, effect }: Pick<SendOrder, 'run' | 'effect'>): CallFate {
    const { trouble } = this;
    if (trouble === null || !this.#isMeant(run.runId, labelOf(effect))) return WHOLE;
    this.#calls += 1;
    return trouble.calls[this.#calls - 1] ?? WHOLE;
  }

  /** What becomes of the asking of a read; reads are called by their step. */
  readFate({ run, step }: Pick<ReadOrder, 'run' | 'step' | 'contract'>): CallFate {
    if (this.trouble === null || !this.#isMeant(run.runId, authorOf(step))) return WHOLE;
    this.#calls += 1;
    return this.trouble.calls[this.#calls - 1] ?? WHOLE;
  }

  /** What the row of an effect says before it is done; null = it has none, or is not the one in trouble. */
  rowOf({ run, effect }: Pick<SendOrder, 'run' | 'effect'>): ComparedField | null {
    return this.#isMeant(run.runId, labelOf(effect)) ? (this.trouble?.row ?? null) : null;
  }

  /** Whether a provider can be asked at all what happened. */
  canAsk(_order: Pick<QueryOrder, 'contract'>): boolean {
    return true;
  }

  /** How a question about an effect fails; null = it is heard. */
  failedLookup({ run, effect }: Pick<QueryOrder, 'run' | 'effect'>): number | null {
    if (!this.#isMeant(run.runId, labelOf(effect)) || this.#lookups >= (this.trouble?.failedLookups ?? 0)) return null;
    this.#lookups += 1;
    return FAILURES[this.#lookups % FAILURES.length] ?? null;
  }

  /** The status with which a repeat is refused; null = it is answered. */
  repeatStatus({ run, effect }: Pick<SendOrder, 'run' | 'effect'>): number | null {
    return this.#isMeant(run.runId, labelOf(effect)) ? (this.trouble?.repeatStatus ?? null) : null;
  }

  /** Whether the worker dies at these commits; null = it does not. */
  commitFate(commits: readonly RunCommit[]): CommitFate | null {
    const { trouble } = this;
    const fate = trouble?.commit ?? null;
    if (trouble === null || fate === null || this.#commits >= trouble.times) return null;
    const isMeant = commits.some((commit) => commit.runId === this.#run && isOf(commit, fate.of, trouble.target));
    if (!isMeant) return null;
    this.#commits += 1;
    return fate;
  }

  /** Whether the worker dies over a claim: only a successor does. */
  claimDies(runs: readonly RunId[]): boolean {
    const { trouble } = this;
    const hasDied = this.#commits > 0 || this.#calls > 0;
    if (trouble?.claimDies !== true || !hasDied || this.#claims > 0 || !runs.some((run) => run === this.#run))
      return false;
    this.#claims += 1;
    return true;
  }

  #isMeant(run: RunId, label: string): boolean {
    return run === this.#run && label === this.trouble?.target;
  }
}

function isOf(commit: RunCommit, of: CommitFate['of'], target: string | null): boolean {
  if (of === 'decision') {
    const events = commit.inbox.filter(({ source, outcome }) => source.startsWith('signal:') && outcome === 'applied');
    return commit.votes.length > 0 || events.length > 0;
  }
  const meant = commit.effects.filter(({ effect }) => labelOf(effect) === target);
  return meant.some(of === 'intent' ? isIntent : isSettling);
}

function isIntent({ effect }: EffectChange): boolean {
  return effect.state === 'REQUESTED';
}

/** What was sent has been heard of, whatever that was. */
function isSettling({ expect, effect }: EffectChange): boolean {
  return expect?.state === 'REQUESTED' && effect.state !== 'REQUESTED';
}
