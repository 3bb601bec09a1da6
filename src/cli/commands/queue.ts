import { type Command, Option } from 'commander';
import { parseDuration } from '../../model/duration.ts';
import { type Told, TOLD_OUTCOMES } from '../../model/told.ts';
import type { Bind } from '../bind.ts';
import { type CliContext, printJsonList, widthOf } from '../cli-context.ts';
import { readJsonArgument } from '../read-arguments.ts';
import { UsageError } from '../report-error.ts';
import { renderTable } from '../table.ts';
import { tellDelivered } from '../tell-delivered.ts';
import { terminalJson, terminalText } from '../terminal-text.ts';
import { timeWords } from '../time-words.ts';

interface PullOptions {
  readonly limit: string;
  readonly lease: string;
  readonly wait: string;
}

interface SettleOptions {
  readonly outcome: Told['outcome'];
  readonly output?: string;
  readonly code?: string;
  readonly after?: string;
}

/** `pawl queue ls|pull|extend|settle`: remote workers, in whatever language they are written. */
export function addQueue(program: Command, bind: Bind): void {
  const queue = program.command('queue').description('attempts that remote workers carry out');
  queue
    .command('ls')
    .description('queues, what waits there, and when a worker last asked')
    .action(bind((context) => ls(context)));
  queue
    .command('pull')
    .description('take attempts of a queue: each is yours until its lease ends')
    .argument('<queue>', 'the name of the queue')
    .option('--limit <n>', 'at most so many', '1')
    .option('--lease <duration>', 'how long each is yours, unless you extend it', '30s')
    .option('--wait <duration>', 'how long to wait while there is nothing', '0s')
    .action(bind((context, name: string, options: PullOptions) => pull(context, name, options)));
  queue
    .command('extend')
    .description('ask for more time for an attempt that you have pulled')
    .argument('<handOut>', 'its handOut, as pull told it')
    .option('--lease <duration>', 'from now', '30s')
    .action(bind((context, handOut: string, { lease }: Pick<PullOptions, 'lease'>) => extend(context, handOut, lease)));
  queue
    .command('settle')
    .description('say what became of an attempt that you have pulled')
    .argument('<handOut>', 'its handOut, as pull told it')
    .addOption(new Option('--outcome <outcome>', 'what became of it').choices(TOLD_OUTCOMES).default('confirmed'))
    .option('--output <json>', "the action's output, or what there is to know (text, @FILE or -)")
    .option('--code <code>', 'why, in kebab-case; a catch can name it')
    .option('--after <duration>', 'not again before')
    .action(bind((context, handOut: string, options: SettleOptions) => settle(context, handOut, options)));
}

async function ls(context: CliContext): Promise<void> {
  const queues = await context.withApp((app) => app.queues());
  if (printJsonList(context, queues)) return;
  if (queues.length === 0) {
    context.say('no attempt waits for a remote worker, and none has ever asked');
    return;
  }
  const columns = [
    { heading: 'QUEUE', shrinks: true },
    { heading: 'WAITING' },
    { heading: 'SINCE (UTC)' },
    { heading: 'LAST ASKED (UTC)' },
  ];
  const rows = queues.map(({ queue, offered, since, askedAt }) => [
    queue,
    String(offered),
    since === null ? '' : timeWords(since),
    askedAt === null ? 'never' : timeWords(askedAt),
  ]);
  context.print(renderTable(columns, rows, widthOf(context)));
}

async function pull(context: CliContext, queue: string, options: PullOptions): Promise<void> {
  const limit = Number(options.limit);
  if (!Number.isInteger(limit)) throw new UsageError('--limit is a whole number from 1');
  const leaseMs = parseDuration(options.lease);
  const waitMs = parseDuration(options.wait);
  const pulled = await context.withApp((app) => {
    const by = app.principal(context.options.by ?? null).name;
    return app.pullAttempts({ queue, limit, leaseMs, waitMs, by, signal: context.host.stopped });
  });
  if (printJsonList(context, pulled)) return;
  if (pulled.length === 0) context.say(`nothing waits in ${terminalText(queue)}`);
  const columns = [
    { heading: 'HAND-OUT' },
    { heading: 'ACTION', shrinks: true },
    { heading: 'ATTEMPT' },
    { heading: 'LEASE ENDS (UTC)' },
    { heading: 'REQUEST', shrinks: true },
  ];
  const rows = pulled.map(({ handOut, action, attempt, leaseUntil, request }) => [
    handOut,
    action,
    String(attempt),
    timeWords(leaseUntil),
    terminalJson(request),
  ]);
  if (rows.length > 0) context.print(renderTable(columns, rows, widthOf(context)));
}

async function extend(context: CliContext, handOut: string, lease: string): Promise<void> {
  const leaseMs = parseDuration(lease);
  await context.withApp(async (app) => {
    const by = app.principal(context.options.by ?? null).name;
    const delivered = await app.extendHandOut({ handOut, leaseMs, by });
    tellDelivered(context, { done: 'extended' }, delivered);
  });
}

async function settle(context: CliContext, handOut: string, options: SettleOptions): Promise<void> {
  const { outcome, code = null, after } = options;
  const output = options.output === undefined ? null : await readJsonArgument(context, options.output, '--output');
  const afterMs = after === undefined ? null : parseDuration(after);
  await context.withApp(async (app) => {
    const by = app.principal(context.options.by ?? null).name;
    const delivered = await app.settleHandOut({ handOut, outcome, output, code, afterMs, by });
    tellDelivered(context, { done: `settled as ${outcome}` }, delivered);
  });
}
