import type { Command } from 'commander';
import type { Backend } from '../backend.ts';
import type { Bind } from '../bind.ts';
import type { CliContext } from '../cli-context.ts';
import { UsageError } from '../report-error.ts';
import { tellDelivered } from '../tell-delivered.ts';

/** `pawl pause RUN --reason TEXT`, `pawl resume RUN`: a run stops where it stands, and goes on. */
export function addPause(program: Command, bind: Bind): void {
  program
    .command('pause')
    .description('stop a run where it stands: it decides and sends nothing until it is resumed')
    .argument('<run>', 'run id or key')
    .option('--reason <text>', 'kept with the act')
    .action(
      bind((context, run: string, { reason }: { readonly reason?: string }) =>
        context.withBackend((app) => pause(context, app, run, reason)),
      ),
    );
  program
    .command('resume')
    .description('let a paused run go on, with all that has come in meanwhile')
    .argument('<run>', 'run id or key')
    .option('--reason <text>', 'kept with the act')
    .action(
      bind((context, run: string, { reason }: { readonly reason?: string }) =>
        context.withBackend((app) => resume(context, app, run, reason ?? null)),
      ),
    );
}

async function pause(context: CliContext, app: Backend, run: string, reason: string | undefined): Promise<void> {
  if (reason === undefined) throw new UsageError('add --reason TEXT: it is kept with the act');
  const by = app.principal(context.options.by ?? null).name;
  const then = 'what has left is still written down, nothing new is sent; pawl resume RUN lets it go on';
  tellDelivered(context, { done: 'paused', then }, await app.pause(run, { by, reason }));
}

async function resume(context: CliContext, app: Backend, run: string, reason: string | null): Promise<void> {
  const by = app.principal(context.options.by ?? null).name;
  tellDelivered(context, { done: 'resumed' }, await app.resume(run, { by, reason }));
}
