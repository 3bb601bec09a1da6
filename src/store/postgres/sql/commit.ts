import {
  APPROVAL,
  assignmentsFrom,
  AUDIT,
  EFFECT,
  EFFECT_MOVING,
  namesOf,
  OBSERVATION,
  OFFER,
  OUTBOX,
  RECEIPT,
  recordOf,
  TIMER,
  TRANSITION,
  valuesOf,
  VOTE,
} from './columns.ts';
import { STORED_EFFECT_MOVES } from '../../effect-moves.ts';
import { changeRows } from './change.ts';
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
  effects: 'text',
  effect_count: 'integer',
  receipts: 'text',
  timers_set: 'text',
  timers_cleared: 'text',
  told: 'text',
  release: 'boolean',
  wake_seen: 'bigint',
  ready_at: 'bigint',
} as const;

/** Row kinds that few commits have: they cost a second statement, chosen per batch. */
const RARE = {
  approvals: 'text',
  votes: 'text',
  inbox: 'text',
  observations: 'text',
  audit: 'text',
  outbox: 'text',
  offers: 'text',
} as const;

/** Names of a member's columns, in the order of the parameters from `$3` on. */
export type CommitColumn = keyof typeof MEMBER | keyof typeof RARE;
/** The columns of the lean statement. */
export const COMMIT_COLUMNS = Object.keys(MEMBER) as readonly (keyof typeof MEMBER)[];
/** The columns of the full statement. */
export const COMMIT_FULL_COLUMNS = [
  ...COMMIT_COLUMNS,
  ...(Object.keys(RARE) as (keyof typeof RARE)[]),
] as readonly CommitColumn[];

function membersOf(columns: Readonly<Record<string, string>>): string {
  const arrays = Object.values(columns).map((type, index) => `$${index + 3}::${type}[]`);
  return `i AS MATERIALIZED (SELECT * FROM unnest(${arrays.join(', ')}) WITH ORDINALITY AS i (${Object.keys(columns).join(', ')}, ord))`;
}

const MOVES = `ARRAY[${STORED_EFFECT_MOVES.map((move) => `'${move}'`).join(', ')}]`;

/**
 * Stage 1: the heads, sorted; one that somebody else has locked is left out: busy. Every look-up of this statement is
 * lateral, an upsert or an array of ids, so that no plan can turn it round and read a whole part.
 */
const LOCK = `lk AS MATERIALIZED (
  SELECT i.*, h.*, i.has_head OR i.n > 0 OR i.release AS moves_head
  FROM (SELECT * FROM i ORDER BY run_id) AS i
  CROSS JOIN LATERAL (
    SELECT h.tenant, h.revision AS at_revision, h.fence AS at_fence, h.owner AS at_owner, h.suspect AS at_suspect, h.crashes AS at_crashes,
           h.status AS at_status, h.phase AS at_phase, h.needs AS at_needs, h.codec AS at_codec, h.ended_at AS at_ended, h.output AS at_output, h.failure AS at_failure
    FROM pawl.run_head h
    WHERE h.part = $1 AND h.run_id = i.run_id
    FOR NO KEY UPDATE SKIP LOCKED) AS h)`;

/** Whether a member answers an event that does not lie open in the inbox: a database that has lost it will be told of it again (V01). */
const ANSWERS_LOST = `(
    SELECT count(*)
    FROM json_to_recordset(lk.inbox::json) AS x (source text, event_id text)
    LEFT JOIN LATERAL (
      SELECT true AS open FROM pawl.inbox b
      WHERE b.part = $1 AND b.run_id = lk.run_id AND b.source = x.source AND b.event_id = x.event_id AND NOT b.consumed
      FOR NO KEY UPDATE) AS b ON true
    WHERE b.open IS NULL) > 0`;

/**
 * Stage 2: the guards, per member; the rows guarded are locked. What leaves the head as it is, is decided by the fence and the
 * rows alone (P02c).
 */
function guardsWith(answersLost: string): string {
  return `judged AS MATERIALIZED (
  SELECT lk.*, lk.at_revision <> lk.revision AND lk.moves_head OR ${answersLost} AS is_stale, (
    SELECT min(g.key)
    FROM json_to_recordset(lk.guards::json) AS g (key text, state text, attempt integer, next text)
    LEFT JOIN LATERAL (
      SELECT e.state, e.attempt FROM pawl.effect e
      WHERE e.part = $1 AND e.run_id = lk.run_id AND e.effect_key = g.key
      FOR NO KEY UPDATE) AS e ON true
    WHERE CASE WHEN g.state IS NULL THEN e.state IS NOT NULL
          ELSE e.state IS NULL OR e.state <> g.state OR e.attempt <> g.attempt OR (e.state || '>' || g.next) <> ALL (${MOVES}) END
  ) AS bad_key
  FROM lk),
ok AS MATERIALIZED (
  SELECT judged.* FROM judged
  WHERE judged.at_fence = judged.fence AND judged.at_owner = $2
    AND NOT judged.is_stale AND judged.bad_key IS NULL)`;
}

/** Stage 3: the head, where anything of it changes; it is there and locked, so the upsert never inserts. An empty snapshot = unchanged. */
const HEAD = `u AS (
  INSERT INTO pawl.run_head AS h (part, run_id, tenant, revision, fence, owner, status, phase, needs, crashes, suspect, codec, snapshot, ended_at, output, failure)
  SELECT $1, ok.run_id, ok.tenant, ok.at_revision + ok.n, ok.fence, CASE WHEN ok.release THEN NULL ELSE $2 END,
         CASE WHEN ok.has_head THEN ok.status ELSE ok.at_status END,
         CASE WHEN ok.has_head THEN ok.phase ELSE ok.at_phase END,
         CASE WHEN ok.has_head THEN ok.needs ELSE ok.at_needs END,
         CASE WHEN ok.n > 0 THEN 0 ELSE ok.at_crashes END,
         ok.at_suspect AND ok.n = 0,
         CASE WHEN ok.has_head THEN ok.codec ELSE ok.at_codec END,
         CASE WHEN ok.has_head THEN ok.snapshot ELSE '' END,
         CASE WHEN ok.has_head THEN ${timeOf('ok.ended_at')} ELSE ok.at_ended END,
         CASE WHEN ok.has_head THEN ok.output ELSE ok.at_output END,
         CASE WHEN ok.has_head THEN ok.failure ELSE ok.at_failure END
  FROM ok
  WHERE ok.moves_head
  ON CONFLICT ON CONSTRAINT run_head_pk DO UPDATE
  SET revision = excluded.revision, owner = excluded.owner, status = excluded.status, phase = excluded.phase, needs = excluded.needs,
      crashes = excluded.crashes, suspect = excluded.suspect, codec = excluded.codec,
      snapshot = CASE WHEN octet_length(excluded.snapshot) = 0 THEN h.snapshot ELSE excluded.snapshot END,
      ended_at = excluded.ended_at, output = excluded.output, failure = excluded.failure
  WHERE h.fence = excluded.fence AND h.revision <= excluded.revision
  RETURNING 1),
w AS MATERIALIZED (SELECT ok.* FROM (SELECT count(*) AS heads FROM u) AS c CROSS JOIN ok WHERE c.heads >= 0)`;

/**
 * Stage 4: all other rows, from the members that are in. A changed ledger row is there and locked; a new one is not
 * there. `IS TRUE` keeps a list of pairs a hashed one: as a join it would be read again for every timer.
 */
const ROWS = `j AS (
  INSERT INTO pawl.journal (part, run_id, tenant, fence, worker_id, codec, snapshot, ${namesOf(TRANSITION)})
  SELECT $1, w.run_id, w.tenant, w.fence, $2,
         CASE WHEN w.keeps_snapshot AND x.revision = w.at_revision + w.n THEN w.codec END,
         CASE WHEN w.keeps_snapshot AND x.revision = w.at_revision + w.n THEN w.snapshot END,
         ${valuesOf(TRANSITION, 'x')}
  FROM w CROSS JOIN LATERAL json_to_recordset(w.transitions::json) AS x (${recordOf(TRANSITION)})),
e AS (
  INSERT INTO pawl.effect AS e (part, run_id, tenant, ${namesOf(EFFECT)})
  SELECT $1, w.run_id, w.tenant, ${valuesOf(EFFECT, 'x')}
  FROM w CROSS JOIN LATERAL json_to_recordset(w.effects::json) AS x (${recordOf(EFFECT)})
  ON CONFLICT ON CONSTRAINT effect_pk DO UPDATE
  SET ${assignmentsFrom(EFFECT_MOVING, 'excluded')}
  WHERE (e.state || '>' || excluded.state) = ANY (${MOVES})
  RETURNING 1),
ch AS (${changeRows('w', { revision: 'w.at_revision + w.n', status: 'CASE WHEN w.has_head THEN w.status ELSE w.at_status END' })}),
ri AS (
  INSERT INTO pawl.receipt (part, run_id, tenant, ${namesOf(RECEIPT)})
  SELECT $1, w.run_id, w.tenant, ${valuesOf(RECEIPT, 'x')}
  FROM w CROSS JOIN LATERAL json_to_recordset(w.receipts::json) AS x (${recordOf(RECEIPT)})),
td AS (
  DELETE FROM pawl.timer m
  WHERE m.part = $1 AND m.run_id = ANY (ARRAY(SELECT w.run_id FROM w WHERE w.timers_cleared IS NOT NULL))
    AND ((m.run_id, m.name) IN (SELECT w.run_id, x.name FROM w CROSS JOIN LATERAL json_array_elements_text(w.timers_cleared::json) AS x (name))) IS TRUE
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
  DELETE FROM pawl.lease l
  WHERE l.part = $1 AND l.run_id = ANY (ARRAY(SELECT w.run_id FROM w WHERE w.release))),
lu AS (
  UPDATE pawl.lease l SET suspect = false
  WHERE l.part = $1 AND l.run_id = ANY (ARRAY(SELECT w.run_id FROM w WHERE w.at_suspect AND w.n > 0 AND NOT w.release)))`;

/** Messages of a commit or a start; one that was written before is the same. */
export function outboxRows(members: string): string {
  return `
  INSERT INTO pawl.outbox (part, run_id, tenant, due_at, ${namesOf(OUTBOX)})
  SELECT $1, ${members}.run_id, ${members}.tenant, t.now, ${valuesOf(OUTBOX, 'x')}
  FROM ${members} CROSS JOIN t CROSS JOIN LATERAL json_to_recordset(${members}.outbox::json) AS x (${recordOf(OUTBOX)})
  ON CONFLICT ON CONSTRAINT outbox_message_uq DO NOTHING`;
}

/** Offers of a commit or a start. */
export function offerRows(members: string): string {
  return `
  INSERT INTO pawl.offer AS o (part, run_id, tenant, since, ${namesOf(OFFER)})
  SELECT $1, ${members}.run_id, ${members}.tenant, ${timeOf('x.due_at')}, ${valuesOf(OFFER, 'x')}
  FROM ${members} CROSS JOIN LATERAL json_to_recordset(${members}.offers::json) AS x (${recordOf(OFFER)})
  WHERE x.due_at IS NOT NULL
  ON CONFLICT ON CONSTRAINT offer_pk DO UPDATE SET since = excluded.since, due_at = excluded.due_at`;
}

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
  INSERT INTO pawl.inbox AS b (part, run_id, source, event_id, tenant, payload, payload_hash, received_at, outcome, code, detail, consumed, consumed_revision)
  SELECT $1, w.run_id, x.source, x.event_id, b.tenant, b.payload, b.payload_hash, b.received_at, x.outcome, x.code, x.detail, x.consumed,
         CASE WHEN x.consumed THEN w.at_revision + w.n END
  FROM w CROSS JOIN LATERAL json_to_recordset(w.inbox::json) AS x (source text, event_id text, outcome text, code text, detail text, consumed boolean)
  CROSS JOIN LATERAL (
    SELECT b.tenant, b.payload, b.payload_hash, b.received_at FROM pawl.inbox b
    WHERE b.part = $1 AND b.run_id = w.run_id AND b.source = x.source AND b.event_id = x.event_id AND NOT b.consumed
    FOR NO KEY UPDATE) AS b
  ON CONFLICT ON CONSTRAINT inbox_pk DO UPDATE
  SET outcome = excluded.outcome, code = excluded.code, detail = excluded.detail, consumed = excluded.consumed, consumed_revision = excluded.consumed_revision
  RETURNING 1),
ob AS (
  INSERT INTO pawl.observation (part, run_id, tenant, observed_at, ${namesOf(OBSERVATION)})
  SELECT $1, w.run_id, w.tenant, t.now, ${valuesOf(OBSERVATION, 'x')}
  FROM w CROSS JOIN t CROSS JOIN LATERAL json_to_recordset(w.observations::json) AS x (${recordOf(OBSERVATION)})
  ON CONFLICT ON CONSTRAINT observation_pk DO NOTHING),
au AS (
  INSERT INTO pawl.audit (part, run_id, tenant, ${namesOf(AUDIT)})
  SELECT $1, w.run_id, w.tenant, ${valuesOf(AUDIT, 'x')}
  FROM w CROSS JOIN LATERAL json_to_recordset(w.audit::json) AS x (${recordOf(AUDIT)})),
ox AS (${outboxRows('w')}),
oi AS (${offerRows('w')}),
od AS (
  DELETE FROM pawl.offer o
  WHERE o.part = $1 AND o.run_id = ANY (ARRAY(SELECT w.run_id FROM w WHERE w.offers IS NOT NULL))
    AND ((o.run_id, o.effect_key) IN (
      SELECT w.run_id, x.effect_key FROM w CROSS JOIN LATERAL json_to_recordset(w.offers::json) AS x (${recordOf(OFFER)}) WHERE x.due_at IS NULL)) IS TRUE)`;

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
      AND (SELECT count(*) FROM pawl.ready r WHERE r.part = $1 AND r.run_id = w.run_id) = 0
    ORDER BY w.run_id) AS z
  ON CONFLICT ON CONSTRAINT ready_pk DO NOTHING
  RETURNING 1),
rl AS MATERIALIZED (
  SELECT r.run_id, ${timeOf('w.ready_at')} AS ready_at, r.due_at, r.wake, r.wake IS NOT DISTINCT FROM w.wake_seen AS seen
  FROM (SELECT count(*) AS done FROM ins) AS g CROSS JOIN w
  CROSS JOIN LATERAL (
    SELECT r.run_id, r.due_at, r.wake FROM pawl.ready r
    WHERE r.part = $1 AND r.run_id = w.run_id
    FOR UPDATE SKIP LOCKED) AS r
  WHERE g.done >= 0 AND w.release),
rd AS (
  DELETE FROM pawl.ready r
  WHERE r.part = $1 AND r.run_id = ANY (ARRAY(SELECT rl.run_id FROM rl WHERE rl.seen AND rl.ready_at IS NULL))),
ru AS (
  INSERT INTO pawl.ready AS r (part, run_id, due_at, wake)
  SELECT $1, rl.run_id, CASE WHEN rl.seen THEN rl.ready_at ELSE t.now END, rl.wake
  FROM t CROSS JOIN rl
  WHERE CASE WHEN rl.seen THEN rl.ready_at IS NOT NULL ELSE rl.due_at > t.now END
  ON CONFLICT ON CONSTRAINT ready_pk DO UPDATE SET due_at = excluded.due_at)`;
}

/** One row per member that was locked; a member without one is busy. A guarded row that changed meanwhile takes all back. */
const ANSWER = `SELECT w.ord, 'applied' AS kind, w.at_revision + w.n AS revision, w.fence, NULL AS effect_key, ms.now_ms,
       CASE WHEN (SELECT count(*) FROM e) <> (SELECT coalesce(sum(s.effect_count), 0) FROM ok AS s) THEN pawl.refuse_commit('effect')
            WHEN (SELECT count(*) FROM u) <> (SELECT count(*) FROM ok AS s WHERE s.moves_head) THEN pawl.refuse_commit('run_head') END AS refused
FROM w CROSS JOIN (SELECT (extract(epoch FROM t.now) * 1000)::bigint AS now_ms FROM t) AS ms
UNION ALL
SELECT judged.ord,
       CASE WHEN judged.at_fence <> judged.fence OR judged.at_owner IS DISTINCT FROM $2 THEN 'fenced'
            WHEN judged.is_stale THEN 'stale'
            ELSE 'conflict' END,
       judged.at_revision, judged.at_fence, judged.bad_key, NULL, NULL
FROM judged
WHERE judged.at_fence <> judged.fence OR judged.at_owner IS DISTINCT FROM $2 OR judged.is_stale OR judged.bad_key IS NOT NULL`;

/**
 * COMMIT, the door of P02. Indexes: run_head_pk, effect_pk, timer_pk, lease_pk, ready_pk; one row answered per member.
 * The four stages each read from the one before; each member carries its rows along, nothing joins the batch again.
 */
export const COMMIT: Statement = {
  name: 'commit',
  hot: true,
  writes: true,
  text: `WITH ${TIME},
${membersOf(MEMBER)},
${LOCK},
${guardsWith('false')},
${HEAD},
${ROWS},
${wakeUps('(SELECT count(*) FROM td) + (SELECT count(*) FROM tu)')}
${ANSWER}`,
};

/** COMMIT with the rare row kinds too: approvals, votes, answers of inbox rows, observations, acts of people, messages, offers. Adds approval_pk, inbox_pk, outbox_message_uq, offer_pk. */
export const COMMIT_FULL: Statement = {
  name: 'commit_full',
  hot: true,
  writes: true,
  text: `WITH ${TIME},
${membersOf({ ...MEMBER, ...RARE })},
${LOCK},
${guardsWith(ANSWERS_LOST)},
${HEAD},
${ROWS},
${RARE_ROWS},
${wakeUps('(SELECT count(*) FROM td) + (SELECT count(*) FROM tu) + (SELECT count(*) FROM ib)')}
${ANSWER}`,
};
