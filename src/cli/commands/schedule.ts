import type { Command } from 'commander';
import type { App } from '../../app/create-app.ts';
import type { Bind } from '../bind.ts';
import { type CliContext, printJson, printJsonList, widthOf } from '../cli-context.ts';
import { readLimit } from '../read-limit.ts';
import { UsageError } from '../report-error.ts';
import { renderTable } from '../table.ts';
import { terminalText } from '../terminal-text.ts';
import { counted, timeWords } from '../time-words.ts';

/** Schedules of one list at most. */
const LIMIT_MAX = 10_000;

/** `pawl schedule ls|pause|resume`: which workflows start by themselves, when next, and what a person does about it. */
export function addSchedule(program: Command, bind: Bind): void {
  const schedule = program.command('schedule').description('workflows that start by themselves');
  schedule
    .command('ls')
    .description('schedules with what comes next and what came last')
    .option('--limit <n>', 'at most so many, by name', '1000')
    .action(bind((context, { limit }: { readonly limit: string }) => ls(context, readLimit(limit, LIMIT_MAX))));
  for (const act of ['pause', 'resume'] as const)
    schedule
      .command(act)
      .description(
        act === 'pause'
          ? 'start nothing by this schedule, whatever version is published, until it goes on'
          : 'go on with the next time from now: what came meanwhile is not made up for',
      )
      .argument('<workflow>', 'the name of a workflow')
      .option('--reason <text>', 'kept with the act')
      .action(
        bind((context, workflow: string, { reason }: { readonly reason?: string }) =>
          order(context, workflow, act, reason),
        ),
      );
}

type ScheduleView = Awaited<ReturnType<App['schedules']>>[number];

const COLUMNS = [
  { heading: 'WORKFLOW', shrinks: true },
  { heading: 'TIMES' },
  { heading: 'NEXT (UTC)' },
  { heading: 'LAST STARTED (UTC)' },
  { heading: 'LAST SKIPPED (UTC)' },
  { heading: 'WHY NOT', shrinks: true },
];

function rowOf({ workflow, version, cron, timezone, ...view }: ScheduleView): readonly string[] {
  const words = (time: string | null): string => (time === null ? '' : timeWords(time));
  return [
    `${workflow}@${version}`,
    cron === null ? 'damaged' : `${cron} ${String(timezone)}`,
    view.paused ? 'paused' : words(view.next),
    words(view.lastFired),
    words(view.lastSkipped),
    view.error ?? '',
  ];
}

function tellAct(context: CliContext, { workflow, acts }: ScheduleView): void {
  const [last] = acts;
  if (last === undefined) return;
  const what = last.act === 'pause' ? 'paused' : 'resumed';
  context.say(`${timeWords(last.at)}  ${terminalText(last.by)} ${what} ${workflow}: ${terminalText(last.reason)}`);
}

async function ls(context: CliContext, limit: number): Promise<void> {
  const found = await context.withApp((app) => app.schedules(limit + 1));
  const schedules = found.slice(0, limit);
  if (found.length > limit)
    context.say(
      `! only the first ${counted(limit, 'schedule')} by name, there are more: --limit N (at most ${LIMIT_MAX})`,
    );
  if (printJsonList(context, schedules)) return;
  if (schedules.length === 0) {
    context.say('no published workflow has a schedule');
    return;
  }
  context.print(renderTable(COLUMNS, schedules.map(rowOf), widthOf(context)));
  for (const schedule of schedules) tellAct(context, schedule);
}

async function order(
  context: CliContext,
  workflow: string,
  act: 'pause' | 'resume',
  reason: string | undefined,
): Promise<void> {
  if (reason === undefined || reason.trim() === '')
    throw new UsageError(`schedule ${act} needs --reason TEXT: it is kept with the act`);
  const told = await context.withApp((app) =>
    app.orderSchedule(workflow, { act, by: app.principal(context.options.by ?? null).name, reason }),
  );
  if (printJson(context, told)) return;
  const { next } = told;
  context.say(`${terminalText(workflow)} ${next === null ? 'is paused' : `goes on at ${timeWords(next)}`}`);
}
