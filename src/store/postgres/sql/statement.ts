/** A statement under the one name by which every connection prepares it. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** Run for every run or on every tick: names exactly one part as `$1`, and is planned without sequential scans. */
  readonly hot: boolean;
  /** Changes rows: when its answer is lost, nobody knows whether it did. */
  readonly writes: boolean;
  /** How long the server works on it at most, milliseconds; absent: as long as on any other of its lane. */
  readonly timeoutMs?: number;
}

/** The database's time, read once per statement; whole milliseconds, so that what is stored is what is told. */
export const TIME = `t AS MATERIALIZED (SELECT date_trunc('milliseconds', clock_timestamp()) AS now)`;

/** Epoch milliseconds of a timestamptz; exact. */
export function msOf(expression: string): string {
  return `(extract(epoch FROM ${expression}) * 1000)::bigint`;
}

/** A timestamptz of epoch milliseconds. */
export function timeOf(expression: string): string {
  return `to_timestamp(${expression} / 1000.0::float8)`;
}
