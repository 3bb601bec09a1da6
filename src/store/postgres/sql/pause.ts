import { SEND_PAUSED } from '../../../model/pause.ts';
import { NOTE_ACT } from './audit.ts';
import { readingOf } from './columns.ts';
import { type Statement, TIME } from './statement.ts';

const PAUSE = {
  tenant: 'text',
  kind: 'text',
  name: 'text',
  pause_id: 'text',
  actor: 'text',
  reason: 'text',
  at: 'time',
} as const;

/** The act of who has begun a pause (`paused`) or ended one, from the rows of `table`. */
function noted(table: string, { actor, reason, paused }: { actor: string; reason: string; paused: boolean }): string {
  const state = (isPaused: boolean): string =>
    `json_build_object('kind', x.kind, 'name', x.name, 'paused', ${String(isPaused)})`;
  return `noted AS (
  ${NOTE_ACT}
  SELECT x.tenant, ${actor}, '${paused ? 'pause.begin' : 'pause.end'}', x.kind || ' ' || x.name, ${reason},
    json_build_object('before', ${state(!paused)}, 'after', ${state(paused)})::text, t.now
  FROM t CROSS JOIN ${table} x)`;
}

/** Wakes the runs of `kept`, in the order in which everybody takes wake-ups. */
const WAKE = `y AS (
  INSERT INTO pawl.ready AS r (part, run_id, due_at, wake)
  SELECT z.part, z.run_id, t.now, 1 FROM t CROSS JOIN (SELECT DISTINCT kept.part, kept.run_id FROM kept ORDER BY kept.part, kept.run_id) AS z
  ON CONFLICT ON CONSTRAINT ready_pk DO UPDATE SET due_at = least(r.due_at, excluded.due_at), wake = r.wake + 1)`;

const IS_KEPT = `e.code = '${SEND_PAUSED}' AND e.settled_at IS NULL`;

/** BEGIN a pause (`$2` kind, `$3` name, `$4` its id) by `$5` for `$6`: a row when that is new. Recorded. Indexes: pause_pk, pause_id_uq. */
export const BEGIN_PAUSE: Statement = {
  name: 'begin_pause',
  hot: false,
  writes: true,
  text: `WITH ${TIME},
made AS (
  INSERT INTO pawl.pause AS p (tenant, kind, name, pause_id, actor, reason, at)
  SELECT $1::text, $2::text, $3::text, $4::uuid, $5::text, $6::text, t.now FROM t
  ON CONFLICT DO NOTHING
  RETURNING p.*),
${noted('made', { actor: 'x.actor', reason: 'x.reason', paused: true })}
SELECT made.pause_id FROM made`,
};

/** END a pause (`$2`) by `$3` for `$4`: a row when it was there; what it may have kept back is woken. Recorded. Indexes: pause_id_uq, effect_paused_idx, ready_pk. */
export const END_PAUSE: Statement = {
  name: 'end_pause',
  hot: false,
  writes: true,
  text: `WITH ${TIME},
gone AS (
  DELETE FROM pawl.pause p WHERE p.tenant = $1 AND p.pause_id = $2::uuid RETURNING p.*),
${noted('gone', { actor: '$3', reason: '$4', paused: false })},
kept AS (
  SELECT e.part, e.run_id FROM gone CROSS JOIN LATERAL (
    SELECT e.part, e.run_id FROM pawl.effect e WHERE e.tenant = gone.tenant AND ${IS_KEPT} OFFSET 0) AS e),
${WAKE}
SELECT gone.pause_id FROM gone`,
};

/** Wakes what a pause has kept back of a tenant, whether or not it lasts. Indexes: effect_paused_idx, ready_pk; no row. */
export const WAKE_PAUSED: Statement = {
  name: 'wake_paused',
  hot: false,
  writes: true,
  text: `WITH ${TIME},
kept AS (
  SELECT e.part, e.run_id FROM pawl.effect e WHERE e.tenant = $1 AND ${IS_KEPT}),
${WAKE}
SELECT FROM t WHERE false`,
};

/** PAUSES of a tenant (`$1`), or of all; the oldest first. There are a handful. */
export const LIST_PAUSES: Statement = {
  name: 'list_pauses',
  hot: false,
  writes: false,
  text: `SELECT ${readingOf(PAUSE, 'p')} FROM pawl.pause p
WHERE $1::text IS NULL OR p.tenant = $1
ORDER BY p.at, p.pause_id`,
};
