import type { Deprecation, VersionName } from '../model/deprecation.ts';

/** What a store keeps of versions on which nothing new starts; what was done to them is in the acts of the tenant. */
export interface DeprecationStore {
  /** Recorded. @returns false where it is deprecated already, or not published. */
  deprecate(of: VersionName, act: Pick<Deprecation, 'by' | 'reason'>): Promise<boolean>;
  /** Takes a deprecation back; recorded. @returns false where there is none. */
  restore(of: VersionName, act: { readonly by: string; readonly reason: string | null }): Promise<boolean>;
  /** Those of a tenant by workflow and version; or only those of one workflow. */
  deprecations(tenant: string, workflow: string | null): Promise<readonly Deprecation[]>;
}
