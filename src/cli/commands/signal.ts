import type { Command } from 'commander';
import type { Bind } from '../bind.ts';
import { readJsonArgument } from '../read-arguments.ts';
import { tellDelivered } from '../tell-delivered.ts';

interface SignalOptions {
  readonly id?: string;
  readonly source: string;
}

/** How long a person waits to hear what became of a signal, milliseconds. */
const WAIT_MS = 2_000;

/** `pawl signal RUN EVENT JSON`. */
export function addSignal(program: Command, bind: Bind): void {
  program
    .command('signal')
    .description('send a declared event to a run; kept until it is waited for')
    .argument('<run>', 'run id or key')
    .argument('<event>', "the event's name")
    .argument('[data]', 'its data as JSON (text, @FILE or -)', '{}')
    .option('--id <id>', 'its id: the same id again is answered with what became of the first')
    .option('--source <source>', 'who vouches for the id', 'signal')
    .action(
      bind(async (context, ...given: [run: string, event: string, text: string, options: SignalOptions]) => {
        const [run, event, text, options] = given;
        const data = await readJsonArgument(context, text, 'the data');
        await context.withBackend(async (app) => {
          const by = app.principal(context.options.by ?? null).name;
          const ask = { name: event, data, source: options.source, eventId: options.id ?? null, by, waitMs: WAIT_MS };
          tellDelivered(context, { done: `sent ${event}` }, await app.signal(run, ask));
        });
      }),
    );
}
