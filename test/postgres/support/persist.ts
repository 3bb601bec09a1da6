import { setTimeout as pass } from 'node:timers/promises';
import { PawlError } from '../../../src/model/errors.ts';

const AGAIN_MS = 100;

/** Asks again for as long as the answer is "later": as a client does whose work is not to be lost. @throws what is refused for good. */
export async function persist<T>(act: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof PawlError) || error.retry === 'never') throw error;
    }
    await pass(AGAIN_MS);
  }
}
