import { invariant, PawlError } from '../../model/errors.ts';
import type { RunId } from '../../model/ids.ts';
import { toldEffects } from '../../model/run-change.ts';
import type { StartAnswer, StartRequest } from '../../ports/store.ts';
import type { Connections, Row } from './connections.ts';
import { messageToRow } from './outbox-verbs.ts';
import { offerToRow } from './queue-verbs.ts';
import {
  approvalToRow,
  auditToRow,
  effectToRow,
  optionalText,
  receiptToRow,
  timerToRow,
  transitionToRow,
} from './rows.ts';
import { packSnapshot } from './snapshot-codec.ts';
import { runToRow } from './run-rows.ts';
import { START, START_COLUMNS } from './sql/start.ts';
import { isContention, isMemberFault } from './sqlstate.ts';

type MemberRow = Readonly<Record<(typeof START_COLUMNS)[number], unknown>>;

function packed(rows: readonly unknown[]): string | null {
  return rows.length === 0 ? null : JSON.stringify(rows);
}

/** A run without business key is named by its own id: no key row is needed to keep it single. */
function isKeyed({ run }: StartRequest): boolean {
  return run.key !== run.runId;
}

function addressOf(tenant: unknown, workflow: unknown, key: unknown): string {
  return JSON.stringify([tenant, workflow, key]);
}

function keyOf({ run }: StartRequest): string {
  return addressOf(run.tenant, run.workflow, run.key);
}

function memberOf(start: StartRequest): MemberRow {
  const { run, head, lease } = start;
  invariant(
    start.again === 'afterFailure' || run.startNumber === 1,
    'only again: afterFailure raises the start number',
    { runId: run.runId },
  );
  const snapshot = packSnapshot(head.snapshot);
  return {
    ...runToRow(run),
    keyed: isKeyed(start),
    request_hash: start.requestHash,
    revision: start.transitions.at(-1)?.revision ?? 0,
    status: head.status,
    phase: head.phase,
    needs: JSON.stringify(head.needs),
    codec: snapshot.codec,
    snapshot: snapshot.bytes,
    ended_at: head.endedAtMs,
    output: optionalText(head.output),
    failure: optionalText(head.failure),
    transitions: packed(start.transitions.map(transitionToRow)),
    effects: packed(start.effects.map((change) => effectToRow(change.effect))),
    timers: packed(start.timers.map(timerToRow)),
    approvals: packed(start.approvals.map(approvalToRow)),
    receipts: packed(start.receipts.map(receiptToRow)),
    audit: packed(start.audit.map(auditToRow)),
    outbox: packed(start.outbox.map(messageToRow)),
    offers: packed((start.offers ?? []).map(offerToRow)),
    told: JSON.stringify(toldEffects(start.effects)),
    worker_id: lease.kind === 'keep' ? lease.workerId : null,
    ready_at: lease.kind === 'free' ? lease.readyAtMs : null,
  };
}

function answersOf(starts: readonly StartRequest[], rows: readonly Row[]): StartAnswer[] {
  const keys = new Map(rows.map((row) => [addressOf(row['tenant'], row['workflow'], row['run_key']), row]));
  const atMs = rows[0]?.['now_ms'] as number;
  return starts.map((start) => {
    const { runId } = start.run;
    if (!isKeyed(start))
      return { refused: null, runId, created: true, same: true, requestHash: start.requestHash, atMs };
    const row = keys.get(keyOf(start));
    invariant(row !== undefined, 'a start key was not answered', { runId });
    return {
      refused: null,
      runId: row['run_id'] as RunId,
      created: row['run_id'] === runId,
      same: row['request_hash'] === start.requestHash,
      requestHash: row['request_hash'] as string,
      atMs,
    };
  });
}

async function sendTogether(
  connections: Connections,
  part: number,
  starts: readonly StartRequest[],
): Promise<StartAnswer[]> {
  const members = starts.map(memberOf);
  const workers = [...new Set(members.flatMap((member) => (member.worker_id === null ? [] : [member.worker_id])))];
  const values = [part, workers, ...START_COLUMNS.map((column) => members.map((member) => member[column]))];
  return answersOf(starts, await connections.run(START, values));
}

/** One start on its own, refused where the fault is its own and not somebody else's lock. */
async function sendAlone(connections: Connections, part: number, start: StartRequest): Promise<StartAnswer[]> {
  try {
    return await sendTogether(connections, part, [start]);
  } catch (error) {
    const { cause } = error as Error;
    if (!(error instanceof PawlError) || !isMemberFault(cause) || isContention(cause)) throw error;
    const { run, requestHash } = start;
    return [{ refused: error, runId: run.runId, created: false, same: false, requestHash, atMs: 0 }];
  }
}

/**
 * A batch that the database refuses as a whole is tried one by one: one member's fault touches no other (P02). The second
 * try of a lone start is for a race with its own earlier sending: the first one waited for it and could not see it yet.
 */
async function sendRound(
  connections: Connections,
  part: number,
  starts: readonly StartRequest[],
): Promise<StartAnswer[]> {
  try {
    return await sendTogether(connections, part, starts);
  } catch (error) {
    if (!isMemberFault((error as Error).cause)) throw error;
  }
  const answers: StartAnswer[] = [];
  for (const start of starts) answers.push(...(await sendAlone(connections, part, start)));
  return answers;
}

/** Two starts of one key cannot travel in one statement: the second waits for the next. */
function roundsOf(starts: readonly StartRequest[]): readonly (readonly number[])[] {
  const rounds: number[][] = [];
  const seen = new Map<string, number>();
  starts.forEach((start, index) => {
    const round = seen.get(keyOf(start)) ?? 0;
    seen.set(keyOf(start), round + 1);
    rounds[round] = [...(rounds[round] ?? []), index];
  });
  return rounds;
}

/**
 * Starts runs of one part. Idempotent by key and run id; a member that cannot be stored is refused in its own answer.
 * @throws PAWL_STORE_* when the fate of the batch is unknown, or the database could do nothing.
 * Transaction: one per statement.
 */
export async function startBatch(
  connections: Connections,
  part: number,
  starts: readonly StartRequest[],
): Promise<readonly StartAnswer[]> {
  const answers: StartAnswer[] = [];
  for (const round of roundsOf(starts)) {
    const told = await sendRound(
      connections,
      part,
      round.flatMap((index) => starts[index] ?? []),
    );
    round.forEach((index, at) => {
      const answer = told[at];
      if (answer !== undefined) answers[index] = answer;
    });
  }
  return answers;
}
