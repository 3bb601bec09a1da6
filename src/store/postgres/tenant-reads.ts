import { PawlError } from '../../model/errors.ts';
import type { Store } from '../../ports/store.ts';
import type { Admission } from './admission.ts';
import { auditVerbs } from './audit-verbs.ts';
import { batchVerbs } from './batch-verbs.ts';
import { changeVerbs } from './change-verbs.ts';
import { deprecationVerbs } from './deprecation-verbs.ts';
import { type ConnectionOptions, type Connections, openConnections } from './connections.ts';
import { dial } from './dial.ts';
import { gaugeVerbs } from './gauge-verbs.ts';
import { keyVerbs } from './key-verbs.ts';
import { pauseVerbs } from './pause-verbs.ts';
import { ledgerVerbs } from './ledger-verbs.ts';
import { lockVerbs } from './lock-verbs.ts';
import { outboxVerbs } from './outbox-verbs.ts';
import { queueVerbs } from './queue-verbs.ts';
import { loadVerb, readingVerbs, versionVerbs } from './read-verbs.ts';
import { prepareReaderRole, READER_ROLE } from './reader-role.ts';
import { scheduleVerbs } from './schedule-verbs.ts';
import { shareVerbs } from './share-verbs.ts';
import { storeErrorOf } from './sqlstate.ts';
import { waitingVerbs } from './waiting-verbs.ts';

/** Connections of a process that reads for callers of one tenant, beside those of the engine. */
const READERS_MAX = 2;

/** The verbs by which a caller of one tenant is answered. Those that look at the whole database by design are not among them. */
export type TenantReads = Pick<
  Store,
  | 'findVersion'
  | 'loadVersion'
  | 'listVersions'
  | 'deprecations'
  | 'pauses'
  | 'findRun'
  | 'listRuns'
  | 'countRuns'
  | 'load'
  | 'journal'
  | 'receipts'
  | 'observations'
  | 'inbox'
  | 'audit'
  | 'holder'
  | 'heads'
  | 'locks'
  | 'sharedEffect'
  | 'queues'
  | 'outbox'
  | 'listOutbox'
  | 'schedules'
  | 'findKey'
  | 'listKeys'
  | 'changes'
  | 'acts'
  | 'effects'
  | 'approvals'
  | 'timers'
  | 'gauges'
  | 'batches'
  | 'batchItems'
>;

/** Reads that the database itself binds to one tenant. */
export interface OpenedReads {
  readonly reads: TenantReads;
  close(): Promise<void>;
}

function readsOver(connections: Connections, parts: number): TenantReads {
  const { findVersion, loadVersion, listVersions } = versionVerbs(connections);
  const { workers: _, ...reading } = readingVerbs(connections, parts);
  const { heads, locks } = lockVerbs(connections);
  const { outbox, listOutbox } = outboxVerbs(connections);
  const { findKey, listKeys } = keyVerbs(connections);
  const { batches, batchItems } = batchVerbs(connections);
  return {
    ...reading,
    findVersion,
    loadVersion,
    listVersions,
    deprecations: deprecationVerbs(connections).deprecations,
    pauses: pauseVerbs(connections).pauses,
    load: loadVerb(connections),
    heads,
    locks,
    sharedEffect: shareVerbs(connections).sharedEffect,
    queues: queueVerbs(connections).queues,
    outbox,
    listOutbox,
    schedules: scheduleVerbs(connections).schedules,
    findKey,
    listKeys,
    changes: changeVerbs(connections).changes,
    acts: auditVerbs(connections).acts,
    effects: ledgerVerbs(connections).effects,
    ...waitingVerbs(connections, parts),
    ...gaugeVerbs(connections, parts),
    batches,
    batchItems,
  };
}

async function prepare(options: ConnectionOptions): Promise<void> {
  const { client, connect, hangUp } = dial(options, options.numbers.statementTimeoutMs);
  try {
    await connect();
    await prepareReaderRole(client);
  } catch (error) {
    throw error instanceof PawlError ? error : storeErrorOf(error, 'connecting');
  } finally {
    await hangUp();
  }
}

/**
 * Opens reads as a role that sees only the rows of one tenant (S18), on connections of their own.
 * @throws PAWL_CONFIG_INVALID with the mend where that role cannot be had; PAWL_STORE_*.
 */
export async function openTenantReads(
  options: ConnectionOptions,
  { tenant, parts, admission }: { readonly tenant: string; readonly parts: number; readonly admission: Admission },
): Promise<OpenedReads> {
  await prepare(options);
  const reader = { role: READER_ROLE, tenant };
  const connections = admission.over(openConnections({ ...options, connections: READERS_MAX, reader }));
  return { reads: readsOver(connections, parts), close: () => connections.close() };
}
