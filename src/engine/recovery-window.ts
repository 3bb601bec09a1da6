import { isOpen } from '../decision/effect-lifecycle.ts';
import { readRequest } from '../decision/effect-key.ts';
import { IN_RECOVERY } from '../decision/judge-outcome.ts';
import type { RunId } from '../model/ids.ts';
import type { Json } from '../model/json.ts';
import { displayEffectKey, displayRunId } from '../model/run-id.ts';
import { isEnd, RUN_STATUSES, type RunStatus } from '../model/statuses.ts';
import type { StoredRun } from '../ports/store.ts';
import type { Witness } from '../ports/witness-store.ts';
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
    /** It is sent as soon as recovery mode ends, whether it has happened or not. */
    readonly heldBack: boolean;
  } | null;
}

/** The window of a database that may have forgotten commits (P14); times RFC 3339 UTC. */
export interface RecoveryWindow {
  /** When the database was last seen as it was before: what was done after that may be forgotten. */
  readonly lastSeen: string;
  /** When another one was found. */
  readonly since: string;
  /** Those that are held back first. */
  readonly forgotten: readonly ForgottenView[];
  /** There are more unfinished runs than were gone through. */
  readonly more: boolean;
}

const UNFINISHED = RUN_STATUSES.filter((status) => !isEnd(status));

/** A run that was started on the database as it is now has forgotten nothing; what is held back is told all the same. */
function forgottenOf({ run, status, effects }: StoredRun, sinceMs: number): readonly ForgottenView[] {
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
      heldBack: effect.code === IN_RECOVERY,
    },
  }));
  if (run.startedAtMs > sinceMs) return rows.filter(({ effect }) => effect.heldBack);
  return rows.length === 0 ? [{ ...about, effect: null }] : rows;
}

type Recovery = NonNullable<Witness['recovery']>;

async function lookThrough(engine: Engine, { sinceMs, lastSeenMs }: Recovery): Promise<RecoveryWindow> {
  const { store, tenant } = engine;
  const filter = { tenant, workflow: null, statuses: UNFINISHED, needsHuman: false, q: null, limit: WINDOW_RUNS_MAX };
  const runs = (await store.listRuns(filter)).map(({ run }) => run);
  const parts = [...new Set(runs.map(({ part }) => part))];
  const idsIn = (part: number): readonly RunId[] => runs.filter((run) => run.part === part).map(({ runId }) => runId);
  const pages = await Promise.all(parts.map((part) => store.load(part, idsIn(part))));
  const all = pages.flatMap((page) => page.runs).flatMap((run) => forgottenOf(run, sinceMs));
  const isHeldBack = ({ effect }: ForgottenView): boolean => effect?.heldBack === true;
  return {
    lastSeen: new Date(lastSeenMs).toISOString(),
    since: new Date(sinceMs).toISOString(),
    forgotten: [...all.filter(isHeldBack), ...all.filter((one) => !isHeldBack(one))],
    more: runs.length === WINDOW_RUNS_MAX,
  };
}

/**
 * Lists what an operator has to compare with the providers before ending recovery mode: the open effects of every run that
 * was under way, and those runs that may have gone on. What was started in the window itself is not here at all.
 * Transaction: the witness's own. @returns null where there is no recovery mode.
 */
export async function recoveryWindow(engine: Engine): Promise<RecoveryWindow | null> {
  const { recovery } = await engine.store.witness('reader');
  return recovery === null ? null : lookThrough(engine, recovery);
}
