import { type FSWatcher, statSync, watch } from 'node:fs';
import { dirname } from 'node:path';

/** What tells one state of some files from another. */
export type FileStamps = ReadonlyMap<string, string>;

/** How files stand now: size and time of each, or that it is not there. @param files absolute paths. */
export function stampFiles(files: readonly string[]): FileStamps {
  return new Map(
    files.map((file) => {
      const stats = statSync(file, { throwIfNoEntry: false });
      return [file, stats === undefined ? 'none' : `${stats.size} ${stats.mtimeMs}`];
    }),
  );
}

function isChanged(before: FileStamps): boolean {
  const now = stampFiles([...before.keys()]);
  return [...before].some(([file, stamp]) => now.get(file) !== stamp);
}

/**
 * Waits until one of the files is other than it was. Their folders are watched: editors put a new file in the place of
 * the old one.
 * @returns false when it was stopped before.
 */
export function untilChanged(before: FileStamps, stopped: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const watchers: FSWatcher[] = [];
    const end = (hasChanged: boolean): void => {
      for (const watcher of watchers.splice(0)) watcher.close();
      stopped.removeEventListener('abort', stop);
      resolve(hasChanged);
    };
    const stop = (): void => end(false);
    const look = (): void => {
      if (isChanged(before)) end(true);
    };
    if (stopped.aborted) {
      resolve(false);
      return;
    }
    stopped.addEventListener('abort', stop);
    for (const folder of new Set([...before.keys()].map((file) => dirname(file)))) watchers.push(watch(folder, look));
    // What has changed since the files were read, before anybody watched.
    look();
  });
}
