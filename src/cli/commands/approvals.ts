import { type Command, Option } from 'commander';
import { APPROVAL_STATES } from '../../model/approval.ts';
import type { Bind } from '../bind.ts';
import { type CliContext, printJsonList, widthOf } from '../cli-context.ts';
import { readLimit } from '../read-limit.ts';
import { renderTable } from '../table.ts';
import { counted, timeWords } from '../time-words.ts';

interface ApprovalsOptions {
  readonly mine?: boolean;
  readonly status?: (typeof APPROVAL_STATES)[number];
  readonly workflow?: string;
  readonly limit: string;
}

const LIMIT_MAX = 1_000;

/** `pawl approvals`: what is asked of people, in all runs. */
export function addApprovals(program: Command, bind: Bind): void {
  program
    .command('approvals')
    .description('list approvals of all runs, those of the newest run first')
    .option('--mine', 'only open ones on which you may still vote')
    .addOption(new Option('--status <state>', 'only approvals in this state').choices(APPROVAL_STATES))
    .option('--workflow <name>', 'only of runs of this workflow')
    .option('--limit <n>', 'at most so many', '50')
    .action(bind((context, options: ApprovalsOptions) => approvals(context, options)));
}

async function approvals(
  context: CliContext,
  { mine, status, workflow, limit: text }: ApprovalsOptions,
): Promise<void> {
  const limit = readLimit(text, LIMIT_MAX);
  const found = await context.withBackend((app) => {
    const { name, roles } = app.principal(context.options.by ?? null);
    const entries = [`user:${name}`, ...roles.map((role) => `role:${role}`)];
    return app.approvals({
      limit: limit + 1,
      ...(status === undefined ? {} : { states: [status] }),
      ...(workflow === undefined ? {} : { workflow }),
      ...(mine === true ? { voter: { principal: name, entries } } : {}),
    });
  });
  const lines = found.slice(0, limit);
  if (found.length > limit)
    context.say(`! only the first ${counted(limit, 'approval')}, there are more: --limit N (at most ${LIMIT_MAX})`);
  if (printJsonList(context, lines)) return;
  if (lines.length === 0) context.say('no such approval');
  const columns = [
    { heading: 'RUN' },
    { heading: 'KEY', shrinks: true },
    { heading: 'STEP', shrinks: true },
    { heading: 'STATE' },
    { heading: 'EXPIRES (UTC)' },
    { heading: 'FROM', shrinks: true },
    { heading: 'WHAT', shrinks: true },
  ];
  const rows = lines.map(({ run, runKey, step, state, expiresAt, from, title }) => [
    run,
    runKey,
    step,
    state,
    expiresAt === null ? '' : timeWords(expiresAt),
    from.join(', '),
    title,
  ]);
  context.print(renderTable(columns, rows, widthOf(context)));
}
