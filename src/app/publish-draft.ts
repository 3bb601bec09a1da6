import type { SourceMap } from '../definition/source-map.ts';
import { validateWorkflow } from '../definition/validate-workflow.ts';
import type { Published, PublishAsk } from '../engine/publish-version.ts';
import { PawlError } from '../model/errors.ts';
import type { Verbs } from './verbs.ts';

/** What became of a file that is being edited. */
export interface Draft extends Published {
  /** The number that the file says; another than that of the version where this one was taken. */
  readonly said: number;
}

/** The file with another number for its version; nothing else of it changes. */
function withVersion(text: string, map: SourceMap, version: number): string {
  const { line, column } = map.valueRange('/version');
  const written = map.sourceText('/version') ?? '';
  const lines = text.split('\n');
  const row = lines[line - 1] ?? '';
  lines[line - 1] = `${row.slice(0, column - 1)}${version}${row.slice(column - 1 + written.length)}`;
  return lines.join('\n');
}

async function publishAs(app: Pick<Verbs, 'publish'>, ask: PublishAsk): Promise<Published | null> {
  try {
    return await app.publish(ask);
  } catch (error) {
    if (error instanceof PawlError && error.code === 'PAWL_VERSION_CONFLICT') return null;
    throw error;
  }
}

/**
 * Publishes a file as it is now, as often as it changes: under its own number where that is above all that are published, else as
 * the highest where that has the same content, else under the next number. The file stays as it is.
 * @throws PAWL_DEFINITION_INVALID with all problems, and what else publishing throws.
 * Transaction: those of publishing.
 */
export async function publishDraft(app: Pick<Verbs, 'publish' | 'versions'>, ask: PublishAsk): Promise<Draft> {
  const { definition, map } = validateWorkflow(ask.text, ask.file, ask.catalogues);
  const said = definition?.version ?? 0;
  const taken = (await app.versions()).filter(({ workflow }) => workflow === definition?.workflow);
  const highest = Math.max(0, ...taken.map(({ version }) => version));
  // What has problems is told by publishing it.
  if (definition === null || said > highest) return { ...(await app.publish(ask)), said };
  const same = await publishAs(app, { ...ask, text: withVersion(ask.text, map, highest) });
  if (same !== null) return { ...same, said };
  return { ...(await app.publish({ ...ask, text: withVersion(ask.text, map, highest + 1) })), said };
}
