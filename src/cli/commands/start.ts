import type { Command } from 'commander';
import { displayRunId } from '../../model/run-id.ts';
import type { Json } from '../../model/json.ts';
import { type CliContext, printJson } from '../cli-context.ts';
import type { Backend } from '../backend.ts';
import type { Bind } from '../bind.ts';
import { isFileName, readJsonArgument, readVersionName } from '../read-arguments.ts';
import { terminalText } from '../terminal-text.ts';
import { publishFile } from './publish.ts';

/** `pawl start FILE|NAME[@V] --input JSON`: stores the run and returns; a worker runs it. */
export function addStart(program: Command, bind: Bind): void {
  program
    .command('start')
    .description('start a run and return; a worker takes it from there')
    .argument('<workflow>', 'a file, NAME or NAME@VERSION')
    .option('--input <json>', 'its input (text, @FILE or -)', '{}')
    .action(
      bind(async (context, workflow: string, options: { readonly input: string }) => {
        const input = await readJsonArgument(context, options.input, '--input');
        await context.withBackend(
          async (app) => {
            const started = await startNamed(context, app, workflow, input);
            const id = displayRunId(started.run.runId);
            if (
              printJson(context, {
                id,
                key: started.run.key,
                workflow: started.run.workflow,
                version: started.run.version,
                created: started.created,
              })
            )
              return;
            context.print(id);
            context.say(
              started.created
                ? 'started; a worker takes it from there: pawl worker'
                : `there already: the key ${terminalText(started.run.key)} names this run`,
            );
          },
          { setsUp: true },
        );
      }),
    );
}

/** Starts a run of a published workflow, or publishes the file first. */
export async function startNamed(
  context: CliContext,
  app: Backend,
  workflow: string,
  input: Json,
): Promise<Awaited<ReturnType<Backend['start']>>> {
  const by = app.principal(context.options.by ?? null).name;
  if (!isFileName(workflow)) return app.start({ ...readVersionName(workflow), input, by });
  const { version } = await publishFile(context, app, workflow);
  return app.start({ workflow: version.workflow, version: version.version, input, by });
}
