import type { Command } from 'commander';
import type { App } from '../../app/create-app.ts';
import type { Bind } from '../bind.ts';
import { type CliContext, printJson, printJsonList, widthOf } from '../cli-context.ts';
import { UsageError } from '../report-error.ts';
import { renderTable } from '../table.ts';
import { terminalText } from '../terminal-text.ts';
import { timeWords } from '../time-words.ts';

/** `pawl outbox ls|retry|drop`: what was published and has not arrived, and what a person does about it. */
export function addOutbox(program: Command, bind: Bind): void {
  const outbox = program.command('outbox').description('messages of runs that have not arrived');
  outbox
    .command('ls')
    .description('messages that are on their way or were given up, the oldest first')
    .option('--dead', 'only those that were given up')
    .action(bind((context, options: { readonly dead?: boolean }) => ls(context, options.dead === true)));
  for (const act of ['retry', 'drop'] as const)
    outbox
      .command(act)
      .description(act === 'retry' ? 'send a message again now' : 'let a message go: it is never sent')
      .argument('<run>', 'run id or key')
      .argument('<message>', 'the id of the message')
      .option('--reason <text>', 'kept with the act')
      .action(
        bind((context, run: string, message: string, { reason }: { readonly reason?: string }) =>
          decide(context, { run, message, act, reason }),
        ),
      );
}

type Line = Awaited<ReturnType<App['messages']>>[number];

const COLUMNS = [
  { heading: 'RUN', shrinks: true },
  { heading: 'MESSAGE', shrinks: true },
  { heading: 'EVENT', shrinks: true },
  { heading: 'STATE' },
  { heading: 'SENT' },
  { heading: 'SINCE (UTC)' },
  { heading: 'WHY', shrinks: true },
];

function rowOf({ run, id, event, topic, state, attempts, at, lastError }: Line): readonly string[] {
  return [run, id, event ?? topic, state, String(attempts), timeWords(at), lastError ?? ''];
}

async function ls(context: CliContext, dead: boolean): Promise<void> {
  const { lines, hasReceiver } = await context.withApp(async (app) => ({
    lines: await app.messages(dead),
    hasReceiver: app.config.publish !== undefined,
  }));
  if (!hasReceiver && lines.some(({ event }) => event !== null))
    context.say('nobody is told what is published: pawl.config.yaml has no `publish`');
  if (printJsonList(context, lines)) return;
  if (lines.length === 0) context.say(dead ? 'no message was given up' : 'every message has arrived');
  else context.print(renderTable(COLUMNS, lines.map(rowOf), widthOf(context)));
}

interface Deciding {
  readonly run: string;
  readonly message: string;
  readonly act: 'retry' | 'drop';
  readonly reason: string | undefined;
}

async function decide(context: CliContext, { run, message, act, reason }: Deciding): Promise<void> {
  if (reason === undefined || reason.trim() === '')
    throw new UsageError(`outbox ${act} needs --reason TEXT: it is kept with the act`);
  const told = await context.withApp(async (app) => {
    await app.actOnMessage(run, message, { act, by: app.principal(context.options.by ?? null).name, reason });
    return (await app.show(run)).messages.find(({ id }) => id === message);
  });
  if (printJson(context, told)) return;
  context.say(`${terminalText(message)} ${act === 'retry' ? 'is sent again' : 'is dropped'}`);
}
