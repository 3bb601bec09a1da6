import type { Command } from 'commander';
import type { Backend } from '../backend.ts';
import type { Bind } from '../bind.ts';
import { type CliContext, printJson } from '../cli-context.ts';
import { readVersionName } from '../read-arguments.ts';
import { UsageError } from '../report-error.ts';

interface Options {
  readonly reason?: string;
  readonly undo?: boolean;
}

/** `pawl deprecate NAME@V --reason TEXT`: nothing new starts on a version; `--undo` takes that back. */
export function addDeprecate(program: Command, bind: Bind): void {
  program
    .command('deprecate')
    .description('have nothing new start on a version; its runs go on')
    .argument('<version>', 'NAME@VERSION')
    .option('--reason <text>', 'kept with the act')
    .option('--undo', 'take it back')
    .action(
      bind((context, name: string, options: Options) =>
        context.withBackend((app) => deprecate(context, app, name, options)),
      ),
    );
}

async function deprecate(
  context: CliContext,
  app: Backend,
  name: string,
  { reason, undo = false }: Options,
): Promise<void> {
  const { workflow, version } = readVersionName(name);
  if (version === null) throw new UsageError(`say which version: ${workflow}@VERSION`);
  const by = app.principal(context.options.by ?? null).name;
  if (undo) await app.orderVersion(workflow, version, { act: 'restore', by, reason: reason ?? null });
  else if (reason === undefined) throw new UsageError('add --reason TEXT: it is kept with the act');
  else await app.orderVersion(workflow, version, { act: 'deprecate', by, reason });
  if (printJson(context, { workflow, version, deprecated: !undo })) return;
  context.say(
    undo
      ? `${workflow}@${version} may be started again`
      : `nothing new starts on ${workflow}@${version}; its runs go on, and pawl deprecate ${workflow}@${version} --undo takes it back`,
  );
}
