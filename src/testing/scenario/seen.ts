import { authorOf, authorStateOf } from '../../machine/lane-steps.ts';
import { callsOf } from '../../decision/settlement.ts';
import { unpackSnapshot } from '../../decision/snapshot-envelope.ts';
import type { Effect, Receipt } from '../../model/effect.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { isOutward, type OutboxMessage } from '../../model/outbox.ts';
import type { RunIdentity } from '../../model/run.ts';
import type { Transition } from '../../model/run-commit.ts';
import type { StoredRun } from '../../ports/store.ts';
import { labelOf } from '../crash-lab/lab.ts';
import type { Told } from './perform.ts';
import type { PlannedWait } from './scenario-director.ts';
import type { EndSeen } from './status-words.ts';
import type { NamedHappening } from './workflow-names.ts';

/** Something that happened outside, and when: from the start, milliseconds. */
export interface Happening extends NamedHappening {
  /** What its call carried. */
  readonly with: Json;
  readonly atMs: number;
}

/** When each revision of a run was reached, in order; from the start, milliseconds. */
export type Progress = readonly { readonly revision: number; readonly atMs: number }[];

/** What playing a scenario once came to. */
export interface Seen extends EndSeen {
  /** The code with which its `finally` failed. */
  readonly finallyFailed: string | null;
  /** What is said of each incident, in their order. */
  readonly messages: readonly string[];
  readonly output: Json;
  readonly happened: readonly Happening[];
  /** How far it came and when, and by the step that runs it each child that events are for. */
  readonly progress: ReadonlyMap<string | null, Progress>;
  /** Every state that was entered, in order. */
  readonly entered: readonly string[];
  /** Steps whose `next` has closed its cycle. */
  readonly jumped: readonly string[];
  /** Steps whose undo was begun. */
  readonly undone: readonly string[];
  readonly open: readonly NamedHappening[];
  /** Actions whose effects are in doubt. */
  readonly doubted: readonly string[];
  /** Actions of whose effects a person has said what happened. */
  readonly decided: readonly string[];
  readonly calls: ReadonlyMap<string, number>;
  readonly waits: readonly PlannedWait[];
  /** What it told others, in order: CloudEvents, each with the key of its order. */
  readonly published: readonly JsonObject[];
  /** Why it did not complete, as its run shows it. */
  readonly whole: Json;
  /** From the start, milliseconds; null = it has not ended. */
  readonly endMs: number | null;
  /** By event of the scenario, in its order; null = nothing was heard. */
  readonly told: readonly (Told | null)[];
  /** Why it cannot be played, or what broke. */
  readonly problems: readonly string[];
}

const OPEN: ReadonlySet<string> = new Set(['PROPOSED', 'AUTHORIZED', 'REQUESTED', 'UNKNOWN']);

/** A start that was refused. */
export function seenRejected(refusal: { readonly code: string; readonly message: string }): Seen {
  return {
    status: null,
    outcome: null,
    failure: refusal.code,
    finallyFailed: null,
    incidents: [],
    messages: [],
    output: null,
    happened: [],
    progress: new Map(),
    entered: [],
    jumped: [],
    undone: [],
    open: [],
    doubted: [],
    decided: [],
    calls: new Map(),
    waits: [],
    published: [],
    whole: { code: refusal.code, message: refusal.message },
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
  readonly progress: Seen['progress'];
  readonly receipts: readonly Receipt[];
  readonly happened: readonly Happening[];
  readonly told: Seen['told'];
  readonly waits: Seen['waits'];
  readonly outbox: readonly OutboxMessage[];
  /** Of every run. */
  readonly ledger: readonly Effect[];
  readonly reads: ReadonlyMap<string, number>;
  readonly problems: readonly string[];
}

function enteredIn({ delta }: Transition): readonly string[] {
  return (delta as { readonly entered: readonly string[] }).entered;
}

/** Calls that left, by action. */
function countCalls(effects: readonly Effect[], reads: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const calls = new Map(reads);
  for (const effect of effects) calls.set(effect.action, (calls.get(effect.action) ?? 0) + callsOf(effect));
  return calls;
}

function publishedIn({ body, key }: OutboxMessage): JsonObject {
  return { ...(JSON.parse(body) as JsonObject), key };
}

function failureCode(failure: Json | undefined): string | null {
  return typeof failure === 'object' && failure !== null && 'code' in failure ? String(failure['code']) : null;
}

/** Reads what a play came to from what is stored. */
export function seenOf({
  run,
  stored,
  journal,
  progress,
  receipts,
  happened,
  told,
  waits,
  outbox,
  ledger,
  reads,
  problems,
}: PlayedRecords): Seen {
  const { snapshot, control } = unpackSnapshot(stored.snapshot, run.digest);
  const { effects } = stored;
  const words = new Set(receipts.filter(({ observedBy }) => observedBy === 'person').map(({ effectKey }) => effectKey));
  const undos = effects.filter(({ compensates }) => compensates !== null);
  return {
    status: stored.status,
    outcome: snapshot.data.ending?.as ?? null,
    failure: failureCode(stored.failure),
    finallyFailed: snapshot.data.finally?.failure?.code ?? null,
    incidents: control.incidents.map(({ kind, step }) => (step === null ? kind : `${kind} ${authorOf(step)}`)),
    messages: control.incidents.map(({ message }) => message),
    output: stored.output ?? null,
    happened,
    progress,
    entered: journal.flatMap(enteredIn).map(authorStateOf),
    jumped: Object.keys(snapshot.data.jumps).map(authorStateOf),
    undone: undos.map(({ step }) => step),
    open: effects
      .filter(({ state }) => OPEN.has(state))
      .map((effect) => ({ action: effect.action, label: labelOf(effect) })),
    doubted: effects.filter(({ state }) => state === 'UNKNOWN').map(({ action }) => action),
    decided: effects.filter(({ key }) => words.has(key)).map(({ action }) => action),
    calls: countCalls(ledger, reads),
    waits,
    published: outbox.filter(({ topic }) => isOutward(topic)).map(publishedIn),
    whole: stored.failure ?? null,
    endMs: stored.endedAtMs === null ? null : stored.endedAtMs - stored.run.startedAtMs,
    told,
    problems,
  };
}
