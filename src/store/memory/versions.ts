import type { Digest } from '../../model/ids.ts';
import type { ScheduleStart } from '../../model/schedule.ts';
import type { StoredVersion } from '../../ports/store.ts';
import { assertSameContent } from '../version-conflict.ts';
import { noteAct } from './audit.ts';
import { inOrder, rowOf } from './row.ts';
import { beginSchedule } from './schedules.ts';
import { keyOf, type Statement } from './tables.ts';

/** Stores a version once, with its schedule. @throws PAWL_VERSION_CONFLICT when it is there with another digest. */
export function publish(
  statement: Statement,
  asked: StoredVersion,
  schedule?: ScheduleStart,
): { readonly created: boolean; readonly version: StoredVersion } {
  const { versions, nowMs } = statement;
  const { tenant, workflow, version, digest, digests, source, machine, publishedBy } = asked;
  const key = keyOf(tenant, workflow, version);
  const known = versions.get(key);
  if (known !== undefined) {
    assertSameContent(asked, known);
    return { created: false, version: known };
  }
  const row = rowOf({ tenant, workflow, version, digest, digests, source, machine, publishedBy, publishedAtMs: nowMs });
  if (schedule !== undefined) beginSchedule(statement, row, schedule);
  versions.set(key, row);
  const detail = { before: null, after: { version, digest } };
  noteAct(statement, { tenant, actor: publishedBy, act: 'publish', target: workflow, reason: null, detail });
  return { created: true, version: row };
}

/** One version, or the highest. */
export function findVersion(
  { versions }: Statement,
  tenant: string,
  workflow: string,
  version: number | null,
): StoredVersion | null {
  const found = [...versions.values()].filter(
    (row) => row.tenant === tenant && row.workflow === workflow && (version === null || row.version === version),
  );
  return inOrder(found, (row) => [-row.version])[0] ?? null;
}

/** A version by its content. */
export function loadVersion({ versions }: Statement, digest: Digest): StoredVersion | null {
  const found = [...versions.values()].filter((row) => row.digest === digest);
  return inOrder(found, (row) => [row.publishedAtMs])[0] ?? null;
}

/** All versions of a tenant. */
export function listVersions({ versions }: Statement, tenant: string): StoredVersion[] {
  const found = [...versions.values()].filter((row) => row.tenant === tenant);
  return inOrder(found, (row) => [row.workflow, row.version]);
}
