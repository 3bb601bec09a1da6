import { readRequest } from '../../decision/effect-key.ts';
import { authorOf } from '../../machine/lane-steps.ts';
import { canonicalJson } from '../../model/canonical-json.ts';
import type { Incident, RunData } from '../../model/run.ts';
import type { EffectState } from '../../model/statuses.ts';
import type { StoredRun } from '../../ports/store.ts';
import { labelOf } from './lab.ts';

/** A ledger row at the end of a play. */
export interface PlayedRow {
  readonly label: string;
  readonly step: string;
  readonly action: string;
  readonly state: EffectState;
  readonly isUndo: boolean;
  /** What it was asked with, canonical. */
  readonly request: string;
  /** Whether the ledger is known to be wrong about it: a person has been told. */
  readonly isDisputed: boolean;
}

/** A decision at the end of a play. */
export interface PlayedApproval {
  readonly step: string;
  readonly isApproved: boolean;
  /** What people saw, canonical. */
  readonly shown: string;
}

/** The ledger of a run. */
export function playedRows({ effects }: StoredRun, incidents: readonly Incident[]): readonly PlayedRow[] {
  return effects.map((effect) => ({
    label: labelOf(effect),
    step: effect.step,
    action: effect.action,
    state: effect.state,
    isUndo: effect.compensates !== null,
    request: canonicalJson(readRequest(effect).with),
    isDisputed: incidents.some(({ id }) => id === `late-proof:${effect.key}`),
  }));
}

/** Its decisions. */
export function playedApprovals({ approvals }: StoredRun): readonly PlayedApproval[] {
  return approvals.map(({ step, state, title, subject }) => ({
    step,
    isApproved: state === 'approved',
    shown: canonicalJson([title, subject]),
  }));
}

/** The codes of the steps that failed, by step. */
export function codesOf({ steps }: RunData): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(steps).flatMap(([step, { code }]) => (typeof code === 'string' ? [[authorOf(step), code]] : [])),
  );
}

/** The code of its failure; null = it has none. */
export function failureCode({ failure }: StoredRun): string | null {
  if (typeof failure !== 'object' || failure === null || Array.isArray(failure)) return null;
  const code = (failure as Readonly<Record<string, unknown>>)['code'];
  return typeof code === 'string' ? code : null;
}
