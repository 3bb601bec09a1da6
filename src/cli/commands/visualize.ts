import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { drawMachine, drawRun, type PictureFormat } from '../../app/draw-workflow.ts';
import { validateWorkflow } from '../../definition/validate-workflow.ts';
import { lower } from '../../machine/lower.ts';
import { DefinitionError } from '../../model/errors.ts';
import type { Machine } from '../../model/machine.ts';
import { readSource, shelfOf } from '../catalogue-shelf.ts';
import type { CliContext } from '../cli-context.ts';
import type { Bind } from '../bind.ts';
import { fileReason, isFileName, readVersionName } from '../read-arguments.ts';
import { UsageError } from '../report-error.ts';
import { terminalText } from '../terminal-text.ts';

interface VisualizeOptions {
  readonly run?: string;
  readonly out?: string;
}

/** `pawl visualize FILE|NAME[@V] [--run ID]`: a picture as SVG or Mermaid text. */
export function addVisualize(program: Command, bind: Bind): void {
  program
    .command('visualize')
    .description('draw a workflow, or a run on it: -o svg (default) or mermaid')
    .argument('[workflow]', 'a file, NAME or NAME@VERSION; not needed with --run')
    .option('--run <run>', 'paint the way of this run into the machine it is pinned to')
    .option('--out <file>', 'write to this file instead of standard output')
    .action(
      bind((context, workflow: string | undefined, options: VisualizeOptions) => visualize(context, workflow, options)),
    );
}

async function visualize(context: CliContext, workflow: string | undefined, options: VisualizeOptions): Promise<void> {
  const picture = await draw(context, workflow, options);
  if (options.out === undefined) return context.print(picture);
  try {
    writeFileSync(resolve(context.host.folder, options.out), picture);
  } catch (error) {
    throw new UsageError(`${options.out} cannot be written: ${fileReason(error, 'there is no such folder')}`);
  }
  context.say(`drawn into ${terminalText(options.out)}`);
}

function formatOf(context: CliContext): PictureFormat {
  return context.options.output === 'mermaid' ? 'mermaid' : 'svg';
}

function draw(context: CliContext, workflow: string | undefined, { run }: VisualizeOptions): Promise<string> {
  const format = formatOf(context);
  if (run !== undefined) return context.withApp((app) => drawRun(app, run, format));
  if (workflow === undefined) throw new UsageError('name a workflow file, NAME@VERSION, or --run RUN');
  if (isFileName(workflow)) return drawMachine(machineOf(context, workflow), format);
  const { workflow: name, version } = readVersionName(workflow);
  return context.withApp(async (app) =>
    drawMachine(JSON.parse((await app.version(name, version)).machine) as Machine, format),
  );
}

function machineOf(context: CliContext, file: string): Machine {
  const { definition, problems } = validateWorkflow(readSource(context, file), file, shelfOf(context, file));
  if (definition === null) throw new DefinitionError(problems.filter(({ severity }) => severity === 'error'));
  return lower(definition);
}
