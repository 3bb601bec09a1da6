import { type Command, Option } from 'commander';
import type { App } from '../../app/create-app.ts';
import { RUN_STATUSES, type RunStatus } from '../../model/statuses.ts';
import { type CliContext, printJsonList, widthOf } from '../cli-context.ts';
import type { Backend } from '../backend.ts';
import type { Bind } from '../bind.ts';
import { EXIT } from '../exit-codes.ts';
import { readLimit } from '../read-limit.ts';
import { UsageError } from '../report-error.ts';
import { renderTable } from '../table.ts';
import { terminalText } from '../terminal-text.ts';
import { counted, timeWords } from '../time-words.ts';

interface LsOptions {
  readonly needs?: 'human';
  readonly workflow?: string;
  readonly status?: string;
  readonly step?: string;
  readonly label: readonly string[];
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
    .option('--step <id>', 'only runs that stand at this step now, or rest in this state of a machine')
    .option('--label <name:value>', 'only runs of versions with this label; may be said again', collect, [])
    .option('--limit <n>', 'at most so many', '50')
    .action(bind((context, run: string | undefined, options: LsOptions) => ls(context, run ?? null, options)));
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** @throws a usage error for one without its value. */
function readLabels(labels: readonly string[]): Pick<Wanted, 'labels'> {
  if (labels.length === 0) return {};
  const pairs = labels.map((label) => {
    const [, name, value] = /^([^:,]+):([^,]+)$/.exec(label) ?? [];
    if (name === undefined || value === undefined)
      throw new UsageError(`--label takes NAME:VALUE as in team:payments, found ${label}`);
    return [name, value] as const;
  });
  return { labels: Object.fromEntries(pairs) };
}

type Wanted = Parameters<App['list']>[0];

async function ls(context: CliContext, q: string | null, options: LsOptions): Promise<void> {
  const filter = {
    workflow: options.workflow ?? null,
    statuses: readStatuses(options.status),
    q,
    limit: readLimit(options.limit, LIMIT_MAX),
  };
  const more = { ...(options.step === undefined ? {} : { step: options.step }), ...readLabels(options.label) };
  if (options.needs === 'human') {
    if (Object.keys(more).length > 0)
      throw new UsageError('--needs human lists what each needs: leave --step and --label out');
    return lsNeeds(context, filter);
  }
  const { runs, isCut, pulse, missing } = await context.withBackend(async (app) => {
    const found = await app.list({ ...filter, ...more, limit: filter.limit + 1, needsHuman: false });
    return {
      runs: found.slice(0, filter.limit),
      isCut: found.length > filter.limit,
      pulse: await app.pulse(),
      missing: found.length === 0 ? await whatIsMissing(app, filter) : null,
    };
  });
  tellPulse(context, pulse);
  tellMissing(context, missing);
  tellCut(context, isCut, filter.limit);
  if (printJsonList(context, runs)) return;
  if (context.options.output === 'ids') {
    for (const run of runs) context.print(run.id);
    return;
  }
  if (runs.length === 0 && missing === null) context.say('no such run');
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

type Filter = Parameters<App['needs']>[0];

/** What a list is empty for: a name that was given and names nothing; null where nothing fits the rest of the filter. */
async function whatIsMissing(app: Pick<Backend, 'versions' | 'list'>, { workflow, q }: Filter): Promise<string | null> {
  const published = new Set((await app.versions()).map((version) => version.workflow));
  if (workflow !== null && !published.has(workflow)) return `no workflow ${workflow} is published`;
  const anywhere = { workflow: null, statuses: null, q, limit: 1, needsHuman: false };
  if (q === null || (await app.list(anywhere)).length > 0) return null;
  return published.has(q) ? `no such run; the runs of a workflow: pawl ls --workflow ${q}` : 'no such run';
}

/** A name that names nothing is not found, as with every other verb; the list is there all the same, and empty. */
function tellMissing(context: CliContext, missing: string | null): void {
  if (missing === null) return;
  context.exit = EXIT.notFound;
  context.say(terminalText(missing));
}

/** A list that ends at its limit and not at the last run says so: whoever reads it as data must not take it for all. */
function tellCut(context: CliContext, isCut: boolean, limit: number): void {
  if (isCut)
    context.say(`! only the newest ${counted(limit, 'run')}, there are more: --limit N (at most ${LIMIT_MAX})`);
}

/** What a person is needed for, a line each. */
async function lsNeeds(context: CliContext, filter: Filter): Promise<void> {
  const { needs, isCut, pulse, missing } = await context.withBackend(async (app) => {
    const found = await app.needs({ ...filter, limit: filter.limit + 1 });
    const shown = new Set([...new Set(found.map((need) => need.run))].slice(0, filter.limit));
    return {
      needs: found.filter((need) => shown.has(need.run)),
      isCut: found.some((need) => !shown.has(need.run)),
      pulse: await app.pulse(),
      missing: found.length === 0 ? await whatIsMissing(app, filter) : null,
    };
  });
  tellPulse(context, pulse);
  tellMissing(context, missing);
  tellCut(context, isCut, filter.limit);
  if (printJsonList(context, needs)) return;
  if (context.options.output === 'ids') {
    for (const run of new Set(needs.map((need) => need.run))) context.print(run);
    return;
  }
  if (needs.length === 0 && missing === null) context.say('nobody is waited for');
  const columns = [
    { heading: 'RUN' },
    { heading: 'KEY', shrinks: true },
    { heading: 'KIND' },
    { heading: 'STEP', shrinks: true },
    { heading: 'SINCE (UTC)' },
    { heading: 'FROM', shrinks: true },
    { heading: 'ACTS', shrinks: true },
    { heading: 'WHAT', shrinks: true },
  ];
  const rows = needs.map(({ run, key, kind, step, since, from, acts, message }) => [
    run,
    key,
    kind,
    step ?? '',
    since.slice(0, 19).replace('T', ' '),
    from.join(', '),
    acts.join(', '),
    message,
  ]);
  context.print(renderTable(columns, rows, widthOf(context)));
  // Beside the table, so that no width cuts them.
  for (const { command } of needs) if (command !== null) context.print(command);
}

/** The alarm of whoever looks: runs that should have moved and nobody there to move them (P05), recovery mode (P14). */
function tellPulse(context: CliContext, pulse: Awaited<ReturnType<Backend['pulse']>>): void {
  if (pulse === null) return;
  const { overdue, workers, recoverySince } = pulse;
  if (recoverySince !== null)
    context.say(
      `! the database is in recovery mode since ${timeWords(recoverySince)}: "pawl db recovered" lists what may have happened`,
    );
  if (overdue === 0) return;
  const who =
    workers === 0 ? 'no worker is alive: start one with "pawl worker"' : `${counted(workers, 'worker')} alive`;
  context.say(`! ${counted(overdue, 'run')} should have moved and nobody holds them; ${who}`);
}

function readStatuses(text: string | undefined): readonly RunStatus[] | null {
  if (text === undefined) return null;
  return text.split(',').map((word) => {
    const status = RUN_STATUSES.find((known) => known === word.trim().toUpperCase());
    if (status === undefined) throw new UsageError(`"${word}" is no status: ${RUN_STATUSES.join(', ')}`);
    return status;
  });
}
