import type { Command } from 'commander';
import { manageDatabase } from '../../app/manage-database.ts';
import type { App } from '../../app/create-app.ts';
import { type CliContext, printJson, widthOf } from '../cli-context.ts';
import { EXIT } from '../exit-codes.ts';
import { UsageError } from '../report-error.ts';
import type { Bind } from '../bind.ts';
import { hidePasswords } from '../hide-passwords.ts';
import { renderTable } from '../table.ts';
import { timeWords } from '../time-words.ts';

interface RestoredOptions {
  readonly since?: string;
  readonly reason?: string;
}

/** `pawl db start|stop|status|url`: the PostgreSQL that starts itself. */
export function addDb(program: Command, bind: Bind): void {
  const db = program.command('db').description('the PostgreSQL that starts itself');
  db.command('start')
    .description('start it and keep it up until "pawl db stop"')
    .action(bind((context) => start(context)));
  db.command('stop')
    .description('stop it')
    .action(bind((context) => stop(context)));
  db.command('status')
    .description('whether it runs, where its data lies, who holds it')
    .action(bind((context) => status(context)));
  db.command('url')
    .description('its address')
    .action(bind((context) => url(context)));
  db.command('restored')
    .description('say that an older copy of the data was put back, before a worker starts: recovery mode begins')
    .option('--since <time>', 'when the copy was made, RFC 3339; else when a worker was last seen')
    .option('--reason <text>', 'kept with the act')
    .action(bind((context, options: RestoredOptions) => restored(context, options)));
  db.command('recovered')
    .description('list what the database may have forgotten; with --reason end recovery mode, after it was compared')
    .option('--reason <text>', 'how the window was reconciled; kept')
    .action(
      bind((context, { reason }: { readonly reason?: string }) =>
        reason === undefined ? listWindow(context) : recovered(context, reason),
      ),
    );
}

function manager(context: CliContext): ReturnType<typeof manageDatabase> {
  context.keepHere();
  return manageDatabase(context.config(), context.host.env);
}

/** An address as it may stand on a screen: that of a database of one's own can hold a password (rule P12). */
function shown(address: string | null): string | null {
  return address === null ? null : hidePasswords(address);
}

async function start(context: CliContext): Promise<void> {
  const started = await manager(context).start();
  if (printJson(context, started)) return;
  if (started.wasRunning) context.say('it runs already; it stays up until "pawl db stop"');
  context.print(started.url);
}

async function stop(context: CliContext): Promise<void> {
  const stopped = await manager(context).stop();
  if (!printJson(context, { stopped })) context.say(stopped ? 'stopped' : 'it was not running');
}

async function status(context: CliContext): Promise<void> {
  const { url: address, ...rest } = await manager(context).status();
  const known = { ...rest, url: shown(address) };
  if (printJson(context, known)) return;
  context.print(
    `${known.running ? context.paint.good('running') : 'not running'}  ${known.kind}${known.major === null ? '' : ` PostgreSQL ${known.major}`}${known.pinned ? ', kept up' : ''}`,
  );
  if (known.dataPath !== null) context.print(`data     ${known.dataPath}`);
  if (known.url !== null) context.print(`url      ${known.url}`);
  if (known.running) context.print(`clients  ${known.clients}`);
}

async function url(context: CliContext): Promise<void> {
  const address = shown(await manager(context).url());
  if (address === null) context.exit = EXIT.notFound;
  if (printJson(context, { url: address })) return;
  if (address === null) context.say('no database runs here: "pawl db start" starts one');
  else context.print(address);
}

type ForgottenView = NonNullable<Awaited<ReturnType<App['recoveryWindow']>>>['forgotten'][number];

const NO_RECOVERY = 'the database is in no recovery mode';

async function listWindow(context: CliContext): Promise<void> {
  const found = await context.withApp((app) => app.recoveryWindow());
  if (found === null) context.exit = EXIT.conflict;
  if (printJson(context, found)) return;
  if (found === null) {
    context.say(NO_RECOVERY);
    return;
  }
  const columns = [
    { heading: 'RUN' },
    { heading: 'KEY', shrinks: true },
    { heading: 'STATUS' },
    { heading: 'STEP', shrinks: true },
    { heading: 'ACTION', shrinks: true },
    { heading: 'LEDGER' },
    { heading: 'EFFECT', shrinks: true },
    { heading: 'WHAT', shrinks: true },
  ];
  context.print(renderTable(columns, found.forgotten.map(forgottenRow), widthOf(context)));
  if (found.more) context.say('there are more unfinished runs than are listed');
  // Beside the table, so that no width cuts them.
  for (const { effect } of found.forgotten)
    if (effect !== null && effect.command !== null) context.print(effect.command);
  const window = `${timeWords(found.lastSeen)} and ${timeWords(found.since)}`;
  context.say(`what was done between ${window} may be forgotten; runs that began in that time are not here at all`);
  context.say(
    found.open
      ? 'compare it with the books of the providers, then: pawl db recovered --reason TEXT'
      : 'recovery mode is over; these stay in doubt until somebody has said what happened',
  );
}

const DOUBTED = 'may have happened: nothing is sent before that is known';
const CLEARED = 'has not happened: it is sent as soon as recovery mode ends';
const HELD_BACK = 'held back: it is sent as soon as recovery mode ends, unless somebody says that it has happened';
/** What is said of rows of which no sending is written here. */
const UNSENT: Readonly<Record<string, string>> = {
  PROPOSED: 'not sent yet, as far as is known here',
  AUTHORIZED: 'not sent yet, as far as is known here',
};

function forgottenRow({ run, key, status, effect }: ForgottenView): readonly string[] {
  if (effect === null) return [run, key, status, '', '', '', '', 'may have gone on from here'];
  return [run, key, status, effect.step, effect.action, effect.state, effect.key, standingOf(effect)];
}

function standingOf({ doubted, heldBack, command, state }: NonNullable<ForgottenView['effect']>): string {
  if (doubted) return DOUBTED;
  if (heldBack) return command === null ? CLEARED : HELD_BACK;
  return UNSENT[state] ?? 'in doubt: it goes on by its contract';
}

async function restored(context: CliContext, { since, reason }: RestoredOptions): Promise<void> {
  const sinceMs = since === undefined ? null : Date.parse(since);
  if (sinceMs !== null && !Number.isFinite(sinceMs))
    throw new UsageError(`--since ${since}: not a time; write it as 2030-01-31T12:00:00Z`);
  const begun = await context.withApp((app) =>
    app.beginRecovery(sinceMs, { by: app.principal(context.options.by ?? null).name, reason: reason ?? null }),
  );
  if (!begun) context.exit = EXIT.conflict;
  if (printJson(context, { begun })) return;
  context.say(
    begun ? 'recovery mode: only what providers remember by their keys is sent' : 'it is in recovery mode already',
  );
  context.say('what may have happened and be forgotten: pawl db recovered');
}

async function recovered(context: CliContext, reason: string): Promise<void> {
  const { ended, left } = await context.withApp(async (app) => ({
    ended: await app.endRecovery({ by: app.principal(context.options.by ?? null).name, reason }),
    left: await app.recoveryWindow(),
  }));
  if (!ended) context.exit = EXIT.conflict;
  if (printJson(context, { ended })) return;
  context.say(ended ? OVER : NO_RECOVERY);
  if (left !== null) context.say(`${left.forgotten.length} in doubt: pawl db recovered lists them, with what to say`);
}

const OVER =
  'recovery mode is over: what was held back is sent; of a run from before it nothing that its provider would not know again, before somebody knows that it has not happened';
