import { setTimeout as wait } from 'node:timers/promises';

/** Least time between two sendings of a process, milliseconds (5-storage 2.5: a lone hint leaves at once). */
const PACE_MS = 10;

/** Sends hints of this process, those that come close together as one. */
export interface HintSender {
  /** Something in this part can be taken by another process. */
  tell(part: number): void;
  /** Sends what was told, and ends. */
  close(): Promise<void>;
}

/**
 * @param send one sending for all these parts; when it fails nobody is told, and everybody finds out by looking.
 */
export function createHintSender(send: (parts: readonly number[]) => Promise<unknown>): HintSender {
  const told = new Set<number>();
  const closing = new AbortController();
  let sending: Promise<void> | null = null;

  const sendAll = async (): Promise<void> => {
    while (told.size > 0) {
      const parts = [...told];
      told.clear();
      await send(parts).catch(() => undefined);
      await wait(PACE_MS, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
    }
    sending = null;
  };

  return {
    tell: (part) => {
      told.add(part);
      sending ??= sendAll();
    },
    close: async () => {
      closing.abort();
      await sending;
    },
  };
}
