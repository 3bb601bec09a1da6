import type { AuditStore } from './audit-store.ts';
import type { BatchStore } from './batch-store.ts';
import type { ChangeStore } from './change-store.ts';
import type { DeprecationStore } from './deprecation-store.ts';
import type { GaugeStore } from './gauge-store.ts';
import type { KeyStore } from './key-store.ts';
import type { LedgerStore } from './ledger-store.ts';
import type { PauseStore } from './pause-store.ts';
import type { QueueStore } from './queue-store.ts';
import type { RetentionStore } from './retention-store.ts';
import type { ScheduleStore } from './schedule-store.ts';
import type { StatementStore } from './statement-store.ts';
import type { WaitingStore } from './waiting-store.ts';
import type { WitnessStore } from './witness-store.ts';

/** Verbs of a store that have ports of their own. */
export type OtherStores = AuditStore &
  LedgerStore &
  QueueStore &
  ScheduleStore &
  RetentionStore &
  DeprecationStore &
  PauseStore &
  GaugeStore &
  KeyStore &
  BatchStore &
  ChangeStore &
  WaitingStore &
  WitnessStore &
  Partial<StatementStore>;
