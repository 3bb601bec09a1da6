import { Gauge as PromGauge, type Registry } from 'prom-client';
import type { Gauge, GaugeMeasure } from '../model/gauges.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';

/** How long what was read is told again, milliseconds: many who scrape cost the database no more than one. */
const FRESH_MS = 5_000;
/** How long a scrape waits for the database, milliseconds: its statement ends after two seconds, and scrapers give up after ten. */
const PATIENCE_MS = 3_000;

/** What of a store is told. */
export type GaugedStore = Pick<Store, 'gauges' | 'queues' | 'parts'>;

/** What is stored, as a registry tells it. */
export interface StoredGauges {
  /** Sets the gauges; where the store does not answer in time there are none, and `pawl_stored_up` is 0. Never throws. */
  refresh(store: GaugedStore, tenant: string): Promise<void>;
}

interface Reading {
  readonly gauges: readonly Gauge[];
  /** Attempts that wait, by queue. */
  readonly offered: ReadonlyMap<string, number>;
}

/** A metric of a measure: its count, and for some its age. */
interface Told {
  readonly measure: GaugeMeasure;
  readonly count: PromGauge;
  readonly oldest?: PromGauge;
  /** The label's name; absent: the metric has none, and is 0 where nothing is counted. */
  readonly label?: string;
}

function instruments(registry: Registry) {
  const gauge = (name: string, help: string, label?: string): PromGauge =>
    new PromGauge({ name, help, registers: [registry], ...(label === undefined ? {} : { labelNames: [label] }) });
  const measures: readonly Told[] = [
    { measure: 'runs', label: 'status', count: gauge('pawl_runs_open', 'Runs that have not ended.', 'status') },
    {
      measure: 'needs',
      label: 'need',
      count: gauge('pawl_runs_needing_people', 'Runs that a person is needed for.', 'need'),
    },
    {
      measure: 'effects',
      label: 'state',
      count: gauge('pawl_effects_open', 'Effects of open runs that are not settled.', 'state'),
    },
    {
      measure: 'doubt',
      count: gauge('pawl_effects_in_doubt', 'Effects of which nobody knows whether they happened.'),
      oldest: gauge('pawl_effects_in_doubt_oldest_seconds', 'Since when the oldest effect is in doubt.'),
    },
    {
      measure: 'timers',
      count: gauge('pawl_timers_due', 'Timers that are due and were not fired.'),
      oldest: gauge('pawl_timers_due_oldest_seconds', 'How late the latest of them is.'),
    },
    {
      measure: 'inbox',
      count: gauge('pawl_inbox_undecided', 'Events that were stored and not decided.'),
      oldest: gauge('pawl_inbox_undecided_oldest_seconds', 'Since when the oldest of them waits.'),
    },
    {
      measure: 'outbox',
      label: 'state',
      count: gauge('pawl_outbox_open', 'Messages that have not arrived.', 'state'),
      oldest: gauge('pawl_outbox_open_oldest_seconds', 'Since when the oldest of them waits.', 'state'),
    },
    { measure: 'batches', count: gauge('pawl_batches_running', 'Batches that are being carried out.') },
  ];
  return {
    measures,
    offers: gauge('pawl_queue_offers', 'Attempts that wait for remote workers now.', 'queue'),
    up: gauge(
      'pawl_stored_up',
      '1 where the store has told what it holds; 0 where it has not, and none of it is here.',
    ),
  };
}

async function read(store: GaugedStore, tenant: string): Promise<Reading> {
  const offered = new Map<string, number>();
  for (let part = 0; part < store.parts; part += 1)
    for (const row of await store.queues(part, tenant))
      offered.set(row.queue, (offered.get(row.queue) ?? 0) + row.offered);
  return { gauges: await store.gauges(tenant), offered };
}

function forget({ count, oldest, label }: Told): void {
  // Without labels `reset` would say 0, which nobody knows.
  for (const metric of [count, oldest]) label === undefined ? metric?.remove() : metric?.reset();
}

function tell({ measure, count, oldest, label }: Told, gauges: readonly Gauge[]): void {
  if (label === undefined) for (const metric of [count, oldest]) metric?.set(0);
  for (const row of gauges.filter((gauge) => gauge.measure === measure)) {
    const labels = label === undefined ? {} : { [label]: row.label ?? '' };
    count.set(labels, row.count);
    oldest?.set(labels, (row.ageMs ?? 0) / 1_000);
  }
}

/** One reading at a time, told again while it is fresh. */
function createReader(clock: Clock): (store: GaugedStore, tenant: string) => Promise<Reading | null> {
  let reading: Promise<Reading | null> = Promise.resolve(null);
  let freshUntilMs = Number.NEGATIVE_INFINITY;
  return async (store, tenant) => {
    if (clock.monotonicMs() >= freshUntilMs) {
      freshUntilMs = Number.POSITIVE_INFINITY;
      reading = read(store, tenant)
        .catch(() => null)
        .finally(() => {
          freshUntilMs = clock.monotonicMs() + FRESH_MS;
        });
    }
    const answered = new AbortController();
    const lost = clock.sleep(PATIENCE_MS, answered.signal).then(() => null);
    return Promise.race([reading, lost]).finally(() => answered.abort());
  };
}

/** Gauges of what is stored, beside what a process has counted itself. */
export function createStoredGauges(registry: Registry, clock: Clock): StoredGauges {
  const { measures, offers, up } = instruments(registry);
  const readingOf = createReader(clock);
  return {
    refresh: async (store, tenant) => {
      const reading = await readingOf(store, tenant);
      up.set(reading === null ? 0 : 1);
      measures.forEach(forget);
      offers.reset();
      if (reading === null) return;
      for (const measure of measures) tell(measure, reading.gauges);
      for (const [queue, waiting] of reading.offered) offers.set({ queue }, waiting);
    },
  };
}
