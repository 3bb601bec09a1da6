import { Command, CommanderError, Option } from 'commander';
import { type CliContext, type CliHost, createCliContext, type GlobalOptions } from './cli-context.ts';
import type { Bind } from './bind.ts';
import { addApprovals } from './commands/approvals.ts';
import { addApprove, addDeny } from './commands/approve.ts';
import { addAudit } from './commands/audit.ts';
import { addBatch } from './commands/batch.ts';
import { addCancel } from './commands/cancel.ts';
import { addCompensate } from './commands/compensate.ts';
import { addCrashtest } from './commands/crashtest.ts';
import { addDb } from './commands/db.ts';
import { addDev } from './commands/dev.ts';
import { addExport } from './commands/export.ts';
import { addFmt } from './commands/fmt.ts';
import { addKey } from './commands/key.ts';
import { addLock } from './commands/lock.ts';
import { addOutbox } from './commands/outbox.ts';
import { addLs } from './commands/ls.ts';
import { addDeprecate } from './commands/deprecate.ts';
import { addPause } from './commands/pause.ts';
import { addPrune } from './commands/prune.ts';
import { addPublish } from './commands/publish.ts';
import { addQueue } from './commands/queue.ts';
import { addReceipt } from './commands/receipt.ts';
import { addReconcile } from './commands/reconcile.ts';
import { addResolve } from './commands/resolve.ts';
import { addRetry } from './commands/retry.ts';
import { addSchedule } from './commands/schedule.ts';
import { addRun } from './commands/run.ts';
import { addServer } from './commands/server.ts';
import { addShow } from './commands/show.ts';
import { addSignal } from './commands/signal.ts';
import { addStart } from './commands/start.ts';
import { addTest } from './commands/test.ts';
import { addValidate } from './commands/validate.ts';
import { addVisualize } from './commands/visualize.ts';
import { addVerify } from './commands/verify.ts';
import { addWhy } from './commands/why.ts';
import { addWorker } from './commands/worker.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { invariant } from '../model/errors.ts';
import { reportError, UsageError } from './report-error.ts';
import { verbFirst, wantsJson } from './verb-first.ts';

const VERBS = [
  addRun,
  addStart,
  addLs,
  addShow,
  addWhy,
  addApprovals,
  addApprove,
  addDeny,
  addSignal,
  addBatch,
  addCancel,
  addPause,
  addCompensate,
  addReconcile,
  addResolve,
  addRetry,
  addPublish,
  addDeprecate,
  addValidate,
  addFmt,
  addVisualize,
  addExport,
  addTest,
  addCrashtest,
  addWorker,
  addServer,
  addDev,
  addKey,
  addDb,
  addReceipt,
  addVerify,
  addAudit,
  addLock,
  addOutbox,
  addQueue,
  addSchedule,
  addPrune,
];

/**
 * Runs one call of the command line.
 * @param args what follows the command's name.
 * @returns the exit code; nothing is thrown for what a caller can do wrong.
 */
export async function runCli(args: readonly string[], host: CliHost, version: string): Promise<ExitCode> {
  let exit: ExitCode = EXIT.ok;
  const program = new Command('pawl')
    .description('workflows that do not act twice when the answer was lost')
    .version(version, '-V, --version')
    .showSuggestionAfterError();
  const bind: Bind =
    (act) =>
    async (...given) => {
      const context = createCliContext(host, optionsOf(given));
      try {
        await act(context, ...given);
        exit = context.exit;
      } catch (error) {
        exit = reportError(context, error);
      }
    };
  for (const addVerb of VERBS) addVerb(program, bind);
  for (const command of withChildren(program)) {
    if (command.commands.length === 0) addCommonOptions(command);
    command.exitOverride().configureOutput({
      writeOut: (text) => void host.stdout.write(text),
      writeErr: (text) => void host.stderr.write(text),
      outputError: (text, write) => {
        if (wantsJson(args)) reportError(dataContext(host), usageError(withOptions(command, text)));
        else write(withOptions(command, text));
      },
    });
  }
  try {
    await program.parseAsync(verbFirst(program, args), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
  return exit;
}

/** What the parser complains of, as an error among the others. */
function usageError(text: string): UsageError {
  return new UsageError(
    text
      .trim()
      .replace(/^error: /, '')
      .replace(/\s*\n\s*/g, ' '),
  );
}

/** The context of a call that was never made out, whose caller reads data. */
function dataContext(host: CliHost): CliContext {
  const unsaid = { server: undefined, keyFile: undefined, data: undefined, config: undefined, by: undefined };
  return createCliContext(host, { ...unsaid, verb: '', output: 'json', color: false });
}

/** An option that nobody has and that is like none: what there is instead. The likely one is proposed by the parser. */
function withOptions(command: Command, text: string): string {
  if (!text.startsWith('error: unknown option') || text.includes('(Did you mean')) return text;
  const options = command.createHelp().visibleOptions(command);
  return `${text.trimEnd()}\n(${command.name()} takes ${options.map(({ long }) => long).join(', ')})\n`;
}

function withChildren(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withChildren)];
}

/** Options that every verb has; `--as` is the shorter `--by` wherever it does not mean something else. */
function addCommonOptions(command: Command): void {
  command
    .addOption(
      new Option('--server <url>', 'have a server carry it out (default: PAWL_SERVER, else here)').conflicts('data'),
    )
    .option('--key-file <file>', 'the API key for the server (default: PAWL_API_KEY)')
    .option('--data <dir>', 'directory of the database that starts itself (default: .pawl)')
    .option('--config <file>', 'configuration file (default: pawl.config.yaml)')
    .addOption(formatOption(command))
    .option('--no-color', 'words alone');
  if (command.name() !== 'visualize') command.option('--json', 'the same as -o json');
  command.option('--by <name>', 'who acts (default: PAWL_AS, else the OS user)');
  if (!isAsTaken(command)) command.addOption(new Option('--as <name>', 'the same as --by').conflicts('by'));
}

/** Whether a verb means an answer by `--as`, as `resolve` does. */
function isAsTaken(command: Command): boolean {
  return command.options.some(({ long, argChoices }) => long === '--as' && argChoices !== undefined);
}

/** Formats beside table, json and jsonl, and the verbs that have them. */
const PICTURES = ['svg', 'mermaid'];
const WITH_IDS = ['run', 'start', 'ls', 'show'];
const WITH_JUNIT = ['crashtest', 'test'];

function formatOption(command: Command): Option {
  const name = command.name();
  const more = [...(WITH_IDS.includes(name) ? ['ids'] : []), ...(WITH_JUNIT.includes(name) ? ['junit'] : [])];
  const choices = name === 'visualize' ? PICTURES : ['table', 'json', 'jsonl', ...more];
  return new Option('-o, --format <format>', 'format of what goes to stdout').choices(choices).default(choices[0]);
}

interface CommonOptions {
  readonly server?: string;
  readonly keyFile?: string;
  readonly data?: string;
  readonly config?: string;
  readonly format: string;
  readonly json?: boolean;
  readonly color: boolean;
  readonly as?: string;
  readonly by?: string;
}

/** Commander hands over the verb's command as the last argument. */
function optionsOf(given: readonly unknown[]): GlobalOptions {
  const command = given.at(-1);
  invariant(command instanceof Command, 'a verb was called without its command');
  const { server, keyFile, data, config, format, json, color, as, by } = command.opts<CommonOptions>();
  const output = json === true ? 'json' : format;
  const who = isAsTaken(command) ? by : (by ?? as);
  return { verb: wordsOf(command), server, keyFile, data, config, by: who, output, color };
}

/** A verb as it is called, behind the name of the program. */
function wordsOf(command: Command): string {
  const { parent } = command;
  return parent === null ? '' : `${wordsOf(parent)} ${command.name()}`.trim();
}
