import { PawlError } from '../../model/errors.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { AttemptReport } from '../../model/outcome.ts';
import type { RunCommit } from '../../model/run-commit.ts';
import { bindStatement, type BoundStatement, readStatement } from '../../model/sql-statement.ts';
import type { Conclude, StatementAnswer, StatementAsk, StatementStore } from '../../ports/statement-store.ts';
import { commitBatch } from './commit-batch.ts';
import { type ConnectionOptions, openSessions, type Row, type Session } from './connections.ts';
import { dial } from './dial.ts';
import { HOLD, SET_RIGHT, TOO_LARGE, TOO_MANY } from './sql/act.ts';
import { isPassing, storeErrorOf } from './sqlstate.ts';
import { functionOf, prepareStatementRole } from './statement-role.ts';

/** Most rows that a statement gives back: as many as an expression may look at. */
const STATEMENT_ROWS_MAX = 10_000;
/** Statements of this process that are under way at a time; they have connections of their own, so that none waits for another's table. */
const STATEMENTS_MAX = 4;

/** Names for what our own limits raise. */
const LIMITS: Readonly<Record<string, string>> = { [TOO_MANY]: 'too-many-rows', [TOO_LARGE]: 'too-large' };

/** What an opened door to statements is. */
interface Statements extends StatementStore {
  close(): Promise<void>;
}

function answerOfHead(row: Row | undefined, { workerId, fence, revision }: StatementAsk): StatementAnswer | null {
  if (row === undefined) return { kind: 'busy' };
  if (row['fence'] !== fence || row['owner'] !== workerId) return { kind: 'fenced', fence: row['fence'] as number };
  const atRevision = row['revision'] as number;
  return atRevision === revision ? null : { kind: 'stale', revision: atRevision };
}

function undoneBy(row: Row, state: string): AttemptReport {
  const limit = LIMITS[state];
  return {
    kind: 'undone',
    code: limit ?? `sql-${state.toLowerCase()}`,
    reason: limit === undefined ? `${state}: ${String(row['message'])}` : String(row['message']),
    passing: isPassing(state),
    data: JSON.parse(row['facts'] as string) as Json,
  };
}

/** What the function's row says. */
function reportOf(row: Row): AttemptReport {
  const state = row['state'] as string | null;
  if (state !== null) return undoneBy(row, state);
  const text = `{"rows":${String(row['rows'])},"rowCount":${String(row['row_count'])}}`;
  const body = JSON.parse(text) as JsonObject;
  return { kind: 'answered', status: null, headers: {}, body, bodyBytes: Buffer.from(text), unreadable: null };
}

function boundOf({ contract, request }: StatementAsk['order']): BoundStatement | AttemptReport {
  const text = contract.transport.kind === 'sql' ? contract.transport.statement : '';
  const statement = readStatement(text);
  const bound = bindStatement(statement, request.with as JsonObject);
  if (typeof bound !== 'string') return bound;
  return { kind: 'unsent', permanent: true, reason: `there is no value for :${bound}` };
}

async function execute(session: Session, role: string, { order }: StatementAsk): Promise<AttemptReport> {
  const bound = boundOf(order);
  if (!('text' in bound)) return bound;
  const { transport, maxResponseBytes } = order.contract;
  const givesRows = transport.kind === 'sql' && readStatement(transport.statement).returnsRows;
  const [row] = await session.query(
    { text: `SELECT * FROM ${functionOf(role)}($1, $2, $3, $4, $5)`, deadlineMs: order.timeoutMs },
    [bound.text, JSON.stringify(bound.values), givesRows, STATEMENT_ROWS_MAX, maxResponseBytes],
  );
  return reportOf(row ?? {});
}

/** The run's commit inside a transaction that is open already. */
async function commitInside(session: Session, ask: StatementAsk, commit: RunCommit): Promise<StatementAnswer> {
  const run = async <R>(statement: { readonly text: string }, values: readonly unknown[]): Promise<R[]> =>
    (await session.query({ text: statement.text, deadlineMs: 0 }, values)) as R[];
  const [answer] = await commitBatch({ run, close: () => Promise.resolve() }, ask.part, ask.workerId, [commit]);
  return answer ?? { kind: 'busy' };
}

/** Everything between BEGIN and its end; only what is applied is to be committed. */
async function actInside(
  session: Session,
  role: string,
  ask: StatementAsk,
  conclude: Conclude,
): Promise<StatementAnswer> {
  const { order, part, runId } = ask;
  const [head] = await session.query({ text: HOLD.text, deadlineMs: 0 }, [part, runId, String(order.timeoutMs)]);
  const refused = answerOfHead(head, ask);
  if (refused !== null) return refused;
  const report = await execute(session, role, ask);
  await session.query({ text: SET_RIGHT, deadlineMs: 0 });
  const commit = conclude(report);
  return commit === null ? { kind: 'undone' } : commitInside(session, ask, commit);
}

async function actOnce(
  session: Session,
  role: string,
  ask: StatementAsk,
  conclude: Conclude,
): Promise<StatementAnswer> {
  await session.query({ text: 'BEGIN', deadlineMs: 0 });
  const answer = await actInside(session, role, ask, conclude);
  if (answer.kind === 'applied') await session.commit();
  else await session.query({ text: 'ROLLBACK', deadlineMs: 0 });
  return answer;
}

async function prepare(options: ConnectionOptions, role: string): Promise<void> {
  const { client, connect, hangUp } = dial(options, options.numbers.statementTimeoutMs);
  try {
    await connect();
    await prepareStatementRole(client, role);
  } catch (error) {
    throw error instanceof PawlError ? error : storeErrorOf(error, 'connecting');
  } finally {
    await hangUp();
  }
}

/**
 * Opens the door to statements that run as a role of their own (E13), on connections of their own.
 * @throws PAWL_CONFIG_INVALID with the mend for a role that may not be used so; PAWL_STORE_*.
 */
export async function openStatements(options: ConnectionOptions, role: string): Promise<Statements> {
  await prepare(options, role);
  const sessions = openSessions(options, STATEMENTS_MAX);
  return {
    act: (ask, conclude) => sessions.over((session) => actOnce(session, role, ask, conclude)),
    close: () => sessions.close(),
  };
}
