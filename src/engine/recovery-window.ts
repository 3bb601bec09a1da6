import { isOpen } from '../decision/effect-lifecycle.ts';
import { readRequest } from '../decision/effect-key.ts';
import { isHeldBack } from '../decision/held-back.ts';
import { FORGOTTEN } from '../decision/judge-outcome.ts';
import type { Effect } from '../model/effect.ts';
import type { RunId } from '../model/ids.ts';
import type { Json } from '../model/json.ts';
import { displayEffectKey, displayRunId } from '../model/run-id.ts';
import { isEnd, RUN_STATUSES, type RunStatus } from '../model/statuses.ts';
import type { StoredRun } from '../ports/store.ts';
import type { ForgottenWindow } from '../ports/witness-store.ts';
import type { Engine } from './engine.ts';

/** Most unfinished runs that one look goes through. */
export const WINDOW_RUNS_MAX = 1_000;

/** What may have happened after the database was last seen, and be forgotten by it: to be compared with a provider's book. */
export interface ForgottenView {
  readonly run: string;
  readonly key: string;
  readonly workflow: string;
  readonly version: number;
  readonly status: RunStatus;
  /** Null where nothing of the run is open here: it may have gone on from where it stands. */
  readonly effect: {
    readonly key: string;
    readonly step: string;
    readonly action: string;
    readonly state: string;
    /** What it would do, without secrets. */
    readonly request: Json;
    /** It is in doubt whether lost commits had sent it: it is asked about, or a person says. */
    readonly doubted: boolean;
    /** It is sent as soon as recovery mode ends. */
    readonly heldBack: boolean;
    /** How somebody says, or asks, what became of it; null where there is nothing to say. */
    readonly command: string | null;
  } | null;
}

/** The window of a database that may have forgotten commits (P14); times RFC 3339 UTC. */
export interface RecoveryWindow {
  /** Recovery mode lasts; false = it is over, and this is what is still in doubt. */
  readonly open: boolean;
  /** When the database was last seen as it was before: what was done after that may be forgotten. */
  readonly lastSeen: string;
  /** When another one was found. */
  readonly since: string;
  /** Those that are in doubt first, then those that are held back. */
  readonly forgotten: readonly ForgottenView[];
  /** There are more unfinished runs than were gone through. */
  readonly more: boolean;
}

const UNFINISHED = RUN_STATUSES.filter((status) => !isEnd(status));

/** The way to tell the database what it has forgotten. */
function commandFor({ run, effects }: StoredRun, effect: Effect): string | null {
  const isOnly = effects.every(({ key, step }) => key === effect.key || step !== effect.step);
  const name = `${displayRunId(run.runId)} ${isOnly ? effect.step : displayEffectKey(effect.key)}`;
  if (effect.doubt === 'query') return `pawl reconcile ${name}`;
  if (effect.doubt === 'review') return `pawl resolve ${name} --as confirmed|absent --evidence TEXT`;
  const isUnasked = isHeldBack(effect) && effect.clearedAtMs === undefined;
  return isUnasked ? `pawl resolve ${name} --as confirmed --evidence TEXT` : null;
}

/** A run that was started on the database as it is now has forgotten nothing; what is held back is told all the same. */
function forgottenOf(stored: StoredRun, sinceMs: number): readonly ForgottenView[] {
  const { run, status, effects } = stored;
  const { key, workflow, version } = run;
  const about = { run: displayRunId(run.runId), key, workflow, version, status };
  const open = effects.filter((effect) => isOpen(effect.state));
  const rows = open.map((effect) => ({
    ...about,
    effect: {
      key: displayEffectKey(effect.key),
      step: effect.step,
      action: effect.action,
      state: effect.state,
      request: readRequest(effect).with,
      doubted: effect.state === 'UNKNOWN' && effect.code === FORGOTTEN,
      heldBack: isHeldBack(effect),
      command: commandFor(stored, effect),
    },
  }));
  if (run.startedAtMs > sinceMs) return rows.filter(({ effect }) => effect.heldBack || effect.doubted);
  return rows.length === 0 ? [{ ...about, effect: null }] : rows;
}

/** What a person looks at first. */
function rankOf({ effect }: ForgottenView): number {
  if (effect?.doubted === true) return 0;
  return effect?.heldBack === true ? 1 : 2;
}

async function lookThrough(
  engine: Engine,
  { sinceMs, lastSeenMs }: ForgottenWindow,
  open: boolean,
): Promise<RecoveryWindow> {
  const { store, tenant } = engine;
  const filter = { tenant, workflow: null, statuses: UNFINISHED, needsHuman: false, q: null, limit: WINDOW_RUNS_MAX };
  const runs = (await store.listRuns(filter)).map(({ run }) => run);
  const parts = [...new Set(runs.map(({ part }) => part))];
  const idsIn = (part: number): readonly RunId[] => runs.filter((run) => run.part === part).map(({ runId }) => runId);
  const pages = await Promise.all(parts.map((part) => store.load(part, idsIn(part))));
  const all = pages.flatMap((page) => page.runs).flatMap((run) => forgottenOf(run, sinceMs));
  return {
    open,
    lastSeen: new Date(lastSeenMs).toISOString(),
    since: new Date(sinceMs).toISOString(),
    forgotten: all.filter((one) => open || rankOf(one) === 0).toSorted((a, b) => rankOf(a) - rankOf(b)),
    more: runs.length === WINDOW_RUNS_MAX,
  };
}

/**
 * Lists what an operator has to compare with the providers before ending recovery mode: the open effects of every run that
 * was under way, and those runs that may have gone on; afterwards what is still in doubt. What was started in the window itself
 * is not here at all. Transaction: the witness's own. @returns null where there is no recovery mode and nothing is in doubt.
 */
export async function recoveryWindow(engine: Engine): Promise<RecoveryWindow | null> {
  const { recovery, window } = await engine.store.witness('reader');
  if (recovery !== null) return lookThrough(engine, recovery, true);
  const found = window === null ? null : await lookThrough(engine, window, false);
  return found === null || found.forgotten.length === 0 ? null : found;
}
