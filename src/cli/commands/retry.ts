import { type Command, Option } from 'commander';
import type { Backend } from '../backend.ts';
import type { Bind } from '../bind.ts';
import type { CliContext } from '../cli-context.ts';
import { UsageError } from '../report-error.ts';
import { tellDelivered } from '../tell-delivered.ts';
import { RETRIED_KINDS, type RetriedKind, retryAll } from './retry-all.ts';

interface RetryOptions {
  readonly reason?: string;
  readonly all?: RetriedKind;
  readonly workflow?: string;
  readonly yes?: boolean;
}

/** `pawl retry RUN STEP --reason TEXT`: a held step is entered again; `--all KIND`: whatever is held for the same. */
export function addRetry(program: Command, bind: Bind): void {
  program
    .command('retry')
    .description('let a held step try again; never a confirmed effect')
    .argument('[run]', 'run id or key')
    .argument('[step]', 'the held step')
    .addOption(
      new Option('--all <kind>', 'in place of a run: all that is held for this; lists them, then asks').choices(
        RETRIED_KINDS,
      ),
    )
    .option('--workflow <name>', 'with --all: only runs of this workflow')
    .option('--reason <text>', 'kept with the act')
    .option('--yes', 'with --all: do not ask (needs --reason)')
    .action(
      bind((context, run: string | undefined, step: string | undefined, options: RetryOptions) =>
        options.all === undefined
          ? context.withBackend((app) => retryOne(context, app, { run, step, options }))
          : retryMany(context, options.all, { run, step, options }),
      ),
    );
}

interface Retrying {
  readonly run: string | undefined;
  readonly step: string | undefined;
  readonly options: RetryOptions;
}

const SAY_WHICH = 'name a run and its held step, or in their place --all KIND [--workflow NAME]';

function retryMany(context: CliContext, kind: RetriedKind, { run, options }: Retrying): Promise<void> {
  if (run !== undefined) throw new UsageError(SAY_WHICH);
  return context.withApp((app) => retryAll(context, app, { ...options, kind, workflow: options.workflow ?? null }));
}

async function retryOne(context: CliContext, app: Backend, { run, step, options }: Retrying): Promise<void> {
  const { workflow, reason } = options;
  if (run === undefined || step === undefined || workflow !== undefined) throw new UsageError(SAY_WHICH);
  if (reason === undefined) throw new UsageError('add --reason TEXT: it is kept with the act');
  const by = app.principal(context.options.by ?? null).name;
  tellDelivered(context, { done: 'tried again' }, await app.retry(run, step, { by, reason }));
}
