import { publishVersion, type Publisher } from '../../engine/publish-version.ts';
import { createVersionCache, type LoadedVersion, type VersionCache } from '../../engine/version-cache.ts';
import type { Digest } from '../../model/ids.ts';
import type { Store, StoredVersion } from '../../ports/store.ts';
import { openMemoryStore } from '../../store/memory/memory-store.ts';
import { STABLE_LINKS } from '../stable-links.ts';

const compiled = new Map<Digest, LoadedVersion>();
const prepared = new Map<string, StoredVersion>();

/** What a process has compiled; what a text becomes does not depend on the seed, so all seeds share it. */
export function sharedVersions(store: Store): VersionCache {
  return createVersionCache(store, compiled);
}

/**
 * A text as it is published: validated and compiled once, whatever the seed.
 * @param children what it runs, each before those that run it.
 */
export async function prepareVersion(text: string, children: readonly string[] = []): Promise<StoredVersion> {
  const known = prepared.get(text);
  if (known !== undefined) return known;
  const store = openMemoryStore({ clock: { nowMs: () => 0 }, parts: 1, leaseMs: 1 });
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const versions = sharedVersions(store);
  const publisher: Publisher = { store, versions, logger: quiet, tenant: 'default', links: STABLE_LINKS };
  for (const [index, child] of children.entries())
    await store.publish(await prepareVersion(child, children.slice(0, index)));
  const { version } = await publishVersion(publisher, { text, file: 'simulated.yaml', by: 'author' });
  prepared.set(text, version);
  return version;
}
