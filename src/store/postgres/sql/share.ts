import type { Statement } from './statement.ts';

const COLUMNS =
  's.part, s.effect_key, s.tenant, s.version, s.state, s.owner, s.ingredients, s.request_hash, s.outcome, s.users';

/** SHARED EFFECT of a key (`$2`). Index: shared_effect_pk. */
export const SHARED_EFFECT: Statement = {
  name: 'shared_effect',
  hot: false,
  writes: false,
  text: `SELECT ${COLUMNS} FROM pawl.shared_effect s WHERE s.part = $1 AND s.effect_key = $2`,
};

/**
 * PUT SHARED EFFECT: `$4` is its version; it is new, or stands as `$4 - 1`: else no row comes back. Index: shared_effect_pk.
 */
export const PUT_SHARED_EFFECT: Statement = {
  name: 'put_shared_effect',
  hot: false,
  writes: true,
  text: `INSERT INTO pawl.shared_effect AS s
  (part, effect_key, tenant, version, state, owner, ingredients, request_hash, outcome, users)
SELECT $1, $2::text, $3::text, $4::integer, $5::text, $6::uuid, $7::text, $8::text, $9::text, $10::text
WHERE $4::integer = 1
  OR (SELECT count(*) FROM pawl.shared_effect b WHERE b.part = $1 AND b.effect_key = $2::text) = 1
ON CONFLICT ON CONSTRAINT shared_effect_pk DO UPDATE
SET version = excluded.version, state = excluded.state, owner = excluded.owner, request_hash = excluded.request_hash,
    outcome = excluded.outcome, users = excluded.users
WHERE s.part = $1 AND s.version = excluded.version - 1
RETURNING s.version`,
};

/** SHARED EFFECTS of a part behind a key (`$2`, null = all), `$3` at most. Index: shared_effect_pk. */
export const SHARED_EFFECTS: Statement = {
  name: 'shared_effects',
  hot: false,
  writes: false,
  text: `SELECT ${COLUMNS} FROM pawl.shared_effect s
WHERE s.part = $1 AND ($2::text IS NULL OR s.effect_key > $2)
ORDER BY s.effect_key
LIMIT $3`,
};
