import type { Json } from '../model/json.ts';

const RUN = 'run_01kbd4f7wsev3bq5zj8tgm2x0c';
const AT = '2030-01-31T12:00:00.000Z';
const DIGEST = 'd'.repeat(64);
const EFFECT = 'e'.repeat(64);
const HASH = 'a'.repeat(64);

const version = { workflow: 'hello', version: 1, digest: DIGEST, publishedBy: 'ana', publishedAt: AT };
const standing = { ...version, deprecated: null };
const deprecated = { by: 'ana', reason: 'it refunds twice', at: AT };
const name = { workflow: 'hello', version: 1 };
const standingPause = {
  ...{ id: '019c0f6e-5d2a-7000-8000-00000000000a', kind: 'host', name: 'api.bank.example' },
  ...{ by: 'ana', reason: 'the bank is down', since: AT },
};
const line = { id: RUN, key: 'C-77', ...name, status: 'WAITING', revision: 1, needs: [], startedBy: 'ana' };
const pause = { since: AT, until: '2030-01-31T13:00:00.000Z', by: [], progress: null, command: null };
const step = { id: 'pause', verb: 'wait', status: 'active', parent: null, attempts: 0, code: null, output: null };

const run: Json = {
  id: RUN,
  key: 'C-77',
  ...name,
  digest: DIGEST,
  tenant: 'default',
  status: 'WAITING',
  phase: 'forward',
  revision: 1,
  startedBy: 'ana',
  startedAt: AT,
  endedAt: null,
  lock: null,
  input: {},
  output: null,
  failure: null,
  waitingFor: [{ kind: 'timer', step: 'pause', ...pause }],
  order: null,
  pastOrders: [],
  steps: [{ ...step, at: AT }],
  effects: [],
  approvals: [],
  incidents: [],
  messages: [],
};

const delivered: Json = {
  source: 'ana',
  eventId: 'bank-77',
  outcome: 'applied',
  code: null,
  detail: null,
  again: false,
};

const effect = { key: EFFECT, step: 'charge', action: 'card.charge', state: 'CONFIRMED', attempt: 1 };
const receipt: Json = {
  receiptNo: 1,
  attempt: 1,
  outcome: 'confirmed',
  code: null,
  requestHash: HASH,
  externalId: 'T-1',
  resultBase64: 'eyJpZCI6IlQtMSJ9',
  observedBy: 'response',
  evidence: null,
  approvalId: null,
  contract: 1,
  previous: '0'.repeat(64),
  integrity: HASH,
  requestedAt: AT,
  settledAt: AT,
  verified: true,
};

const act = {
  at: AT,
  actor: 'ana',
  act: 'terminate',
  target: RUN,
  reason: 'wrong amount',
  detail: null,
  no: 1,
};

const transition: Json = {
  revision: 1,
  event: { type: 'run.started', id: 'start' },
  delta: {},
  commands: [],
  stateHash: HASH,
  at: AT,
  fence: 1,
  workerId: '01890000-0000-7000-8000-000000000001',
};

const place = { run: RUN, startedAt: AT, limit: 1, grantedAt: AT };
const ofRun = { run: RUN, runKey: 'C-77', ...name, startedAt: AT };
const asked = {
  id: 'sign',
  step: 'sign',
  state: 'open',
  title: 'Refund 120 €?',
  subject: { amount: 120 },
  subjectHash: HASH,
  from: ['role:approver'],
  except: [],
  quorum: 1,
  askedAt: AT,
  expiresAt: null,
  decidedAt: null,
  votes: [],
};
const reason = { step: 'pause', text: 'waits until 13:00', since: AT, until: AT, by: ['time'], command: null };
const batch = {
  id: 'bat_01kbd4f7wsev3bq5zj8tgm2x0c',
  action: 'cancel',
  params: {},
  by: 'ana',
  reason: 'the offer was withdrawn',
  maxFailures: 10,
  ratePerSecond: null,
  total: 1,
  applied: 0,
  refused: 0,
  failed: 0,
  pending: 1,
  state: 'running',
  createdAt: AT,
};
const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"></svg>';
const page = (data: Json): Json => ({ data: [data], nextCursor: null });
const list = (data: Json): Json => ({ data: [data] });

/** What each operation answers where all is well, as the document shows it; texts are of its first media type. */
export const ANSWER_EXAMPLES: Readonly<Record<string, Json>> = {
  isAlive: { status: 'ok' },
  isReady: { status: 'ok' },
  showRelease: { name: 'pawl', version: '0.1.0' },
  showMetrics: '# TYPE pawl_runs_ended_total counter\npawl_runs_ended_total{status="COMPLETED"} 1\n',
  describeApi: { openapi: '3.1.0' },
  listWorkflows: list({ workflow: 'hello', latest: 1, versions: [1] }),
  publishWorkflow: { ...version, warnings: [] },
  listVersions: list(standing),
  showVersion: standing,
  deprecateVersion: { ...version, deprecated },
  restoreVersion: standing,
  showSource: 'pawl: 1\nworkflow: hello\nversion: 1\ntimeout: 1d\nsteps: [{ id: pause, wait: 1s }]\n',
  showDiagram: svg,
  startRun: run,
  listRuns: page({ ...line, startedAt: AT, endedAt: null }),
  countRuns: { count: 1, more: false },
  showRun: run,
  showRunDiagram: svg,
  showJournal: list(transition),
  watchRuns: `retry: 2000\n\nid: MDdiZj\nevent: hello\ndata: {"position":"MDdiZj"}\n\n`,
  sendEvent: delivered,
  followLink: delivered,
  vote: delivered,
  cancelRun: delivered,
  terminateRun: delivered,
  compensateRun: delivered,
  retryStep: delivered,
  pauseRun: delivered,
  resumeRun: delivered,
  startBatch: batch,
  listBatches: page(batch),
  showBatch: batch,
  listBatchItems: page({ no: 1, run: RUN, workflow: 'hello', outcome: 'pending', code: null, message: null, at: null }),
  beginPause: standingPause,
  listPauses: list(standingPause),
  endPause: standingPause,
  pauseBatch: { ...batch, state: 'paused' },
  resumeBatch: batch,
  listApprovals: page({ ...ofRun, ...asked }),
  showApproval: { run: RUN, ...name, approval: asked },
  listTimers: page({ ...ofRun, name: 'pause:wait', kind: 'wait', step: 'pause', effect: null, dueAt: AT }),
  listNeeds: page({
    ...{ run: RUN, key: 'C-77', ...name, kind: 'approval', since: AT, step: 'sign', message: 'Refund 120 €?' },
    ...{ from: ['role:approver'], acts: ['approve', 'deny'], command: 'pawl approve C-77 sign' },
  }),
  whyRun: { run: RUN, key: 'C-77', status: 'WAITING', reasons: [{ kind: 'timer', ...reason }] },
  listEffects: page({
    run: RUN,
    runKey: 'C-77',
    ...name,
    startedAt: AT,
    ...effect,
    code: null,
    since: AT,
    settledAt: AT,
  }),
  showEffect: {
    run: RUN,
    ...name,
    effect: { ...effect, sent: 1, unsent: 0, resends: 0, queries: 0, requestHash: HASH },
    receipts: [receipt],
    faults: [],
    observations: [],
  },
  reconcileEffect: delivered,
  reviewEffect: delivered,
  listActs: page({ ...act, run: RUN, workflow: 'hello' }),
  listActsOfRun: { data: [{ ...act, previous: '0'.repeat(64), integrity: HASH }], verified: true, faults: [] },
  listSchedules: list({
    ...{ workflow: 'nightly', version: 1, cron: '0 3 * * *', timezone: 'Europe/Berlin', overlap: 'skip' },
    ...{ catchUp: null, paused: false, next: AT, lastFired: null, lastRun: null, lastSkipped: null, error: null },
    acts: [],
  }),
  listLocks: list({ name: 'gate', setLimit: null, held: 1, waiting: 0, holders: [place], queue: [], acts: [] }),
  listMessages: list({
    ...{ run: RUN, id: 'M-1', topic: 'hello', event: 'asleep', key: 'C-77', step: 'tell', state: 'waiting' },
    ...{ attempts: 1, at: AT, dueAt: AT, lastError: null },
  }),
  listQueues: list({ queue: 'scans', offered: 2, since: AT, askedAt: AT }),
  listWorkers: list({
    worker: '01890000-0000-7000-8000-000000000001',
    part: 0,
    leaseUntil: AT,
    alive: true,
    runs: 3,
  }),
};
