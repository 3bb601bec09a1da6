import { sha256 } from '../../../model/hash.ts';
import { FIRST_TABLES } from './0001-first-tables.ts';
import { CRASHES_TAKEN_BACK } from './0002-crashes-taken-back.ts';
import { FORMS } from './0003-forms.ts';
import { LOCKS } from './0004-locks.ts';
import { OUTBOX } from './0005-outbox.ts';
import { SCHEDULES } from './0006-schedules.ts';
import { SHARED_EFFECTS } from './0007-shared-effects.ts';
import { RETENTION } from './0008-retention.ts';
import { QUEUES } from './0009-queues.ts';
import { API_KEYS } from './0010-api-keys.ts';
import { CHANGES } from './0011-changes.ts';
import { TENANT_ACTS } from './0012-tenant-acts.ts';
import { TRACE } from './0013-trace.ts';
import { HELD_BACK } from './0014-held-back.ts';
import { BATCHES } from './0015-batches.ts';
import { ROW_LEVEL_SECURITY } from './0016-row-level-security.ts';
import { DEPRECATIONS } from './0017-deprecations.ts';
import { PAUSES } from './0018-pauses.ts';
import { GAUGES } from './0019-gauges.ts';

/** One step of the schema; forward only. The text is a constant, so that the built package needs no file beside it. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  /** Code of the release before cannot run on the schema after it. */
  readonly breaking: boolean;
  readonly sql: string;
}

/** All steps, in order, numbered from 1 without gaps. */
export const MIGRATIONS: readonly Migration[] = [
  { number: 1, name: 'first-tables', breaking: true, sql: FIRST_TABLES },
  { number: 2, name: 'crashes-taken-back', breaking: true, sql: CRASHES_TAKEN_BACK },
  { number: 3, name: 'forms', breaking: true, sql: FORMS },
  { number: 4, name: 'locks', breaking: true, sql: LOCKS },
  { number: 5, name: 'outbox', breaking: true, sql: OUTBOX },
  { number: 6, name: 'schedules', breaking: true, sql: SCHEDULES },
  { number: 7, name: 'shared-effects', breaking: true, sql: SHARED_EFFECTS },
  { number: 8, name: 'retention', breaking: true, sql: RETENTION },
  { number: 9, name: 'queues', breaking: true, sql: QUEUES },
  { number: 10, name: 'api-keys', breaking: true, sql: API_KEYS },
  { number: 11, name: 'changes', breaking: true, sql: CHANGES },
  { number: 12, name: 'tenant-acts', breaking: true, sql: TENANT_ACTS },
  { number: 13, name: 'trace', breaking: true, sql: TRACE },
  { number: 14, name: 'held-back', breaking: true, sql: HELD_BACK },
  { number: 15, name: 'batches', breaking: true, sql: BATCHES },
  { number: 16, name: 'row-level-security', breaking: true, sql: ROW_LEVEL_SECURITY },
  { number: 17, name: 'deprecations', breaking: true, sql: DEPRECATIONS },
  { number: 18, name: 'pauses', breaking: true, sql: PAUSES },
  { number: 19, name: 'gauges', breaking: false, sql: GAUGES },
];

/** What is stored beside a step that was applied, so that a changed text is noticed. */
export function checksumOf(migration: Migration): string {
  return sha256(migration.sql);
}
