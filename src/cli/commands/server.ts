import { once } from 'node:events';
import type { Command } from 'commander';
import { checkBind } from '../../api/bind.ts';
import { RATES_DEFAULT } from '../../api/limits.ts';
import type { Bind } from '../bind.ts';
import type { CliContext } from '../cli-context.ts';
import { GRACE_MS, listenAt, readPort, readRate } from '../listen.ts';

interface ServerOptions {
  readonly port: string;
  readonly host: string;
  readonly worker?: boolean;
  readonly readsPerSecond: string;
  readonly writesPerSecond: string;
  /** false for `--no-auth`. */
  readonly auth: boolean;
}

/** `pawl server [--worker] [--port N]`: answers the HTTP API until it is told to stop. */
export function addServer(program: Command, bind: Bind): void {
  program
    .command('server')
    .description('answer the HTTP API until SIGTERM or Ctrl-C; any number may answer for one database')
    .option('--port <n>', 'the port to listen on, 0 = any that is free', '4170')
    .option('--host <address>', 'the address to listen on', '127.0.0.1')
    .option('--worker', 'run a worker in the same process')
    .option('--reads-per-second <n>', 'how often one principal may read', String(RATES_DEFAULT.readsPerSecond))
    .option('--writes-per-second <n>', 'how often one principal may write', String(RATES_DEFAULT.writesPerSecond))
    .option('--no-auth', 'ask for no keys: only on 127.0.0.1, and everybody there may do everything')
    .action(
      bind((context, options: ServerOptions, command: Command) =>
        serve(context, options, command.parent?.version() ?? ''),
      ),
    );
}

async function serve(context: CliContext, options: ServerOptions, release: string): Promise<void> {
  const port = readPort(options.port);
  const authentication = options.auth ? 'keys' : 'none';
  const rates = {
    readsPerSecond: readRate('reads', options.readsPerSecond),
    writesPerSecond: readRate('writes', options.writesPerSecond),
  };
  // Before a database is set up for it.
  checkBind(options.host, authentication);
  const { stopped } = context.host;
  // Only this verb pays for the loading of it.
  const { openServer } = await import('../../api/server.ts');
  await context.withApp(
    async (app) => {
      const server = openServer({ app, authentication, release, rates });
      const address = await listenAt(server, options.host, port);
      try {
        if (options.worker === true) await app.runWorker();
        const who = options.auth ? 'with keys (pawl key create)' : 'without keys: everybody here may do everything';
        context.say(`the API is at ${address}/v1 ${who}; SIGTERM or Ctrl-C ends it`);
        if (!stopped.aborted) await once(stopped, 'abort');
        context.say('stopping: calls that are under way are finished');
      } finally {
        await server.close(GRACE_MS);
      }
    },
    { setsUp: true, answersOthers: true, log: 'lines' },
  );
}
