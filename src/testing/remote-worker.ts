import type { Verbs } from '../app/verbs.ts';
import { readRequest } from '../decision/effect-key.ts';
import type { PulledAttempt } from '../engine/pull-attempts.ts';
import { parseHandOut } from '../engine/hand-out-name.ts';
import type { VersionCache } from '../engine/version-cache.ts';
import type { AttemptReport } from '../model/outcome.ts';
import { partOf } from '../model/virtual-shard.ts';
import type { Told } from '../model/told.ts';
import type { ActionAdapter, SendOrder } from '../ports/action-adapter.ts';
import type { Store } from '../ports/store.ts';
import type { Owner, World } from './simulator/world.ts';

/** What a remote worker of a played world is made of. */
export interface RemoteWorkerSetup {
  readonly world: World;
  /** The process that it lives in: it dies and sleeps with it. */
  readonly owner: Owner;
  readonly verbs: Pick<Verbs, 'pullAttempts' | 'settleHandOut'>;
  readonly store: Pick<Store, 'load' | 'parts'>;
  readonly versions: Pick<VersionCache, 'byDigest'>;
  /** The way to the provider: a remote worker stands at the end of it. */
  readonly actions: Pick<ActionAdapter, 'send'>;
  readonly queues: readonly string[];
  readonly leaseMs: number;
  /** The database's time: nothing is begun when the lease is over. */
  nowMs(): number;
  /** How long it keeps what it knows to itself, milliseconds, and how often it says it; left out: at once, and once. */
  readonly habit?: () => { readonly lateMs: number; readonly times: number };
}

/** Attempts that it carries out side by side. */
const HANDS = 20;
/** It looks into its queues this often, milliseconds. */
const LOOK_MS = 200;
/** A word that did not come through is said again after this, milliseconds; so often at most. */
const SAY_AGAIN_MS = 500;
const SAID_MAX = 20;

/** What a provider's status means to it; "not now" of one that keeps no keys may have been a yes (E07). */
function outcomeOf(status: number, keepsKeys: boolean): Told['outcome'] {
  if (status === 202) return 'pending';
  if (status < 300) return 'confirmed';
  if (status === 429 || status === 503) return keepsKeys ? 'unavailable' : 'unknown';
  return status >= 500 || status === 408 ? 'unknown' : 'rejected';
}

/** What it found, as it says it; what it does not know, it says. @param keepsKeys whether its provider knows a key again. */
function toldOf(report: AttemptReport, keepsKeys: boolean): Told {
  const plain = { output: null, code: null, afterMs: null };
  if (report.kind === 'declared') {
    const { outcome, code, afterMs, data } = report;
    return { outcome: outcome === 'absent' ? 'unknown' : outcome, output: data, code, afterMs };
  }
  if (report.kind === 'unsent') return { ...plain, outcome: 'unavailable' };
  if (report.kind === 'broken') return { ...plain, outcome: report.byteWritten ? 'unknown' : 'unavailable' };
  if (report.kind === 'undone' || report.body === undefined) return { ...plain, outcome: 'unknown' };
  return { ...plain, outcome: outcomeOf(report.status ?? 200, keepsKeys), output: report.body };
}

/** A remote worker: it pulls, carries out, and says what became of it, until its process is gone. */
export class RemoteWorker {
  readonly #setup: RemoteWorkerSetup;
  #inHand = 0;

  constructor(setup: RemoteWorkerSetup) {
    this.#setup = setup;
    this.#lookLater();
  }

  /** Whether it has something in hand that it was handed, and lives to tell. */
  isBusy(): boolean {
    return this.#inHand > 0 && this.#setup.owner.isAlive();
  }

  #lookLater(): void {
    const { world, owner } = this.#setup;
    world.after(LOOK_MS, owner, () => void this.#look());
  }

  async #look(): Promise<void> {
    for (const queue of this.#setup.queues) {
      const limit = HANDS - this.#inHand;
      // A database that cannot be reached is asked again at the next look.
      const pulled = limit <= 0 ? [] : await this.#pull(queue, limit).catch(() => []);
      for (const attempt of pulled) void this.#carryOut(attempt);
    }
    this.#lookLater();
  }

  #pull(queue: string, limit: number): Promise<readonly PulledAttempt[]> {
    const { verbs, leaseMs } = this.#setup;
    return verbs.pullAttempts({ queue, limit, leaseMs, waitMs: 0, by: 'remote' });
  }

  async #carryOut(attempt: PulledAttempt): Promise<void> {
    this.#inHand += 1;
    try {
      const order = await this.#orderOf(attempt);
      const gate = (): boolean => this.#setup.nowMs() <= Date.parse(attempt.leaseUntil);
      const report = await this.#setup.actions.send(order, {}, gate, new AbortController().signal);
      const { lateMs, times } = this.#setup.habit?.() ?? { lateMs: 0, times: 1 };
      await this.#pass(lateMs);
      for (let time = 0; time < times; time += 1)
        await this.#say(attempt.handOut, toldOf(report, order.contract.idempotency?.kind !== 'none'));
    } finally {
      this.#inHand -= 1;
    }
  }

  async #orderOf({ key, handOut, request: body }: PulledAttempt): Promise<SendOrder> {
    const { store, versions } = this.#setup;
    const { runId, attempt, fence } = parseHandOut(handOut);
    const { runs } = await store.load(partOf(runId, store.parts), [runId]);
    const effect = runs[0]?.effects.find((row) => row.key === key);
    const version = runs[0] === undefined ? null : await versions.byDigest(runs[0].run.digest);
    if (runs[0] === undefined || effect === undefined || version === null)
      throw new Error(`what was handed out is not stored: ${handOut}`);
    const { run } = runs[0];
    const contract = version.compiled.action(effect.action);
    const request = { ...readRequest(effect), body };
    return { run, effect, request, contract, attempt, fence, timeoutMs: contract.timeoutMs };
  }

  /** Says it until somebody has heard it; whoever comes too late, or says something else, is told so. */
  async #say(handOut: string, told: Told): Promise<void> {
    for (let said = 0; said < SAID_MAX; said += 1) {
      const isHeard = await this.#setup.verbs.settleHandOut({ handOut, ...told, by: 'remote' }).then(
        () => true,
        (error: unknown) => error instanceof Error && Reflect.get(error, 'retry') === 'never',
      );
      if (isHeard) return;
      await this.#pass(SAY_AGAIN_MS);
    }
  }

  #pass(ms: number): Promise<void> {
    if (ms <= 0) return Promise.resolve();
    const { world, owner } = this.#setup;
    return new Promise((resolve) => {
      world.after(ms, owner, resolve);
    });
  }
}
