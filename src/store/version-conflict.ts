import { ConflictError } from '../model/errors.ts';
import type { StoredVersion } from '../ports/store.ts';

/** A version never changes. @throws PAWL_VERSION_CONFLICT saying what differs, when it is stored with other content. */
export function assertSameContent(asked: StoredVersion, stored: StoredVersion): void {
  const { workflow, version, digest, digests } = asked;
  if (stored.digest === digest) return;
  const differs = Object.keys({ ...digests, ...stored.digests }).filter(
    (kind) => digests[kind] !== stored.digests[kind],
  );
  throw new ConflictError(
    'PAWL_VERSION_CONFLICT',
    `${workflow}@${version} is published with other content (differs in: ${differs.join(', ') || 'digest'}); a version never changes: publish ${workflow}@${version + 1}`,
    { workflow, version, differs, published: stored.digest, given: digest },
  );
}
