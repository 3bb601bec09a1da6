import type { Deprecation } from '../../model/deprecation.ts';
import type { DeprecationStore } from '../../ports/deprecation-store.ts';
import type { Connections, Row } from './connections.ts';
import { DEPRECATE, LIST_DEPRECATIONS, RESTORE } from './sql/deprecation.ts';

function deprecationFromRow(row: Row): Deprecation {
  return {
    tenant: row['tenant'] as string,
    workflow: row['workflow'] as string,
    version: row['version'] as number,
    by: row['actor'] as string,
    reason: row['reason'] as string,
    atMs: row['at'] as number,
  };
}

/** The verbs of versions on which nothing new starts. */
export function deprecationVerbs({ run }: Connections): DeprecationStore {
  return {
    deprecate: async ({ tenant, workflow, version }, { by, reason }) =>
      (await run(DEPRECATE, [tenant, workflow, version, by, reason])).length > 0,
    restore: async ({ tenant, workflow, version }, { by, reason }) =>
      (await run(RESTORE, [tenant, workflow, version, by, reason])).length > 0,
    deprecations: async (tenant, workflow) =>
      (await run(LIST_DEPRECATIONS, [tenant, workflow])).map(deprecationFromRow),
  };
}
