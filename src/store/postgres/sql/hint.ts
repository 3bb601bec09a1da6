import type { Statement } from './statement.ts';

/** The channel of all hints of a database. */
export const HINT_CHANNEL = 'pawl_hint';

/**
 * HINT: tells all listeners that something in these parts, `$1`, can be taken. Never in a statement that writes:
 * NOTIFY makes commits queue behind one lock (5-storage 2.5: 4,144 -> 1,691 commits/s). A hint may be lost in a crash,
 * so its commit waits for no disk. No table; one row per part.
 */
export const HINT: Statement = {
  name: 'hint',
  hot: false,
  writes: false,
  text: `SELECT set_config('synchronous_commit', 'off', true), pg_notify('${HINT_CHANNEL}', p.part::text)
FROM unnest($1::smallint[]) AS p(part)`,
};
