import { type Command, Option } from 'commander';
import { PAUSE_KINDS, type PauseKind, type PauseSubject, resumeCommand, subjectWords } from '../../model/pause.ts';
import { NotFoundError } from '../../model/errors.ts';
import type { Backend } from '../backend.ts';
import type { Bind } from '../bind.ts';
import { type CliContext, printJson, printJsonList, widthOf } from '../cli-context.ts';
import { UsageError } from '../report-error.ts';
import { renderTable } from '../table.ts';
import { tellDelivered } from '../tell-delivered.ts';
import { timeWords } from '../time-words.ts';

type Options = { readonly [Kind in PauseKind]?: string } & { readonly reason?: string };

/** `pawl pause` and `pawl resume` of a run, or of all of a workflow, an action or a host; `pawl pauses` lists the latter. */
export function addPause(program: Command, bind: Bind): void {
  const pausing = program
    .command('pause')
    .description('stop a run where it stands; or have nothing of a workflow, of an action or to a host be sent')
    .argument('[run]', 'run id or key')
    .option('--reason <text>', 'kept with the act');
  withKinds(pausing).action(
    bind((context, run: string | undefined, options: Options) =>
      context.withBackend((app) => pause(context, app, run, options)),
    ),
  );
  const resuming = program
    .command('resume')
    .description('let go on what is paused, with all that has come in meanwhile')
    .argument('[run]', 'run id or key')
    .option('--reason <text>', 'kept with the act');
  withKinds(resuming).action(
    bind((context, run: string | undefined, options: Options) =>
      context.withBackend((app) => resume(context, app, run, options)),
    ),
  );
  program
    .command('pauses')
    .description('list what is paused of workflows, actions and hosts')
    .action(bind((context) => context.withBackend((app) => pauses(context, app))));
}

function withKinds(command: Command): Command {
  return command
    .addOption(new Option('--workflow <name>', 'all of its versions; * stands for any characters'))
    .addOption(new Option('--action <name>', 'whatever workflow calls it'))
    .addOption(new Option('--host <name>', 'whatever is sent there; with its port where that is not the usual one'));
}

/** What is meant; null = a run. @throws UsageError unless it is one thing. */
function subjectOf(run: string | undefined, options: Options): PauseSubject | null {
  const named = PAUSE_KINDS.flatMap((kind) => {
    const { [kind]: name } = options;
    return name === undefined ? [] : [{ kind, name }];
  });
  if (named.length + (run === undefined ? 0 : 1) !== 1)
    throw new UsageError('name one thing: RUN, --workflow NAME, --action NAME or --host NAME');
  return named[0] ?? null;
}

async function pause(context: CliContext, app: Backend, run: string | undefined, options: Options): Promise<void> {
  const subject = subjectOf(run, options);
  const { reason } = options;
  if (reason === undefined) throw new UsageError('add --reason TEXT: it is kept with the act');
  const by = app.principal(context.options.by ?? null).name;
  if (subject === null) {
    const then = 'what has left is still written down, nothing new is sent; pawl resume RUN lets it go on';
    tellDelivered(context, { done: 'paused', then }, await app.pause(run ?? '', { by, reason }));
    return;
  }
  const begun = await app.beginPause({ ...subject, by, reason });
  if (printJson(context, begun)) return;
  context.say(
    `${subjectWords(begun)} is paused: what has left is still written down, nothing new is sent; ${resumeCommand(begun)} lets it go on`,
  );
}

async function resume(context: CliContext, app: Backend, run: string | undefined, options: Options): Promise<void> {
  const subject = subjectOf(run, options);
  const reason = options.reason ?? null;
  const by = app.principal(context.options.by ?? null).name;
  if (subject === null) {
    tellDelivered(context, { done: 'resumed' }, await app.resume(run ?? '', { by, reason }));
    return;
  }
  const name = subject.kind === 'host' ? subject.name.toLowerCase() : subject.name;
  const found = (await app.pauses()).find((known) => known.kind === subject.kind && known.name === name);
  if (found === undefined) throw new NotFoundError('PAWL_PAUSE_NOT_FOUND', `${subjectWords(subject)} is not paused`);
  const ended = await app.endPause(found.id, { by, reason });
  if (printJson(context, ended)) return;
  context.say(`${subjectWords(ended)} is resumed: what waited goes on`);
}

async function pauses(context: CliContext, app: Backend): Promise<void> {
  const found = await app.pauses();
  if (printJsonList(context, found)) return;
  if (found.length === 0) context.say('nothing is paused');
  const columns = [
    { heading: 'WHAT', shrinks: true },
    { heading: 'SINCE (UTC)' },
    { heading: 'BY', shrinks: true },
    { heading: 'REASON', shrinks: true },
  ];
  const rows = found.map((one) => [subjectWords(one), timeWords(one.since), one.by, one.reason]);
  context.print(renderTable(columns, rows, widthOf(context)));
}
