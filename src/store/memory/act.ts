import type { SendOrder } from '../../model/order.ts';
import type { AttemptReport } from '../../model/outcome.ts';
import type { Conclude, StatementAnswer, StatementAsk, StatementStore } from '../../ports/statement-store.ts';
import { commitRuns } from './commit.ts';
import type { Database } from './database.ts';
import { runIn, type Statement } from './tables.ts';

/** What a statement came to where there is no database to ask, and what is done in the script's own world once it is kept. */
export interface PlayedStatement {
  readonly report: AttemptReport;
  readonly keep?: () => void;
}

/** Says what statements come to. */
export type StatementScript = (order: SendOrder) => Promise<PlayedStatement>;

/** Nobody says what it comes to. */
export const UNSCRIPTED: StatementScript = () =>
  Promise.resolve({
    report: {
      kind: 'undone',
      code: 'unscripted',
      reason: 'no script says what this statement comes to',
      passing: false,
      data: null,
    },
  });

/** Why the run is not as its holder knows it; null = it is. */
function refusal(
  statement: Statement,
  { part, runId, workerId, fence, revision }: StatementAsk,
): StatementAnswer | null {
  const rows = runIn(statement, part, runId);
  if (rows === undefined) return { kind: 'busy' };
  const { head, lease } = rows;
  if (head.fence !== fence || lease?.workerId !== workerId) return { kind: 'fenced', fence: head.fence };
  return head.revision === revision ? null : { kind: 'stale', revision: head.revision };
}

/** Plays statements by a script. */
export function createAct({ read, write }: Database, script: StatementScript): NonNullable<StatementStore['act']> {
  return async (ask: StatementAsk, conclude: Conclude): Promise<StatementAnswer> => {
    const refused = read((statement) => refusal(statement, ask));
    if (refused !== null) return refused;
    const { report, keep } = await script(ask.order);
    const commit = conclude(report);
    if (commit === null) return { kind: 'undone' };
    const [answer] = await write((statement) => commitRuns(statement, ask.part, ask.workerId, [commit]));
    if (answer?.kind === 'applied') keep?.();
    return answer ?? { kind: 'busy' };
  };
}
