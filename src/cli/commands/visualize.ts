import type { Command } from 'commander';
import { drawMachine, drawRun, type PictureFormat } from '../../app/draw-workflow.ts';
import type { CliContext } from '../cli-context.ts';
import type { Bind } from '../bind.ts';
import { isFileName, readVersionName } from '../read-arguments.ts';
import { machineOf } from '../read-machine.ts';
import { UsageError } from '../report-error.ts';
import { writeOut } from '../write-out.ts';

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
  writeOut(context, await draw(context, workflow, options), { out: options.out, done: 'drawn' });
}

function formatOf(context: CliContext): PictureFormat {
  return context.options.output === 'mermaid' ? 'mermaid' : 'svg';
}

async function draw(context: CliContext, workflow: string | undefined, { run }: VisualizeOptions): Promise<string> {
  const format = formatOf(context);
  if (run !== undefined) return context.withApp((app) => drawRun(app, run, format), { what: 'visualize --run' });
  if (workflow === undefined) throw new UsageError('name a workflow file, NAME@VERSION, or --run RUN');
  if (isFileName(workflow)) return drawMachine(machineOf(context, workflow), format);
  const { workflow: name, version } = readVersionName(workflow);
  return context.withBackend((app) => app.draw(name, version, format));
}
