import { sha256 } from '../../../../src/model/hash.ts';
import type { Digest, RunId, WorkerId } from '../../../../src/model/ids.ts';
import type { InboxPayload } from '../../../../src/model/inbox-event.ts';
import type { RunCommit } from '../../../../src/model/run-commit.ts';
import type { Firing } from '../../../../src/model/schedule.ts';
import { OPEN_EFFECT_STATES, type RunStatus } from '../../../../src/model/statuses.ts';
import type { NewApiKey } from '../../../../src/ports/key-store.ts';
import type { Delivery, RunPlace, StartRequest, Store, StoredVersion } from '../../../../src/ports/store.ts';
import type { RunDump } from '../../../../src/store/memory/dump.ts';
import { payloadText } from '../../../../src/store/postgres/rows.ts';
import {
  changing,
  commitOf,
  headAt,
  identityOf,
  startOf,
  stepOf,
} from '../../../../src/testing/store-conformance/rows.ts';
import type { Choices } from './choices.ts';
import { PARTS } from './pinned-postgres.ts';
import {
  anyApproval,
  anyCanonical,
  anyEffects,
  anyHead,
  anyObservation,
  anyRareRows,
  anyTimers,
  anyTransition,
} from './rows.ts';
import { dueRuns, hasTies, LEASE_MS, type World } from './world.ts';

/** A verb of the port with what it is asked. */
export interface Command {
  readonly verb: keyof Store;
  readonly args: readonly unknown[];
}
/** Another instant of the database's clock. */
export interface ClockStep {
  readonly verb: 'clock';
  readonly toMs: number;
}

type Maker = (choices: Choices, world: World) => Command | ClockStep;

function ask<V extends keyof Store>(
  verb: V,
  ...args: Store[V] extends (...args: infer A) => unknown ? A : never
): Command {
  return { verb, args };
}

function anyRows(choices: Choices, world: World): RunDump | null {
  const { runs } = world.dump();
  return runs.length === 0 ? null : choices.pick(runs);
}

function anyRunId(choices: Choices, world: World): RunId {
  return choices.onceIn(12) ? world.newRunId() : (anyRows(choices, world)?.run.runId ?? world.newRunId());
}

/** A place in the list of runs: that of one, or the same instant before or behind it. */
function placeOf(choices: Choices, world: World): RunPlace {
  const run = anyRows(choices, world)?.run;
  return {
    startedAtMs: run?.startedAtMs ?? world.nowMs,
    runId: choices.pick([run?.runId ?? world.newRunId(), world.newRunId()]),
  };
}

function anyStart(choices: Choices, world: World): StartRequest {
  const workerId = anyWorker(choices, world);
  const key = choices.pick([null, 'o-1', 'o-2', 'ö"\\']);
  const runId = world.newRunId();
  const input = anyCanonical(choices);
  const startNumber = key === null ? 1 : choices.pick([1, 1, 2, 3]);
  const run = identityOf(runId, PARTS, {
    tenant: world.tenant,
    workflow: choices.pick(['shop', 'bank']),
    key: choices.onceIn(30) ? 'a\u0000b' : (key ?? runId),
    startNumber,
    input,
    startedAtMs: world.nowMs,
  });
  const lease = choices.onceIn(2)
    ? ({ kind: 'keep', workerId } as const)
    : ({ kind: 'free', readyAtMs: choices.pick([world.nowMs, world.nowMs - 3, world.nowMs + 500, null]) } as const);
  return startOf(run, lease, {
    again: startNumber === 1 && choices.onceIn(2) ? 'never' : 'afterFailure',
    requestHash: sha256(JSON.stringify(input)),
    head: anyHead(choices, 1),
    transitions: choices.onceIn(8) ? [] : [anyTransition(choices, 1)],
    effects: anyEffects(choices, null, runId),
    timers: anyTimers(choices, world),
    approvals: choices.onceIn(5) ? [anyApproval(choices)] : [],
  });
}

const start: Maker = (choices, world) => {
  const starts = [anyStart(choices, world), ...(choices.onceIn(4) ? [anyStart(choices, world)] : [])];
  return ask('start', world.part, starts);
};

/** The same bytes again, as after a lost answer. */
const startAgain: Maker = (choices, world) => {
  const rows = anyRows(choices, world);
  if (rows === null) return ask('nowMs');
  const { run } = rows;
  const request = startOf(run, { kind: 'free', readyAtMs: null }, { again: 'afterFailure' });
  return ask('start', run.part, [{ ...request, requestHash: sha256(JSON.stringify(run.input)) }]);
};

function anyLease(choices: Choices, world: World, rows: RunDump | null): RunCommit['lease'] {
  if (choices.onceIn(2)) return { kind: 'keep' };
  const seen = rows?.wakeUp?.wake ?? null;
  return {
    kind: 'release',
    wakeSeen: choices.pick([seen, seen, null, 1]),
    readyAtMs: choices.pick([null, world.nowMs, world.nowMs + 700]),
  };
}

function anyCommit(choices: Choices, world: World): RunCommit {
  const held = world.dump().runs.filter(({ lease }) => lease !== null);
  const rows = held.length === 0 || choices.onceIn(12) ? anyRows(choices, world) : choices.pick(held);
  const { revision, fence } = rows?.head ?? { revision: 1, fence: 1 };
  const count = choices.pick([1, 0, 2, 1]);
  const transitions = Array.from({ length: count }, (_, index) => anyTransition(choices, revision + index + 1));
  const cleared = rows?.timers.map(({ name }) => name) ?? [];
  return commitOf(
    rows === null || choices.onceIn(20) ? world.newRunId() : rows.run.runId,
    fence + choices.pick([0, 0, 0, 0, 0, 0, 0, -1, 1]),
    revision + choices.pick([0, 0, 0, 0, 0, 0, 0, -1, 1]),
    {
      part: world.part,
      transitions,
      head: count === 0 && choices.onceIn(2) ? null : anyHead(choices, revision + count),
      effects: anyEffects(choices, rows, rows?.run.runId ?? ''),
      timersSet: choices.onceIn(3) ? anyTimers(choices, world) : [],
      timersCleared: choices.some([...cleared, 'none']),
      ...anyRareRows(choices, rows, world),
      lease: anyLease(choices, world, rows),
    },
  );
}

/** Mostly one whose seat lives. */
function anyWorker(choices: Choices, world: World): WorkerId {
  const living = world.dump().seats.filter(({ leaseUntilMs }) => leaseUntilMs > world.nowMs);
  return living.length === 0 || choices.onceIn(6) ? choices.pick(world.workers) : choices.pick(living).workerId;
}

const claimRun: Maker = (choices, world) =>
  ask('claimRun', world.part, anyRunId(choices, world), anyWorker(choices, world));

const commit: Maker = (choices, world) => {
  if (world.dump().runs.every(({ lease }) => lease === null) && !choices.onceIn(8)) return claimRun(choices, world);
  const commits = [anyCommit(choices, world), ...(choices.onceIn(4) ? [anyCommit(choices, world)] : [])];
  const owner = world.dump().runs.find(({ run }) => run.runId === commits[0]?.runId)?.lease?.workerId;
  const workerId = choices.onceIn(10) || owner === undefined ? choices.pick(world.workers) : owner;
  return ask('commit', world.part, workerId, commits);
};

function anyDelivery(choices: Choices, world: World): Delivery {
  const payload: InboxPayload = { type: 'signal', name: 'paid', data: anyCanonical(choices), by: 'user:anna' };
  return {
    part: world.part,
    runId: anyRunId(choices, world),
    source: choices.pick(['signal:shop', 'person:anna', 'timer']),
    eventId: choices.onceIn(30) ? 'a\u0000b' : choices.pick(['e-1', 'e-2', 'a#1', '😀']),
    payload,
    payloadHash: sha256(payloadText(payload)),
  };
}

const deliver: Maker = (choices, world) => {
  const count = choices.pick([1, 1, 2, 3]);
  return ask(
    'deliver',
    world.part,
    Array.from({ length: count }, () => anyDelivery(choices, world)),
  );
};

/** Hands that are empty, where a suspect waits for such (P06); null = somebody has to take a seat first. */
function anyClaimer(choices: Choices, world: World): WorkerId | null {
  const { runs, seats } = world.dump();
  const waits = dueRuns(world.dump(), world.nowMs).some(({ head }) => head.suspect);
  if (!waits || !choices.onceIn(2)) return anyWorker(choices, world);
  const idle = seats.filter(
    ({ workerId, leaseUntilMs }) =>
      leaseUntilMs > world.nowMs && runs.every(({ lease }) => lease?.workerId !== workerId),
  );
  return idle.length === 0 ? null : choices.pick(idle).workerId;
}

const takeSeat: Maker = (choices, world) =>
  ask('takeSeat', world.part, choices.pick(world.workers), choices.pick([1_000, 60_000]));

const claim: Maker = (choices, world) => {
  const { part, nowMs } = world;
  const workerId = anyClaimer(choices, world);
  if (workerId === null) return takeSeat(choices, world);
  const dump = world.dump();
  const waiting = dueRuns(dump, nowMs - LEASE_MS);
  const oldestMs = Math.min(...waiting.map(({ wakeUp }) => wakeUp.dueAtMs));
  const oldest = waiting.filter(({ wakeUp }) => wakeUp.dueAtMs === oldestMs);
  // Of two runs that are due at one instant PostgreSQL takes either first: only answers that do not depend on it are compared.
  if (new Set(oldest.map(({ head }) => head.suspect)).size > 1) return ask('nextDueMs', part);
  const tied = hasTies(dueRuns(dump, nowMs).map(({ wakeUp }) => wakeUp.dueAtMs));
  return ask('claim', part, workerId, tied ? 100 : choices.pick([100, 1, 2]));
};

const fire: Maker = (choices, world) => {
  const due = world.dump().runs.flatMap(({ timers }) => timers.map(({ dueAtMs }) => dueAtMs));
  return ask('fireTimers', world.part, hasTies(due) ? 100 : choices.pick([100, 1]));
};

const clock: Maker = (choices, world) => ({
  verb: 'clock',
  toMs: world.nowMs + choices.pick([1, 500, 1_000, 1_001, 60_000, 3_600_001, -700]),
});

const SEAT_MAKERS: readonly Maker[] = [
  (choices, { part, workers }) => ask('beat', part, choices.pick(workers), choices.pick([1_000, 60_000])),
  (choices, { part, workers }) => ask('leaveSeat', part, choices.pick(workers)),
  (choices, { part }) => ask('sweep', part, choices.pick([100, 1])),
  (choices, { part }) => ask('sweep', part, choices.pick([100, 1])),
  (choices, { part }) => ask('sweep', part, choices.pick([100, 1])),
  (choices, world) => {
    const { runs } = world.dump();
    const held = choices.some(runs.map(({ run }) => run.runId));
    const holder = runs.find(({ lease }) => lease !== null)?.lease?.workerId;
    return ask('disown', world.part, holder ?? choices.pick(world.workers), held, choices.pick([0, 1_000]));
  },
];

const EVENT_MAKERS: readonly Maker[] = [
  deliver,
  (choices, world) => ask('deliverAndClaim', anyDelivery(choices, world), choices.pick(world.workers), LEASE_MS),
  (choices, world) => ask('drain', world.part, choices.pick(world.workers)),
  (choices, world) => {
    const { part, runId, source, eventId } = anyDelivery(choices, world);
    return ask('answerOf', part, runId, source, eventId);
  },
  (choices, world) => ask('observe', [anyObservation(choices, { part: world.part, runId: anyRunId(choices, world) })]),
];

function anyVersion(choices: Choices, { tenant }: World): StoredVersion {
  const version = 1 + choices.below(2);
  const workflow = choices.pick(['shop', 'bank']);
  const content = `${tenant} ${workflow} ${version} ${choices.below(2)}`;
  return {
    tenant,
    workflow,
    version,
    digest: sha256(content) as Digest,
    digests: { graph: content, data: 'd' },
    source: content,
    machine: '{}',
    publishedBy: 'user:anna',
    publishedAtMs: 0,
  };
}

const READ_MAKERS: readonly Maker[] = [
  (choices, world) => ask('publish', anyVersion(choices, world)),
  (choices, world) => ask('findVersion', world.tenant, choices.pick(['shop', 'bank']), choices.pick([null, 1, 2])),
  (choices, world) => ask('loadVersion', anyVersion(choices, world).digest),
  (_, world) => ask('listVersions', world.tenant),
  (choices, world) => ask('trace', world.part, [{ runId: anyRunId(choices, world), revision: choices.below(4) }]),
  (_, world) => ask('nextDueMs', world.part),
  (choices, world) => {
    const run = anyRows(choices, world)?.run;
    return ask('findRun', world.tenant, choices.pick([run?.key ?? 'o-1', run?.runId ?? 'o-2', 'nobody']));
  },
  (choices, world) =>
    ask('listRuns', {
      tenant: world.tenant,
      workflow: choices.pick([null, 'shop']),
      statuses: choices.pick<readonly RunStatus[] | null>([null, ['RUNNING', 'FAILED']]),
      needsHuman: choices.onceIn(3),
      q: choices.pick([null, 'o-1']),
      limit: choices.pick([10, 1]),
      ...choices.pick([{}, { version: 1 }, { workflows: ['shop', 'x'] }, { after: placeOf(choices, world) }]),
    }),
  (_, { tenant }) =>
    ask(
      'countRuns',
      {
        tenant,
        workflow: null,
        statuses: null,
        needsHuman: false,
        q: null,
        effectStates: ['REQUESTED'],
      },
      10,
    ),
  (_, { tenant }) => ask('effects', { tenant, limit: 3 }),
  (choices, { tenant }) =>
    ask('approvals', {
      tenant,
      limit: 3,
      ...choices.pick([{}, { states: ['open'] as const }, { voter: { principal: 'ana', entries: ['role:approver'] } }]),
    }),
  (_, { tenant }) => ask('timers', { tenant, limit: 3 }),
  (choices, world) => ask('holder', world.part, anyRunId(choices, world)),
  (choices, world) => {
    const verb = choices.pick(['journal', 'receipts', 'observations', 'inbox', 'audit'] as const);
    return ask(verb, world.part, anyRunId(choices, world));
  },
  (choices, world) => ask('load', world.part, [anyRunId(choices, world)]),
  () => ask('workers'),
];

/** Runs join and leave one of two locks, an operator changes a limit, holders are looked at. */
const lock: Maker = (choices, world) => {
  const { part, tenant, nowMs } = world;
  const address = { part, tenant, name: choices.pick(['gate', 'ö']) };
  const runId = anyRunId(choices, world);
  const startedAtMs = nowMs - choices.below(3);
  return choices.pick([
    () => ask('joinLock', address, { runId, runPart: part, limit: choices.pick([1, 2, 3]), startedAtMs }),
    () => ask('joinLock', address, { runId, runPart: part, limit: 2, startedAtMs }),
    () => ask('leaveLock', address, runId),
    () => ask('limitLock', address, { by: 'ops', reason: 'test', limit: choices.pick([null, 1, 2]) }),
    () => ask('sweepLocks', part, choices.pick([0, 1_000]), 100),
    () => ask('locks', tenant, choices.pick([null, 'gate']), choices.pick([10, 1])),
    () => ask('heads', part, [runId]),
  ])();
};

/** Versions bring schedules of two workflows, which are taken, settled by claims of now and before, stopped and listed. */
const schedule: Maker = (choices, world) => {
  const { part, tenant, nowMs } = world;
  const atMs = nowMs + choices.pick([-5, 300, 2_000]);
  const of = { part, tenant, workflow: choices.pick(['shop', 'bank']), version: choices.pick([1, 1, 2]) };
  const { version, ...address } = of;
  const firing = choices.pick<Firing>([
    { kind: 'fired', atMs: nowMs, runId: anyRunId(choices, world), nextAtMs: atMs },
    { kind: 'skipped', atMs: nowMs, nextAtMs: atMs },
    { kind: 'passed', nextAtMs: atMs },
    { kind: 'failed', error: 'ö' },
  ]);
  return choices.pick([
    () => ask('publish', anyVersion(choices, world), { part, dueAtMs: atMs, timesOf: null }),
    () => ask('publish', anyVersion(choices, world), { part, dueAtMs: atMs, timesOf: choices.pick([1, 2]) }),
    () => ask('claimSchedules', part, { tenant, limit: choices.pick([10, 1]), forMs: choices.pick([0, 500]) }),
    () => ask('claimSchedules', part, { tenant, limit: 10, forMs: 500 }),
    () => ask('settleSchedule', { address, version, attempt: choices.pick([1, 2, 3]) }, firing),
    () => ask('orderSchedule', of, { act: 'pause', by: 'ops', reason: 'test' }),
    () => ask('orderSchedule', of, { act: 'resume', by: 'ops', reason: 'test', dueAtMs: atMs }),
    () => ask('schedules', tenant, choices.pick([10, 1])),
    () => ask('schedules', tenant, 1, 'bank'),
  ])();
};

/** Ended runs are looked at and pruned, as they stand or as they once were; now and then by a person. */
const retain: Maker = (choices, world) => {
  const { part } = world;
  const rows = anyRows(choices, world);
  if (rows === null || choices.onceIn(3))
    return ask('retained', part, choices.pick([null, rows?.run.runId ?? null]), choices.pick([100, 2]));
  const { revision, fence } = rows.head;
  const asked = {
    runId: rows.run.runId,
    revision: revision + choices.pick([0, 0, 0, -1]),
    fence: fence + choices.pick([0, 0, 0, -1]),
  };
  return ask('prune', part, [asked], choices.pick([null, { actor: 'ops', reason: 'ö' }]));
};

/** A held run comes to its end with nothing on its way, and is given back. */
const finish: Maker = (choices, world) => {
  const held = world.dump().runs.flatMap((rows) => (rows.lease === null ? [] : [{ ...rows, lease: rows.lease }]));
  if (held.length === 0) return claimRun(choices, world);
  const { run, head, lease, wakeUp, ...rows } = choices.pick(held);
  const open = rows.effects.filter(({ state }) => (OPEN_EFFECT_STATES as readonly string[]).includes(state));
  const end = stepOf(run.runId, head.fence, head.revision, {
    part: world.part,
    head: headAt(head.revision + 1, {
      status: choices.pick(['COMPLETED', 'FAILED']),
      phase: 'ended',
      endedAtMs: world.nowMs,
    }),
    effects: open.map((effect) => changing(effect, { state: 'CANCELLED', settledAtMs: world.nowMs })),
    timersCleared: rows.timers.map(({ name }) => name),
    approvals: rows.approvals.map((approval) => ({ ...approval, state: 'cancelled' })),
    inbox: rows.inbox.flatMap(({ source, eventId, consumed }) =>
      consumed ? [] : [{ source, eventId, outcome: 'ended', code: null, detail: null, consumed: true } as const],
    ),
    lease: { kind: 'release', wakeSeen: wakeUp?.wake ?? null, readyAtMs: null },
  });
  return ask('commit', world.part, lease.workerId, [end]);
};

/** An ended run as it stands, free and with nothing on its way but what chance has left. */
const pruneEnded: Maker = (choices, world) => {
  const over = world.dump().runs.filter(({ head, lease }) => head.endedAtMs !== null && lease === null);
  if (over.length === 0) return retain(choices, world);
  const { run, head } = choices.pick(over);
  return ask('prune', world.part, [{ runId: run.runId, revision: head.revision, fence: head.fence }], null);
};

/** API keys are made, also under an id that is taken, read, listed and taken back. */
const apiKey: Maker = (choices, { tenant, nowMs }) => {
  const keyId = `${tenant}-${choices.pick(['a', 'b'])}`;
  const key = {
    keyId,
    tenant,
    principal: choices.pick(['ana', 'ö']),
    roles: choices.pick<NewApiKey['roles']>([[], ['viewer', 'admin']]),
    scopes: choices.pick<NewApiKey['scopes']>([[], [{ right: '*', workflows: 'shop-*' }]]),
    secretHash: sha256(keyId),
    createdBy: 'ops',
    expiresAtMs: choices.pick([null, nowMs + 5]),
  };
  return choices.pick([
    () => ask('createKey', key),
    () => ask('createKey', key),
    () => ask('findKey', keyId),
    () => ask('listKeys', tenant, choices.pick([10, 1])),
    () => ask('revokeKey', choices.pick([tenant, tenant, 'other']), keyId, { by: 'ops', reason: 'test' }),
  ])();
};

/** Versions are deprecated, also twice and where there is none, restored and listed. */
const deprecation: Maker = (choices, { tenant, dump }) => {
  const { versions } = dump();
  const of =
    versions.length > 0 && choices.below(4) > 0
      ? choices.pick(versions.map(({ workflow, version, tenant: house }) => ({ tenant: house, workflow, version })))
      : { tenant, workflow: 'nowhere', version: 1 };
  return choices.pick([
    () => ask('deprecate', of, { by: 'ops', reason: 'test' }),
    () => ask('restore', of, { by: 'ops', reason: choices.pick([null, 'test']) }),
    () => ask('deprecations', tenant, choices.pick([null, of.workflow])),
  ])();
};

/** Things are paused, also twice and under a name that is taken, resumed and listed; what is kept back is woken. */
const pause: Maker = (choices, { tenant, dump }) => {
  const { pauses } = dump();
  const pauseId = `01890000-0000-7000-8000-0000000000a${choices.below(4)}`;
  const of = pauses.length > 0 && choices.below(4) > 0 ? choices.pick(pauses) : { tenant, pauseId };
  const subject = { kind: choices.pick(['action', 'host'] as const), name: choices.pick(['charge', 'ö']) };
  return choices.pick([
    () => ask('beginPause', { tenant, pauseId, ...subject, by: 'ops', reason: 'test' }),
    () => ask('beginPause', { tenant, pauseId, ...subject, by: 'ops', reason: 'test' }),
    () =>
      ask('endPause', { tenant: of.tenant, pauseId: of.pauseId }, { by: 'ops', reason: choices.pick([null, 'test']) }),
    () => ask('pauses', tenant),
    () => ask('wakePaused', tenant),
  ])();
};

/** Acts are listed, also behind a place, and read as they are chained; the database's recovery mode is everybody's, so nobody begins it. */
const audit: Maker = (choices, { tenant, part, nowMs, dump }) => {
  const acts = dump().acts.flatMap(([, known]) => known);
  const place = { atMs: nowMs, runId: null, auditNo: choices.below(acts.length + 1) };
  return choices.pick([
    () =>
      ask('acts', {
        tenant,
        limit: choices.pick([10, 2]),
        ...choices.pick([{}, { act: 'key.create' }, { after: place }]),
      }),
    () =>
      ask('acts', {
        tenant,
        limit: 10,
        ...choices.pick([{ workflow: 'shop' }, { workflows: ['shop'] }, { untilMs: nowMs }]),
      }),
    () => ask('chains', part, null, choices.pick([10, 2])),
  ])();
};

/** What a sequence begins with, so that there is something to work on. */
const FIRST: readonly Maker[] = [takeSeat, start, start, takeSeat];

/** Makers by weight: what moves runs comes more often than what only looks. */
const MAKERS: readonly Maker[] = [
  start,
  start,
  commit,
  commit,
  commit,
  commit,
  commit,
  clock,
  clock,
  claim,
  claim,
  claim,
  claim,
  claimRun,
  takeSeat,
  takeSeat,
  fire,
  startAgain,
  ...SEAT_MAKERS,
  ...EVENT_MAKERS,
  deliver,
  lock,
  lock,
  schedule,
  schedule,
  retain,
  finish,
  finish,
  pruneEnded,
  pruneEnded,
  apiKey,
  deprecation,
  pause,
  audit,
  (choices, world) => choices.pick(READ_MAKERS)(choices, world),
  (choices, world) => choices.pick(READ_MAKERS)(choices, world),
];

/** The next command, made from what the store in memory holds. @param count how many there were before it. */
export function anyCommand(choices: Choices, world: World, count: number): Command | ClockStep {
  return (FIRST[count] ?? choices.pick(MAKERS))(choices, world);
}

/** All runs with all that a decision reads, as both stores tell them at the end of a sequence. */
export function lastLook({ part, dump }: Pick<World, 'part' | 'dump'>): Command {
  return ask(
    'load',
    part,
    dump().runs.map(({ run }) => run.runId),
  );
}
