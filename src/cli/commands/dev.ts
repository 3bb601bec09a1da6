import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { App } from '../../app/create-app.ts';
import { publishDraft } from '../../app/publish-draft.ts';
import { RefusedError } from '../../model/errors.ts';
import type { Bind } from '../bind.ts';
import { readSource, shelfOf } from '../catalogue-shelf.ts';
import type { CliContext } from '../cli-context.ts';
import { codeFrame } from '../code-frame.ts';
import { GRACE_MS, listenAt, readPort } from '../listen.ts';
import { reportError } from '../report-error.ts';
import { type FileStamps, stampFiles, untilChanged } from '../watch-files.ts';

/** Only who is on this machine is answered: nobody is asked for a key. */
const HOST = '127.0.0.1';
const FILE_END = '.pawl.yaml';

/** `pawl dev`: database, API and worker in one process; files are published as drafts whenever they change. */
export function addDev(program: Command, bind: Bind): void {
  program
    .command('dev')
    .description('database, API and worker in one process; publishes *.pawl.yaml of this folder whenever they change')
    .option('--port <n>', 'the port to listen on, 0 = any that is free', '4170')
    .action(
      bind((context, options: { readonly port: string }, command: Command) =>
        develop(context, readPort(options.port), command.parent?.version() ?? ''),
      ),
    );
}

/** Drafts have no business in a database that others use. @throws PAWL_CONFIG_INVALID. */
function assertOwnDatabase(context: CliContext): void {
  if (context.config().databaseUrl === null) return;
  throw new RefusedError(
    'PAWL_CONFIG_INVALID',
    'pawl dev publishes drafts, and works only in the database that starts itself: unset PAWL_DATABASE, DATABASE_URL and `database`, or run pawl server --worker',
  );
}

async function develop(context: CliContext, port: number, release: string): Promise<void> {
  assertOwnDatabase(context);
  const { openServer } = await import('../../api/server.ts');
  await context.withApp(
    async (app) => {
      const server = openServer({ app, authentication: 'none', release });
      try {
        const address = await listenAt(server, HOST, port);
        await app.runWorker();
        context.say(`the API is at ${address}/v1, for everybody on this machine; Ctrl-C ends it`);
        await publishChanges(context, app);
        context.say('stopping: what is held is finished or released');
      } finally {
        await server.close(GRACE_MS);
      }
    },
    { setsUp: true, answersOthers: true },
  );
}

/** The workflow files of the folder, and the folder itself, in which new ones appear. */
function stampsOf(folder: string): FileStamps {
  const names = readdirSync(folder).filter((name) => name.endsWith(FILE_END));
  return stampFiles([...names.sort().map((name) => join(folder, name)), `${folder}/.`]);
}

/** Publishes each file that is other than it was, until it is told to stop. */
async function publishChanges(context: CliContext, app: App): Promise<void> {
  const { folder, stopped } = context.host;
  let before: FileStamps = new Map();
  for (;;) {
    const now = stampsOf(folder);
    for (const [path, stamp] of now)
      if (path.endsWith(FILE_END) && before.get(path) !== stamp)
        await publishFile(context, app, path.slice(folder.length + 1));
    if (before.size === 0) context.say(`watching ${now.size - 1} files *${FILE_END} in ${folder}`);
    before = now;
    if (!(await untilChanged(now, stopped))) return;
  }
}

/** A file with problems is told with them, and the next change is waited for. */
async function publishFile(context: CliContext, app: App, file: string): Promise<void> {
  try {
    const by = app.principal(context.options.by ?? null).name;
    const ask = { text: readSource(context, file), file, catalogues: shelfOf(context, file), by };
    const { created, said, warnings, version: stored } = await publishDraft(app, ask);
    for (const warning of warnings) context.say(`${codeFrame(warning, context.sources, context.paint)}\n`);
    const { workflow, version } = stored;
    const what = created ? context.paint.good('published') : 'as it was';
    const draft =
      version === said ? '' : `  draft: ${file} says version ${said}; runs that are there go on with theirs`;
    context.say(`${workflow}@${version}  ${what}${draft}`);
  } catch (error) {
    reportError(context, error);
  }
}
