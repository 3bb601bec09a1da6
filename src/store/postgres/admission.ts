import type { ClientBase } from 'pg';
import { StoreError } from '../../model/errors.ts';
import type { DatabaseIdentity, Witness, WitnessStore } from '../../ports/witness-store.ts';
import type { Connections, Row } from './connections.ts';
import { ADMISSION, BEGIN_RECOVERY, END_RECOVERY, WITNESS, WITNESS_READ } from './sql/witness.ts';

/** Guards a store against a database that is another than before (P14). */
export interface Admission {
  /** Looks at a new connection. @throws PAWL_STORE_UNAVAILABLE for a server that takes no writes. */
  admit(client: ClientBase): Promise<void>;
  /** Lets nothing but the witness travel once a connection has found another database than the worker has seen last. */
  over(connections: Connections): Connections;
}

interface Admitted {
  readonly system_identifier: string;
  readonly timeline: number;
  readonly read_only: boolean;
}

function isSame(a: DatabaseIdentity, b: DatabaseIdentity): boolean {
  return a.systemIdentifier === b.systemIdentifier && a.timeline === b.timeline;
}

/** Begins without having seen any database. */
export function createAdmission(): Admission {
  /** What the witness has said last to the worker, and what the last new connection has met. */
  let seen: DatabaseIdentity | null = null;
  let met: DatabaseIdentity | null = null;
  return {
    admit: async (client) => {
      const { rows } = await client.query<Admitted>(ADMISSION);
      for (const { read_only: isReadOnly, system_identifier: systemIdentifier, timeline } of rows) {
        if (isReadOnly)
          throw new StoreError('PAWL_STORE_UNAVAILABLE', 'this server takes no writes: give the URL of the primary');
        met = { systemIdentifier, timeline };
      }
    },
    over: (connections) => ({
      ...connections,
      run: async <R = Row>(...[statement, values, lane]: Parameters<Connections['run']>): Promise<R[]> => {
        const isWitness = statement === WITNESS || statement === WITNESS_READ;
        if (!isWitness && seen !== null && met !== null && !isSame(seen, met))
          throw new StoreError(
            'PAWL_STORE_UNAVAILABLE',
            'the database is another than before (its timeline or system identifier has changed): it is looked at first',
          );
        const rows = await connections.run<R>(statement, values, lane);
        if (statement === WITNESS) {
          seen = witnessOf(rows as readonly Row[]).identity;
          met = seen;
        }
        return rows;
      },
    }),
  };
}

function witnessOf(rows: readonly Row[]): Witness {
  const row = rows[0] ?? {};
  const identity = { systemIdentifier: row['system_identifier'] as string, timeline: row['timeline'] as number };
  const untilMs = row['window_until'] as number | null;
  const window = untilMs === null ? null : { lastSeenMs: row['window_from'] as number, sinceMs: untilMs };
  const sinceMs = row['recovery_since'] as number | null;
  if (sinceMs === null) return { identity, recovery: null, window };
  const was = { systemIdentifier: row['was_system_identifier'] as string, timeline: row['was_timeline'] as number };
  return { identity, recovery: { sinceMs, was, lastSeenMs: row['last_seen_at'] as number }, window };
}

/** The verbs of P14. */
export function witnessVerbs({ run }: Connections): WitnessStore {
  return {
    witness: async (by) => witnessOf(await run(by === 'worker' ? WITNESS : WITNESS_READ, [], 'beat')),
    beginRecovery: async (sinceMs, { tenant, by, reason }) =>
      (await run(BEGIN_RECOVERY, [sinceMs, tenant, by, reason])).length > 0,
    endRecovery: async ({ tenant, by, reason }) => (await run(END_RECOVERY, [tenant, by, reason])).length > 0,
  };
}
