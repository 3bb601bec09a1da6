import type { Effect, Receipt } from '../../model/effect.ts';
import { sha256 } from '../../model/hash.ts';
import type { Digest, EffectKey, RunId, WorkerId } from '../../model/ids.ts';
import type { EffectChange, HeadChange, RunCommit, Transition } from '../../model/run-commit.ts';
import type { RunIdentity } from '../../model/run.ts';
import type { EffectState } from '../../model/statuses.ts';
import { partOf } from '../../model/virtual-shard.ts';
import type { Delivery, StartRequest, Store } from '../../ports/store.ts';
import { createSystemIds } from '../../app/system-ids.ts';

/** A lease long enough that no test's wall time ends it, milliseconds; tests step the store's clock past it. */
export const LEASE_MS = 60_000;

const ids = createSystemIds();

/** A run id in part 0. */
export function newRunId(part = 0): RunId {
  return ids.newRunId(part);
}

/** A worker's name. */
export function newWorkerId(): WorkerId {
  return ids.newWorkerId();
}

/** A head after some revision. */
export function headAt(revision: number, set: Partial<HeadChange> = {}): HeadChange {
  return {
    status: 'RUNNING',
    phase: 'forward',
    needs: [],
    snapshot: JSON.stringify({ format: 'xstate5', revision, snapshot: { value: 'pay' } }),
    endedAtMs: null,
    output: undefined,
    failure: undefined,
    ...set,
  };
}

/** The journal row of a revision. */
export function transitionAt(revision: number, set: Partial<Transition> = {}): Transition {
  return {
    revision,
    event: { type: 'effect.settled', id: `event-${revision}`, step: 'pay', detail: { n: revision } },
    delta: { entered: ['pay'] },
    commands: [{ type: 'step.enter', step: 'pay' }],
    stateHash: sha256(`state ${revision}`),
    atMs: 1_700_000_000_000 + revision,
    ...set,
  };
}

/** A ledger row. */
export function effectOf(name: string, set: Partial<Effect> = {}): Effect {
  const request = JSON.stringify({ action: 'charge', body: { name } });
  return {
    key: sha256(name) as EffectKey,
    step: 'pay',
    frames: [],
    ingredients: {
      kind: 'forward',
      tenant: 'default',
      reach: 'run',
      address: ['shop', 'o-1', 'pay', []],
      object: null,
      intent: name,
      generation: 0,
    },
    action: 'charge',
    contract: 1,
    pivot: false,
    request,
    requestHash: sha256(request),
    state: 'REQUESTED',
    attempt: 1,
    countedAttempts: 1,
    code: null,
    failureClass: null,
    everUnknown: false,
    fence: 1,
    firstRequestedAtMs: 1_700_000_000_000,
    requestedAtMs: 1_700_000_000_000,
    sendByMs: null,
    notBeforeMs: null,
    unknownSinceMs: null,
    doubtSinceMs: null,
    resends: 0,
    queries: 0,
    doubt: null,
    lastError: null,
    output: undefined,
    externalId: null,
    receiptNo: null,
    settledAtMs: null,
    compensates: null,
    approvalId: null,
    ...set,
  };
}

/** A new ledger row. */
export function inserting(effect: Effect): EffectChange {
  return { expect: null, effect };
}

/** A change of a ledger row that must be as `from` is. */
export function changing(from: Effect, set: Partial<Effect> & { readonly state: EffectState }): EffectChange {
  return { expect: { state: from.state, attempt: from.attempt }, effect: { ...from, ...set } };
}

/** A receipt; its chain is the decision's affair. */
export function receiptOf(receiptNo: number, effect: Effect, set: Partial<Receipt> = {}): Receipt {
  return {
    receiptNo,
    effectKey: effect.key,
    attempt: effect.attempt,
    outcome: 'confirmed',
    code: null,
    requestHash: effect.requestHash,
    externalId: `ch_${receiptNo}`,
    resultBase64: Buffer.from(JSON.stringify({ id: `ch_${receiptNo}` })).toString('base64'),
    observedBy: 'response',
    evidence: null,
    approvalId: null,
    contract: 1,
    requestedAtMs: effect.requestedAtMs,
    settledAtMs: 1_700_000_000_500,
    previous: '0'.repeat(64),
    integrity: sha256(`receipt ${receiptNo}`),
    ...set,
  };
}

/** A run's identity. */
export function identityOf(runId: RunId, parts: number, set: Partial<RunIdentity> = {}): RunIdentity {
  return {
    runId,
    part: partOf(runId, parts),
    tenant: 'default',
    workflow: 'shop',
    version: 1,
    digest: sha256('shop@1') as Digest,
    key: runId,
    startNumber: 1,
    input: { order: 'o-1' },
    startedAtMs: 1_700_000_000_000,
    startedBy: 'user:anna',
    ...set,
  };
}

/** A start: one transition, one AUTHORIZED effect named after the run. */
export function startOf(run: RunIdentity, lease: StartRequest['lease'], set: Partial<StartRequest> = {}): StartRequest {
  return {
    run,
    requestHash: sha256(JSON.stringify(run.input)),
    again: 'never',
    head: headAt(1),
    transitions: [transitionAt(1)],
    effects: [inserting(effectOf(`effect of ${run.runId}`, { state: 'AUTHORIZED', attempt: 0, countedAttempts: 0 }))],
    timers: [],
    approvals: [],
    receipts: [],
    audit: [],
    outbox: [],
    lease,
    ...set,
  };
}

/** A commit that changes nothing and keeps the lease; `set` says what it does. */
export function commitOf(runId: RunId, fence: number, revision: number, set: Partial<RunCommit> = {}): RunCommit {
  return {
    part: 0,
    runId,
    fence,
    revision,
    transitions: [],
    head: null,
    effects: [],
    receipts: [],
    timersSet: [],
    timersCleared: [],
    approvals: [],
    votes: [],
    inbox: [],
    observations: [],
    audit: [],
    outbox: [],
    lease: { kind: 'keep' },
    ...set,
  };
}

/** A commit of one transition with its head. */
export function stepOf(runId: RunId, fence: number, revision: number, set: Partial<RunCommit> = {}): RunCommit {
  return commitOf(runId, fence, revision, {
    transitions: [transitionAt(revision + 1)],
    head: headAt(revision + 1),
    ...set,
  });
}

/** A signal to be delivered in part 0. */
export function signalTo(runId: RunId, eventId: string, data: string = eventId): Delivery {
  const payload = { type: 'signal', name: 'paid', data, by: 'user:anna' } as const;
  return { part: 0, runId, source: 'signal:shop', eventId, payload, payloadHash: sha256(JSON.stringify(data)) };
}

/** A worker with a seat in part 0. */
export async function seated(store: Store, leaseMs = LEASE_MS): Promise<WorkerId> {
  const workerId = newWorkerId();
  await store.takeSeat(0, workerId, leaseMs);
  return workerId;
}

/** Runs that nobody holds and that wait to be claimed, since `readyAtMs`. @returns their ids. */
export async function startFree(store: Store, count: number, readyAtMs = 0): Promise<RunId[]> {
  const runs = Array.from({ length: count }, () => identityOf(newRunId(), store.parts));
  await store.start(
    0,
    runs.map((run) => startOf(run, { kind: 'free', readyAtMs })),
  );
  return runs.map((run) => run.runId);
}

/** Runs leased to a worker from birth (fence 1, revision 1). @returns their ids. */
export async function startHeld(store: Store, workerId: WorkerId, count: number): Promise<RunId[]> {
  const runs = Array.from({ length: count }, () => identityOf(newRunId(), store.parts));
  await store.start(
    0,
    runs.map((run) => startOf(run, { kind: 'keep', workerId })),
  );
  return runs.map((run) => run.runId);
}

/** One run leased to a worker from birth. */
export async function startOneHeld(store: Store, workerId: WorkerId): Promise<RunId> {
  const [runId] = await startHeld(store, workerId, 1);
  if (runId === undefined) throw new Error('no run was started');
  return runId;
}

/** One run, loaded. */
export async function loadOne(store: Store, runId: RunId) {
  const { runs } = await store.load(partOf(runId, store.parts), [runId]);
  const [run] = runs;
  if (run === undefined) throw new Error(`run ${runId} is not stored`);
  return run;
}
