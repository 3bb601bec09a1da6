import type { RunId } from '../../model/ids.ts';
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
  #mine: RunId | null = null;
  #commits = 0;
  #sends = 0;

  /**
   * @param blind actions that cannot be asked what happened.
   * @param nowMs the database's time.
   */
  constructor(boundary: Boundary | null, blind: ReadonlySet<string>, nowMs: () => number) {
    super(null);
    this.#nowMs = nowMs;
    this.#boundary = boundary;
    this.#blind = blind;
  }

  override watch(run: RunId): void {
    this.#mine = run;
  }

  override callFate({ run, effect }: Pick<SendOrder, 'run' | 'effect'>): CallFate {
    return this.#sent(run.runId, labelOf(effect));
  }

  override readFate({ run, step, contract }: Pick<ReadOrder, 'run' | 'step' | 'contract'>): CallFate {
    if (run.runId === this.#mine) this.reads.set(contract.name, (this.reads.get(contract.name) ?? 0) + 1);
    return this.#sent(run.runId, step);
  }

  /** The words of a script are for all calls: a provider does not know of runs. */
  override isScripted(): boolean {
    return true;
  }

  override canAsk({ contract }: Pick<QueryOrder, 'contract'>): boolean {
    return !this.#blind.has(contract.name);
  }

  override commitFate(commits: readonly RunCommit[]): CommitFate | null {
    const own = commits.find(({ runId }) => runId === this.#mine);
    if (own === undefined) return null;
    this.#commits += 1;
    this.#noteWaits(own);
    const words = `${wordsOf(own)} was stored`;
    this.#note('unstored', this.#commits, `before ${words}`);
    this.#note('stored', this.#commits, `after ${words}`);
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

  #sent(run: RunId, label: string): CallFate {
    if (run !== this.#mine) return WHOLE;
    this.#sends += 1;
    this.#note('sent', this.#sends, `after ${label} was sent`);
    return this.#diesAt('sent', this.#sends) ? DIES : WHOLE;
  }

  #note(kind: Boundary['kind'], no: number, words: string): void {
    this.boundaries.push({ kind, no, words });
  }

  #diesAt(kind: Boundary['kind'], no: number): boolean {
    const at = this.#boundary;
    return at !== null && at.kind === kind && no >= at.no && no < at.no + DEATHS;
  }
}
