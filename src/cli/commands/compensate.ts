import type { Command } from 'commander';
import { isEnd } from '../../model/statuses.ts';
import { type CliContext, printJson } from '../cli-context.ts';
import { askConsent, type Consent } from '../confirm.ts';
import type { Backend } from '../backend.ts';
import type { Bind } from '../bind.ts';
import { placeWords } from '../run-lines.ts';
import { standingWords } from '../standing-words.ts';
import { tellDelivered } from '../tell-delivered.ts';
import { terminalText } from '../terminal-text.ts';
import { counted } from '../time-words.ts';

interface CompensateOptions extends Consent {
  readonly dryRun?: boolean;
}

/** `pawl compensate RUN`: prints the plan, asks, and orders exactly that plan. */
export function addCompensate(program: Command, bind: Bind): void {
  program
    .command('compensate')
    .description('make amends for what a run has done: shows the plan, then asks')
    .argument('<run>', 'run id or key')
    .option('--dry-run', 'show the plan only')
    .option('--reason <text>', 'kept with the act')
    .option('--yes', 'do not ask (needs --reason)')
    .action(
      bind((context, run: string, options: CompensateOptions) =>
        context.withBackend((app) => compensate(context, app, run, options)),
      ),
    );
}

type Preview = Awaited<ReturnType<Backend['previewCompensation']>>;

function votersWords({ title, quorum, from, except }: NonNullable<Preview['undo'][number]['approve']>): string {
  const not = except.length === 0 ? '' : `, but not ${except.join(', ')}`;
  return `waits for ${quorum} of ${from.join(', ')}${not}: ${title}`;
}

type Planned = Preview['undo'][number];

/** What a child would do, below the line of its undo; where it could not, why. */
function tellChild(context: CliContext, { id, plan, refused }: NonNullable<Planned['child']>, indent: string): void {
  if (refused !== null) context.say(`${indent}! ${terminalText(refused)}`);
  if (plan !== null) tellUndo(context, plan, indent);
  if (plan === null && refused === null) context.say(`${indent}what it does: pawl compensate ${id} --dry-run`);
}

function tellUndo(context: CliContext, { undo, standing }: Pick<Preview, 'undo' | 'standing'>, indent: string): void {
  for (const [index, row] of undo.entries()) {
    const what = row.child?.id ?? JSON.stringify(row.request);
    context.say(
      `${indent}${row.round ?? index + 1} ↩ ${terminalText(placeWords(row))}  ${row.action}  ${terminalText(what)}  ${row.state}`,
    );
    if (row.approve !== null) context.say(`${indent}    ${terminalText(votersWords(row.approve))}`);
    if (row.child !== undefined) tellChild(context, row.child, `${indent}    `);
  }
  const rounds = new Set(undo.map(({ round }) => round));
  if (rounds.has(null)) context.say(`${indent}some go side by side, as the order of the workflow lets them`);
  else if (rounds.size < undo.length)
    context.say(`${indent}those of one number go side by side, after all before them`);
  for (const effect of standing) context.say(`${indent}${standingWords(effect)}`);
  if (undo.length === 0) context.say(`${indent}nothing to undo`);
}

async function compensate(context: CliContext, app: Backend, run: string, options: CompensateOptions): Promise<void> {
  const plan = await app.previewCompensation(run);
  if (options.dryRun === true && printJson(context, plan)) return;
  context.say(`Plan (valid for revision ${plan.revision}, plan ${plan.planHash.slice(0, 8)}):`);
  tellUndo(context, plan, '  ');
  const count = plan.undo.length;
  if (options.dryRun === true) return;
  const { status } = await app.show(run);
  if (count === 0 && isEnd(status)) return;
  const question =
    count === 0 ? 'Nothing is undone; end the run all the same?' : `Apply ${counted(count, 'compensation')}?`;
  const reason = await askConsent(context, question, options);
  if (reason === null) return;
  const delivered = await app.compensate(
    run,
    { by: app.principal(context.options.by ?? null).name, reason },
    plan.planHash,
  );
  tellDelivered(context, { done: 'ordered' }, delivered);
}
