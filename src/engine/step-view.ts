import type { SnapshotEnvelope } from '../decision/snapshot-envelope.ts';
import { isInFlight } from '../decision/step-effects.ts';
import type { Step } from '../model/definition.ts';
import type { Effect } from '../model/effect.ts';
import type { EffectKey } from '../model/ids.ts';
import type { Json } from '../model/json.ts';
import { ownValue } from '../model/own-value.ts';
import type { StepRecord } from '../model/run.ts';
import { isGroup } from '../model/step-lists.ts';
import { authorOf } from '../machine/lane-steps.ts';
import { bodiesAround } from '../machine/program.ts';
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

/** What is told of steps: the rows that undo a step are not the step. */
interface StepSource {
  readonly version: Pick<LoadedVersion, 'compiled'>;
  readonly envelope: Pick<SnapshotEnvelope, 'snapshot' | 'control'>;
  readonly undos: ReadonlySet<EffectKey>;
  /** Steps whose call is on its way, also where they were told to stop. */
  readonly inFlight: ReadonlySet<string>;
}

/** Whether a person must act on the step itself: an incident about its undo says nothing of it. */
function isHeld({ envelope, undos }: StepSource, id: string): boolean {
  return envelope.control.incidents.some(
    ({ step, kind, effectKey }) =>
      authorOf(step) === id && kind !== 'compensation' && (effectKey === null || !undos.has(effectKey)),
  );
}

/** The states that a position names, outermost first. */
function statesIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([list, inner]) => [list, ...statesIn(inner)]);
}

/** A group is where its body and its catches are. */
function isActive({ envelope, inFlight }: StepSource, step: Step): boolean {
  const { id } = step;
  if (inFlight.has(id)) return true;
  // A step of an item is active as long as it is in any lane.
  const isOwn = (known: string): boolean => authorOf(known) === id;
  if (isGroup(step)) return statesIn(envelope.snapshot.value).some((state) => state.includes('$') && isOwn(state));
  return Object.keys(envelope.control.activeSinceMs).some(isOwn);
}

/** What the body of a group came to last. */
function lastInside({ version, envelope }: StepSource, group: Step): StepRecord | undefined {
  const { compiled } = version;
  const inside = [...compiled.copies.keys()].filter((id) => bodiesAround(compiled.place(id)).includes(group.id));
  const records = inside.flatMap((id) => ownValue(envelope.snapshot.data.steps, id) ?? []);
  return records.toSorted((left, right) => timeOf(left) - timeOf(right)).at(-1);
}

function timeOf(record: StepRecord | undefined): number {
  return record?.atMs ?? 0;
}

/**
 * A group has its record when its body comes to its end. Left before, it is what its body came to: a failure, whoever
 * caught it, or a way out; what stops the run ends no group.
 */
function groupStatus(source: StepSource, group: Step): StepView['status'] {
  const { snapshot, control } = source.envelope;
  const { steps, ending } = snapshot.data;
  const own = ownValue(steps, group.id);
  const last = lastInside(source, group);
  const isOver = ending !== null && ending.kind !== 'done' && !source.version.compiled.isLast(group.id);
  const left = isOver ? 'pending' : 'completed';
  // Entered since, and left before anything in it came to an end.
  if ((ownValue(control.activeSinceMs, group.id) ?? 0) > Math.max(timeOf(own), timeOf(last))) return left;
  if (last === undefined || timeOf(own) >= timeOf(last)) return wordOf(own);
  return last.code === null ? left : 'failed';
}

function wordOf(record: StepRecord | undefined): StepView['status'] {
  if (record === undefined) return 'pending';
  if (record.skipped) return 'skipped';
  return record.code === null ? 'completed' : 'failed';
}

function statusOf(source: StepSource, step: Step): StepView['status'] {
  if (isHeld(source, step.id)) return 'held';
  if (isActive(source, step)) return 'active';
  if (isGroup(step)) return groupStatus(source, step);
  return wordOf(ownValue(source.envelope.snapshot.data.steps, step.id));
}

/**
 * The steps of a run in document order, those of branches and catches after the step that holds them.
 * @param effects the run's ledger.
 */
export function stepViews(
  version: StepSource['version'],
  envelope: StepSource['envelope'],
  effects: readonly Effect[],
): readonly StepView[] {
  const { compiled } = version;
  const undos = new Set(effects.flatMap((effect) => (effect.compensates === null ? [] : [effect.key])));
  const open = effects.filter((effect) => effect.compensates === null && isInFlight(effect));
  // A terminated run awaits nothing: what it leaves unknown stands with its end.
  const isOver = envelope.snapshot.data.ending?.kind === 'terminated';
  const inFlight = new Set(isOver ? [] : open.map(({ step }) => step));
  return [...compiled.steps.values()].map((step) => {
    const record = ownValue(envelope.snapshot.data.steps, step.id);
    return {
      id: step.id,
      verb: step.verb,
      status: statusOf({ version, envelope, undos, inFlight }, step),
      parent: compiled.place(step.id).parents.at(-1) ?? null,
      attempts: record?.attempts ?? 0,
      code: record?.code ?? null,
      output: record?.output ?? null,
      at: record === undefined || record.atMs === null ? null : new Date(record.atMs).toISOString(),
    };
  });
}
