import type { Command } from 'commander';
import { validateCatalogue } from '../../definition/catalogue.ts';
import { validateWorkflow } from '../../definition/validate-workflow.ts';
import { catalogueOfStored } from '../../model/catalogue-name.ts';
import { DefinitionError } from '../../model/errors.ts';
import { isCatalogueFile, readSource, shelfOf } from '../catalogue-shelf.ts';
import { type CliContext, printJson } from '../cli-context.ts';
import { codeFrame } from '../code-frame.ts';
import type { Backend } from '../backend.ts';
import type { Bind } from '../bind.ts';
import { refuseOtherContent } from '../tell-version-conflict.ts';

type Published = Awaited<ReturnType<Backend['publish']>>;

/** `pawl publish FILE...`: versions are immutable; the same content again changes nothing. */
export function addPublish(program: Command, bind: Bind): void {
  program
    .command('publish')
    .description('publish workflow files and catalogues; a version never changes once it is there')
    .argument('<file...>', 'workflow files, catalogues')
    .action(
      bind((context, files: string[]) =>
        context.withBackend(
          async (app) => {
            if (files.length > 1) checkAll(context, files);
            const published: object[] = [];
            for (const file of files) published.push(await publishOne(context, app, file));
            printJson(context, published);
          },
          { setsUp: true },
        ),
      ),
    );
}

/** Of several files all are valid before the first is published. @throws PAWL_DEFINITION_INVALID with the errors of all. */
function checkAll(context: CliContext, files: readonly string[]): void {
  const errors = files.flatMap((file) => {
    const text = readSource(context, file);
    const { problems } = isCatalogueFile(file)
      ? validateCatalogue(text, file)
      : validateWorkflow(text, file, shelfOf(context, file));
    return problems.filter(({ severity }) => severity === 'error');
  });
  if (errors.length > 0) throw new DefinitionError(errors);
}

/** Publishes a workflow or a catalogue and gives it as data. */
async function publishOne(context: CliContext, app: Backend, file: string): Promise<object> {
  if (!isCatalogueFile(file)) {
    const { created, version: stored } = await publishFile(context, app, file);
    const { workflow, version, digest } = stored;
    return { workflow, version, digest, created };
  }
  const ask = { text: readSource(context, file), file, by: app.principal(context.options.by ?? null).name };
  const published = await app.publishCatalogue(ask).catch((error: unknown) => refuseOtherContent(app, ask, error));
  const { workflow, version, digest } = published.version;
  const catalogue = catalogueOfStored(workflow);
  tellPublished(context, published);
  return { catalogue, version, digest, created: published.created };
}

/** Publishes one file and tells what that did; warnings are shown, errors are thrown with the file's text at hand. */
export async function publishFile(context: CliContext, app: Backend, file: string): Promise<Published> {
  const ask = { text: readSource(context, file), file, catalogues: shelfOf(context, file) };
  const published = await app
    .publish({ ...ask, by: app.principal(context.options.by ?? null).name })
    .catch((error: unknown) => refuseOtherContent(app, ask, error));
  tellPublished(context, published);
  return published;
}

function tellPublished(context: CliContext, { created, version: stored, warnings }: Published): void {
  for (const warning of warnings) context.say(`${codeFrame(warning, context.sources, context.paint)}\n`);
  const what = created ? context.paint.good('published') : 'there already, with the same content';
  const name = catalogueOfStored(stored.workflow) ?? stored.workflow;
  context.say(`${name}@${stored.version}  ${stored.digest.slice(0, 12)}  ${what}`);
}
