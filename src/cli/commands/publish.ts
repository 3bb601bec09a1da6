import type { Command } from 'commander';
import type { App } from '../../app/create-app.ts';
import { type CliContext, printJson } from '../cli-context.ts';
import { codeFrame } from '../code-frame.ts';
import type { Bind } from '../bind.ts';
import { readTextFile } from '../read-arguments.ts';

/** `pawl publish FILE...`: versions are immutable; the same content again changes nothing. */
export function addPublish(program: Command, bind: Bind): void {
  program
    .command('publish')
    .description('publish workflow files; a version never changes once it is there')
    .argument('<file...>', 'workflow files')
    .action(
      bind((context, files: string[]) =>
        context.withApp(async (app) => {
          const published = [];
          for (const file of files) published.push(await publishFile(context, app, file));
          printJson(
            context,
            published.map(({ created, version: { workflow, version, digest } }) => ({
              workflow,
              version,
              digest,
              created,
            })),
          );
        }),
      ),
    );
}

/** Publishes one file and tells what that did; warnings are shown, errors are thrown with the file's text at hand. */
export async function publishFile(
  context: CliContext,
  app: App,
  file: string,
): Promise<Awaited<ReturnType<App['publish']>>> {
  const text = readTextFile(context, file);
  context.sources.set(file, text);
  const published = await app.publish({ text, file, by: app.principal(context.options.as ?? null).name });
  const { workflow, version, digest } = published.version;
  for (const warning of published.warnings) context.say(`${codeFrame(warning, text, context.paint)}\n`);
  const what = published.created ? context.paint.good('published') : 'there already, with the same content';
  context.say(`${workflow}@${version}  ${digest.slice(0, 12)}  ${what}`);
  return published;
}
