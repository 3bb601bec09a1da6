import type { CliContext } from './cli-context.ts';

/** Turns what a verb does into a commander action: it gets its context, and its errors become words and an exit code. */
export type Bind = <Args extends unknown[]>(
  act: (context: CliContext, ...args: Args) => Promise<void>,
) => (...args: Args) => Promise<void>;
