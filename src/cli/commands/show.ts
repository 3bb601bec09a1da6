import type { Command } from 'commander';
import { type CliContext, printJson } from '../cli-context.ts';
import type { Bind } from '../bind.ts';
import { runLines } from '../run-lines.ts';
import { terminalText } from '../terminal-text.ts';

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
  await context.withApp(async (app) => {
    const run = await app.show(name);
    const history = withHistory ? await app.history(name) : null;
    if (context.options.output === 'ids') return context.print(run.id);
    if (printJson(context, history === null ? run : { ...run, history })) return;
    context.print(runLines(run, context.paint).join('\n'));
    for (const incident of run.incidents)
      context.print(`  ! ${incident.kind} since ${incident.since}: ${terminalText(incident.message)}`);
    if (run.failure !== null) context.print(`failure: ${terminalText(JSON.stringify(run.failure))}`);
    if (run.output !== null) context.print(`output: ${terminalText(JSON.stringify(run.output))}`);
    if (history === null) return;
    for (const row of history.journal)
      context.print(
        `#${row.revision}  ${new Date(row.atMs).toISOString()}  ${row.event.type}  ${row.event.step ?? ''}`.trimEnd(),
      );
    for (const event of history.inbox)
      context.print(
        `event ${terminalText(event.source)} ${terminalText(event.eventId)}: ${event.payload.type} ${event.outcome ?? 'undecided'}`,
      );
    for (const act of history.audit)
      context.print(`act ${act.act} by ${terminalText(act.actor)}: ${terminalText(act.reason ?? '')}`);
  });
}
