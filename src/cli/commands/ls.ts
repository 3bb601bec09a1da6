import { type Command, Option } from 'commander';
import { RUN_STATUSES, type RunStatus } from '../../model/statuses.ts';
import { type CliContext, printJsonList, widthOf } from '../cli-context.ts';
import type { Bind } from '../bind.ts';
import { UsageError } from '../report-error.ts';
import { renderTable } from '../table.ts';

interface LsOptions {
  readonly needs?: 'human';
  readonly workflow?: string;
  readonly status?: string;
  readonly limit: string;
}

const LIMIT_MAX = 1_000;

/** `pawl ls`: runs, newest first. */
export function addLs(program: Command, bind: Bind): void {
  program
    .command('ls')
    .description('list runs, newest first')
    .argument('[run]', 'a run id or key')
    .addOption(new Option('--needs <who>', 'only runs that wait for somebody').choices(['human']))
    .option('--workflow <name>', 'only runs of this workflow')
    .option('--status <status>', `one or more of ${RUN_STATUSES.join(', ')}, by comma`)
    .option('--limit <n>', 'at most so many', '50')
    .action(bind((context, run: string | undefined, options: LsOptions) => ls(context, run ?? null, options)));
}

async function ls(context: CliContext, q: string | null, options: LsOptions): Promise<void> {
  const filter = {
    workflow: options.workflow ?? null,
    statuses: readStatuses(options.status),
    needsHuman: options.needs === 'human',
    q,
    limit: readLimit(options.limit),
  };
  const runs = await context.withApp((app) => app.list(filter));
  if (printJsonList(context, runs)) return;
  if (context.options.output === 'ids') {
    for (const run of runs) context.print(run.id);
    return;
  }
  if (runs.length === 0) context.say('no such run');
  const columns = [
    { heading: 'RUN' },
    { heading: 'KEY', shrinks: true },
    { heading: 'WORKFLOW', shrinks: true },
    { heading: 'STATUS' },
    { heading: 'STARTED (UTC)' },
    { heading: 'NEEDS', shrinks: true },
  ];
  const rows = runs.map((run) => [
    run.id,
    run.key,
    `${run.workflow}@${run.version}`,
    run.status,
    run.startedAt.slice(0, 19).replace('T', ' '),
    run.needs.map((need) => need.replace(':', ' ')).join(', '),
  ]);
  context.print(renderTable(columns, rows, widthOf(context)));
}

function readStatuses(text: string | undefined): readonly RunStatus[] | null {
  if (text === undefined) return null;
  return text.split(',').map((word) => {
    const status = RUN_STATUSES.find((known) => known === word.trim().toUpperCase());
    if (status === undefined) throw new UsageError(`"${word}" is no status: ${RUN_STATUSES.join(', ')}`);
    return status;
  });
}

function readLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMIT_MAX)
    throw new UsageError(`--limit is a whole number from 1 to ${LIMIT_MAX}`);
  return limit;
}
