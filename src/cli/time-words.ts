/** A time as people read it, to the second, in UTC and saying so. @param time RFC 3339 UTC. */
export function timeWords(time: string): string {
  return `${time.slice(0, 19).replace('T', ' ')} UTC`;
}

/** How long something took: `210 ms`, `3.1 s`, `4 min 5 s`, `2 h 10 min`, `3 d 4 h`. @param ms milliseconds, not negative. */
export function spanWords(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  if (seconds < 3_600) return both(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  const minutes = Math.round(seconds / 60);
  if (minutes < 1_440) return both(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
  const hours = Math.round(minutes / 60);
  return both(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

function both(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

/** `1 effect`, `2 effects`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
