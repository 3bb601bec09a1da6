import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const HOUR_SECONDS = 3_600;
/** What Debian's library directories are called. */
const LIBRARIES = '/usr/lib';
const NAME = join('faketime', 'libfaketimeMT.so.1');

function findLibrary(): string | null {
  const folders = existsSync(LIBRARIES) ? readdirSync(LIBRARIES) : [];
  const found = ['', ...folders].map((folder) => join(LIBRARIES, folder, NAME)).find((path) => existsSync(path));
  return found ?? null;
}

/** The environment of a process whose wall clock is so many hours ahead; its monotonic clock is untouched. */
function environmentFor(library: string, hours: number): Readonly<Record<string, string>> {
  const seconds = hours * HOUR_SECONDS;
  return {
    LD_PRELOAD: library,
    FAKETIME: `${seconds < 0 ? '' : '+'}${seconds}s`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    NO_FAKE_STAT: '1',
  };
}

/** Shifts the wall clocks of processes. */
export type ShiftClock = (hours: number) => Readonly<Record<string, string>>;

/** @returns how a clock is shifted; null where the library is missing or does not shift the clock of Node. */
export function findFaketime(): ShiftClock | null {
  const library = findLibrary();
  if (library === null) return null;
  const env = { ...environmentFor(library, 1) };
  const { stdout } = spawnSync(process.execPath, ['-p', 'Date.now()'], { env, encoding: 'utf8' });
  const aheadMs = Number(stdout) - Date.now();
  const isShifted = Math.abs(aheadMs - HOUR_SECONDS * 1_000) < 300_000;
  return isShifted ? (hours) => environmentFor(library, hours) : null;
}
