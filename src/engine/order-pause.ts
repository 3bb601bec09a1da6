import { ConflictError, NotFoundError, RefusedError } from '../model/errors.ts';
import { type Pause, type PauseSubject, pauseWords, subjectWords } from '../model/pause.ts';
import type { Engine } from './engine.ts';
import { refuseUnstorable } from './refuse-unstorable.ts';

/** What is to be paused, by whom and why. */
export interface PauseAsk extends PauseSubject {
  readonly by: string;
  readonly reason: string;
}

/** A pause as it is told; times RFC 3339 UTC. */
export interface PauseView extends PauseAsk {
  readonly id: string;
  readonly since: string;
}

/** Names of workflows, actions and hosts, with `*` for any characters. */
const NAME = /^[A-Za-z0-9_.:*[\]/-]{1,255}$/;

function viewOf({ pauseId, kind, name, by, reason, atMs }: Pause): PauseView {
  return { id: pauseId, kind, name, by, reason, since: new Date(atMs).toISOString() };
}

/** Hosts are compared as addresses have them. */
function nameOf({ kind, name }: PauseSubject): string {
  if (!NAME.test(name))
    throw new RefusedError('PAWL_INPUT_INVALID', `"${name}" is no name of a workflow, an action or a host`, { name });
  return kind === 'host' ? name.toLowerCase() : name;
}

/** A slip of the pen would pause nothing, and nobody would see it; of actions and hosts nobody has a list. */
async function assertThere({ store, tenant }: Engine, { kind, name }: PauseSubject): Promise<void> {
  if (kind !== 'workflow' || name.includes('*') || (await store.findVersion(tenant, name, null)) !== null) return;
  throw new NotFoundError('PAWL_VERSION_NOT_FOUND', `no version at all of ${name} is published`, { workflow: name });
}

/**
 * Has nothing of a workflow, of an action or to a host be sent until it is resumed, whatever run it is part of.
 * Transaction: the store's own.
 * @throws PAWL_INPUT_INVALID, PAWL_VALUE_NOT_STORABLE, PAWL_VERSION_NOT_FOUND, PAWL_PAUSED_ALREADY.
 */
export async function beginPause(engine: Engine, ask: PauseAsk): Promise<PauseView> {
  const { store, tenant, ids } = engine;
  const { kind, by, reason } = ask;
  const name = nameOf(ask);
  for (const [what, value] of Object.entries({ by, reason })) refuseUnstorable(`the ${what}`, value);
  await assertThere(engine, { kind, name });
  const pauseId = ids.newEventId();
  const isNew = await store.beginPause({ tenant, pauseId, kind, name, by, reason });
  const found = (await store.pauses(tenant)).find((pause) => pause.kind === kind && pause.name === name);
  if (isNew && found?.pauseId === pauseId) return viewOf(found);
  const words =
    found === undefined ? `${subjectWords({ kind, name })} was paused, and resumed since` : pauseWords(found);
  throw new ConflictError('PAWL_PAUSED_ALREADY', words, { kind, name });
}

/**
 * Ends a pause; what waited for it is woken with that.
 * Transaction: the store's own.
 * @throws PAWL_PAUSE_NOT_FOUND, PAWL_VALUE_NOT_STORABLE.
 */
export async function endPause(
  { store, tenant }: Engine,
  id: string,
  { by, reason }: { readonly by: string; readonly reason: string | null },
): Promise<PauseView> {
  for (const [what, value] of Object.entries({ by, reason: reason ?? '' })) refuseUnstorable(`the ${what}`, value);
  const found = (await store.pauses(tenant)).find(({ pauseId }) => pauseId === id);
  if (found === undefined || !(await store.endPause({ tenant, pauseId: id }, { by, reason })))
    throw new NotFoundError('PAWL_PAUSE_NOT_FOUND', `there is no pause ${id}`, { pause: id });
  return viewOf(found);
}

/** Pauses of the tenant, the oldest first. Transaction: none. */
export async function listPauses({ store, tenant }: Engine): Promise<readonly PauseView[]> {
  return (await store.pauses(tenant)).map(viewOf);
}
