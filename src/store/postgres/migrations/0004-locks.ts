/**
 * Locks: each has its queue in one part, whatever the parts of its runs. A turn is taken under the lock's own row, so that
 * what it counts is what is there; that no two runs hold one slot is a constraint.
 */
export const LOCKS = `
ALTER TABLE pawl.run
  ADD COLUMN lock_name text,
  ADD COLUMN lock_limit integer,
  ADD CONSTRAINT run_lock_ck CHECK ((lock_name IS NULL) = (lock_limit IS NULL) AND lock_limit > 0);

CREATE TABLE pawl.lock (
  part smallint NOT NULL,
  tenant text NOT NULL,
  name text NOT NULL,
  set_limit integer,
  CONSTRAINT lock_pk PRIMARY KEY (part, tenant, name),
  CONSTRAINT lock_limit_ck CHECK (set_limit > 0)
);

CREATE TABLE pawl.lock_place (
  part smallint NOT NULL,
  tenant text NOT NULL,
  name text NOT NULL,
  run_id uuid NOT NULL,
  run_part smallint NOT NULL,
  run_limit integer NOT NULL,
  started_at timestamptz NOT NULL,
  slot integer,
  granted_at timestamptz,
  seen_at timestamptz,
  CONSTRAINT lock_place_pk PRIMARY KEY (part, run_id),
  CONSTRAINT lock_place_slot_ck CHECK (slot > 0 AND run_limit > 0),
  CONSTRAINT lock_place_granted_ck CHECK ((slot IS NULL) = (granted_at IS NULL) AND (slot IS NULL) = (seen_at IS NULL)),
  CONSTRAINT lock_place_slot_uq UNIQUE (part, tenant, name, slot)
);
CREATE INDEX lock_place_queue_idx ON pawl.lock_place (part, tenant, name, started_at, run_id) WHERE slot IS NULL;
CREATE INDEX lock_place_seen_idx ON pawl.lock_place (part, seen_at) WHERE slot IS NOT NULL;
CREATE INDEX lock_place_run_idx ON pawl.lock_place (run_id);

CREATE TABLE pawl.lock_act (
  part smallint NOT NULL,
  tenant text NOT NULL,
  name text NOT NULL,
  act_no integer NOT NULL,
  actor text NOT NULL,
  reason text NOT NULL,
  set_limit integer,
  at timestamptz NOT NULL,
  CONSTRAINT lock_act_pk PRIMARY KEY (part, tenant, name, act_no)
);
CREATE TRIGGER lock_act_immutable BEFORE UPDATE OR DELETE ON pawl.lock_act FOR EACH ROW EXECUTE FUNCTION pawl.refuse_change();

-- Takes the lock's row, new or there: from here on one turn at a time. A row that its last run took along is made again.
CREATE FUNCTION pawl.open_turn(of_part smallint, of_tenant text, of_name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOOP
    PERFORM FROM pawl.lock l WHERE l.part = of_part AND l.tenant = of_tenant AND l.name = of_name FOR UPDATE;
    EXIT WHEN FOUND;
    INSERT INTO pawl.lock (part, tenant, name) VALUES (of_part, of_tenant, of_name) ON CONFLICT ON CONSTRAINT lock_pk DO NOTHING;
  END LOOP;
END $$;

-- Under the lock's row: who is next gets the lowest free slots, as many as what an operator has set lets, else as each
-- file in hand and in turn lets.
CREATE FUNCTION pawl.take_turns(of_part smallint, of_tenant text, of_name text) RETURNS TABLE (run_id uuid, run_part smallint) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY
  WITH l AS (SELECT l.set_limit FROM pawl.lock l WHERE l.part = of_part AND l.tenant = of_tenant AND l.name = of_name),
  held AS (SELECT count(*) AS n, min(p.run_limit) AS run_limit FROM pawl.lock_place p
    WHERE p.part = of_part AND p.tenant = of_tenant AND p.name = of_name AND p.slot IS NOT NULL),
  queue AS (SELECT q.run_id, q.run_limit, row_number() OVER w AS turn, min(q.run_limit) OVER w AS least_limit
    FROM (SELECT p.run_id, p.run_limit, p.started_at FROM pawl.lock_place p
      WHERE p.part = of_part AND p.tenant = of_tenant AND p.name = of_name AND p.slot IS NULL
      ORDER BY p.started_at, p.run_id LIMIT (SELECT coalesce(l.set_limit, held.run_limit, 10000) FROM l CROSS JOIN held)) AS q
    WINDOW w AS (ORDER BY q.started_at, q.run_id)),
  next AS (SELECT queue.run_id, queue.turn FROM queue CROSS JOIN held CROSS JOIN l
    WHERE held.n + queue.turn <= coalesce(l.set_limit, least(held.run_limit, queue.least_limit))),
  free AS (SELECT s.slot, row_number() OVER (ORDER BY s.slot) AS turn
    FROM generate_series(1, (SELECT held.n + (SELECT count(*) FROM next) FROM held)::integer) AS s (slot)
    WHERE NOT EXISTS (SELECT FROM pawl.lock_place p
      WHERE p.part = of_part AND p.tenant = of_tenant AND p.name = of_name AND p.slot = s.slot)),
  t AS (SELECT date_trunc('milliseconds', clock_timestamp()) AS now)
  UPDATE pawl.lock_place p SET slot = free.slot, granted_at = t.now, seen_at = t.now
  FROM t CROSS JOIN next JOIN free ON free.turn = next.turn
  WHERE p.part = of_part AND p.run_id = next.run_id
  RETURNING p.run_id, p.run_part;
END $$;

CREATE FUNCTION pawl.join_lock(of_part smallint, of_tenant text, of_name text, by_run uuid, by_part smallint, by_limit integer, started timestamptz)
RETURNS TABLE (run_id uuid, run_part smallint) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pawl.open_turn(of_part, of_tenant, of_name);
  RETURN QUERY SELECT p.run_id, p.run_part FROM pawl.lock_place p
    WHERE p.part = of_part AND p.run_id = by_run AND p.slot IS NOT NULL;
  INSERT INTO pawl.lock_place (part, tenant, name, run_id, run_part, run_limit, started_at)
  VALUES (of_part, of_tenant, of_name, by_run, by_part, by_limit, started)
  ON CONFLICT ON CONSTRAINT lock_place_pk DO NOTHING;
  RETURN QUERY SELECT * FROM pawl.take_turns(of_part, of_tenant, of_name);
END $$;

CREATE FUNCTION pawl.leave_lock(of_part smallint, of_tenant text, of_name text, by_run uuid)
RETURNS TABLE (run_id uuid, run_part smallint) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pawl.open_turn(of_part, of_tenant, of_name);
  DELETE FROM pawl.lock_place p WHERE p.part = of_part AND p.run_id = by_run;
  RETURN QUERY SELECT * FROM pawl.take_turns(of_part, of_tenant, of_name);
  -- A name that nobody asks for leaves nothing behind, but for what an operator has set.
  DELETE FROM pawl.lock l WHERE l.part = of_part AND l.tenant = of_tenant AND l.name = of_name AND l.set_limit IS NULL
    AND NOT EXISTS (SELECT FROM pawl.lock_place p WHERE p.part = of_part AND p.tenant = of_tenant AND p.name = of_name);
END $$;

CREATE FUNCTION pawl.limit_lock(of_part smallint, of_tenant text, of_name text, new_limit integer, by_actor text, for_reason text)
RETURNS TABLE (run_id uuid, run_part smallint) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pawl.open_turn(of_part, of_tenant, of_name);
  UPDATE pawl.lock l SET set_limit = new_limit WHERE l.part = of_part AND l.tenant = of_tenant AND l.name = of_name;
  INSERT INTO pawl.lock_act (part, tenant, name, act_no, actor, reason, set_limit, at)
  SELECT of_part, of_tenant, of_name, count(*) + 1, by_actor, for_reason, new_limit, date_trunc('milliseconds', clock_timestamp())
  FROM pawl.lock_act a WHERE a.part = of_part AND a.tenant = of_tenant AND a.name = of_name;
  RETURN QUERY SELECT * FROM pawl.take_turns(of_part, of_tenant, of_name);
END $$;
`;
