import type { SnapshotEnvelope } from '../decision/snapshot-envelope.ts';
import type { Step } from '../model/definition.ts';
import type { Effect } from '../model/effect.ts';
import type { EffectKey } from '../model/ids.ts';
import type { Json } from '../model/json.ts';
import { ownValue } from '../model/own-value.ts';
import type { LoadedVersion } from './version-cache.ts';

/** A step of a run: where it stands in one word, and what it left. */
export interface StepView {
  readonly id: string;
  readonly verb: string;
  /** `pending`, `active`, `held`, `completed`, `skipped` or `failed`. */
  readonly status: 'pending' | 'active' | 'held' | 'completed' | 'skipped' | 'failed';
  /** The enclosing step, null at the top. */
  readonly parent: string | null;
  readonly attempts: number;
  readonly code: string | null;
  readonly output: Json;
  readonly at: string | null;
}

/** A choose is where its branch is; when it was entered is kept for its handlers, also after it was left. */
function isInside(version: LoadedVersion, envelope: SnapshotEnvelope, choose: Step): boolean {
  const active = Object.keys(envelope.control.activeSinceMs);
  return active.some((id) => version.compiled.place(id).parents.includes(choose.id));
}

/** What is told of steps: the rows that undo a step are not the step. */
interface StepSource {
  readonly version: LoadedVersion;
  readonly envelope: SnapshotEnvelope;
  readonly undos: ReadonlySet<EffectKey>;
}

/** Whether a person must act on the step itself: an incident about its undo says nothing of it. */
function isHeld({ envelope, undos }: StepSource, id: string): boolean {
  return envelope.control.incidents.some(
    ({ step, kind, effectKey }) =>
      step === id && kind !== 'compensation' && (effectKey === null || !undos.has(effectKey)),
  );
}

function statusOf(source: StepSource, step: Step): StepView['status'] {
  const { version, envelope } = source;
  const { activeSinceMs } = envelope.control;
  const record = ownValue(envelope.snapshot.data.steps, step.id);
  if (isHeld(source, step.id)) return 'held';
  const isEntered = ownValue(activeSinceMs, step.id) !== undefined;
  if (isEntered && (step.verb !== 'choose' || isInside(version, envelope, step))) return 'active';
  if (record === undefined) return isEntered ? 'completed' : 'pending';
  if (record.skipped) return 'skipped';
  return record.code === null ? 'completed' : 'failed';
}

/**
 * The steps of a run in document order, those of branches and catches after the step that holds them.
 * @param effects the run's ledger.
 */
export function stepViews(
  version: LoadedVersion,
  envelope: SnapshotEnvelope,
  effects: readonly Effect[],
): readonly StepView[] {
  const { compiled } = version;
  const undos = new Set(effects.flatMap((effect) => (effect.compensates === null ? [] : [effect.key])));
  return [...compiled.steps.values()].map((step) => {
    const record = ownValue(envelope.snapshot.data.steps, step.id);
    return {
      id: step.id,
      verb: step.verb,
      status: statusOf({ version, envelope, undos }, step),
      parent: compiled.place(step.id).parents.at(-1) ?? null,
      attempts: record?.attempts ?? 0,
      code: record?.code ?? null,
      output: record?.output ?? null,
      at: record === undefined || record.atMs === null ? null : new Date(record.atMs).toISOString(),
    };
  });
}
