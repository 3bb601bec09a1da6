import type { Command } from 'commander';
import type { App } from '../../app/create-app.ts';
import type { Json } from '../../model/json.ts';
import { type CliContext, printJson } from '../cli-context.ts';
import type { Bind } from '../bind.ts';
import { type RunView, runLines } from '../run-lines.ts';
import { terminalText } from '../terminal-text.ts';
import { timeWords } from '../time-words.ts';

/** `pawl show RUN`: where a run stands, what it has done, why it is not moving and who can move it. */
export function addShow(program: Command, bind: Bind): void {
  program
    .command('show')
    .description('show a run: steps, effects, receipts, what it waits for and how to give it')
    .argument('<run>', 'run id or key')
    .option('--history', 'its journal, events and acts as well')
    .action(
      bind((context, run: string, options: { readonly history?: boolean }) =>
        show(context, run, options.history === true),
      ),
    );
}

async function show(context: CliContext, name: string, withHistory: boolean): Promise<void> {
  const { run, history } = await (withHistory
    ? context.withApp(async (app) => ({ run: await app.show(name), history: await app.history(name) }), HISTORY)
    : context.withBackend(async (app) => ({ run: await app.show(name), history: null })));
  if (context.options.output === 'ids') context.print(run.id);
  else if (!printJson(context, history === null ? run : { ...run, history })) tell(context, run, history);
}

/** Beside the journal it has rows that the API does not tell. */
const HISTORY = { what: 'show --history' } as const;

function tell(context: CliContext, run: RunView, history: History | null): void {
  context.print(runLines(run, context.paint).join('\n'));
  for (const incident of run.incidents)
    context.print(`  ! ${incident.kind} since ${timeWords(incident.since)}: ${terminalText(incident.message)}`);
  if (run.output !== null) context.print(`output: ${terminalText(JSON.stringify(run.output))}`);
  if (history !== null) for (const line of historyLines(history, run.prunedAt)) context.print(terminalText(line));
}

/** The item of a map that a step was done for, where items are done side by side. */
function itemWords(detail: Json): string {
  const item: unknown = typeof detail === 'object' && detail !== null ? Reflect.get(detail, 'item') : undefined;
  return typeof item === 'string' ? ` [${item}]` : '';
}

type History = Awaited<ReturnType<App['history']>>;

function historyLines(
  { journal, inbox, observations, audit }: History,
  prunedAt: string | undefined,
): readonly string[] {
  const time = (atMs: number): string => timeWords(new Date(atMs).toISOString());
  return [
    '',
    prunedAt === undefined ? 'transitions' : `transitions: pruned ${timeWords(prunedAt)}`,
    ...journal.map(({ revision, atMs, event }) =>
      `  #${revision}  ${time(atMs)}  ${event.type}  ${event.step ?? ''}${itemWords(event.detail)}`.trimEnd(),
    ),
    ...(inbox.length === 0 ? [] : ['events']),
    ...inbox.map(({ receivedAtMs, source, eventId, payload, outcome, code }) => {
      const answer = `${outcome ?? 'undecided'}${code === null ? '' : ` (${code})`}`;
      return `  ${time(receivedAtMs)}  ${payload?.type ?? 'pruned'} from ${source}: ${answer}  ${eventId}`;
    }),
    ...(observations.length === 0 ? [] : ['observations']),
    ...observations.map(({ source, sourceId, detail }) => `  ${source} ${sourceId}: ${JSON.stringify(detail)}`),
    ...(audit.length === 0 ? [] : ['acts']),
    ...audit.map(({ act, actor, reason }) => `  ${act} by ${actor}${reason === null ? '' : `: ${reason}`}`),
  ];
}
