import { actConformance } from './store-conformance/acts.ts';
import { changeConformance } from './store-conformance/changes.ts';
import { batchConformance } from './store-conformance/batches.ts';
import { auditConformance } from './store-conformance/audit.ts';
import { checkConformance } from './store-conformance/checks.ts';
import { doorConformance } from './store-conformance/door.ts';
import { gaugeConformance } from './store-conformance/gauges.ts';
import type { ConformanceHarness } from './store-conformance/harness.ts';
import { keyConformance } from './store-conformance/keys.ts';
import { leaseConformance } from './store-conformance/leases.ts';
import { ledgerConformance } from './store-conformance/ledger.ts';
import { lockConformance } from './store-conformance/locks.ts';
import { outboxConformance } from './store-conformance/outbox.ts';
import { pauseConformance } from './store-conformance/pauses.ts';
import { queueConformance } from './store-conformance/queues.ts';
import { recordConformance } from './store-conformance/records.ts';
import { retentionConformance } from './store-conformance/retention.ts';
import { scheduleConformance } from './store-conformance/schedules.ts';
import { shareConformance } from './store-conformance/shares.ts';
import { startConformance } from './store-conformance/starts.ts';
import { wakeUpConformance } from './store-conformance/wake-ups.ts';
import { waitingConformance } from './store-conformance/waiting.ts';
import { watchConformance, witnessConformance } from './store-conformance/watch.ts';

/**
 * What every store must do, whatever it is made of; each rule of 3-semantics by its name. A test file calls it with its
 * framework and a way to open an empty store.
 */
export function storeConformance(kind: string, harness: ConformanceHarness): void {
  harness.describe(`${kind}: the door`, () => doorConformance(harness));
  harness.describe(`${kind}: starts`, () => startConformance(harness));
  harness.describe(`${kind}: leases`, () => leaseConformance(harness));
  harness.describe(`${kind}: wake-ups`, () => wakeUpConformance(harness));
  harness.describe(`${kind}: records`, () => recordConformance(harness));
  harness.describe(`${kind}: watch`, () => watchConformance(harness));
  harness.describe(`${kind}: witness`, () => witnessConformance(harness));
  harness.describe(`${kind}: locks`, () => lockConformance(harness));
  harness.describe(`${kind}: shared acts`, () => shareConformance(harness));
  harness.describe(`${kind}: queues`, () => queueConformance(harness));
  harness.describe(`${kind}: statements`, () => actConformance(harness));
  harness.describe(`${kind}: outbox`, () => outboxConformance(harness));
  harness.describe(`${kind}: schedules`, () => scheduleConformance(harness));
  harness.describe(`${kind}: retention`, () => retentionConformance(harness));
  harness.describe(`${kind}: keys`, () => keyConformance(harness));
  harness.describe(`${kind}: changes`, () => changeConformance(harness));
  harness.describe(`${kind}: audit`, () => auditConformance(harness));
  harness.describe(`${kind}: ledger`, () => ledgerConformance(harness));
  harness.describe(`${kind}: what is waited for`, () => waitingConformance(harness));
  harness.describe(`${kind}: gauges`, () => gaugeConformance(harness));
  harness.describe(`${kind}: batches`, () => batchConformance(harness));
  harness.describe(`${kind}: pauses`, () => pauseConformance(harness));
  harness.describe(`${kind}: checks`, () => checkConformance(harness));
}
