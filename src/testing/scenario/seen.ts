import { callsOf } from '../../decision/settlement.ts';
import { unpackSnapshot } from '../../decision/snapshot-envelope.ts';
import type { Effect } from '../../model/effect.ts';
import type { Json } from '../../model/json.ts';
import type { RunIdentity } from '../../model/run.ts';
import type { Transition } from '../../model/run-commit.ts';
import type { StoredRun } from '../../ports/store.ts';
import { labelOf } from '../crash-lab/lab.ts';
import type { Told } from './perform.ts';
import type { EndSeen } from './status-words.ts';
import type { NamedHappening } from './workflow-names.ts';

/** Something that happened outside, and when: from the start, milliseconds. */
export interface Happening extends NamedHappening {
  readonly atMs: number;
}

/** What playing a scenario once came to. */
export interface Seen extends EndSeen {
  /** The code with which its `finally` failed. */
  readonly finallyFailed: string | null;
  readonly output: Json;
  readonly happened: readonly Happening[];
  /** When each revision of the run was reached, in order; from the start, milliseconds. */
  readonly progress: readonly { readonly revision: number; readonly atMs: number }[];
  /** Every state that was entered, in order. */
  readonly entered: readonly string[];
  /** Steps whose `next` has closed its cycle. */
  readonly jumped: readonly string[];
  /** Steps whose undo was begun. */
  readonly undone: readonly string[];
  readonly open: readonly NamedHappening[];
  /** Effects in doubt or refused that a person decides. */
  readonly doubted: readonly string[];
  readonly calls: ReadonlyMap<string, number>;
  /** From the start, milliseconds; null = it has not ended. */
  readonly endMs: number | null;
  /** By event of the scenario, in its order; null = nothing was heard. */
  readonly told: readonly (Told | null)[];
  /** Why it cannot be played, or what broke. */
  readonly problems: readonly string[];
}

const OPEN: ReadonlySet<string> = new Set(['PROPOSED', 'AUTHORIZED', 'REQUESTED', 'UNKNOWN']);

/** A start that was refused. */
export function seenRejected(code: string): Seen {
  return {
    status: null,
    outcome: null,
    failure: code,
    finallyFailed: null,
    incidents: [],
    output: null,
    happened: [],
    progress: [],
    entered: [],
    jumped: [],
    undone: [],
    open: [],
    doubted: [],
    calls: new Map(),
    endMs: null,
    told: [],
    problems: [],
  };
}

/** What is known of a run that was played. */
export interface PlayedRecords {
  readonly run: RunIdentity;
  readonly stored: StoredRun;
  readonly journal: readonly Transition[];
  readonly happened: readonly Happening[];
  readonly told: Seen['told'];
  readonly problems: readonly string[];
}

function enteredIn({ delta }: Transition): readonly string[] {
  return (delta as { readonly entered: readonly string[] }).entered;
}

/** Calls that left, by action. */
function countCalls(effects: readonly Effect[]): ReadonlyMap<string, number> {
  const calls = new Map<string, number>();
  for (const effect of effects) calls.set(effect.action, (calls.get(effect.action) ?? 0) + callsOf(effect));
  return calls;
}

function failureCode(failure: Json | undefined): string | null {
  return typeof failure === 'object' && failure !== null && 'code' in failure ? String(failure['code']) : null;
}

/** Reads what a play came to from what is stored. */
export function seenOf({ run, stored, journal, happened, told, problems }: PlayedRecords): Seen {
  const { snapshot, control } = unpackSnapshot(stored.snapshot, run.digest);
  const { effects } = stored;
  const undos = effects.filter(({ compensates }) => compensates !== null);
  return {
    status: stored.status,
    outcome: snapshot.data.ending?.as ?? null,
    failure: failureCode(stored.failure),
    finallyFailed: snapshot.data.finally?.failure?.code ?? null,
    incidents: control.incidents.map(({ kind, step }) => (step === null ? kind : `${kind} ${step}`)),
    output: stored.output ?? null,
    happened,
    progress: journal.map(({ revision, atMs }) => ({ revision, atMs: atMs - run.startedAtMs })),
    entered: journal.flatMap(enteredIn),
    jumped: Object.keys(snapshot.data.jumps),
    undone: undos.map(({ step }) => step),
    open: effects
      .filter(({ state }) => OPEN.has(state))
      .map((effect) => ({ action: effect.action, label: labelOf(effect) })),
    doubted: effects.filter(({ state }) => state === 'UNKNOWN').map(({ action }) => action),
    calls: countCalls(effects),
    endMs: stored.endedAtMs === null ? null : stored.endedAtMs - stored.run.startedAtMs,
    told,
    problems,
  };
}
