import type { ChangeStore } from '../ports/change-store.ts';

/** How long a change is kept for whoever watches, milliseconds: a day; who comes later looks anew. */
const CHANGES_KEPT_MS = 24 * 60 * 60_000;
/** Changes of one statement, and statements of one call: what is left waits for the next. */
const FORGOTTEN_MAX = 5_000;
const ROUNDS_MAX = 50;

/** Drops the changes of a part that are over. Transaction: one per statement. */
export async function forgetChanges(
  { store }: { readonly store: Pick<ChangeStore, 'forgetChanges'> },
  part: number,
): Promise<void> {
  for (let round = 1; round <= ROUNDS_MAX; round += 1)
    if ((await store.forgetChanges(part, CHANGES_KEPT_MS, FORGOTTEN_MAX)) < FORGOTTEN_MAX) return;
}
