import { APPROVAL, assignmentsOf, AUDIT, EFFECT, EFFECT_MOVING, namesOf, OBSERVATION, RECEIPT, recordOf, TIMER, TRANSITION, valuesOf, VOTE } from './columns.ts';
import { STORED_EFFECT_MOVES } from './effect-moves.ts';
import { type Statement, TIME, timeOf } from './statement.ts';

/** The columns of a member, each one array of the batch; child rows travel with their member as JSON text. */
const MEMBER = {
  run_id: 'uuid',
  fence: 'bigint',
  revision: 'bigint',
  n: 'integer',
  has_head: 'boolean',
  status: 'text',
  phase: 'text',
  needs: 'text',
  codec: 'smallint',
  snapshot: 'bytea',
  keeps_snapshot: 'boolean',
  ended_at: 'bigint',
  output: 'text',
  failure: 'text',
  guards: 'text',
  transitions: 'text',
  effects_new: 'text',
  effects_set: 'text',
  sets: 'integer',
  receipts: 'text',
  timers_set: 'text',
  timers_cleared: 'text',
  release: 'boolean',
  wake_seen: 'bigint',
  ready_at: 'bigint',
} as const;

/** Row kinds that few commits have: they cost a second statement, chosen per batch. */
const RARE = { approvals: 'text', votes: 'text', inbox: 'text', observations: 'text', audit: 'text' } as const;

/** Names of a member's columns, in the order of the parameters from `$3` on. */
export type CommitColumn = keyof typeof MEMBER | keyof typeof RARE;
/** The columns of the lean statement. */
export const COMMIT_COLUMNS = Object.keys(MEMBER) as readonly (keyof typeof MEMBER)[];
/** The columns of the full statement. */
export const COMMIT_FULL_COLUMNS = [...COMMIT_COLUMNS, ...(Object.keys(RARE) as (keyof typeof RARE)[])] as readonly CommitColumn[];

function membersOf(columns: Readonly<Record<string, string>>): string {
  const arrays = Object.values(columns).map((type, index) => `$${index + 3}::${type}[]`);
  return `i AS MATERIALIZED (SELECT * FROM unnest(${arrays.join(', ')}) WITH ORDINALITY AS i (${Object.keys(columns).join(', ')}, ord))`;
}

const MOVES = `ARRAY[${STORED_EFFECT_MOVES.map((move) => `'${move}'`).join(', ')}]`;

/** Stage 1: the heads, sorted; one that somebody else has locked is left out: busy. */
const LOCK = `lk AS MATERIALIZED (
  SELECT i.*, h.tenant, h.revision AS at_revision, h.fence AS at_fence, h.owner AS at_owner, h.suspect AS at_suspect
  FROM (SELECT * FROM i ORDER BY run_id) AS i
  JOIN pawl.run_head h ON h.part = $1 AND h.run_id = i.run_id
  FOR NO KEY UPDATE OF h SKIP LOCKED)`;

/** Stage 2: the guards, per member. Without transitions and head the fence and the rows alone decide (P02c). */
const GUARD = `judged AS MATERIALIZED (
  SELECT lk.*, (
    SELECT min(g.key)
    FROM json_to_recordset(lk.guards::json) AS g (key text, state text, attempt integer, next text)
    LEFT JOIN pawl.effect e ON e.part = $1 AND e.run_id = lk.run_id AND e.effect_key = g.key
    WHERE CASE WHEN g.state IS NULL THEN e.effect_key IS NOT NULL
          ELSE e.effect_key IS NULL OR e.state <> g.state OR e.attempt <> g.attempt OR (e.state || '>' || g.next) <> ALL (${MOVES}) END
  ) AS bad_key
  FROM lk),
ok AS MATERIALIZED (
  SELECT judged.* FROM judged
  WHERE judged.at_fence = judged.fence AND judged.at_owner = $2
    AND (judged.at_revision = judged.revision OR (judged.n = 0 AND NOT judged.has_head))
    AND judged.bad_key IS NULL)`;

/** Stage 3: the head, where anything of it changes; the member's columns ride along to the rows. */
const HEAD = `u AS (
  UPDATE pawl.run_head h
  SET revision = h.revision + ok.n,
      status = CASE WHEN ok.has_head THEN ok.status ELSE h.status END,
      phase = CASE WHEN ok.has_head THEN ok.phase ELSE h.phase END,
      needs = CASE WHEN ok.has_head THEN ok.needs ELSE h.needs END,
      codec = CASE WHEN ok.has_head THEN ok.codec ELSE h.codec END,
      snapshot = CASE WHEN ok.has_head THEN ok.snapshot ELSE h.snapshot END,
      ended_at = CASE WHEN ok.has_head THEN ${timeOf('ok.ended_at')} ELSE h.ended_at END,
      output = CASE WHEN ok.has_head THEN ok.output ELSE h.output END,
      failure = CASE WHEN ok.has_head THEN ok.failure ELSE h.failure END,
      crashes = CASE WHEN ok.n > 0 THEN 0 ELSE h.crashes END,
      suspect = h.suspect AND ok.n = 0,
      owner = CASE WHEN ok.release THEN NULL ELSE h.owner END
  FROM ok
  WHERE h.part = $1 AND h.run_id = ok.run_id AND h.revision = ok.at_revision AND h.fence = ok.fence
    AND (ok.has_head OR ok.n > 0 OR ok.release)
  RETURNING ok.*),
w AS MATERIALIZED (
  SELECT * FROM u
  UNION ALL
  SELECT * FROM ok WHERE NOT (ok.has_head OR ok.n > 0 OR ok.release))`;

/** Stage 4: all other rows, from the members that are in. */
const ROWS = `j AS (
  INSERT INTO pawl.journal (part, run_id, tenant, fence, worker_id, codec, snapshot, ${namesOf(TRANSITION)})
  SELECT $1, w.run_id, w.tenant, w.fence, $2,
         CASE WHEN w.keeps_snapshot AND x.revision = w.at_revision + w.n THEN w.codec END,
         CASE WHEN w.keeps_snapshot AND x.revision = w.at_revision + w.n THEN w.snapshot END,
         ${valuesOf(TRANSITION, 'x')}
  FROM w CROSS JOIN LATERAL json_to_recordset(w.transitions::json) AS x (${recordOf(TRANSITION)})),
ei AS (
  INSERT INTO pawl.effect (part, run_id, tenant, ${namesOf(EFFECT)})
  SELECT $1, w.run_id, w.tenant, ${valuesOf(EFFECT, 'x')}
  FROM w CROSS JOIN LATERAL json_to_recordset(w.effects_new::json) AS x (${recordOf(EFFECT)})),
eu AS (
  UPDATE pawl.effect e
  SET ${assignmentsOf(EFFECT_MOVING, 'x')}
  FROM w CROSS JOIN LATERAL json_to_recordset(w.effects_set::json) AS x (effect_key text, from_state text, from_attempt integer, ${recordOf(EFFECT_MOVING)})
  WHERE e.part = $1 AND e.run_id = w.run_id AND e.effect_key = x.effect_key
    AND e.state = x.from_state AND e.attempt = x.from_attempt AND (e.state || '>' || x.state) = ANY (${MOVES})
  RETURNING 1),
ri AS (
  INSERT INTO pawl.receipt (part, run_id, tenant, ${namesOf(RECEIPT)})
  SELECT $1, w.run_id, w.tenant, ${valuesOf(RECEIPT, 'x')}
  FROM w CROSS JOIN LATERAL json_to_recordset(w.receipts::json) AS x (${recordOf(RECEIPT)})),
td AS (
  DELETE FROM pawl.timer m
  USING w CROSS JOIN LATERAL json_array_elements_text(w.timers_cleared::json) AS x (name)
  WHERE m.part = $1 AND m.run_id = w.run_id AND m.name = x.name
  RETURNING 1),
tu AS (
  INSERT INTO pawl.timer AS m (part, run_id, tenant, ${namesOf(TIMER)})
  SELECT $1, w.run_id, w.tenant, ${valuesOf(TIMER, 'x')}
  FROM w CROSS JOIN LATERAL json_to_recordset(w.timers_set::json) AS x (${recordOf(TIMER)})
  ON CONFLICT ON CONSTRAINT timer_pk DO UPDATE
  SET due_at = excluded.due_at, generation = excluded.generation, payload = excluded.payload, payload_hash = excluded.payload_hash
  WHERE m.due_at <> excluded.due_at OR m.generation <> excluded.generation
  RETURNING 1),
ld AS (
  DELETE FROM pawl.lease l USING w
  WHERE w.release AND l.part = $1 AND l.run_id = w.run_id),
lu AS (
  UPDATE pawl.lease l SET suspect = false FROM w
  WHERE w.at_suspect AND w.n > 0 AND NOT w.release AND l.part = $1 AND l.run_id = w.run_id)`;

const RARE_ROWS = `ap AS (
  INSERT INTO pawl.approval (part, run_id, tenant, ${namesOf(APPROVAL)})
  SELECT $1, w.run_id, w.tenant, ${valuesOf(APPROVAL, 'x')}
  FROM w CROSS JOIN LATERAL json_to_recordset(w.approvals::json) AS x (${recordOf(APPROVAL)})
  ON CONFLICT ON CONSTRAINT approval_pk DO UPDATE
  SET state = excluded.state, title = excluded.title, subject = excluded.subject, subject_hash = excluded.subject_hash,
      authorizes = excluded.authorizes, asked_of = excluded.asked_of, quorum = excluded.quorum, denials = excluded.denials,
      excluded = excluded.excluded, asked_at = excluded.asked_at, expires_at = excluded.expires_at,
      on_expire = excluded.on_expire, decided_at = excluded.decided_at),
vo AS (
  INSERT INTO pawl.vote (part, run_id, tenant, ${namesOf(VOTE)})
  SELECT $1, w.run_id, w.tenant, ${valuesOf(VOTE, 'x')}
  FROM w CROSS JOIN LATERAL json_to_recordset(w.votes::json) AS x (${recordOf(VOTE)})),
ib AS (
  UPDATE pawl.inbox b
  SET outcome = x.outcome, code = x.code, detail = x.detail, consumed = x.consumed,
      consumed_revision = CASE WHEN x.consumed THEN w.at_revision + w.n END
  FROM w CROSS JOIN LATERAL json_to_recordset(w.inbox::json) AS x (source text, event_id text, outcome text, code text, detail text, consumed boolean)
  WHERE b.part = $1 AND b.run_id = w.run_id AND b.source = x.source AND b.event_id = x.event_id AND NOT b.consumed
  RETURNING 1),
ob AS (
  INSERT INTO pawl.observation (part, run_id, tenant, observed_at, ${namesOf(OBSERVATION)})
  SELECT $1, w.run_id, w.tenant, t.now, ${valuesOf(OBSERVATION, 'x')}
  FROM w CROSS JOIN t CROSS JOIN LATERAL json_to_recordset(w.observations::json) AS x (${recordOf(OBSERVATION)})
  ON CONFLICT ON CONSTRAINT observation_pk DO NOTHING),
au AS (
  INSERT INTO pawl.audit (part, run_id, tenant, ${namesOf(AUDIT)})
  SELECT $1, w.run_id, w.tenant, ${valuesOf(AUDIT, 'x')}
  FROM w CROSS JOIN LATERAL json_to_recordset(w.audit::json) AS x (${recordOf(AUDIT)}))`;

/**
 * The wake-ups last, when nothing else can wait any more (`gate`). New rows first, sorted, because their keys may be in
 * another transaction's hands; then the rows that are there: one that a deliverer holds is left to it. A release
 * deletes a wake-up only at the value its drain saw (W03), and pulls its own forward (W06).
 */
function wakeUps(rowsBefore: string): string {
  return `gate AS MATERIALIZED (SELECT ${rowsBefore} AS done),
ins AS (
  INSERT INTO pawl.ready (part, run_id, due_at, wake)
  SELECT $1, z.run_id, z.due_at, 1
  FROM (
    SELECT w.run_id, ${timeOf('w.ready_at')} AS due_at
    FROM gate CROSS JOIN w
    WHERE gate.done >= 0 AND w.release AND w.ready_at IS NOT NULL
      AND NOT EXISTS (SELECT FROM pawl.ready r WHERE r.part = $1 AND r.run_id = w.run_id)
    ORDER BY w.run_id) AS z
  ON CONFLICT ON CONSTRAINT ready_pk DO NOTHING
  RETURNING 1),
rl AS MATERIALIZED (
  SELECT r.run_id, ${timeOf('w.ready_at')} AS ready_at, r.wake IS NOT DISTINCT FROM w.wake_seen AS seen
  FROM (SELECT count(*) AS done FROM ins) AS g CROSS JOIN w
  JOIN pawl.ready r ON r.part = $1 AND r.run_id = w.run_id
  WHERE g.done >= 0 AND w.release
  FOR UPDATE OF r SKIP LOCKED),
rd AS (
  DELETE FROM pawl.ready r USING rl
  WHERE rl.seen AND rl.ready_at IS NULL AND r.part = $1 AND r.run_id = rl.run_id),
ru AS (
  UPDATE pawl.ready r SET due_at = CASE WHEN rl.seen THEN rl.ready_at ELSE t.now END
  FROM t CROSS JOIN rl
  WHERE NOT (rl.seen AND rl.ready_at IS NULL) AND (rl.seen OR r.due_at > t.now) AND r.part = $1 AND r.run_id = rl.run_id)`;
}

/** One row per member that was locked; a member without one is busy. A guarded row that changed meanwhile takes all back. */
const ANSWER = `SELECT w.ord, 'applied' AS kind, w.at_revision + w.n AS revision, w.fence, NULL AS effect_key, ms.now_ms,
       CASE WHEN (SELECT count(*) FROM eu) <> (SELECT coalesce(sum(s.sets), 0) FROM w AS s) THEN pawl.refuse_commit('effect') END AS refused
FROM w CROSS JOIN (SELECT (extract(epoch FROM t.now) * 1000)::bigint AS now_ms FROM t) AS ms
UNION ALL
SELECT judged.ord,
       CASE WHEN judged.at_fence <> judged.fence OR judged.at_owner IS DISTINCT FROM $2 THEN 'fenced'
            WHEN judged.at_revision <> judged.revision AND (judged.n > 0 OR judged.has_head) THEN 'stale'
            ELSE 'conflict' END,
       judged.at_revision, judged.at_fence, judged.bad_key, NULL, NULL
FROM judged
WHERE judged.at_fence <> judged.fence OR judged.at_owner IS DISTINCT FROM $2
   OR (judged.at_revision <> judged.revision AND (judged.n > 0 OR judged.has_head))
   OR judged.bad_key IS NOT NULL`;

/**
 * COMMIT, the door of P02. Indexes: run_head_pk, effect_pk, timer_pk, lease_pk, ready_pk; one row answered per member.
 * The four stages each read from the one before; the members' columns ride through RETURNING, nothing joins the batch again.
 */
export const COMMIT: Statement = {
  name: 'commit',
  hot: true,
  writes: true,
  text: `WITH ${TIME},
${membersOf(MEMBER)},
${LOCK},
${GUARD},
${HEAD},
${ROWS},
${wakeUps('(SELECT count(*) FROM td) + (SELECT count(*) FROM tu)')}
${ANSWER}`,
};

/** COMMIT with the rare row kinds too: approvals, votes, answers of inbox rows, observations, acts of people. Adds approval_pk, inbox_pk. */
export const COMMIT_FULL: Statement = {
  name: 'commit_full',
  hot: true,
  writes: true,
  text: `WITH ${TIME},
${membersOf({ ...MEMBER, ...RARE })},
${LOCK},
${GUARD},
${HEAD},
${ROWS},
${RARE_ROWS},
${wakeUps('(SELECT count(*) FROM td) + (SELECT count(*) FROM tu) + (SELECT count(*) FROM ib)')}
${ANSWER}`,
};
