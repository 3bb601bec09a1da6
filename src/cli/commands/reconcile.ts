import type { Command } from 'commander';
import type { Bind } from '../bind.ts';
import { tellDelivered } from '../tell-delivered.ts';

/** `pawl reconcile RUN STEP`: ask the provider now. */
export function addReconcile(program: Command, bind: Bind): void {
  program
    .command('reconcile')
    .description('ask the provider now what became of an effect in doubt')
    .argument('<run>', 'run id or key')
    .argument('<step>', 'the step, or the effect key')
    .action(
      bind((context, run: string, step: string) =>
        context.withBackend(async (app) => {
          const by = app.principal(context.options.by ?? null).name;
          tellDelivered(
            context,
            { done: 'asked for', then: 'a worker asks the provider next' },
            await app.reconcile(run, step, by),
          );
        }),
      ),
    );
}
