/**
 * How much of their full length the long failures are played: `PAWL_LONG_FAILURES`, 1 = all of it, 0.1 = a tenth;
 * unless it is set they are not played (`npm run variants -- "long failures"`, `npm run variants -- --short`).
 */
export const LENGTH = Number(process.env['PAWL_LONG_FAILURES'] ?? 0);
