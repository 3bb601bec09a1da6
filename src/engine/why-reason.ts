/** One reason why a run does not move; times RFC 3339 UTC. */
export interface Reason {
  /** `parked`, the kind of an incident, what is waited for, or what keeps every run: `no-worker`, `recovery`, `overdue`, … */
  readonly kind: string;
  readonly step: string | null;
  readonly text: string;
  readonly since: string | null;
  readonly until: string | null;
  /** Who can move it. */
  readonly by: readonly string[];
  readonly command: string | null;
}

export const OPERATOR = ['role:operator'] as const;
export const A_WORKER = ['a worker'] as const;
/** How a worker is started. */
export const START_ONE = 'pawl worker';
