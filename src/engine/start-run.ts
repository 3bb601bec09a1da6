import { fillDefaults } from '../definition/fill-defaults.ts';
import { compileSchema, tellMisfits } from '../definition/schema-validator.ts';
import { decideStart } from '../decision/decide-start.ts';
import type { StartDecision } from '../decision/decision.ts';
import type { JsonSchema, WorkflowDefinition } from '../model/definition.ts';
import type { Deprecation } from '../model/deprecation.ts';
import { ConflictError, NotFoundError, RefusedError, StoreError } from '../model/errors.ts';
import { hashJson } from '../model/hash.ts';
import type { RunId } from '../model/ids.ts';
import type { Json } from '../model/json.ts';
import type { RunIdentity } from '../model/run.ts';
import type { RunStatus } from '../model/statuses.ts';
import { keyShard, partOf } from '../model/virtual-shard.ts';
import type { StartAnswer, StartRequest, StoredRun } from '../ports/store.ts';
import type { Door } from './door.ts';
import type { Engine } from './engine.ts';
import { versionOf } from './find-run.ts';
import { joinAtStart } from './hold-lock.ts';
import { versionDeprecated } from './order-version.ts';
import { refuseUnstorable } from './refuse-unstorable.ts';
import type { LoadedVersion } from './version-cache.ts';

/** What starting asks for. */
export interface StartAsk {
  readonly workflow: string;
  /** null = the highest published one that is not deprecated. */
  readonly version: number | null;
  readonly input: Json;
  readonly by: string;
  /** The run key, where it is not the workflow's to compute: that of a schedule is the instant. */
  readonly key?: string;
  /** The run key where the workflow computes none: what makes the same start twice one run. */
  readonly keyIfNone?: string;
  /** Refuses a version that this process could not carry out; left out: that is found out, and told, at its sendings. */
  readonly check?: (definition: WorkflowDefinition) => void;
  /** The trace that the caller is in (W3C `traceparent`); left out: none. */
  readonly traceparent?: string;
}

/** A run that was started, or the one that the key already named. */
export interface Started {
  readonly run: RunIdentity;
  readonly created: boolean;
}

/** A version to start on; `deprecated`: why nothing new may. */
interface Startable {
  readonly version: LoadedVersion;
  readonly deprecated: Deprecation | null;
}

/** The named version; or the highest that is not deprecated, and the highest of all where each is. */
async function findVersion(engine: Engine, ask: StartAsk): Promise<Startable> {
  const { versions, store, tenant } = engine;
  const found = await versions.find(tenant, ask.workflow, ask.version);
  if (found !== null) {
    const known = await versions.deprecations(tenant, ask.workflow);
    const deprecationOf = (number: number): Deprecation | null =>
      known.find(({ version }) => version === number) ?? null;
    const deprecated = deprecationOf(found.stored.version);
    if (deprecated === null || ask.version !== null) return { version: found, deprecated };
    const all = await store.listVersions(tenant);
    const free = all.filter(({ workflow, version }) => workflow === ask.workflow && deprecationOf(version) === null);
    const highest = free.at(-1);
    const live = highest === undefined ? null : await versions.find(tenant, ask.workflow, highest.version);
    return live === null ? { version: found, deprecated } : { version: live, deprecated: null };
  }
  const name = ask.version === null ? ask.workflow : `${ask.workflow}@${ask.version}`;
  throw new NotFoundError('PAWL_VERSION_NOT_FOUND', `no version ${name} is published; publish it first`, {
    workflow: ask.workflow,
    version: ask.version,
  });
}

/** A key that names a run already starts nothing new, or has it start again: a deprecation keeps nobody from that. */
async function assertStartable(
  { store, tenant }: Engine,
  { workflow }: StartAsk,
  key: string | null,
  deprecated: Deprecation,
): Promise<void> {
  const named = key === null ? [] : await store.findRun(tenant, key);
  if (!named.some((run) => run.workflow === workflow && run.key === key)) throw versionDeprecated(deprecated);
}

/** The input as the run has it: what was sent, with the defaults that the schema writes; nothing that was sent is changed. */
export function acceptInput(version: LoadedVersion, sent: Json): Json {
  refuseUnstorable('the input', sent);
  const schema = version.compiled.machine.definition.input;
  const input = fillDefaults(schema, sent);
  if (input !== sent) refuseUnstorable('the input', input);
  checkInput(schema, input);
  return input;
}

function checkInput(schema: JsonSchema, input: Json): void {
  const problems = compileSchema(schema)(input);
  if (problems.length === 0) return;
  throw new RefusedError('PAWL_INPUT_INVALID', `the input does not fit: ${tellMisfits(problems)}`, {
    problems: problems.map((problem) => ({ pointer: problem.pointer, message: problem.message })),
  });
}

function isName(value: Json): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= 512;
}

/** The business key, or null where the workflow names none. @throws PAWL_INPUT_INVALID when it is no text; PAWL_EXPRESSION_FAULT. */
function keyOf(version: LoadedVersion, input: Json): string | null {
  const { definition } = version.compiled.machine;
  if (definition.key === null) return null;
  const key = version.compiled.evaluator.evaluate(
    definition.key.value,
    { kind: 'flow' },
    { input, constants: definition.constants },
  );
  if (isName(key)) return key;
  throw new RefusedError('PAWL_INPUT_INVALID', 'the key of the workflow must give a text of 1 to 512 characters', {});
}

/** The lock that the run will hold, or nothing. @throws PAWL_INPUT_INVALID when its name is no text; PAWL_EXPRESSION_FAULT. */
export function readLock(version: LoadedVersion, input: Json): Pick<RunIdentity, 'lock'> {
  const { lock, constants } = version.compiled.machine.definition;
  if (lock === undefined) return {};
  const name = version.compiled.evaluator.render(lock.name, { kind: 'flow' }, { input, constants });
  if (!isName(name))
    throw new RefusedError(
      'PAWL_INPUT_INVALID',
      'the lock of the workflow must give a text of 1 to 512 characters',
      {},
    );
  refuseUnstorable('the name of the lock', name);
  return { lock: { name, limit: lock.limit } };
}

function identify(
  engine: Engine,
  version: LoadedVersion,
  ask: StartAsk,
  given: Pick<RunIdentity, 'input' | 'startNumber' | 'lock'> & { readonly key: string | null },
): RunIdentity {
  const { key, ...rest } = given;
  const runId = engine.ids.newRunId(key === null ? undefined : keyShard(engine.tenant, ask.workflow, key));
  return {
    runId,
    part: partOf(runId, engine.store.parts),
    tenant: engine.tenant,
    workflow: version.stored.workflow,
    version: version.stored.version,
    digest: version.stored.digest,
    key: key ?? runId,
    ...rest,
    startedAtMs: 0,
    startedBy: ask.by,
    ...(ask.traceparent === undefined ? {} : { traceparent: ask.traceparent }),
  };
}

async function decideAt(engine: Engine, door: Door, version: LoadedVersion, run: RunIdentity): Promise<StartDecision> {
  const nowMs = await door.nowMs();
  return decideStart(
    {
      compiled: version.compiled,
      nowMs,
      canSend: door.keepsStarts(),
      numbers: engine.numbers,
      missingFunctions: engine.actions.missing(version.functions),
    },
    { ...run, startedAtMs: nowMs },
  );
}

function requestOf(door: Door, decision: StartDecision): StartRequest {
  const { lease, ...rows } = decision.start;
  return { ...rows, lease: lease.kind === 'keep' ? { kind: 'keep', workerId: door.workerId() } : lease };
}

/** @throws PAWL_STORE_UNAVAILABLE where it is gone: a database without the last commits has taken over meanwhile (P14). */
async function loadExisting(engine: Engine, runId: RunId): Promise<StoredRun> {
  const { runs } = await engine.store.load(partOf(runId, engine.store.parts), [runId]);
  const [stored] = runs;
  if (stored === undefined)
    throw new StoreError(
      'PAWL_STORE_UNAVAILABLE',
      'the run that had this key a moment ago is gone with the database that it was in; nothing was started, start again',
      { runId },
    );
  return stored;
}

/** Ends after which a key with `again: afterFailure` may be started again. */
const FREEING: readonly RunStatus[] = ['FAILED', 'COMPENSATED', 'CANCELLED'];

/**
 * Whether what was sent is what that run was started with. A newer version may write other defaults in, so what was sent
 * is read with the schema of the run's own version; its input itself may be pruned.
 */
async function isSameInput(engine: Engine, { run }: StoredRun, requestHash: string, sent: Json): Promise<boolean> {
  const version = await versionOf(engine, run);
  const input = fillDefaults(version.compiled.machine.definition.input, sent);
  return hashJson([run.workflow, input]) === requestHash;
}

async function answerExisting(
  engine: Engine,
  existing: StoredRun,
  answer: StartAnswer,
  ask: StartAsk,
): Promise<Started> {
  if (answer.same || (await isSameInput(engine, existing, answer.requestHash, ask.input)))
    return { run: existing.run, created: false };
  throw new ConflictError(
    'PAWL_RUN_KEY_CONFLICT',
    `run key ${existing.run.key} of ${ask.workflow} is taken by a run with other input`,
    {
      runId: existing.run.runId,
      key: existing.run.key,
    },
  );
}

/**
 * Starts a run: its first decision and the start key are one transaction. The same key and input again give the run
 * that is there. With a worker in this process the run is leased to it from birth and its first effect already
 * REQUESTED, so that n effects cost n + 1 commits (P17).
 * @param doorOf the decider of a part in this process.
 * @throws PAWL_VERSION_NOT_FOUND, PAWL_VERSION_DEPRECATED, PAWL_INPUT_INVALID, PAWL_VALUE_NOT_STORABLE, PAWL_RUN_KEY_CONFLICT. Transaction: opens one.
 */
export async function startRun(engine: Engine, doorOf: (part: number) => Door, ask: StartAsk): Promise<Started> {
  const { version, deprecated } = await findVersion(engine, ask);
  ask.check?.(version.compiled.machine.definition);
  refuseUnstorable('the name of the starter', ask.by);
  const input = acceptInput(version, ask.input);
  const key = ask.key ?? keyOf(version, input) ?? ask.keyIfNone ?? null;
  if (deprecated !== null) await assertStartable(engine, ask, key, deprecated);
  const lock = readLock(version, input);
  for (let startNumber = 1; ; ) {
    const run = identify(engine, version, ask, { input, key, startNumber, ...lock });
    const attempt = await startOnce(engine, doorOf(run.part), version, run);
    if (attempt.kind === 'started') return { run: attempt.run, created: true };
    const existing = await loadExisting(engine, attempt.answer.runId);
    const isFree =
      version.compiled.machine.definition.key?.again === 'afterFailure' && FREEING.includes(existing.status);
    if (!isFree || existing.run.startNumber < startNumber) return answerExisting(engine, existing, attempt.answer, ask);
    startNumber = existing.run.startNumber + 1;
  }
}

type StartAttempt =
  | { readonly kind: 'started'; readonly run: RunIdentity }
  | { readonly kind: 'taken'; readonly answer: StartAnswer };

async function startOnce(engine: Engine, door: Door, version: LoadedVersion, run: RunIdentity): Promise<StartAttempt> {
  const decidedAtMs = engine.clock.monotonicMs();
  const decision = await decideAt(engine, door, version, run);
  const request = requestOf(door, decision);
  const answer = await door.start(request);
  if (!answer.created && answer.runId !== run.runId) return { kind: 'taken', answer };
  if (request.lease.kind === 'keep') {
    const inputs = decision.more ? [{ type: 'due' } as const] : [];
    door.hold({ version, state: decision.next, inputs, orders: decision, decidedAtMs }, request.lease.workerId);
  }
  await joinAtStart(engine, decision.next.run);
  return { kind: 'started', run: decision.next.run };
}
