import type { Command } from 'commander';
import type { App } from '../../app/create-app.ts';
import { validateWorkflow } from '../../definition/validate-workflow.ts';
import { DefinitionError } from '../../model/errors.ts';
import { type CliContext, printJson } from '../cli-context.ts';
import { codeFrame } from '../code-frame.ts';
import type { Bind } from '../bind.ts';
import { readTextFile } from '../read-arguments.ts';
import { refuseOtherContent } from '../tell-version-conflict.ts';

/** `pawl publish FILE...`: versions are immutable; the same content again changes nothing. */
export function addPublish(program: Command, bind: Bind): void {
  program
    .command('publish')
    .description('publish workflow files; a version never changes once it is there')
    .argument('<file...>', 'workflow files')
    .action(
      bind((context, files: string[]) =>
        context.withApp(
          async (app) => {
            if (files.length > 1) checkAll(context, files);
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
          },
          { setsUp: true },
        ),
      ),
    );
}

/** Of several files all are valid before the first is published. @throws PAWL_DEFINITION_INVALID with the errors of all. */
function checkAll(context: CliContext, files: readonly string[]): void {
  const errors = files.flatMap((file) => {
    const text = readTextFile(context, file);
    context.sources.set(file, text);
    return validateWorkflow(text, file).problems.filter(({ severity }) => severity === 'error');
  });
  if (errors.length > 0) throw new DefinitionError(errors);
}

/** Publishes one file and tells what that did; warnings are shown, errors are thrown with the file's text at hand. */
export async function publishFile(
  context: CliContext,
  app: App,
  file: string,
): Promise<Awaited<ReturnType<App['publish']>>> {
  const text = readTextFile(context, file);
  context.sources.set(file, text);
  const published = await app
    .publish({ text, file, by: app.principal(context.options.by ?? null).name })
    .catch((error: unknown) => refuseOtherContent(app, { text, file }, error));
  const { workflow, version, digest } = published.version;
  for (const warning of published.warnings) context.say(`${codeFrame(warning, text, context.paint)}\n`);
  const what = published.created ? context.paint.good('published') : 'there already, with the same content';
  context.say(`${workflow}@${version}  ${digest.slice(0, 12)}  ${what}`);
  return published;
}
