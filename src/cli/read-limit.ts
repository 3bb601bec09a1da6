import { UsageError } from './report-error.ts';

/** How many lines of a list are asked for. @param max the most that one list may have. @throws UsageError. */
export function readLimit(text: string, max: number): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > max)
    throw new UsageError(`--limit is a whole number from 1 to ${max}`);
  return limit;
}
