/** Shadows clock_timestamp() in databases whose search path begins with it, so that tests can step the store's time. */
export const STEPPED_CLOCK = `
CREATE SCHEMA stepped_clock;
CREATE TABLE stepped_clock.ahead (by interval NOT NULL);
INSERT INTO stepped_clock.ahead VALUES ('0');
CREATE FUNCTION stepped_clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
  AS $$ SELECT pg_catalog.clock_timestamp() + (SELECT by FROM stepped_clock.ahead) $$`;

/** The path that begins with it. */
export const STEPPED_PATH = 'stepped_clock, pg_catalog, public';

/** Steps the time of such a database, `$1` milliseconds. */
export const STEP_CLOCK = "UPDATE stepped_clock.ahead SET by = by + $1 * interval '1 millisecond'";
