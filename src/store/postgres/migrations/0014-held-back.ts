/**
 * What a database may have forgotten stays in question after its window was gone through (P14): the witness keeps the window, and a
 * ledger row when it was found not to have happened in it.
 */
export const HELD_BACK = `
ALTER TABLE pawl.witness ADD COLUMN window_from timestamptz;
ALTER TABLE pawl.witness ADD COLUMN window_until timestamptz;
ALTER TABLE pawl.witness ADD CONSTRAINT witness_window_ck CHECK ((window_from IS NULL) = (window_until IS NULL));
ALTER TABLE pawl.effect ADD COLUMN cleared_at timestamptz;
`;
