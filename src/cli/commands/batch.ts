import { type Command, Option } from 'commander';
import { BATCH_ACTIONS, type BatchAction } from '../../model/batch.ts';
import type { JsonObject } from '../../model/json.ts';
import { EFFECT_STATES, type EffectState, RUN_STATUSES, type RunStatus } from '../../model/statuses.ts';
import type { Backend } from '../backend.ts';
import type { Bind } from '../bind.ts';
import { type CliContext, printJson, printJsonList, widthOf } from '../cli-context.ts';
import { askConsent, type Consent } from '../confirm.ts';
import { readLimit } from '../read-limit.ts';
import { UsageError } from '../report-error.ts';
import { renderTable } from '../table.ts';
import { terminalText } from '../terminal-text.ts';
import { counted, timeWords } from '../time-words.ts';

type View = Awaited<ReturnType<Backend['batch']>>;

interface ActOptions extends Consent {
  readonly workflow?: string;
  readonly status?: RunStatus;
  readonly effect?: EffectState;
  readonly needs?: 'human';
  readonly step?: string;
  readonly event?: string;
  readonly payload?: string;
  readonly maxFailures?: string;
  readonly rate?: string;
  readonly dryRun?: boolean;
}

const LIMIT_MAX = 1_000;
const COUNT_MAX = 100_000;

const WORDS: Readonly<Record<BatchAction, string>> = {
  cancel: 'cancel many runs: each settles and undoes',
  terminate: 'stop many runs without undo',
  compensate: 'make amends for many runs, each by the plan that fits it then',
  retry: 'let what is held at a step (--step) of many runs try again',
  signal: 'send a declared event (--event) to many runs',
};

/** `pawl batch ACTION`, `ls`, `show`, `pause`, `resume`: one act on many runs. */
export function addBatch(program: Command, bind: Bind): void {
  const batch = program.command('batch').description('one act on many runs, carried out by workers');
  for (const action of BATCH_ACTIONS) addAction(batch, bind, action);
  batch
    .command('ls')
    .description('list batches, newest first')
    .option('--limit <n>', 'at most so many', '50')
    .action(bind((context, options: { readonly limit: string }) => ls(context, options.limit)));
  batch
    .command('show')
    .description('show a batch, and the runs on which the act was not done')
    .argument('<batch>', 'its id')
    .action(bind((context, id: string) => show(context, id)));
  for (const act of ['pause', 'resume'] as const)
    batch
      .command(act)
      .description(act === 'pause' ? 'have a batch act on no more runs' : 'have a paused batch go on')
      .argument('<batch>', 'its id')
      .requiredOption('--reason <text>', 'kept with the act')
      .action(
        bind((context, id: string, options: { readonly reason: string }) => order(context, id, { act, ...options })),
      );
}

function addAction(batch: Command, bind: Bind, action: BatchAction): void {
  const command = batch
    .command(action)
    .description(WORDS[action])
    .argument('[runs...]', 'run ids or keys; in their place a filter')
    .option('--workflow <name>', 'all runs of this workflow')
    .addOption(new Option('--status <status>', 'all runs in this status').choices(RUN_STATUSES))
    .addOption(new Option('--effect <state>', 'all runs with an effect in this state').choices(EFFECT_STATES))
    .addOption(new Option('--needs <who>', 'all runs that wait for somebody').choices(['human']))
    .option('--max-failures <n>', 'so many refused and failed acts stop it')
    .option('--rate <n>', 'at most so many acts in a second')
    .option('--dry-run', 'only show which runs it would be about')
    .option('--reason <text>', 'kept with each act')
    .option('--yes', 'do not ask (needs --reason)');
  if (action === 'retry') command.requiredOption('--step <step>', 'the held step');
  if (action === 'signal')
    command.requiredOption('--event <name>', 'the event').option('--payload <json>', 'its data', 'null');
  command.action(
    bind((context, runs: readonly string[], options: ActOptions) =>
      context.withBackend((app) => act(context, app, { action, runs, options })),
    ),
  );
}

function paramsOf({ step, event, payload }: ActOptions): JsonObject {
  if (step !== undefined) return { step };
  if (event === undefined) return {};
  try {
    return { type: event, data: JSON.parse(payload ?? 'null') as JsonObject };
  } catch {
    throw new UsageError('--payload is no JSON');
  }
}

interface Acting {
  readonly action: BatchAction;
  readonly runs: readonly string[];
  readonly options: ActOptions;
}

function askOf({ action, runs, options }: Acting): Parameters<Backend['planBatch']>[0] {
  const { workflow, status, effect, needs } = options;
  const isFiltered = [workflow, status, effect, needs].some((given) => given !== undefined);
  if (isFiltered === runs.length > 0)
    throw new UsageError('name runs, or in their place a filter: --workflow, --status, --effect, --needs');
  const filter = {
    workflow: workflow ?? null,
    statuses: status === undefined ? null : [status],
    needsHuman: needs === 'human',
    q: null,
    ...(effect === undefined ? {} : { effectStates: [effect] }),
  };
  return { action, params: paramsOf(options), runs: isFiltered ? null : runs, filter: isFiltered ? filter : null };
}

/** Shows which runs it is about and asks; the order names the plan that was shown, so that it is about no others. */
async function act(context: CliContext, app: Backend, acting: Acting): Promise<void> {
  const { action, options } = acting;
  const ask = askOf(acting);
  const plan = await app.planBatch(ask);
  if (options.dryRun === true && printJson(context, plan)) return;
  const shown = plan.sample.map(({ run, key, workflow }) => `  ${run}  ${key}  ${workflow}`);
  const more = plan.count > shown.length ? [`  … ${plan.count - shown.length} more`] : [];
  for (const line of [`${action} ${counted(plan.count, 'run')}`, ...shown, ...more]) context.say(terminalText(line));
  if (options.dryRun === true || plan.count === 0) return;
  const reason = await askConsent(context, `${action} ${counted(plan.count, 'run')}?`, options);
  if (reason === null) return;
  const { maxFailures, rate } = options;
  const { batch } = await app.startBatch({
    ...ask,
    ...{ reason, planHash: plan.planHash, confirmCount: plan.count },
    maxFailures: maxFailures === undefined ? null : readLimit(maxFailures, COUNT_MAX),
    ratePerSecond: rate === undefined ? null : readLimit(rate, LIMIT_MAX),
    ...{ by: app.principal(context.options.by ?? null).name, keyId: null, name: crypto.randomUUID() },
  });
  if (printJson(context, batch)) return;
  context.print(batch.id);
  context.say(`workers carry it out: pawl batch show ${batch.id}`);
}

function countsOf({ total, applied, refused, failed, pending }: View): string {
  return `${applied} of ${total} applied, ${refused} refused, ${failed} failed, ${pending} left`;
}

async function ls(context: CliContext, text: string): Promise<void> {
  const limit = readLimit(text, LIMIT_MAX);
  const found = await context.withBackend((app) => app.batches({ limit: limit + 1 }));
  const batches = found.slice(0, limit);
  if (found.length > limit) context.say(`! only the newest ${limit}, there are more: --limit N (at most ${LIMIT_MAX})`);
  if (printJsonList(context, batches)) return;
  const columns = [
    { heading: 'BATCH' },
    { heading: 'ACT' },
    { heading: 'STATE' },
    { heading: 'BY', shrinks: true },
    { heading: 'MADE (UTC)' },
    { heading: 'RUNS', shrinks: true },
    { heading: 'REASON', shrinks: true },
  ];
  const rows = batches.map((one) => [
    ...[one.id, one.action, one.state, one.by, timeWords(one.createdAt)],
    ...[countsOf(one), one.reason],
  ]);
  context.print(renderTable(columns, rows, widthOf(context)));
}

async function show(context: CliContext, id: string): Promise<void> {
  const { batch, items } = await context.withBackend(async (app) => {
    const told = await app.batch(id);
    const ask = { afterNo: 0, limit: LIMIT_MAX };
    const refused = await app.batchItems(id, { ...ask, outcome: 'refused' });
    return { batch: told, items: [...refused, ...(await app.batchItems(id, { ...ask, outcome: 'failed' }))] };
  });
  if (printJson(context, { ...batch, undone: items })) return;
  const { action, state, by, reason } = batch;
  context.print(terminalText(`${batch.id}  ${action}  ${state}  by ${by}: ${reason}`));
  context.print(countsOf(batch));
  for (const { run, outcome, code, message } of items)
    context.print(terminalText(`  ${run}  ${outcome}  ${code ?? ''}${message === null ? '' : `: ${message}`}`));
}

async function order(
  context: CliContext,
  id: string,
  ask: { readonly act: 'pause' | 'resume'; readonly reason: string },
): Promise<void> {
  const batch = await context.withBackend((app) =>
    app.orderBatch(id, { ...ask, by: app.principal(context.options.by ?? null).name }),
  );
  if (!printJson(context, batch)) context.say(`the batch is ${batch.state}`);
}
