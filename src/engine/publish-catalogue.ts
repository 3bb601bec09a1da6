import { validateCatalogue } from '../definition/catalogue.ts';
import { DefinitionError } from '../model/errors.ts';
import type { Published, Publisher, PublishAsk } from './publish-version.ts';
import { storeCatalogue } from './store-catalogue.ts';

/**
 * Publishes a catalogue by itself, so that its version is what it is for everybody. The same content again is a no-op.
 * @throws PAWL_DEFINITION_INVALID with all problems; PAWL_VERSION_CONFLICT when the number exists with other content.
 * Transaction: opens one.
 */
export async function publishCatalogue(engine: Publisher, ask: PublishAsk): Promise<Published> {
  const { catalogue, problems } = validateCatalogue(ask.text, ask.file);
  if (catalogue === null) throw new DefinitionError(problems.filter(({ severity }) => severity === 'error'));
  const stored = await storeCatalogue(engine, catalogue, ask.by);
  return { ...stored, warnings: problems };
}
