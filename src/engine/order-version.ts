import { catalogueOfStored } from '../model/catalogue-name.ts';
import type { Deprecation, VersionName } from '../model/deprecation.ts';
import { ConflictError, NotFoundError } from '../model/errors.ts';
import type { Engine } from './engine.ts';
import { refuseUnstorable } from './refuse-unstorable.ts';

/** What a person does with a version: nothing new starts on it, or that is taken back. */
export type VersionOrder =
  | { readonly act: 'deprecate'; readonly by: string; readonly reason: string }
  | { readonly act: 'restore'; readonly by: string; readonly reason: string | null };

/** A version on which nothing new starts. */
export function versionDeprecated({ workflow, version, by, reason, atMs }: Deprecation): ConflictError {
  const name = `${workflow}@${version}`;
  const at = new Date(atMs).toISOString();
  return new ConflictError(
    'PAWL_VERSION_DEPRECATED',
    `${name} is deprecated by ${by} since ${at}: ${reason}; start a newer version, or take it back: pawl deprecate ${name} --undo`,
    { workflow, version, by, reason, at },
  );
}

/**
 * Has nothing new start on a version, or takes that back; its runs, and the children that are pinned to it, go on.
 * @throws PAWL_VERSION_NOT_FOUND; PAWL_VERSION_DEPRECATED where it is so already; PAWL_VERSION_NOT_DEPRECATED. Transaction: the store's own.
 */
export async function orderVersion(
  { store, tenant }: Engine,
  { workflow, version }: Omit<VersionName, 'tenant'>,
  order: VersionOrder,
): Promise<void> {
  const { by, reason } = order;
  for (const [what, value] of Object.entries({ workflow, by, reason: reason ?? '' }))
    refuseUnstorable(`the ${what}`, value);
  const of = { tenant, workflow, version };
  const isThere = catalogueOfStored(workflow) === null && (await store.findVersion(tenant, workflow, version)) !== null;
  const details = { workflow, version };
  if (!isThere)
    throw new NotFoundError('PAWL_VERSION_NOT_FOUND', `no version ${version} of ${workflow} is published`, details);
  const isDone = order.act === 'deprecate' ? await store.deprecate(of, order) : await store.restore(of, order);
  if (isDone) return;
  const [found] = (await store.deprecations(tenant, workflow)).filter((row) => row.version === version);
  if (found !== undefined) throw versionDeprecated(found);
  throw new ConflictError('PAWL_VERSION_NOT_DEPRECATED', `${workflow}@${version} is not deprecated`, details);
}
