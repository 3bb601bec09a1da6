import type { Catalogue } from '../definition/catalogue.ts';
import { digestsOfCatalogue } from '../definition/digest.ts';
import { canonicalJson } from '../model/canonical-json.ts';
import { storedCatalogueName } from '../model/catalogue-name.ts';
import type { StoredVersion } from '../ports/store.ts';
import type { Engine } from './engine.ts';

/** Stores a version of a catalogue once. @throws PAWL_VERSION_CONFLICT when it is there with other content. */
export async function storeCatalogue(
  { store, logger, tenant }: Pick<Engine, 'store' | 'logger' | 'tenant'>,
  catalogue: Catalogue,
  by: string,
): Promise<{ readonly created: boolean; readonly version: StoredVersion }> {
  const { name, version, text } = catalogue;
  const { content, digest, parts } = digestsOfCatalogue(catalogue);
  const workflow = storedCatalogueName(name);
  const stored = await store.publish({
    tenant,
    workflow,
    version,
    digest,
    digests: parts,
    source: text,
    machine: canonicalJson(content),
    publishedBy: by,
    publishedAtMs: 0,
  });
  logger.info({ workflow, version, created: stored.created }, 'version.published');
  return stored;
}
