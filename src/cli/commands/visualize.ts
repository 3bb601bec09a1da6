import type { Command } from 'commander';
import { drawMachine, type PictureFormat } from '../../app/draw-workflow.ts';
import type { CliContext } from '../cli-context.ts';
import type { Bind } from '../bind.ts';
import { isFileName, readVersionName } from '../read-arguments.ts';
import { machineOf } from '../read-machine.ts';
import { UsageError } from '../report-error.ts';
import { writeOut } from '../write-out.ts';

interface VisualizeOptions {
  readonly run?: string;
  readonly revision?: string;
  readonly out?: string;
}

/** `pawl visualize FILE|NAME[@V] [--run ID]`: a picture as SVG or Mermaid text. */
export function addVisualize(program: Command, bind: Bind): void {
  program
    .command('visualize')
    .description('draw a workflow, or a run on it: -o svg (default) or mermaid')
    .argument('[workflow]', 'a file, NAME or NAME@VERSION; not needed with --run')
    .option('--run <run>', 'paint the way of this run into the machine it is pinned to')
    .option('--revision <n>', 'with --run: as it was at this revision')
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

/** @throws a usage error for what is no revision, or is one of no run. */
function revisionOf({ run, revision }: VisualizeOptions): number | undefined {
  if (revision === undefined) return undefined;
  if (run === undefined) throw new UsageError('--revision is one of a run: name it with --run RUN');
  if (/^[1-9]\d{0,8}$/.test(revision)) return Number(revision);
  throw new UsageError(`--revision takes a number from 1 on, found ${revision}`);
}

async function draw(context: CliContext, workflow: string | undefined, options: VisualizeOptions): Promise<string> {
  const format = formatOf(context);
  const revision = revisionOf(options);
  const { run } = options;
  if (run !== undefined) return context.withBackend((app) => app.drawRun(run, { format, revision }));
  if (workflow === undefined) throw new UsageError('name a workflow file, NAME@VERSION, or --run RUN');
  if (isFileName(workflow)) return drawMachine(machineOf(context, workflow), format);
  const { workflow: name, version } = readVersionName(workflow);
  return context.withBackend((app) => app.draw(name, version, format));
}
