import type { Random } from '../random.ts';

/** Somebody whose events can be held up or dropped: a simulated process. */
export interface Owner {
  /** A dead owner's events never happen. */
  isAlive(): boolean;
  /** World time until which nothing of it runs, milliseconds; 0 = it is awake. */
  pausedUntilMs(): number;
}

/** Takes a scheduled event back; nothing happens when it is over already. */
export type Cancel = () => void;

/** A world of its own time: everything in it happens one after the other, in an order that the seed decides. */
export interface World {
  readonly random: Random;
  /** True time since the world began, milliseconds. Clocks of processes and of the database are views of it. */
  nowMs(): number;
  /**
   * Has something happen later.
   * @param owner whose death drops it and whose pause delays it; null = nobody's: the network, a database, a provider.
   */
  after(delayMs: number, owner: Owner | null, act: () => void): Cancel;
  /** Lets time pass until the condition holds or `untilMs` is reached. @returns whether it holds. */
  run(condition: () => boolean, untilMs: number): Promise<boolean>;
  /** Events that have happened so far. */
  events(): number;
}

interface Scheduled {
  atMs: number;
  /** Events of one instant happen in the order of their scheduling. */
  readonly no: number;
  readonly owner: Owner | null;
  act: (() => void) | null;
}

function isBefore(left: Scheduled, right: Scheduled): boolean {
  return left.atMs < right.atMs || (left.atMs === right.atMs && left.no < right.no);
}

/** A binary heap by time. */
class Agenda {
  readonly #heap: Scheduled[] = [];

  add(item: Scheduled): void {
    let at = this.#heap.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#swapIf(at, parent)) return;
      at = parent;
    }
  }

  first(): Scheduled | undefined {
    return this.#heap[0];
  }

  take(): Scheduled | undefined {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (first !== undefined && last !== undefined && first !== last) {
      this.#heap[0] = last;
      this.#sink();
    }
    return first;
  }

  #sink(): void {
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      const child = this.#isBeforeAt(left + 1, left) ? left + 1 : left;
      if (!this.#swapIf(child, at)) return;
      at = child;
    }
  }

  #isBeforeAt(one: number, other: number): boolean {
    const [left, right] = [this.#heap[one], this.#heap[other]];
    return left !== undefined && right !== undefined && isBefore(left, right);
  }

  /** Exchanges a child with its parent if it comes first. */
  #swapIf(child: number, parent: number): boolean {
    const [below, above] = [this.#heap[child], this.#heap[parent]];
    if (below === undefined || above === undefined || !isBefore(below, above)) return false;
    this.#heap[child] = above;
    this.#heap[parent] = below;
    return true;
  }
}

/** Turns that are asked for at once: asking for one by one costs a look at all sockets each time. */
const TURNS = 64;

/** Does something once per turn as long as it answers true: between two turns all promises are worked off. */
function inTurns(act: () => boolean, failed: (error: unknown) => void): void {
  let isOver = false;
  const turn = (): void => {
    if (isOver) return;
    try {
      isOver = !act();
    } catch (error) {
      isOver = true;
      failed(error);
    }
  };
  const round = (): void => {
    for (let no = 0; no < TURNS; no += 1) setImmediate(turn);
    setImmediate(() => {
      if (!isOver) round();
    });
  };
  setImmediate(round);
}

/**
 * Makes a world. Time passes only in `run`, by jumps from one event to the next; after each event every promise that it
 * settled is worked off, so that the same seed gives the same order of everything.
 */
export function createWorld(random: Random): World {
  const agenda = new Agenda();
  let nowMs = 0;
  let scheduled = 0;
  let happened = 0;

  /** Does the first event, or puts it off while its owner is paused. @returns whether something happened. */
  const step = (next: Scheduled): boolean => {
    const pausedUntilMs = next.owner?.pausedUntilMs() ?? 0;
    if (next.act !== null && pausedUntilMs > next.atMs) {
      // Who wakes up finds everything at once, in any order.
      next.atMs = pausedUntilMs + random.next();
      agenda.add(next);
      return false;
    }
    if (next.act === null || next.owner?.isAlive() === false) return false;
    nowMs = Math.max(nowMs, next.atMs);
    next.act();
    happened += 1;
    return true;
  };

  /** Has the next event happen that nothing puts off or drops. @returns false when there is none until then. */
  const happenNext = (untilMs: number): boolean => {
    for (;;) {
      const next = agenda.first();
      if (next === undefined || next.atMs > untilMs) return false;
      agenda.take();
      if (step(next)) return true;
    }
  };

  return {
    random,
    nowMs: () => nowMs,
    events: () => happened,
    after: (delayMs, owner, act) => {
      const item: Scheduled = { atMs: nowMs + Math.max(0, delayMs), no: scheduled, owner, act };
      scheduled += 1;
      agenda.add(item);
      return () => {
        item.act = null;
      };
    },
    run: (condition, untilMs) =>
      new Promise((resolve, reject) => {
        /** @returns whether there is anything left to be done. */
        const goOn = (): boolean => {
          if (condition()) resolve(true);
          else if (happenNext(untilMs)) return true;
          else {
            nowMs = Math.max(nowMs, untilMs);
            resolve(condition());
          }
          return false;
        };
        inTurns(goOn, reject);
      }),
  };
}
