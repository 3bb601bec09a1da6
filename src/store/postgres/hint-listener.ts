import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Hearing } from '../../ports/store.ts';
import { dial, type DialOptions } from './dial.ts';
import { HINT_CHANNEL } from './sql/hint.ts';

const RETRY_MS_MIN = 100;
const RETRY_MS_MAX = 10_000;
const PART = /^\d+$/;

/**
 * Listens for hints on a connection of its own, which is dialled again with a growing pause whenever it breaks. Each
 * connection first tells itself something: behind a pooler LISTEN succeeds and nothing ever comes, and only what came
 * through shows that the next hint will. Then every part is reported once, for what was said while nobody listened.
 */
export function openHintListener(options: DialOptions, parts: number, heard: (part: number) => void): Hearing {
  const ending = new AbortController();
  let hears = false;

  /** One connection's life. @returns whether it heard anything. */
  const listenOnce = async (): Promise<boolean> => {
    const { client, connect, hangUp: goodBye } = dial(options);
    const token = randomUUID();
    const hangUp = (): void => void goodBye();
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    client.on('notification', ({ payload = '' }) => {
      if (PART.test(payload)) heard(Number(payload));
      if (payload !== token) return;
      hears = true;
      for (let part = 0; part < parts; part += 1) heard(part);
    });
    ending.signal.addEventListener('abort', hangUp, { once: true });
    try {
      await connect();
      await client.query(`LISTEN ${HINT_CHANNEL}`);
      await client.query('SELECT pg_notify($1, $2)', [HINT_CHANNEL, token]);
      await ended;
    } catch {
      hangUp();
    }
    ending.signal.removeEventListener('abort', hangUp);
    const heardAny = hears;
    hears = false;
    return heardAny;
  };

  const listen = async (): Promise<void> => {
    for (let pauseMs = RETRY_MS_MIN; !ending.signal.aborted; pauseMs = Math.min(pauseMs * 2, RETRY_MS_MAX)) {
      if (await listenOnce()) pauseMs = RETRY_MS_MIN;
      await wait(pauseMs, undefined, { signal: ending.signal, ref: false }).catch(() => undefined);
    }
  };

  const running = listen();
  return {
    hears: () => hears,
    end: async () => {
      ending.abort();
      await running;
    },
  };
}
