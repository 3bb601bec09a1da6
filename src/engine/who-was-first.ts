import { sameFrames } from '../decision/frames.ts';
import type { Json } from '../model/json.ts';
import type { AuditEntry } from '../model/run-commit.ts';
import type { RunIdentity } from '../model/run.ts';
import type { Engine } from './engine.ts';
import { loadStored } from './find-run.ts';
import type { Order } from './order.ts';

const STOPS = ['cancel', 'terminate', 'compensate'] as const;

/** Acts that leave nothing to do for an order that comes later. */
const RIVALS: Readonly<Record<Order['type'], readonly string[]>> = {
  cancel: STOPS,
  terminate: STOPS,
  compensate: STOPS,
  retry: ['retry'],
  resolve: ['resolve'],
  reconcile: ['resolve'],
  pause: ['pause', ...STOPS],
  resume: ['resume', ...STOPS],
};

/** What the rival act must have been about: the same step, any row of the same place in the ledger, or the run. */
async function targetsOf(engine: Engine, run: RunIdentity, order: Order): Promise<readonly string[]> {
  if (order.type === 'retry') return [order.step];
  if (order.type !== 'resolve' && order.type !== 'reconcile') return [run.runId];
  const { stored } = await loadStored(engine, run);
  const meant = stored.effects.find(({ key }) => key === order.effectKey);
  return stored.effects.flatMap(({ key, step, frames }) =>
    meant !== undefined && step === meant.step && sameFrames(frames, meant.frames) ? [key] : [],
  );
}

/** What a person said in a resolve; null for every other act. */
function wordOf({ act, detail }: AuditEntry): Json {
  if (act !== 'resolve' || typeof detail !== 'object' || detail === null) return null;
  return (Reflect.get(detail, 'as') as Json | undefined) ?? null;
}

/**
 * The last act of a person that left nothing to do for this one: who, what, as what, when. Transaction: none.
 * @returns null where no person was first.
 */
export async function whoWasFirst(engine: Engine, run: RunIdentity, order: Order): Promise<Json> {
  const [acts, targets] = await Promise.all([engine.store.audit(run.part, run.runId), targetsOf(engine, run, order)]);
  const first = acts.findLast(
    (entry) =>
      RIVALS[order.type].includes(entry.act) && targets.includes(entry.target) && wordOf(entry) !== 'keep-waiting',
  );
  if (first === undefined) return null;
  return { by: first.actor, act: first.act, as: wordOf(first), at: new Date(first.atMs).toISOString() };
}
