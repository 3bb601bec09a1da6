import { authorOf } from '../../machine/lane-steps.ts';
import type { EffectKey, RunId } from '../../model/ids.ts';
import type { QueryOrder, ReadOrder, SendOrder } from '../../model/order.ts';
import type { RunCommit } from '../../model/run-commit.ts';
import { Director } from '../crash-lab/director.ts';
import { labelOf } from '../crash-lab/lab.ts';
import { type CallFate, type CommitFate, WHOLE } from '../crash-lab/trouble.ts';

/** A moment at which the worker can die: with a call on its way, or before or after its state is stored. */
export interface Boundary {
  readonly kind: 'sent' | 'unstored' | 'stored';
  /** 1 for the first call or commit of the run. */
  readonly no: number;
  /** After `killed`: `after pay was sent`. */
  readonly words: string;
  /** The row of the ledger that it is about, and nothing else: it may come to the same moment again. */
  readonly row: EffectKey | null;
}

/** How long a call of an action waits before it is made again, milliseconds. */
export interface PlannedWait {
  readonly action: string;
  readonly ms: number;
}

/** It dies there, and whoever comes next dies at the next such moment. */
const DEATHS = 2;

const DIES: CallFate = { arrives: 'now', answer: 'none', worker: 'dies' };

/** What a commit changes, in words. */
function wordsOf({ effects, inbox, votes }: RunCommit): string {
  const rows = effects.map(({ effect }) => `${labelOf(effect)} ${effect.state}`);
  const events = inbox.map(({ source }) => `the answer to ${source.replace(/:.*/, '')}`);
  const voted = votes.map(({ vote }) => `the vote of ${vote.principal}`);
  const all = [...new Set([...rows, ...voted, ...events])];
  return all.length === 0 ? 'its state' : all.join(', ');
}

/** What is known of the play. */
interface Played {
  /** Actions that cannot be asked what happened. */
  readonly blind: ReadonlySet<string>;
  /** Whether a run is the one that is played, or one of its children. */
  readonly isOwn: (run: RunId) => boolean;
  /** The database's time. */
  readonly nowMs: () => number;
}

/** Notes every moment at which the worker of a run could die, and has it die at one of them. */
export class ScenarioDirector extends Director {
  readonly boundaries: Boundary[] = [];
  /** Every wait that was planned before a call is made again, in order. */
  readonly waits: PlannedWait[] = [];
  /** By action, how often it was read. */
  readonly reads = new Map<string, number>();
  readonly #nowMs: () => number;
  readonly #boundary: Boundary | null;
  readonly #blind: ReadonlySet<string>;
  readonly #isOwn: (run: RunId) => boolean;
  #commits = 0;
  #sends = 0;

  constructor(boundary: Boundary | null, { blind, isOwn, nowMs }: Played) {
    super(null);
    this.#nowMs = nowMs;
    this.#boundary = boundary;
    this.#blind = blind;
    this.#isOwn = isOwn;
  }

  override callFate({ run, effect }: Pick<SendOrder, 'run' | 'effect'>): CallFate {
    return this.#sent(run.runId, labelOf(effect), effect.key);
  }

  override readFate({ run, step, contract }: Pick<ReadOrder, 'run' | 'step' | 'contract'>): CallFate {
    if (this.#isOwn(run.runId)) this.reads.set(contract.name, (this.reads.get(contract.name) ?? 0) + 1);
    return this.#sent(run.runId, authorOf(step), null);
  }

  /** The words of a script are for all calls: a provider does not know of runs. */
  override isScripted(): boolean {
    return true;
  }

  override canAsk({ contract }: Pick<QueryOrder, 'contract'>): boolean {
    return !this.#blind.has(contract.name);
  }

  override commitFate(commits: readonly RunCommit[]): CommitFate | null {
    const own = commits.find(({ runId }) => this.#isOwn(runId));
    if (own === undefined) return null;
    this.#commits += 1;
    this.#noteWaits(own);
    const words = `${wordsOf(own)} was stored`;
    const [first, ...more] = own.effects;
    const isAlone = more.length + own.inbox.length + own.votes.length === 0;
    const row = isAlone ? (first?.effect.key ?? null) : null;
    this.boundaries.push({ kind: 'unstored', no: this.#commits, words: `before ${words}`, row });
    this.boundaries.push({ kind: 'stored', no: this.#commits, words: `after ${words}`, row });
    if (this.#diesAt('unstored', this.#commits)) return { of: 'settle', isApplied: false };
    return this.#diesAt('stored', this.#commits) ? { of: 'settle', isApplied: true } : null;
  }

  #noteWaits({ effects }: RunCommit): void {
    for (const { expect, effect } of effects) {
      const { state, action, notBeforeMs } = effect;
      if (expect?.state !== 'REQUESTED' || state !== 'AUTHORIZED' || notBeforeMs === null) continue;
      this.waits.push({ action, ms: notBeforeMs - this.#nowMs() });
    }
  }

  #sent(run: RunId, label: string, row: EffectKey | null): CallFate {
    if (!this.#isOwn(run)) return WHOLE;
    this.#sends += 1;
    this.boundaries.push({ kind: 'sent', no: this.#sends, words: `after ${label} was sent`, row });
    return this.#diesAt('sent', this.#sends) ? DIES : WHOLE;
  }

  #diesAt(kind: Boundary['kind'], no: number): boolean {
    const at = this.#boundary;
    return at !== null && at.kind === kind && no >= at.no && no < at.no + DEATHS;
  }
}
