import type { App } from '../app/create-app.ts';
import { APPROVAL_STATES } from '../model/approval.ts';
import { invariant } from '../model/errors.ts';
import type { RunId } from '../model/ids.ts';
import { parseRunId } from '../model/run-id.ts';
import { RUN_STATUSES } from '../model/statuses.ts';
import { readPlace, writePlace } from './cursor.ts';
import { readableWorkflows, runFor } from './find-run.ts';
import { answerPage, boundOf, given, instantOf, limitOf } from './page.ts';
import type { Answer, Call, Route } from './route.ts';
import { answerTagged } from './run-answer.ts';
import { APPROVAL, APPROVAL_LINE, CURSOR, INSTANT, LIMIT, NEED, objectOf, pageOf, TIMER_LINE, WHY } from './schemas.ts';

type ApprovalLine = Awaited<ReturnType<App['approvals']>>[number];
type TimerLine = Awaited<ReturnType<App['timers']>>[number];
type Filter = Parameters<App['approvals']>[0];

/** A run as a place names it. */
function runIdOf(run: string): RunId {
  const runId = parseRunId(run);
  invariant(runId !== null, 'a run that is listed has no id', { run });
  return runId;
}

/** The start of the run in milliseconds, the run, and the approval's id. */
const APPROVAL_PLACE = /^(\d{1,16})\.([0-9a-f-]{36})\.(.{1,512})$/s;

function approvalPlace({ startedAt, run, id }: ApprovalLine): string {
  return `${Date.parse(startedAt)}.${runIdOf(run)}.${id}`;
}

/** Who votes when the caller does. */
function voterOf({ caller }: Call): NonNullable<Filter['voter']> {
  const entries = [`user:${caller.name}`, ...caller.held.map((role) => `role:${role}`)];
  return { principal: caller.name, entries };
}

async function approvals(call: Call): Promise<Answer> {
  const { status, workflow, mine, cursor } = call.query;
  const workflows = await readableWorkflows(call, 'run:read');
  const isMine = mine === 'true';
  // Whose they are is a part of what a cursor of them goes on with.
  const bound = [boundOf(call, workflows), isMine ? call.caller.name : null];
  const [startedAtMs, owner, approvalId] = cursor === undefined ? [] : readPlace(bound, cursor, APPROVAL_PLACE);
  const after =
    cursor === undefined
      ? undefined
      : { startedAtMs: Number(startedAtMs), runId: owner as RunId, approvalId: approvalId ?? '' };
  const filter = given<Omit<Filter, 'limit'>>({
    ...{ workflow, workflows, after },
    states: status?.split(',') as Filter['states'],
    dueBeforeMs: instantOf(call, 'dueBefore'),
    voter: isMine ? voterOf(call) : undefined,
  });
  const found = await call.app.approvals({ ...filter, limit: limitOf(call) + 1 });
  return answerPage(call, bound, { found, placeOf: approvalPlace });
}

async function approval(call: Call): Promise<Answer> {
  const run = await runFor(call, 'run:read');
  const told = await call.app.approval(run.runId, call.params['approval'] ?? '');
  return answerTagged(told, call.ifNoneMatch);
}

/** When it falls due in milliseconds, the run, and the timer's name. */
const TIMER_PLACE = /^(\d{1,16})\.([0-9a-f-]{36})\.(.{1,512})$/s;

function timerPlace({ dueAt, run, name }: TimerLine): string {
  return `${Date.parse(dueAt)}.${runIdOf(run)}.${name}`;
}

async function timers(call: Call): Promise<Answer> {
  const { workflow, cursor } = call.query;
  const workflows = await readableWorkflows(call, 'run:read');
  const bound = boundOf(call, workflows);
  const [dueAtMs, owner, name] = cursor === undefined ? [] : readPlace(bound, cursor, TIMER_PLACE);
  const after =
    cursor === undefined ? undefined : { dueAtMs: Number(dueAtMs), runId: owner as RunId, name: name ?? '' };
  const filter = given<Omit<Parameters<App['timers']>[0], 'limit'>>({
    ...{ workflow, workflows, after },
    dueBeforeMs: instantOf(call, 'dueBefore'),
  });
  const found = await call.app.timers({ ...filter, limit: limitOf(call) + 1 });
  return answerPage(call, bound, { found, placeOf: timerPlace });
}

/** The start of the run in milliseconds, and the run. */
const RUN_PLACE = /^(\d{1,16})\.([0-9a-f-]{36})$/;

async function needs(call: Call): Promise<Answer> {
  const { workflow = null, status, q, cursor } = call.query;
  const workflows = await readableWorkflows(call, 'run:read');
  const bound = boundOf(call, workflows);
  const [startedAtMs, owner] = cursor === undefined ? [] : readPlace(bound, cursor, RUN_PLACE);
  const page = await call.app.needsPage({
    workflow,
    statuses: status === undefined ? null : (status.split(',') as Parameters<App['needs']>[0]['statuses']),
    q: q === undefined ? null : (parseRunId(q) ?? q),
    limit: limitOf(call),
    ...(workflows === undefined ? {} : { workflows }),
    ...(cursor === undefined ? {} : { after: { startedAtMs: Number(startedAtMs), runId: owner as RunId } }),
  });
  const { next } = page;
  const nextCursor = next === null ? null : writePlace(bound, `${next.startedAtMs}.${next.runId}`);
  return { status: 200, body: { data: page.needs, nextCursor } };
}

async function why(call: Call): Promise<Answer> {
  const run = await runFor(call, 'run:read');
  return { status: 200, body: await call.app.why(run.runId) };
}

const NAME = { type: 'string', minLength: 1, maxLength: 512 } as const;
const STATES = `^(${APPROVAL_STATES.join('|')})(,(${APPROVAL_STATES.join('|')}))*$`;
const STATUSES = { type: 'string', pattern: `^(${RUN_STATUSES.join('|')})(,(${RUN_STATUSES.join('|')}))*$` } as const;
const WORKFLOW = { description: 'only of runs of this workflow', schema: NAME };
const DUE_BEFORE = { description: 'only what falls due before this instant', schema: INSTANT };

/** What runs wait for, and for whom. */
export const WAITING_ROUTES: readonly Route[] = [
  {
    id: 'listApprovals',
    method: 'GET',
    path: '/v1/approvals',
    summary: 'Approvals of all runs, those of the newest run first, page by page',
    right: 'run:read',
    query: {
      status: { description: 'one or more states, by comma', schema: { type: 'string', pattern: STATES } },
      mine: {
        description: 'only open ones on which the caller may still vote',
        schema: { enum: ['true', 'false'] },
      },
      workflow: WORKFLOW,
      dueBefore: DUE_BEFORE,
      limit: LIMIT,
      cursor: CURSOR,
    },
    answers: { 200: { description: 'A page', schema: pageOf(APPROVAL_LINE) } },
    handle: approvals,
  },
  {
    id: 'showApproval',
    method: 'GET',
    path: '/v1/runs/{run}/approvals/{approval}',
    summary: 'An approval: what is decided, what it would cause, by whom, until when, and the hash to vote with',
    right: 'run:read',
    answers: {
      200: {
        description: 'The approval',
        schema: objectOf({ run: NAME, workflow: NAME, version: { type: 'integer' }, approval: APPROVAL }),
      },
      304: { description: 'The caller has it already' },
    },
    handle: approval,
  },
  {
    id: 'listTimers',
    method: 'GET',
    path: '/v1/timers',
    summary: 'What falls due in all runs, the first one first, page by page',
    right: 'run:read',
    query: { workflow: WORKFLOW, dueBefore: DUE_BEFORE, limit: LIMIT, cursor: CURSOR },
    answers: { 200: { description: 'A page', schema: pageOf(TIMER_LINE) } },
    handle: timers,
  },
  {
    id: 'listNeeds',
    method: 'GET',
    path: '/v1/needs',
    summary: 'What people are needed for, a line each; a page is of so many runs',
    right: 'run:read',
    query: {
      workflow: WORKFLOW,
      status: { description: 'only of runs in one of these statuses, by comma', schema: STATUSES },
      q: { description: 'only of this run: an id or a key', schema: NAME },
      limit: LIMIT,
      cursor: CURSOR,
    },
    answers: { 200: { description: 'A page', schema: pageOf(NEED) } },
    handle: needs,
  },
  {
    id: 'whyRun',
    method: 'GET',
    path: '/v1/runs/{run}/why',
    summary: 'Why a run is where it is: what it waits for, since when, and who can move it',
    right: 'run:read',
    answers: { 200: { description: 'The reasons, the first is the one to look at', schema: WHY } },
    handle: why,
  },
];
