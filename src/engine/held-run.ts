import type { Orders } from '../decision/decision.ts';
import type { DecisionInput } from '../decision/decision-input.ts';
import type { InboxEvent } from '../model/inbox-event.ts';
import type { RunIdentity, RunState } from '../model/run.ts';
import type { Desk } from './desk.ts';
import { driveRun, type Hand } from './drive-run.ts';
import { driveStatement, type Statement } from './drive-statement.ts';
import type { Engine } from './engine.ts';
import { observeLate } from './observe-late.ts';
import { queryEffect } from './query-effect.ts';
import { readAction } from './read-action.ts';
import { sendEffect } from './send-effect.ts';
import type { LoadedVersion } from './version-cache.ts';

/** A run that this process holds: its inputs queue, and whatever it has sent and waits for. */
export interface HeldRun {
  readonly run: RunIdentity;
  /** Resolves once the run is not held here any more. */
  readonly left: Promise<void>;
  /** Resolves once its first inputs are decided and that commit is answered. */
  readonly decided: Promise<void>;
  /** Resolves once a transition of it was committed here, or it left: a suspect is none any more (P06). */
  readonly proven: Promise<void>;
  /** Events found by a drain, with the wake-up seen together with them. Those that are in hand already are left out. */
  drained(events: readonly InboxEvent[], wake: number | null): void;
  /** Has it decided now, so that a holder that winds down can let go. */
  nudge(): void;
  /** Lets go without a word to the store: the lease was lost, or is given back by the next heartbeat (P16). */
  abandon(): void;
  /** Closes the sockets in flight; their attempts settle as unknown, or unsent where no byte was written. */
  abortSends(): void;
  /** Monotonic time since when nothing is in flight and nothing to be decided; null while something is. */
  idleSinceMs(): number | null;
}

/** What a holding begins with: a claim's inputs, or a start's orders. */
export interface HoldingStart {
  readonly version: LoadedVersion;
  readonly state: RunState;
  readonly inputs: readonly DecisionInput[];
  readonly orders: Orders | null;
  /** Monotonic time before those orders were decided. */
  readonly decidedAtMs: number;
}

function addressOf(event: InboxEvent): string {
  return `${event.source} ${event.eventId}`;
}

/** Something that comes once, and those who wait for it. */
interface Moment {
  readonly came: Promise<void>;
  come(): void;
}

function createMoment(): Moment {
  let come: () => void = () => undefined;
  const came = new Promise<void>((resolve) => {
    come = resolve;
  });
  return { came, come };
}

/** The queue, the hands and the exit of one held run. */
class Holding implements HeldRun {
  readonly run: RunIdentity;
  readonly left: Promise<void>;
  readonly decided: Promise<void>;
  readonly proven: Promise<void>;
  private readonly engine: Engine;
  private readonly desk: Desk;
  private readonly version: LoadedVersion;
  private readonly hand: Hand;
  /** Sendings, queries and reads without an answer. */
  private inFlight = 0;
  private readonly sending = new AbortController();
  /** Addresses of the inbox rows that were in hand; a drain finds undecided ones again and again. */
  private readonly seen = new Set<string>();
  private state: RunState;
  private queue: DecisionInput[];
  /** What a paused run leaves undecided until it goes on; looked at again with whatever comes in. */
  private waiting: readonly DecisionInput[] = [];
  /** Statements to be carried out, each in a turn of its own. */
  private readonly statements: Statement[] = [];
  private wakeQueued: number | null = null;
  private wakeInHand: number | null = null;
  private driving = false;
  private gone = false;
  private idleFromMs: number;
  private readonly leaves = createMoment();
  private readonly decides = createMoment();
  private readonly proves = createMoment();

  constructor(engine: Engine, desk: Desk, start: HoldingStart) {
    this.engine = engine;
    this.desk = desk;
    this.version = start.version;
    this.state = start.state;
    this.run = start.state.run;
    this.queue = [...start.inputs];
    this.idleFromMs = engine.clock.monotonicMs();
    this.left = this.leaves.came;
    this.decided = this.decides.came;
    this.proven = this.proves.came;
    this.hand = {
      engine,
      desk,
      version: start.version,
      isBusy: () => this.inFlight > 0 || this.hasWork(),
      wakeSeen: () => this.wakeInHand,
    };
    for (const input of start.inputs) if (input.type === 'inbox') this.seen.add(addressOf(input.event));
  }

  drained(events: readonly InboxEvent[], wake: number | null): void {
    const fresh = events.filter((event) => !this.seen.has(addressOf(event)));
    for (const event of fresh) this.seen.add(addressOf(event));
    const isWoken = fresh.length === 0 && wake !== null && wake !== (this.wakeQueued ?? this.wakeInHand);
    this.wakeQueued = wake ?? this.wakeQueued;
    this.push(isWoken ? [{ type: 'woken' }] : fresh.map((event) => ({ type: 'inbox', event })));
  }

  nudge(): void {
    this.push(this.inFlight === 0 ? [{ type: 'due' }] : []);
  }

  abandon(): void {
    if (this.gone) return;
    this.gone = true;
    this.sending.abort();
    const late = this.queue;
    this.queue = [];
    this.desk.left(this.run.runId);
    this.decides.come();
    this.proves.come();
    this.leaves.come();
    void observeLate(this.engine, this.state, late);
  }

  abortSends(): void {
    this.sending.abort();
  }

  idleSinceMs(): number | null {
    return this.inFlight === 0 && !this.hasWork() && !this.driving ? this.idleFromMs : null;
  }

  /** Decides one queue after another until there is nothing to decide or the run has left. */
  async drive(): Promise<void> {
    if (this.driving || this.gone) return;
    this.driving = true;
    try {
      while (this.hasWork() && !this.gone) {
        await this.turn();
        this.decides.come();
      }
    } catch (error) {
      this.drop(error);
    } finally {
      this.driving = false;
      this.idleFromMs = this.engine.clock.monotonicMs();
    }
  }

  /** Sends, asks and reads; only ever called with orders whose commit was applied (P01, E03). */
  dispatch(orders: Orders, decidedAtMs: number): void {
    const { engine, version, desk } = this;
    const touch = {
      engine,
      version,
      data: this.state.snapshot.data,
      outlet: desk.outlet,
      signal: this.sending.signal,
      nowMs: () => desk.nowMs(),
    };
    for (const order of orders.sends) {
      if (desk.perform !== undefined && order.contract.transport.kind === 'sql')
        this.statements.push({ order, touch, perform: desk.perform });
      else void this.follow(sendEffect(touch, order, desk.gateFor(decidedAtMs)));
    }
    for (const order of orders.queries) void this.follow(queryEffect(touch, order));
    for (const order of orders.reads) void this.follow(readAction(touch, order));
    void this.drive();
  }

  /** A fault of ours: whoever claims the run next finds what was sent in doubt, and asks before acting. */
  private drop(error: unknown): null {
    this.engine.logger.error({ runId: this.run.runId, message: String(error) }, 'run.dropped');
    this.abandon();
    return null;
  }

  private hasWork(): boolean {
    return this.queue.length > 0 || this.statements.length > 0;
  }

  private push(inputs: readonly DecisionInput[]): void {
    this.queue.push(...inputs);
    void this.drive();
  }

  /** One order's outcome becomes an input, or an observation when the run has left meanwhile (E08). */
  private async follow(outcome: Promise<DecisionInput>): Promise<void> {
    this.inFlight += 1;
    const input = await outcome.catch((error: unknown) => this.drop(error));
    this.inFlight -= 1;
    if (input === null) return;
    if (this.gone) await observeLate(this.engine, this.state, [input]);
    else this.push([input]);
  }

  private async turn(): Promise<void> {
    const inputs = this.queue;
    this.queue = [];
    const waiting = inputs.length === 0 ? [] : this.waiting;
    this.wakeInHand = this.wakeQueued ?? this.wakeInHand;
    this.wakeQueued = null;
    // What has come in goes first: a statement may take long.
    const statement = inputs.length === 0 ? this.statements.shift() : undefined;
    const driven =
      statement === undefined
        ? await driveRun(this.hand, this.state, [...waiting, ...inputs])
        : await driveStatement(this.hand, this.state, statement);
    if (driven.kind === 'left') {
      this.abandon();
      return;
    }
    if (driven.state.revision > this.state.revision) this.proves.come();
    this.state = driven.state;
    if (this.gone) return;
    this.dispatch(driven.orders, driven.decidedAtMs);
    if (!driven.more) {
      if (statement === undefined) this.waiting = driven.rest;
      return;
    }
    this.waiting = [];
    const next = [...driven.rest, ...this.queue];
    this.queue = next.length === 0 ? [{ type: 'due' }] : next;
  }
}

/**
 * Holds a run until it can be released: decisions one at a time, each with everything that has come in meanwhile;
 * sendings, queries and reads beside them, only after the commit that asked for them was applied (P01).
 */
export function holdRun(engine: Engine, desk: Desk, start: HoldingStart): HeldRun {
  const holding = new Holding(engine, desk, start);
  if (start.orders !== null) holding.dispatch(start.orders, start.decidedAtMs);
  void holding.drive();
  return holding;
}
