import type { Clock } from '../ports/clock.ts';

/** Most members of one batch; beyond it a statement costs more than it saves. */
const BATCH_ITEMS_MAX = 200;
/** Most batches of one part on their way at a time. */
const BATCHES_MAX = 2;
/** A second batch leaves beside the first only when it is worth a statement of its own. */
const SECOND_BATCH_ITEMS_MIN = 32;

/** Groups whatever is queued while the previous batch travels. */
export interface Batcher<Item, Answer> {
  /** Queues one item. @returns its own answer. @throws what sending its batch threw. */
  submit(item: Item): Promise<Answer>;
  /** How many items are queued or on their way. */
  size(): number;
}

/** How a batcher sends, and which items must never travel beside each other. */
export interface BatcherOptions<Item, Answer> {
  /** One statement; answers in the order of the items. */
  send(items: readonly Item[]): Promise<readonly Answer[]>;
  /** Items of one identity are never on their way together (rule P02c: a run, a start key). */
  identityOf(item: Item): string;
  readonly clock: Clock;
}

interface Entry<Item, Answer> {
  readonly item: Item;
  readonly identity: string;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/**
 * A batcher without a timer: alone, an item leaves in the same turn; under load they travel by the hundred.
 */
export function createBatcher<Item, Answer>(options: BatcherOptions<Item, Answer>): Batcher<Item, Answer> {
  let queue: Entry<Item, Answer>[] = [];
  const travelling = new Set<string>();
  let batches = 0;
  let waitsForTurn = false;

  /** Takes the oldest items that may travel; the order of one identity's items is kept. */
  const take = (): readonly Entry<Item, Answer>[] => {
    const batch: Entry<Item, Answer>[] = [];
    const rest: Entry<Item, Answer>[] = [];
    const blocked = new Set(travelling);
    for (const entry of queue) {
      const mayTravel = batch.length < BATCH_ITEMS_MAX && !blocked.has(entry.identity);
      (mayTravel ? batch : rest).push(entry);
      blocked.add(entry.identity);
    }
    queue = rest;
    return batch;
  };

  const worthLeaving = (): boolean =>
    batches === 0 ? queue.length > 0 : batches < BATCHES_MAX && queue.length >= SECOND_BATCH_ITEMS_MIN;

  const depart = async (batch: readonly Entry<Item, Answer>[]): Promise<void> => {
    batches += 1;
    for (const entry of batch) travelling.add(entry.identity);
    try {
      const answers = await options.send(batch.map((entry) => entry.item));
      batch.forEach((entry, index) => {
        const answer = answers[index];
        if (answer === undefined) entry.reject(new RangeError('a batch was answered for fewer members than it had'));
        else entry.resolve(answer);
      });
    } catch (error) {
      for (const entry of batch) entry.reject(error);
    } finally {
      batches -= 1;
      for (const entry of batch) travelling.delete(entry.identity);
      void leaveSoon();
    }
  };

  /** One turn later, so that everything that is ready now travels together. */
  const leaveSoon = async (): Promise<void> => {
    if (waitsForTurn) return;
    waitsForTurn = true;
    await options.clock.sleep(0);
    waitsForTurn = false;
    while (worthLeaving()) {
      const batch = take();
      if (batch.length === 0) return;
      void depart(batch);
    }
  };

  return {
    submit: (item) =>
      new Promise((resolve, reject) => {
        queue.push({ item, identity: options.identityOf(item), resolve, reject });
        void leaveSoon();
      }),
    size: () => queue.length + travelling.size,
  };
}
