import type { Command } from 'commander';
import type { App } from '../../app/create-app.ts';
import type { Bind } from '../bind.ts';
import { type CliContext, printJson, widthOf } from '../cli-context.ts';
import { askConsent, type Consent } from '../confirm.ts';
import { renderTable } from '../table.ts';
import { counted, timeWords } from '../time-words.ts';

/** `pawl prune`: takes the state of runs whose retention is over now; workers do the same by themselves. */
export function addPrune(program: Command, bind: Bind): void {
  program
    .command('prune')
    .description('take the state of runs whose retention is over; receipts, keys and acts stay')
    .option('--dry-run', 'only say what would go, what is kept, and why')
    .option('--yes', 'do not ask')
    .option('--reason <text>', 'why it is done now: kept with the acts of each run')
    .action(bind((context, options: Consent & { readonly dryRun?: boolean }) => prune(context, options)));
}

type Pruned = Awaited<ReturnType<App['prune']>>;

async function prune(context: CliContext, options: Consent & { readonly dryRun?: boolean }): Promise<void> {
  await context.withApp(async (app) => {
    const plan = await app.prune(null);
    if (options.dryRun === true || plan.pruned === 0) {
      if (!printJson(context, options.dryRun === true ? plan : { ...plan, dryRun: false })) tell(context, plan);
      return;
    }
    if (context.options.output === 'table') tell(context, plan);
    const question = `Take the state of ${counted(plan.pruned, 'run')}? It cannot be taken back`;
    const reason = await askConsent(context, question, options);
    if (reason === null) return;
    const done = await app.prune({ by: app.principal(context.options.by ?? null).name, reason });
    if (!printJson(context, done)) context.say(`the state of ${counted(done.pruned, 'run')} is gone`);
  });
}

/** Reasons in the words of people. */
const WORDS: Readonly<Record<keyof Pruned['kept'], string>> = {
  unfinished: 'not ended',
  retention: 'the time of its retention has not come',
  parent: 'the run that has started it can still have it undone',
  unreadable: 'its version or snapshot cannot be read here',
  moved: 'it moved meanwhile',
  lease: 'a process holds it',
  'wake-up': 'it is to be looked at',
  timer: 'a timer of it is armed',
  effect: 'nobody knows yet what became of an effect',
  event: 'an event is not decided',
  message: 'a message has not arrived',
  approval: 'an approval is open',
};

const COLUMNS = [
  { heading: 'RUN' },
  { heading: 'STATUS' },
  { heading: 'ENDED (UTC)' },
  { heading: 'KEPT', shrinks: true },
];

function tell(context: CliContext, { runs, pruned, kept }: Pruned): void {
  const rows = runs.map(({ run, status, endedAt, keptFor }) => [
    run,
    status,
    endedAt === null ? '' : timeWords(endedAt),
    keptFor === null ? 'goes' : WORDS[keptFor],
  ]);
  if (rows.length > 0) context.print(renderTable(COLUMNS, rows, widthOf(context)));
  context.say(`${counted(pruned, 'run')} may go: the state is taken, receipts, keys and acts stay`);
  for (const [reason, count] of Object.entries(kept))
    context.say(`${counted(count, 'run')} kept: ${WORDS[reason as keyof Pruned['kept']]}`);
}
