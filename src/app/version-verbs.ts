import { orderVersion, type VersionOrder } from '../engine/order-version.ts';
import type { Engine } from '../engine/engine.ts';
import { catalogueOfStored } from '../model/catalogue-name.ts';
import type { Deprecation } from '../model/deprecation.ts';
import { NotFoundError } from '../model/errors.ts';
import type { StoredVersion } from '../ports/store.ts';

/** What can be asked of published versions. */
export interface VersionVerbs {
  versions(): Promise<readonly StoredVersion[]>;
  /** @param version null = the highest. @throws PAWL_VERSION_NOT_FOUND. */
  version(workflow: string, version: number | null): Promise<StoredVersion>;
  /** Versions on which nothing new starts. @param workflow null = of all. */
  deprecations(workflow: string | null): Promise<readonly Deprecation[]>;
  /** Nothing new starts on a version, or that is taken back; recorded. @throws PAWL_VERSION_NOT_FOUND, PAWL_VERSION_DEPRECATED, PAWL_VERSION_NOT_DEPRECATED. */
  orderVersion(workflow: string, version: number, order: VersionOrder): Promise<void>;
}

/** The verbs of published versions, bound to an engine. */
export function createVersionVerbs(engine: Engine): VersionVerbs {
  const { store, tenant } = engine;
  return {
    versions: async () => {
      const stored = await store.listVersions(tenant);
      return stored.filter(({ workflow }) => catalogueOfStored(workflow) === null);
    },
    version: async (workflow, version) => {
      const stored = await store.findVersion(tenant, workflow, version);
      if (stored !== null) return stored;
      throw new NotFoundError(
        'PAWL_VERSION_NOT_FOUND',
        `no version ${version ?? 'at all'} of ${workflow} is published`,
        { workflow, version },
      );
    },
    deprecations: (workflow) => store.deprecations(tenant, workflow),
    orderVersion: (workflow, version, order) => orderVersion(engine, { workflow, version }, order),
  };
}
