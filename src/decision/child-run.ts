import type { ActionContract } from '../model/definition.ts';
import { canonicalJson } from '../model/canonical-json.ts';
import { type ChildStart, parseChildReference } from '../model/child.ts';
import type { Effect } from '../model/effect.ts';
import { invariant } from '../model/errors.ts';
import { hashJson } from '../model/hash.ts';
import type { EffectKey, RunId } from '../model/ids.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { Outcome } from '../model/outcome.ts';
import type { RunIdentity } from '../model/run.ts';
import { keyShard, virtualShardOf } from '../model/virtual-shard.ts';
import { readRequest } from './effect-key.ts';

/** What the request of a child's start holds beside its input. */
interface ChildBody {
  readonly key: string | null;
  readonly input: Json;
  readonly detach: boolean;
}

/** The body of the request of a child's start; it is hashed with the request (E02). */
export function childBody({ key, input, detach }: ChildBody): JsonObject {
  return { key, input, detach };
}

function bodyOf(effect: Effect): ChildBody {
  return readRequest(effect).body as unknown as ChildBody;
}

/** Whether an action is the start of a child: what a step asks for, or a run that undoes what was done. Its undo has another name. */
export function startsChild(action: string): boolean {
  return parseChildReference(action) !== null;
}

/** Frames that are longer than this stand in a key as their hash, UTF-16 units. */
const FRAMES_UNITS_MAX = 200;

/**
 * The child's run key: the one that the step names, else the parent's run and the step's address (V08). A person's redo is
 * another run.
 */
function keyOf(run: Pick<RunIdentity, 'runId'>, effect: Effect): string {
  const { key } = bodyOf(effect);
  const { generation } = effect.ingredients;
  const redo = generation === 0 ? '' : `~${generation}`;
  if (key !== null) return `${key}${redo}`;
  // What undoes may be a run of the very workflow of what it undoes.
  const undo = effect.compensates === null ? '' : '/undo';
  const frames = canonicalJson(effect.frames);
  const shown = frames.length > FRAMES_UNITS_MAX ? hashJson(effect.frames) : frames;
  return `${run.runId}/${effect.step}${effect.frames.length === 0 ? '' : `/${shown}`}${undo}${redo}`;
}

/**
 * A fresh UUIDv7 for a child: the time of the commit that chooses it, and for the rest the row's own hash, because a decision
 * has no randomness. It lives where its key says (all runs of a key live in one part), else with its parent.
 */
function newChildId(
  run: RunIdentity,
  effect: Effect,
  at: { readonly workflow: string; readonly nowMs: number },
): RunId {
  const { key } = bodyOf(effect);
  const shard = key === null ? virtualShardOf(run.runId) : keyShard(run.tenant, at.workflow, keyOf(run, effect));
  const time = at.nowMs.toString(16).padStart(12, '0');
  const noise = hashJson(['child/1', run.runId, effect.key]);
  const place = shard.toString(16).padStart(3, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${place}-8${noise.slice(0, 3)}-${noise.slice(3, 15)}` as RunId;
}

/** What starts the child of a row, chosen once. @param locks those that are held here and above. */
export function childStartOf(
  run: RunIdentity,
  effect: Effect,
  ask: { readonly contract: ActionContract; readonly nowMs: number; readonly locks: readonly string[] },
): ChildStart {
  const { transport } = ask.contract;
  invariant(transport.kind === 'child', 'only a child is started', { key: effect.key });
  const { workflow, version } = transport;
  const { input, detach } = bodyOf(effect);
  return {
    runId: newChildId(run, effect, { workflow, nowMs: ask.nowMs }),
    workflow,
    version,
    key: keyOf(run, effect),
    input,
    by: run.startedBy,
    ...(run.traceparent === undefined ? {} : { traceparent: run.traceparent }),
    parent: {
      runId: run.runId,
      step: effect.step,
      effectKey: detach ? null : effect.key,
      locks: detach ? [] : ask.locks,
    },
  };
}

/** Whether a child is started that nobody waits for; it shares no lock, which ends with its parent, and is not recalled. */
export function isDetached(effect: Effect): boolean {
  return startsChild(effect.action) && bodyOf(effect).detach;
}

/** The child of a row: of its start, or the one that it undoes. @throws PAWL_INVARIANT before it is chosen. */
export function childOf(effect: Effect): RunId {
  const runId = startsChild(effect.action) ? effect.externalId : (readRequest(effect).with as JsonObject)['run'];
  invariant(typeof runId === 'string', 'a row of a child that names none', { key: effect.key });
  return runId as RunId;
}

/** The id of a message about a child: of one row and matter it is the same, however often it is decided. */
export function childMessageId(
  runId: RunId,
  effectKey: EffectKey,
  matter: 'start' | 'cancel' | 'undo' | 'end',
): string {
  return `msg_${hashJson(['mk/1', runId, effectKey, matter]).slice(0, 40)}`;
}

/**
 * What the sending of a child's row comes to: its message is written, so it happens; how it ends the child tells. One that
 * nobody waits for is done with that.
 */
export function acceptedChild(effect: Effect): Outcome {
  const runId = childOf(effect);
  const goesAlone = isDetached(effect);
  return {
    kind: goesAlone ? 'confirmed' : 'pending',
    code: null,
    message: startsChild(effect.action) ? 'the child runs' : 'the child is being undone',
    output: goesAlone ? { runId } : undefined,
    named: true,
    retryAfterMs: null,
    externalId: runId,
    resultBase64: '',
    sent: true,
  };
}
