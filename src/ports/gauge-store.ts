import type { Gauge } from '../model/gauges.ts';

/** What a store tells of how much it holds. */
export interface GaugeStore {
  /**
   * What of a tenant is not over, counted by measure and label: no history is read, and what there is none of has no row.
   * Effects are those of the runs that were counted; what is in doubt is counted whatever its run has come to.
   */
  gauges(tenant: string): Promise<readonly Gauge[]>;
}
