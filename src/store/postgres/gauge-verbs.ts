import type { Gauge } from '../../model/gauges.ts';
import type { GaugeStore } from '../../ports/gauge-store.ts';
import type { Connections } from './connections.ts';
import { GAUGES_OF } from './sql/gauge.ts';

/** The verb that counts what is open. */
export function gaugeVerbs({ run }: Connections, parts: number): GaugeStore {
  return {
    gauges: async (tenant) =>
      (await run(GAUGES_OF, [tenant, parts])).map((row) => ({
        measure: row['measure'] as Gauge['measure'],
        label: row['label'] as string | null,
        count: row['count'] as number,
        ageMs: row['age_ms'] as number | null,
      })),
  };
}
