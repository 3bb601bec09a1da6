import type { Hearing, Store } from '../../ports/store.ts';
import type { Connections } from './connections.ts';
import type { DialOptions } from './dial.ts';
import { openHintListener } from './hint-listener.ts';
import { createHintSender } from './hint-sender.ts';
import { type HintedVerbs, withHints } from './hinted-verbs.ts';
import { HINT } from './sql/hint.ts';

/** The hints of one store. */
export interface Hints {
  readonly listen: Store['listen'];
  /** The same verbs, telling others where they have something to do. */
  over(verbs: HintedVerbs): HintedVerbs;
  /** Sends what is told, ends all listening. */
  close(): Promise<void>;
}

/** A store without hints: everybody finds out by looking. */
export const NO_HINTS: Hints = {
  listen: () => Promise.resolve({ hears: () => false, end: () => Promise.resolve() }),
  over: (verbs) => verbs,
  close: () => Promise.resolve(),
};

/**
 * Hints over LISTEN and NOTIFY. They are sent as statements of their own on the readers' connection.
 * @param dial where to listen, an address without a pooler on the way.
 */
export function openHints(connections: Connections, dial: DialOptions, parts: number): Hints {
  const sender = createHintSender((told) => connections.run(HINT, [told]));
  const open: Hearing[] = [];
  return {
    listen: (heard) => {
      const hearing = openHintListener(dial, parts, heard);
      open.push(hearing);
      return Promise.resolve(hearing);
    },
    over: (verbs) => withHints(verbs, sender.tell),
    close: async () => {
      await sender.close();
      await Promise.all(open.map((hearing) => hearing.end()));
    },
  };
}
