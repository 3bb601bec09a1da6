import { readFile } from 'node:fs/promises';

/** A process, told apart from a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Kernel start time (clock ticks since boot); null where the system does not tell. */
  readonly startedAt: string | null;
}

/** Start time of a process from `/proc`; the 20th field after the command, which may itself hold spaces. */
async function startTimeOf(pid: number): Promise<string | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? null : (fields[19] ?? null);
}

/** Who a process number stands for now. */
export async function identify(pid: number): Promise<ProcessIdentity> {
  return { pid, startedAt: await startTimeOf(pid) };
}

/** Whether there is a process of that number (one of another user counts). */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether the very process still lives. */
export async function isSameProcess(known: ProcessIdentity): Promise<boolean> {
  if (!isAlive(known.pid)) return false;
  return known.startedAt === null || known.startedAt === (await startTimeOf(known.pid));
}
