import { canonicalJson } from '../model/canonical-json.ts';
import type { Json } from '../model/json.ts';
import type { KernelSnapshot, LaneItem, RunData } from '../model/run.ts';
import type { CompiledMachine } from './compile.ts';
import { leavesOf, restingStates } from './position.ts';

/** Nesting of stored data; the edges let in less (P11), and the kernel adds a few levels around it. */
const DEPTH_MAX = 256;
const DATA_KEYS = ['vars', 'steps', 'visits', 'jumps', 'failing', 'caught', 'ending'] as const;
const DATA_KEYS_OPTIONAL = ['ran', 'turns', 'items', 'lanes', 'branches', 'failingIn', 'finally'] as const;

/**
 * What is wrong with a stored snapshot for this machine. XState itself repairs or ignores most of it without a word, and
 * would run on from a place that the run never was in.
 * @returns null when nothing is.
 */
export function findSnapshotFault(compiled: CompiledMachine, snapshot: unknown): string | null {
  if (!isRecord(snapshot)) return 'it is no object';
  const keys = Object.keys(snapshot).toSorted().join();
  if (keys !== 'data,history,value') return `it has the keys ${keys}, not data, history, value`;
  const impure = findImpure(snapshot, '');
  if (impure !== null) return impure;
  const known = snapshot as unknown as KernelSnapshot;
  return findPlaceFault(compiled, known) ?? findDataFault(compiled, known.data);
}

function findPlaceFault(compiled: CompiledMachine, snapshot: KernelSnapshot): string | null {
  if (!restsIn(compiled, snapshot.value)) return 'its value is no state that this machine rests in';
  const history = Object.keys(snapshot.history).find((id) => !compiled.states.has(id));
  if (history !== undefined) return `its history names the unknown state ${history}`;
  const restored = compiled.kernel.restored(snapshot);
  if (canonicalJson(restored.value) !== canonicalJson(snapshot.value)) return 'its value is another one when restored';
  if (canonicalJson(restored.history) !== canonicalJson(snapshot.history))
    return 'its history is another one when restored';
  return null;
}

/** The states of a machine may wait for a guard to become true; those of steps never do. */
function restsIn(compiled: CompiledMachine, value: Json): boolean {
  if (compiled.machine.definition.machine !== undefined) return leavesOf(compiled, value) !== null;
  return restingStates(compiled, value) !== null;
}

function findDataFault(compiled: CompiledMachine, data: RunData): string | null {
  if (!isRecord(data)) return 'its data is no object';
  const missing = DATA_KEYS.find((key) => !Object.hasOwn(data, key));
  if (missing !== undefined) return `its data has no ${missing}`;
  const known: readonly string[] = [...DATA_KEYS, ...DATA_KEYS_OPTIONAL];
  const unknown = Object.keys(data).find((key) => !known.includes(key));
  if (unknown !== undefined) return `its data has the unknown key ${unknown}`;
  for (const part of ['steps', 'jumps', 'caught'] as const) {
    if (!isRecord(data[part])) return `its data's ${part} is no object`;
    const stranger = Object.keys(data[part]).find((id) => !compiled.copies.has(id));
    if (stranger !== undefined) return `its data's ${part} names the unknown step ${stranger}`;
  }
  if (!isRecord(data.visits) || !isRecord(data.vars)) return 'its data has no visits or vars';
  return findBranchFault(compiled, data) ?? findLaneFault(compiled, data) ?? findCountFault(data);
}

/** Parts that not every run has, and whatever is counted. */
function findCountFault(data: RunData): string | null {
  if (data.finally !== undefined && !isRecord(data.finally)) return "its data's finally is no object";
  const turns = Object.values(data.turns ?? {});
  if (!turns.every((turn) => isRecord(turn) && Array.isArray(turn.outputs)))
    return 'its data has turns without outputs';
  const items = Object.values(data.items ?? {});
  if (!items.every((item) => isRecord(item) && isRecord(item.failed) && typeof item.key === 'string'))
    return 'its data has items of another shape';
  const counts = [
    ...Object.values(data.visits),
    ...Object.values(data.jumps),
    ...turns.map(({ no }) => no),
    ...items.flatMap(({ no, count, succeeded }) => [no, count, succeeded]),
  ];
  return counts.every((count) => Number.isSafeInteger(count) && count >= 0)
    ? null
    : 'its data counts with no whole number';
}

/** Lanes are of maps, and each does an item that was begun. */
function findLaneFault(compiled: CompiledMachine, data: RunData): string | null {
  const { lanes = {} } = data;
  if (!isRecord(lanes)) return 'its data has lanes that are no object';
  const isLane = (list: string): boolean => compiled.lanesAround(list).at(-1) === list;
  const other = Object.keys(lanes).find((list) => !isLane(list));
  if (other !== undefined) return `its data has an item of ${other}, which is no lane`;
  const isItem = ({ no, key }: LaneItem): boolean => Number.isSafeInteger(no) && no >= 0 && typeof key === 'string';
  return Object.values(lanes).every((item) => isRecord(item) && isItem(item))
    ? null
    : 'its data has lanes of another shape';
}

/** Branches are of parallel steps, and each is at its end at most once. */
function findBranchFault(compiled: CompiledMachine, data: RunData): string | null {
  const { branches = {}, failingIn = {} } = data;
  if (!isRecord(branches) || !isRecord(failingIn)) return 'its data has branches that are no object';
  for (const [id, known] of Object.entries(branches)) {
    const step = compiled.copies.get(id);
    if (step?.verb !== 'parallel') return `its data has branches of ${id}, which is no parallel step`;
    const names = step.branches.map(({ name }) => name);
    const ended = Array.isArray(known.ends) ? known.ends.map(({ branch }) => branch) : null;
    if (ended === null || new Set(ended).size !== ended.length || !ended.every((name) => names.includes(name)))
      return `its data has other branches of ${id} than the step has`;
  }
  return null;
}

/** JSON has no undefined, no functions, no dates, no NaN; what looks like an object of a class is none of ours. */
function findImpure(value: unknown, path: string, depth = 0): string | null {
  if (depth > DEPTH_MAX) return `it is nested too deep at ${path}`;
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return null;
  if (typeof value === 'number') return Number.isFinite(value) ? null : `it has a number that JSON has not at ${path}`;
  if (typeof value !== 'object' || !isPlain(value)) return `it has a value that JSON has not at ${path}`;
  for (const [key, item] of Object.entries(value)) {
    const impure = findImpure(item, `${path}/${key}`, depth + 1);
    if (impure !== null) return impure;
  }
  return null;
}

function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isRecord(value: unknown): value is Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
