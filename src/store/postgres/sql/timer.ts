import { msOf, type Statement, TIME } from './statement.ts';

/**
 * FIRE (V06): due timers are deleted and become inbox rows with a wake-up. `$2` how many. Indexes: timer_due_idx,
 * inbox_pk, ready_pk; one row with the count.
 */
export const FIRE: Statement = {
  name: 'fire',
  hot: true,
  writes: true,
  text: `WITH ${TIME},
due AS MATERIALIZED (
  SELECT m.run_id, m.name FROM pawl.timer m
  WHERE m.part = $1 AND m.due_at <= (SELECT now FROM t)
  ORDER BY m.due_at
  LIMIT $2
  FOR UPDATE SKIP LOCKED),
del AS (
  DELETE FROM pawl.timer m
  WHERE m.part = $1 AND m.run_id = ANY (ARRAY(SELECT due.run_id FROM due)) AND ((m.run_id, m.name) IN (SELECT due.run_id, due.name FROM due)) IS TRUE
  RETURNING m.run_id, m.name, m.generation, m.tenant, m.payload, m.payload_hash),
ev AS (
  INSERT INTO pawl.inbox AS b (part, run_id, source, event_id, tenant, payload, payload_hash, received_at, detail, consumed)
  SELECT $1, z.run_id, 'timer', z.name || '#' || z.generation, z.tenant, z.payload, z.payload_hash, t.now, 'null', false
  FROM t CROSS JOIN (SELECT * FROM del ORDER BY del.run_id, del.name) AS z
  ON CONFLICT ON CONSTRAINT inbox_pk DO NOTHING
  RETURNING b.run_id),
y AS (
  INSERT INTO pawl.ready AS r (part, run_id, due_at, wake)
  SELECT $1, z.run_id, t.now, 1 FROM t CROSS JOIN (SELECT DISTINCT ev.run_id FROM ev ORDER BY ev.run_id) AS z
  ON CONFLICT ON CONSTRAINT ready_pk DO UPDATE SET due_at = least(r.due_at, excluded.due_at), wake = r.wake + 1)
SELECT count(*)::integer AS fired FROM del`,
};

/** The earliest due wake-up or timer of a part. Indexes: ready_due_idx, timer_due_idx; one row. */
export const NEXT_DUE: Statement = {
  name: 'next_due',
  hot: true,
  writes: false,
  text: `WITH ${TIME}
SELECT ${msOf(`least(
    (SELECT r.due_at FROM pawl.ready r WHERE r.part = $1 ORDER BY r.due_at LIMIT 1),
    (SELECT m.due_at FROM pawl.timer m WHERE m.part = $1 ORDER BY m.due_at LIMIT 1))`)} AS due_at, ${msOf('t.now')} AS now_ms
FROM t`,
};
