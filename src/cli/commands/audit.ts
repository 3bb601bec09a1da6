import type { Command } from 'commander';
import type { App } from '../../app/create-app.ts';
import type { Bind } from '../bind.ts';
import { type CliContext, printJson, printJsonList, widthOf } from '../cli-context.ts';
import { EXIT } from '../exit-codes.ts';
import { readTextFile } from '../read-arguments.ts';
import { readLimit } from '../read-limit.ts';
import { UsageError } from '../report-error.ts';
import { renderTable } from '../table.ts';
import { terminalText } from '../terminal-text.ts';
import { counted, timeWords } from '../time-words.ts';
import { writeOut } from '../write-out.ts';

interface LsOptions {
  readonly actor?: string;
  readonly act?: string;
  readonly run?: string;
  readonly workflow?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit: string;
}

const LIMIT_MAX = 1_000;

/** `pawl audit ls|verify|seal`: who has done what, and whether anybody has changed what is written of it. */
export function addAudit(program: Command, bind: Bind): void {
  const audit = program.command('audit').description('acts of people and keys: who, what, why, when');
  audit
    .command('ls')
    .description('acts, newest first')
    .option('--actor <name>', 'only what this person or key has done')
    .option('--act <word>', 'only this act, as publish or terminate')
    .option('--run <run>', 'only acts on this run: an id or a key')
    .option('--workflow <name>', 'only acts on this workflow and its runs')
    .option('--since <time>', 'from this time on, RFC 3339')
    .option('--until <time>', 'before this time, RFC 3339')
    .option('--limit <n>', 'at most so many', '50')
    .action(bind((context, options: LsOptions) => ls(context, options)));
  audit
    .command('verify')
    .description('recompute every chain of acts, read-only, and name what was changed')
    .option('--seal <file>', 'what "pawl audit seal" wrote: then a chain whose end was cut off is found, too')
    .action(bind((context, { seal }: { readonly seal?: string }) => verify(context, seal)));
  audit
    .command('seal')
    .description('write down the head of every chain, to be kept where nobody who can write the database can write')
    .option('--out <file>', 'write it to a file')
    .action(bind((context, { out }: { readonly out?: string }) => seal(context, out)));
}

function readTime(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  const atMs = Date.parse(text);
  if (Number.isFinite(atMs)) return atMs;
  throw new UsageError(`${name} ${text}: not a time; write it as 2030-01-31T12:00:00Z`);
}

type Filter = Parameters<App['acts']>[0];

async function filterOf(app: App, options: LsOptions, limit: number): Promise<Filter> {
  const { actor, act, workflow } = options;
  const sinceMs = readTime(options.since, '--since');
  const untilMs = readTime(options.until, '--until');
  const runId = options.run === undefined ? undefined : (await app.find(options.run)).runId;
  const asked = { actor, act, workflow, sinceMs, untilMs, runId };
  const given = Object.entries(asked).filter(([, value]) => value !== undefined);
  return { ...(Object.fromEntries(given) as Omit<Filter, 'limit'>), limit };
}

const COLUMNS = [
  { heading: 'AT (UTC)' },
  { heading: 'ACTOR', shrinks: true },
  { heading: 'ACT' },
  { heading: 'RUN' },
  { heading: 'TARGET', shrinks: true },
  { heading: 'REASON', shrinks: true },
];

async function ls(context: CliContext, options: LsOptions): Promise<void> {
  const limit = readLimit(options.limit, LIMIT_MAX);
  const found = await context.withApp(async (app) => app.acts(await filterOf(app, options, limit + 1)));
  if (found.length > limit)
    context.say(
      `! only the newest ${counted(limit, 'act')}, there are more: --limit N (at most ${LIMIT_MAX}), --until`,
    );
  const acts = found.slice(0, limit);
  if (printJsonList(context, acts)) return;
  if (acts.length === 0) context.say('no such act');
  else
    context.print(
      renderTable(
        COLUMNS,
        acts.map(({ at, actor, act, run, target, reason }) => [
          timeWords(at),
          actor,
          act,
          run ?? '',
          target,
          reason ?? '',
        ]),
        widthOf(context),
      ),
    );
}

async function verify(context: CliContext, file: string | undefined): Promise<void> {
  const sealed = file === undefined ? null : { text: readTextFile(context, file), name: file };
  const verified = await context.withApp((app) => app.verifyAudit(sealed));
  const { faults, chains, acts } = verified;
  context.exit = faults.length === 0 ? EXIT.ok : EXIT.runFailed;
  if (printJson(context, verified)) return;
  const { paint } = context;
  for (const { chain, row, what } of faults)
    context.print(`${paint.bad('✘')} ${terminalText(`${chain}  ${row}: ${what}`)}`);
  const looked = `${counted(acts, 'act')} in ${counted(chains, 'chain')}`;
  if (faults.length > 0) context.print(paint.bad(`${counted(faults.length, 'fault')}: ${looked} checked`));
  else context.print(paint.good(`✔ nobody has changed what is written: ${looked} checked`));
  if (sealed === null) context.say('a chain does not show that its end was cut off: --seal FILE does');
}

async function seal(context: CliContext, out: string | undefined): Promise<void> {
  const sealed = await context.withApp((app) => app.sealAudit());
  writeOut(context, JSON.stringify(sealed, null, 2), { out, done: `${counted(sealed.chains.length, 'chain')} sealed` });
}
