import { once } from 'node:events';
import type { Command } from 'commander';
import type { Bind } from '../bind.ts';

/** `pawl worker`: runs until it is told to stop, then finishes or releases what it holds. */
export function addWorker(program: Command, bind: Bind): void {
  program
    .command('worker')
    .description('run a worker until SIGTERM or Ctrl-C; any number may work on one database')
    .action(
      bind((context) =>
        context.withApp(
          async (app) => {
            await app.runWorker();
            context.say('working; SIGTERM or Ctrl-C finishes or releases what is held');
            if (!context.host.stopped.aborted) await once(context.host.stopped, 'abort');
            context.say('stopping: what is held is finished or released');
          },
          { setsUp: true, log: 'lines' },
        ),
      ),
    );
}
