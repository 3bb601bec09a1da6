import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { displayRunId } from '../../model/run-id.ts';
import { isEnd } from '../../model/statuses.ts';
import { type CliContext, isColoured, printJson } from '../cli-context.ts';
import { EXIT } from '../exit-codes.ts';
import { openLiveRegion } from '../live-region.ts';
import { paintFor } from '../paint.ts';
import type { Backend } from '../backend.ts';
import type { Bind } from '../bind.ts';
import { readJsonArgument } from '../read-arguments.ts';
import { endedBadly, type RunView, runLines } from '../run-lines.ts';
import { terminalJson, terminalText } from '../terminal-text.ts';
import { startNamed } from './start.ts';

interface RunOptions {
  readonly input: string;
  /** false for `--no-wait-human`. */
  readonly waitHuman: boolean;
}

/** How often the picture is refreshed, milliseconds. */
const REFRESH_MS = 120;

/** `pawl run FILE|NAME[@V] --input JSON`: starts a run with a worker in this process and shows it until it ends. */
export function addRun(program: Command, bind: Bind): void {
  program
    .command('run')
    .description('start a run and watch it to its end')
    .argument('<workflow>', 'a file, NAME or NAME@VERSION')
    .option('--input <json>', 'its input (text, @FILE or -)', '{}')
    .option('--no-wait-human', 'end with code 7 when a person is needed, 8 when that is to settle a doubt')
    .action(
      bind(async (context, workflow: string, options: RunOptions) => {
        const input = await readJsonArgument(context, options.input, '--input');
        await context.withBackend(
          async (app) => {
            await app.runWorker();
            const { run, created } = await startNamed(context, app, workflow, input);
            if (!created) context.say(`there already: the key ${terminalText(run.key)} names this run`);
            await watch(context, app, displayRunId(run.runId), options);
          },
          { setsUp: true },
        );
      }),
    );
}

async function watch(context: CliContext, app: Backend, id: string, options: RunOptions): Promise<void> {
  const { stderr, stopped } = context.host;
  const region = openLiveRegion(stderr);
  const paint = paintFor(isColoured(context, stderr));
  const restore = context.divert((line) => region.note(line));
  let run = await app.show(id);
  try {
    for (;;) {
      region.draw(runLines(run, paint));
      if (isOver(run, options) || stopped.aborted) break;
      await sleep(REFRESH_MS, undefined, { signal: stopped }).catch(() => undefined);
      run = await app.show(id);
    }
  } finally {
    region.end();
    restore();
  }
  context.exit = exitOf(run, stopped.aborted);
  if (context.options.output === 'ids') context.print(run.id);
  else if (!printJson(context, run) && run.output !== null) context.print(terminalJson(run.output));
  if (!isEnd(run.status)) context.say(`the run goes on wherever a worker runs: pawl show ${run.id}`);
}

function needsPerson(run: RunView): boolean {
  return run.waitingFor.some(({ kind }) => kind === 'approval' || kind === 'person');
}

function isOver(run: RunView, { waitHuman }: RunOptions): boolean {
  return isEnd(run.status) || (!waitHuman && needsPerson(run));
}

function exitOf(run: RunView, wasStopped: boolean): CliContext['exit'] {
  if (isEnd(run.status)) return endedBadly(run.status) ? EXIT.runFailed : EXIT.ok;
  if (wasStopped) return EXIT.interrupted;
  return run.effects.some(({ state }) => state === 'UNKNOWN') ? EXIT.unknown : EXIT.needsHuman;
}
