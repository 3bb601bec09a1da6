import { performance } from 'node:perf_hooks';
import type { ScenarioPlay } from '../testing/scenario/run-tests.ts';
import { type LiveStream, openLiveRegion } from './live-region.ts';

/** How far a call of `pawl test` is, for people. */
export interface TestProgress {
  tell(play: ScenarioPlay): void;
  /** Makes room for what stays. */
  clear(): void;
}

/** A line is drawn again at most this often, milliseconds: a play may take less than one. */
const REDRAW_MS = 100;
/** Where lines stay, one is written this often, milliseconds: whoever waits sees that it goes on. */
const LINE_MS = 10_000;

/** On a terminal one line that is drawn again in place; elsewhere a line every ten seconds, and none for what is done sooner. */
export function openProgress(
  stream: LiveStream,
  files: number,
  nowMs: () => number = () => performance.now(),
): TestProgress {
  const region = openLiveRegion(stream);
  const everyMs = stream.isTTY === true ? REDRAW_MS : LINE_MS;
  let toldAtMs = stream.isTTY === true ? Number.NEGATIVE_INFINITY : nowMs();
  let isDrawn = false;
  return {
    tell: ({ file, no, scenario, played, plays }) => {
      if (nowMs() - toldAtMs < everyMs) return;
      toldAtMs = nowMs();
      isDrawn = true;
      region.draw([`${no} of ${files} ${file}: ${scenario}, ${played} of ${plays} plays`]);
    },
    clear: () => {
      if (!isDrawn) return;
      isDrawn = false;
      region.draw([]);
    },
  };
}
