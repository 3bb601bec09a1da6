import { PawlError } from '../../model/errors.ts';
import type { Effect } from '../../model/effect.ts';
import type { EffectKey } from '../../model/ids.ts';
import type { KernelSnapshot, RunControl } from '../../model/run.ts';
import type { RunRecords } from '../../model/run-records.ts';
import type { RunPhase } from '../../model/statuses.ts';
import type { Program } from '../../machine/program.ts';
import { phaseOf, type SnapshotEnvelope, unpackSnapshot } from '../snapshot-envelope.ts';

/** One run's complete rows of one instant, with its version where that is published and readable. */
export interface CheckedRun extends RunRecords {
  readonly program: Pick<Program, 'machine' | 'evaluator' | 'steps' | 'copies' | 'place' | 'action' | 'isLast'> | null;
}

/** A run whose snapshot could be read: rows and position side by side. */
export interface OpenedRun {
  readonly rows: CheckedRun;
  readonly nowMs: number;
  readonly snapshot: KernelSnapshot;
  readonly control: RunControl;
  readonly phase: RunPhase;
  readonly effects: ReadonlyMap<EffectKey, Effect>;
  /** Set aside by a process that could not decide it: nothing of it moves, nor is it woken, before a person has acted. */
  readonly isParked: boolean;
}

/** A run with its position, or why that cannot be read. */
export type Opened =
  | { readonly kind: 'opened'; readonly run: OpenedRun }
  | { readonly kind: 'unreadable'; readonly what: string };

const PARKS: ReadonlySet<string> = new Set(['pin', 'poison']);

/** Reads the position that a run's snapshot tells. */
export function openRun(rows: CheckedRun, nowMs: number): Opened {
  let envelope: SnapshotEnvelope;
  try {
    envelope = unpackSnapshot(rows.head.snapshot, rows.run.digest);
  } catch (error) {
    if (!(error instanceof PawlError)) throw error;
    return { kind: 'unreadable', what: error.message };
  }
  const { revision, snapshot, control } = envelope;
  if (revision !== rows.head.revision)
    return { kind: 'unreadable', what: `it is of revision ${revision}, the run of ${rows.head.revision}` };
  const effects = new Map(rows.effects.map((effect) => [effect.key, effect]));
  const isParked =
    control.incidents.some(({ kind }) => PARKS.has(kind)) ||
    (rows.head.status === 'HELD' && rows.head.needs.some((need) => PARKS.has(need.replace('incident:', ''))));
  return { kind: 'opened', run: { rows, nowMs, snapshot, control, phase: phaseOf(snapshot), effects, isParked } };
}

/** The name of a ledger row in a finding. */
export function effectRow({ step, key, compensates }: Pick<Effect, 'step' | 'key' | 'compensates'>): string {
  return `effect ${compensates === null ? step : `undo of ${step}`} ${key}`;
}

/** The name of an inbox row in a finding. */
export function inboxRow({ source, eventId }: { readonly source: string; readonly eventId: string }): string {
  return `inbox ${source} ${eventId}`;
}
