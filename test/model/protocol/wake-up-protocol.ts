import type { Emit, Goal, Model } from './explore.ts';

/** How wake-ups are written, deleted and swept; the defaults are rules P03, P16 and W01 to W03. */
export interface WakeUpRules {
  /** P16: a process gives back what lies in its name and is not in its hands. */
  readonly disowns: boolean;
  /** W03 broken: a release deletes the wake-up whatever it saw. */
  readonly releaseDeletesAny: boolean;
  /** W03 broken: a drain or release deletes the wake-up whatever it saw. */
  readonly drainDeletesAny: boolean;
  /** W01 broken: a delivery leaves a wake-up that exists alone, and so does not lock it. */
  readonly doNothing: boolean;
  /** P03 broken: the sweep starts from the rows of workers, which are deleted when they are old, not from the leases. */
  readonly sweepsFromWorkers: boolean;
  /** P03: a claim needs its own living seat. */
  readonly claimNeedsSeat: boolean;
}

/** The rules, with what a variant changes. */
export function wakeUpRulesOf(changes: Partial<WakeUpRules>): WakeUpRules {
  return {
    disowns: true,
    releaseDeletesAny: false,
    drainDeletesAny: false,
    doNothing: false,
    sweepsFromWorkers: false,
    claimNeedsSeat: true,
    ...changes,
  };
}

/** Faults that may happen in one history. */
const FAULTS_MAX = 3;
/** Events that are delivered. */
const EVENTS = 2;
/** Wake-up counters stop here; no history raises one so often that it matters. */
const WAKES_MAX = 4;

/** Fields of a state. All are 0 at first, so what is true at first is told by its opposite. */
const AT = {
  delivered: 0,
  consumed: 1,
  wake: 2,
  owner: 3,
  faults: 4,
  delivering: 5,
  worker: 6,
} as const;
/** Fields of a worker; `seen` is the events it has read, `sawWake` the wake-up it then saw, both one higher than the number. */
const OF = { isDead: 0, isUnseated: 1, isUnlisted: 2, hand: 3, seen: 4, sawWake: 5 } as const;
const WORKER_SIZE = 6;
const WORKERS = [0, 1] as const;
/** What a worker has in its hands: nothing, the run with the fence in force, the run with an older fence. */
const HAND = { empty: 0, current: 1, fenced: 2 } as const;
/** A delivery under way: its row is new, it saw a wake-up and locked nothing, it has locked the wake-up. */
const DELIVERING = { no: 0, withNew: 1, unlocked: 2, locked: 3 } as const;
const BITS_OF_WORKER = [1, 1, 1, 2, 2, 3];
/** A wake-up that could not be read since a delivery has it locked; equal to no counter. */
const UNREADABLE = 7;

/**
 * One run, two events that are delivered to it, two workers of which the second never fails. Statements are atomic, a
 * delivery is two (rows written, then committed). A fence is only whether a holder's is the one in force: what was
 * counted in `wakeups.mjs` has an end here, for every variant.
 */
export class WakeUpProtocol implements Model {
  readonly bits = [2, 2, 3, 2, 2, 2, ...BITS_OF_WORKER, ...BITS_OF_WORKER];
  readonly invariants: readonly string[] = [];
  readonly goals: readonly Goal[] = [
    {
      name: 'stuck',
      isReached: (state) => state[AT.delivered] === EVENTS && state[AT.consumed] === EVENTS,
    },
  ];
  readonly #rules: WakeUpRules;
  readonly #next = new Uint8Array(this.bits.length);
  #emit: Emit = () => {};

  constructor(rules: WakeUpRules) {
    this.#rules = rules;
  }

  readonly violations = (): number => 0;

  readonly expand = (state: Uint8Array, emit: Emit): void => {
    this.#emit = emit;
    this.#deliver(state);
    for (const worker of WORKERS) {
      const at = AT.worker + worker * WORKER_SIZE;
      const owns = state[AT.owner] === worker + 1;
      const hand = state[at + OF.hand];
      this.#claim(state, at, worker);
      if (hand === HAND.fenced || (hand === HAND.current && !owns)) this.#forget(state, at, 'a fenced worker stops');
      else if (hand === HAND.current) this.#drain(state, at, worker);
      if (owns) this.#giveBack(state, at);
      this.#ageSeat(state, at, owns);
    }
    this.#fail(state);
  };

  #copy(state: Uint8Array): Uint8Array {
    this.#next.set(state);
    return this.#next;
  }

  #fault(state: Uint8Array, change: (next: Uint8Array) => void, label: string): void {
    if (Number(state[AT.faults]) >= FAULTS_MAX) return;
    const next = this.#copy(state);
    change(next);
    next[AT.faults] = Number(next[AT.faults]) + 1;
    this.#emit(next, label, 'fault');
  }

  #deliver(state: Uint8Array): void {
    const next = this.#copy(state);
    if (state[AT.delivering] !== DELIVERING.no) {
      next[AT.delivered] = Number(next[AT.delivered]) + 1;
      if (state[AT.delivering] !== DELIVERING.unlocked) wake(next);
      next[AT.delivering] = DELIVERING.no;
      this.#emit(next, 'a delivery commits');
    } else if (Number(state[AT.delivered]) < EVENTS) {
      const ofKnown = this.#rules.doNothing ? DELIVERING.unlocked : DELIVERING.locked;
      next[AT.delivering] = state[AT.wake] === 0 ? DELIVERING.withNew : ofKnown;
      this.#emit(next, 'a delivery writes its rows');
    }
  }

  #claim(state: Uint8Array, at: number, worker: number): void {
    const isFree = state[AT.owner] === 0 && state[AT.wake] !== 0 && state[AT.delivering] !== DELIVERING.locked;
    const isSeated = !this.#rules.claimNeedsSeat || state[at + OF.isUnseated] === 0;
    if (!isFree || !isSeated || state[at + OF.isDead] === 1 || state[at + OF.hand] !== HAND.empty) return;
    const claim = (next: Uint8Array): void => {
      next[AT.wake] = 0;
      next[AT.owner] = worker + 1;
      fence(next);
    };
    const next = this.#copy(state);
    claim(next);
    next[at + OF.hand] = HAND.current;
    this.#emit(next, `worker ${worker} claims`);
    if (worker === 0) this.#fault(state, claim, 'worker 0 claims, the answer is lost');
  }

  #forget(state: Uint8Array, at: number, label: string): void {
    const next = this.#copy(state);
    empty(next, at);
    this.#emit(next, label);
  }

  #drain(state: Uint8Array, at: number, worker: number): void {
    const read = this.#copy(state);
    read[at + OF.seen] = Number(state[AT.delivered]) + 1;
    read[at + OF.sawWake] = state[AT.delivering] === DELIVERING.locked ? UNREADABLE : Number(state[AT.wake]);
    this.#emit(read, `worker ${worker} reads the inbox`);
    const deletesAny = this.#rules.releaseDeletesAny || this.#rules.drainDeletesAny;
    const mustWait = state[AT.delivering] === DELIVERING.locked && deletesAny;
    if (state[at + OF.seen] !== 0 && !mustWait)
      for (const releases of [false, true]) this.#commit(state, at, worker, releases);
    if (worker === 0) this.#fault(state, (next) => empty(next, at), 'worker 0 forgets the run');
  }

  #commit(state: Uint8Array, at: number, worker: number, releases: boolean): void {
    const { drainDeletesAny, releaseDeletesAny } = this.#rules;
    const change = (next: Uint8Array): void => {
      next[AT.consumed] = Math.max(Number(next[AT.consumed]), Number(state[at + OF.seen]) - 1);
      const named = state[AT.wake] === state[at + OF.sawWake];
      if (named || drainDeletesAny || (releases && releaseDeletesAny)) next[AT.wake] = 0;
      if (releases) {
        next[AT.owner] = 0;
        empty(next, at);
      } else {
        next[at + OF.seen] = 0;
      }
    };
    const next = this.#copy(state);
    change(next);
    const label = `worker ${worker} commits${releases ? ' and releases' : ''}`;
    this.#emit(next, label);
    if (worker !== 0) return;
    const lose = (lost: Uint8Array): void => {
      change(lost);
      empty(lost, at);
    };
    this.#fault(state, lose, `${label}, the answer is lost`);
  }

  /** Disowned by a living process, or swept from a dead one. */
  #giveBack(state: Uint8Array, at: number): void {
    const isSeated = state[at + OF.isUnseated] === 0;
    const isIdle = state[at + OF.isDead] === 0 && state[at + OF.hand] === HAND.empty;
    const disowns = this.#rules.disowns && isSeated && isIdle;
    const isSwept = !isSeated && (!this.#rules.sweepsFromWorkers || state[at + OF.isUnlisted] === 0);
    if (!disowns && !isSwept) return;
    const next = this.#copy(state);
    next[AT.owner] = 0;
    fence(next);
    wake(next);
    this.#emit(next, disowns ? 'disowned' : 'swept');
  }

  #ageSeat(state: Uint8Array, at: number, owns: boolean): void {
    const isUnseated = state[at + OF.isUnseated] === 1;
    if (state[at + OF.isDead] === 1 && !isUnseated)
      this.#set(state, at + OF.isUnseated, 'the seat of the dead expires');
    const mayUnlist = this.#rules.sweepsFromWorkers && isUnseated && state[at + OF.isUnlisted] === 0 && !owns;
    if (mayUnlist) this.#set(state, at + OF.isUnlisted, 'an old row of a worker is deleted');
  }

  #set(state: Uint8Array, field: number, label: string): void {
    const next = this.#copy(state);
    next[field] = 1;
    this.#emit(next, label);
  }

  /** The first worker dies, or is paused past its lease and wakes later. */
  #fail(state: Uint8Array): void {
    const at = AT.worker;
    if (state[at + OF.isDead] === 1) return;
    const die = (next: Uint8Array): void => {
      next[at + OF.isDead] = 1;
      empty(next, at);
    };
    this.#fault(state, die, 'worker 0 dies');
    const lapse = (next: Uint8Array): void => {
      next[at + OF.isUnseated] = 1;
    };
    if (state[at + OF.isUnseated] === 0) this.#fault(state, lapse, 'worker 0 is paused past its lease');
  }
}

function wake(next: Uint8Array): void {
  next[AT.wake] = Math.min(Number(next[AT.wake]) + 1, WAKES_MAX);
}

/** A higher fence: what any worker holds is now of an older one. */
function fence(next: Uint8Array): void {
  for (const worker of WORKERS) {
    const at = AT.worker + worker * WORKER_SIZE + OF.hand;
    if (next[at] === HAND.current) next[at] = HAND.fenced;
  }
}

function empty(next: Uint8Array, at: number): void {
  next[at + OF.hand] = HAND.empty;
  next[at + OF.seen] = 0;
  next[at + OF.sawWake] = 0;
}
