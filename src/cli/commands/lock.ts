import type { Command } from 'commander';
import type { App } from '../../app/create-app.ts';
import { type CliContext, printJson, printJsonList, widthOf } from '../cli-context.ts';
import { EXIT } from '../exit-codes.ts';
import type { Bind } from '../bind.ts';
import { UsageError } from '../report-error.ts';
import { renderTable } from '../table.ts';
import { terminalText } from '../terminal-text.ts';
import { counted, timeWords } from '../time-words.ts';

/** `pawl lock ls|limit`: who holds what, who waits for it, and how many may. */
export function addLock(program: Command, bind: Bind): void {
  const lock = program.command('lock').description('locks that runs hold and wait for');
  lock
    .command('ls')
    .description('locks with their holders and queues; of one lock every place')
    .argument('[name]', 'the name of a lock')
    .action(bind((context, name: string | undefined) => ls(context, name ?? null)));
  lock
    .command('limit')
    .description('how many unfinished runs may hold a lock, whatever their files say')
    .argument('<name>', 'the name of a lock')
    .argument('<n>', 'a whole number from 1, or "files": as many as the files say')
    .option('--reason <text>', 'kept with the act')
    .action(
      bind((context, name: string, n: string, { reason }: { readonly reason?: string }) =>
        limit(context, name, n, reason),
      ),
    );
}

type LockView = Awaited<ReturnType<App['locks']>>[number];

async function ls(context: CliContext, name: string | null): Promise<void> {
  const locks = await context.withApp((app) => app.locks(name));
  if (name !== null && locks.length === 0) context.exit = EXIT.notFound;
  if (printJsonList(context, locks)) return;
  const [lock] = locks;
  if (lock === undefined)
    context.say(name === null ? 'no lock is held or waited for' : `nobody holds or waits for ${terminalText(name)}`);
  else if (name === null) context.print(renderTable(COLUMNS, locks.map(lockRow), widthOf(context)));
  else tellLock(context, lock);
}

const COLUMNS = [
  { heading: 'LOCK', shrinks: true },
  { heading: 'HELD' },
  { heading: 'WAITING' },
  { heading: 'LIMIT' },
  { heading: 'HOLDERS', shrinks: true },
];

function limitWords({ setLimit, holders, queue }: LockView): string {
  if (setLimit !== null) return `${setLimit}, set`;
  const limits = [...holders, ...queue].map((place) => place.limit);
  return limits.length === 0 ? '' : String(Math.min(...limits));
}

function lockRow(lock: LockView): readonly string[] {
  const holders = lock.holders.map(({ run }) => run).join(', ');
  return [lock.name, String(lock.held), String(lock.waiting), limitWords(lock), holders];
}

function tellLock(context: CliContext, lock: LockView): void {
  const columns = [
    { heading: 'PLACE' },
    { heading: 'RUN' },
    { heading: 'STARTED (UTC)' },
    { heading: 'HOLDS SINCE (UTC)' },
  ];
  const rows = [...lock.holders, ...lock.queue].map(({ run, startedAt, grantedAt }, index) => [
    grantedAt === null ? String(index - lock.holders.length + 1) : 'holds',
    run,
    timeWords(startedAt),
    grantedAt === null ? '' : timeWords(grantedAt),
  ]);
  context.print(renderTable(columns, rows, widthOf(context)));
  for (const act of lock.acts) {
    const what = act.limit === null ? 'gave the limit back to the files' : `set the limit to ${act.limit}`;
    context.say(`${timeWords(act.at)}  ${terminalText(act.by)} ${what}: ${terminalText(act.reason)}`);
  }
}

async function limit(context: CliContext, name: string, n: string, reason: string | undefined): Promise<void> {
  if (reason === undefined || reason.trim() === '')
    throw new UsageError('a limit needs --reason TEXT: it is kept with the act');
  const wanted = n === 'files' ? null : Number(n);
  if (Number.isNaN(wanted)) throw new UsageError('a limit is a whole number from 1, or "files"');
  const lock = await context.withApp(async (app) => {
    await app.limitLock(name, { limit: wanted, by: app.principal(context.options.by ?? null).name, reason });
    return (await app.locks(name))[0] ?? null;
  });
  if (printJson(context, lock)) return;
  const held = lock === null ? 0 : lock.held;
  context.say(
    `${terminalText(name)}: ${wanted === null ? 'as many as the files say' : counted(wanted, 'run')} may hold it; ${held} do`,
  );
}
