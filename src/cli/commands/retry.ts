import type { Command } from 'commander';
import type { Bind } from '../bind.ts';
import { UsageError } from '../report-error.ts';
import { tellDelivered } from '../tell-delivered.ts';

/** `pawl retry RUN STEP --reason TEXT`: a held step is entered again. */
export function addRetry(program: Command, bind: Bind): void {
  program
    .command('retry')
    .description('let a held step try again; never a confirmed effect')
    .argument('<run>', 'run id or key')
    .argument('<step>', 'the held step')
    .option('--reason <text>', 'kept with the act')
    .action(
      bind((context, run: string, step: string, options: { readonly reason?: string }) =>
        context.withBackend(async (app) => {
          if (options.reason === undefined) throw new UsageError('add --reason TEXT: it is kept with the act');
          const by = app.principal(context.options.by ?? null).name;
          tellDelivered(context, { done: 'tried again' }, await app.retry(run, step, { by, reason: options.reason }));
        }),
      ),
    );
}
