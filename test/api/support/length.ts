const IS_WHOLE = process.env['PAWL_LONG_API'] === '1';

/**
 * How often, or how many: `full` by `PAWL_LONG_API=1 npx vitest run test/api test/cases/api.test.ts`, else `short`, which is what a
 * landing plays.
 */
export function atLength(full: number, short: number): number {
  return IS_WHOLE ? full : short;
}
