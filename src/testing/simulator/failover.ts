import type { RunIdentity } from '../../model/run.ts';
import type { EffectState } from '../../model/statuses.ts';
import type { Case, Cases } from './cases.ts';
import { guard, pause } from './guard.ts';
import { comeLater, playCase } from './play-case.ts';
import type { Scene } from './scene.ts';

/** When the database breaks down at the latest, and by how much its replica is behind at most; milliseconds. */
const BREAKS_MS_MAX = 11_000;
const BEHIND_MS_MAX = 2_500;
/** By then every request that the lost database has let go is carried out or never will be, milliseconds. */
const CARRIED_OUT_MS = 5_000;
const RECONCILE_MS_MAX = 3_000;
const ASK_AGAIN_MS = 1_000;
/** How often people let the engine find out what contradicts the books, and do not stop it. */
const TRUSTS = 0.6;

/** States of a row that is still to be sent. */
const TO_BE_SENT: ReadonlySet<EffectState> = new Set(['PROPOSED', 'AUTHORIZED']);

/** Has the database break down once; a replica without the last commits follows, and people go through what was lost. */
export function planFailover(scene: Scene, cases: Cases): void {
  const { world, store, host, figures } = scene;
  cases.pending.count += 1;
  const follow = async (): Promise<void> => {
    const rows = store.peek();
    await pause(scene, world.random.next() * BEHIND_MS_MAX);
    host.promote(rows);
    figures.failovers += 1;
    await pause(scene, CARRIED_OUT_MS + world.random.next() * RECONCILE_MS_MAX);
    await reconcile(scene, cases);
    cases.pending.count -= 1;
  };
  world.after(world.random.next() * BREAKS_MS_MAX, null, () => void guard(scene, follow()));
}

/** The run of each effect, as the database was before it broke down and as it is now. */
function ownersOf({ store, host }: Scene): ReadonlyMap<string, RunIdentity> {
  const owners = new Map<string, RunIdentity>();
  for (const { runs } of [host.loss()?.before, store.peek()].filter((rows) => rows !== undefined))
    for (const { run, effects } of runs.values()) for (const key of effects.keys()) owners.set(key, run);
  return owners;
}

/** Whose effect stands in the book though its ledger would still send it, or has no row of it: it is undone by hand. */
function contradicted(scene: Scene): ReadonlySet<string> {
  const { store, provider } = scene;
  const found = new Set<string>();
  const owners = ownersOf(scene);
  for (const { effect } of provider.book.entries) {
    const run = owners.get(effect ?? '');
    if (run === undefined) continue;
    const rows = [...store.peek().runs.values()].find((stored) => stored.run.key === run.key);
    const state = [...(rows?.effects.values() ?? [])].find(({ key }) => key === effect)?.state;
    if (state === undefined || TO_BE_SENT.has(state)) found.add(run.key);
  }
  return found;
}

/** What a case's sender does who knows what was lost. */
async function takeUp(scene: Scene, cases: Cases, lost: Case, isContradicted: boolean): Promise<void> {
  const { store, world } = scene;
  const { no, run, acts, startedAtMs } = lost;
  const stored = [...store.peek().runs.values()].find((rows) => rows.run.key === run.key);
  if (stored === undefined && isContradicted) {
    cases.started.delete(no);
    cases.writtenOff.add(no);
    return;
  }
  if (stored === undefined) {
    cases.started.delete(no);
    await playCase(scene, no, cases);
    return;
  }
  cases.started.set(no, { ...lost, run: stored.run });
  for (const doing of acts) {
    const hasCome = startedAtMs + doing.atMs <= world.nowMs();
    if (hasCome && (doing.kind === 'signal' || doing.kind === 'vote'))
      comeLater(scene, cases, { no, delayMs: world.random.next() * ASK_AGAIN_MS, doing });
  }
}

/**
 * What people stop because it contradicts the books. What the follower has, the engine knows to be in doubt; a run that was lost and
 * began again is new to it.
 */
function stoppedOf({ world, host, store }: Scene, wrong: ReadonlySet<string>): ReadonlySet<string> {
  const trusts = world.random.next() < TRUSTS;
  const runs = [...store.peek().runs.values()].map(({ run }) => run);
  const isDoubted = ({ runId }: RunIdentity): boolean => trusts && host.loss()?.after.runs.has(runId) === true;
  return new Set(runs.filter((run) => wrong.has(run.key) && !isDoubted(run)).map(({ key }) => key));
}

/** People compare the books with what the database has now, stop what contradicts them, and let the engine go on. */
async function reconcile(scene: Scene, cases: Cases): Promise<void> {
  const { fleet, store, host } = scene;
  // Whoever has published something in the window publishes it again: `verify` names it by the runs that are pinned to it.
  for (const version of host.loss()?.before.versions.values() ?? []) await store.publish(version);
  const wrong = contradicted(scene);
  const stopped = stoppedOf(scene, wrong);
  for (const { no, run } of cases.started.values()) if (stopped.has(run.key)) cases.byHand.add(no);
  for (const { run } of store.peek().runs.values()) {
    if (!stopped.has(run.key)) continue;
    const how = { by: 'ops', reason: 'it was done before the database broke down', eventId: 'stop-1' };
    await fleet.ask((verbs) => verbs.terminate(run.runId, how));
  }
  while ((await store.witness('reader')).recovery !== null) {
    const act = { by: 'ops', reason: 'the window was compared with the books', eventId: 'recovered-1' };
    await fleet.ask((verbs) => verbs.endRecovery(act));
    await pause(scene, ASK_AGAIN_MS);
  }
  for (const lost of [...cases.started.values()]) await takeUp(scene, cases, lost, wrong.has(lost.run.key));
}
