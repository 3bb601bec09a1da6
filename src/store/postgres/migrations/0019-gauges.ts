/**
 * What is counted for metrics without reading history: runs that have not ended, and effects in doubt. Each index names a column that
 * stands still on the way of most rows: `ended_at` changes when a run ends (or is compensated behind its end), `unknown_since`
 * when an answer is lost. Every other update of a head and of a ledger row stays HOT.
 */
export const GAUGES = `
CREATE INDEX run_head_open_idx ON pawl.run_head (tenant, part, run_id) WHERE ended_at IS NULL;
CREATE INDEX effect_doubt_idx ON pawl.effect (tenant, unknown_since) WHERE unknown_since IS NOT NULL;
`;
