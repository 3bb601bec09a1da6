import type { Command } from 'commander';
import type { App } from '../../app/create-app.ts';
import { displayRunId } from '../../model/run-id.ts';
import type { Bind } from '../bind.ts';
import { type CliContext, printJson } from '../cli-context.ts';
import { EXIT } from '../exit-codes.ts';
import { terminalText } from '../terminal-text.ts';
import { counted } from '../time-words.ts';

type Verified = Awaited<ReturnType<App['verifyStore']>>;

/** Long work says how far it is, once in so many runs. */
const PROGRESS_RUNS = 10_000;

/** `pawl verify`: every invariant of every run, read-only, beside any number of workers. */
export function addVerify(program: Command, bind: Bind): void {
  program
    .command('verify')
    .description('check every invariant of every run, read-only, and name each row that breaks one')
    .action(bind((context) => verify(context)));
}

async function verify(context: CliContext): Promise<void> {
  let told = 0;
  const verified = await context.withApp((app) =>
    app.verifyStore(({ runs }) => {
      if (runs < told + PROGRESS_RUNS) return;
      told = runs;
      context.say(`${counted(runs, 'run')} checked`);
    }),
  );
  context.exit = verified.faults.length === 0 ? EXIT.ok : EXIT.runFailed;
  if (printJson(context, verified)) return;
  for (const fault of verified.faults) context.print(faultLine(context, fault));
  context.print(totalLine(context, verified));
}

function faultLine({ paint }: CliContext, fault: Verified['faults'][number]): string {
  const { runId, row, what, check, rule, mend } = fault;
  const said = terminalText(`${runId === null ? '' : `${displayRunId(runId)}  `}${row}: ${what}`);
  const help = mend === null ? '' : `  mend: ${mend}`;
  return `${paint.bad('✘')} ${said}  ${paint.quiet(`[${check}: ${rule}]${help}`)}`;
}

function totalLine({ paint }: CliContext, { faults, checked }: Verified): string {
  const { runs, effects, receipts, transitions, timers, events } = checked;
  const looked = [
    counted(runs, 'run'),
    counted(effects, 'effect'),
    counted(receipts, 'receipt'),
    counted(transitions, 'transition'),
    counted(timers, 'timer'),
    counted(events, 'event'),
  ].join(', ');
  return faults.length === 0
    ? paint.good(`✔ every invariant holds: ${looked} checked`)
    : paint.bad(`${counted(faults.length, 'fault')}: ${looked} checked`);
}
