import { randomBytes } from 'node:crypto';
import { link, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreError } from '../../../model/errors.ts';
import type { Clock } from '../../../ports/clock.ts';
import { identify, isSameProcess, type ProcessIdentity } from './process-identity.ts';

const LOCK_FILE = /^lock\.(\d+)$/;
const POLL_MS = 25;

/** The highest generation and who holds it; null holder = given back. */
interface Newest {
  readonly generation: number;
  readonly holder: ProcessIdentity | null;
}

async function newest(dir: string): Promise<Newest> {
  const generations = (await readdir(dir)).map((name) => Number(LOCK_FILE.exec(name)?.[1] ?? 0));
  const generation = Math.max(0, ...generations);
  if (generation === 0) return { generation, holder: null };
  const text = await readFile(join(dir, `lock.${generation}`), 'utf8').catch(() => 'null');
  return { generation, holder: text === '' ? null : (JSON.parse(text) as ProcessIdentity | null) };
}

/** Taking = creating the next generation, which only one can; the file is complete the moment it is there. */
async function takeGeneration(dir: string, generation: number): Promise<boolean> {
  const draft = join(dir, `lock-draft.${randomBytes(6).toString('hex')}`);
  await writeFile(draft, JSON.stringify(await identify(process.pid)));
  try {
    await link(draft, join(dir, `lock.${generation}`));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Takes the exclusive lock of a directory, also from a holder that died. Generations only rise: a dead holder's file
 * is never removed before a newer one is there, so that two heirs cannot both win.
 * @returns the function that gives it back.
 * @throws PAWL_STORE_UNAVAILABLE when a living process keeps it longer than `waitMs`.
 */
export async function takeStartLock(dir: string, clock: Clock, waitMs: number): Promise<() => Promise<void>> {
  const until = clock.monotonicMs() + waitMs;
  for (;;) {
    const { generation, holder } = await newest(dir);
    if (holder === null || !(await isSameProcess(holder))) {
      if (await takeGeneration(dir, generation + 1)) {
        await rm(join(dir, `lock.${generation}`), { force: true });
        return () => writeFile(join(dir, `lock.${generation + 1}`), 'null');
      }
      continue;
    }
    if (clock.monotonicMs() > until) {
      throw new StoreError(
        'PAWL_STORE_UNAVAILABLE',
        `process ${holder.pid} has been starting the database for over ${waitMs} ms`,
        { pid: holder.pid },
      );
    }
    await clock.sleep(POLL_MS);
  }
}
