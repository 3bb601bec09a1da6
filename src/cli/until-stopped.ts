import type { CliContext } from './cli-context.ts';
import { EXIT } from './exit-codes.ts';

/**
 * Waits for work that is nowhere but in the memory of this process. When the process is told to end, the work is given up at
 * once and the command ends with 130 or 143, by the signal.
 * @returns null when it was given up.
 */
export async function untilStopped<T>(context: CliContext, work: () => Promise<T>): Promise<T | null> {
  const { stopped } = context.host;
  const givenUp = new Promise<null>((resolve) => {
    if (stopped.aborted) resolve(null);
    else stopped.addEventListener('abort', () => resolve(null), { once: true });
  });
  const done = await Promise.race([givenUp, work()]);
  if (!stopped.aborted) return done;
  context.exit = stopped.reason === 'SIGTERM' ? EXIT.terminated : EXIT.interrupted;
  context.say('interrupted: what was not played says nothing');
  return null;
}
