import { cronTimes } from '../definition/cron-times.ts';
import { digestsOf } from '../definition/digest.ts';
import type { Shelf } from '../definition/embed-catalogues.ts';
import { validateWorkflow } from '../definition/validate-workflow.ts';
import { lower } from '../machine/lower.ts';
import { canonicalJson } from '../model/canonical-json.ts';
import { caught } from '../model/caught.ts';
import type { ScheduleDefinition, WorkflowDefinition } from '../model/definition.ts';
import { DefinitionError, PawlError, RefusedError } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import type { Problem } from '../model/problem.ts';
import { scheduleAddress, type ScheduleStart } from '../model/schedule.ts';
import type { StoredVersion } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import { assertLinks } from './reads-links.ts';
import type { LoadedVersion, VersionCache } from './version-cache.ts';
import { withChildren } from './with-children.ts';
import { storeCatalogue } from './store-catalogue.ts';

/** What publishing asks for. */
export interface PublishAsk {
  /** YAML text. */
  readonly text: string;
  /** Its name, for problems. */
  readonly file: string;
  readonly by: string;
  /** The catalogues that it may use; none unless given. */
  readonly catalogues?: Shelf | undefined;
}

/** What publishing found: a new version, or the same content again. */
export interface Published {
  readonly created: boolean;
  readonly version: StoredVersion;
  readonly warnings: readonly Problem[];
}

/** The part of an engine that publishing needs. */
export type Publisher = Pick<Engine, 'store' | 'versions' | 'logger' | 'tenant' | 'links'>;

/**
 * Publishes a version: validated, its catalogues embedded and published with it, lowered, stored under its digest, immutable;
 * its schedule begins with it. The same content again is a no-op.
 * @throws PAWL_DEFINITION_INVALID with all problems; PAWL_SQL_OFF; PAWL_LINKS_OFF; PAWL_VERSION_CONFLICT when the number exists with other content, or
 * that of a catalogue that it uses.
 * Transaction: opens one, and one for each catalogue before.
 */
export async function publishVersion(engine: Publisher, ask: PublishAsk): Promise<Published> {
  const { definition, problems, catalogues, map } = validateWorkflow(ask.text, ask.file, ask.catalogues);
  const errors = problems.filter((problem) => problem.severity === 'error');
  if (definition === null || errors.length > 0) throw new DefinitionError(errors);
  assertCarriedOut(engine, definition);
  assertLinks(engine, definition);
  const whole = await withChildren(engine, definition, map);
  const machine = lower(whole);
  const { digest, parts } = digestsOf(machine);
  for (const catalogue of catalogues) await storeCatalogue(engine, catalogue, ask.by);
  const given = {
    tenant: engine.tenant,
    workflow: definition.workflow,
    version: definition.version,
    digest,
    digests: parts,
    source: ask.text,
    machine: canonicalJson(machine as unknown as Json),
    publishedBy: ask.by,
    publishedAtMs: 0,
  };
  const { created, version } = await engine.store.publish(given, await beginSchedule(engine, definition));
  engine.versions.adopt(version);
  engine.logger.info({ workflow: version.workflow, version: version.version, created }, 'version.published');
  return { created, version, warnings: problems.filter((problem) => problem.severity === 'warning') };
}

/** @throws PAWL_SQL_OFF for a workflow whose statements nobody here would carry out (E13: off by default). */
function assertCarriedOut({ store }: Publisher, { actions }: WorkflowDefinition): void {
  const statement = actions.find(({ transport }) => transport.kind === 'sql');
  if (statement === undefined || store.act !== undefined) return;
  throw new RefusedError(
    'PAWL_SQL_OFF',
    `"${statement.name}" is a statement, and statements are off: name the role in which they run in pawl.config.yaml (sql: { role: … })`,
    { action: statement.name },
  );
}

/** The version before; null also where its row is damaged, because the next one is the way out of that. */
async function lastVersion(versions: VersionCache, tenant: string, workflow: string): Promise<LoadedVersion | null> {
  try {
    return await versions.find(tenant, workflow, null);
  } catch (error) {
    if (caught(error, PawlError).code === 'PAWL_VERSION_DAMAGED') return null;
    throw error;
  }
}

/** The schedule that a version brings along, from its first instant by the database's clock. */
async function beginSchedule(
  { store, tenant, versions }: Publisher,
  { schedule, workflow }: WorkflowDefinition,
): Promise<ScheduleStart | undefined> {
  if (schedule === undefined) return undefined;
  const { part } = scheduleAddress(tenant, workflow, store.parts);
  const before = await lastVersion(versions, tenant, workflow);
  const isSame = before !== null && hasTimes(before, schedule);
  const timesOf = isSame ? before.stored.version : null;
  return { part, dueAtMs: cronTimes(schedule).next(await store.nowMs()), timesOf };
}

function hasTimes({ compiled }: LoadedVersion, { cron, timezone }: ScheduleDefinition): boolean {
  const { schedule } = compiled.machine.definition;
  return schedule?.cron === cron && schedule.timezone === timezone;
}
