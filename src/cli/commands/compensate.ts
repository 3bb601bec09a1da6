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

function tellPlan(context: CliContext, plan: Preview): void {
  context.say(`Plan (valid for revision ${plan.revision}, plan ${plan.planHash.slice(0, 8)}):`);
  for (const [index, undo] of plan.undo.entries()) {
    context.say(
      `  ${undo.round ?? index + 1} ↩ ${terminalText(placeWords(undo))}  ${undo.action}  ${terminalText(JSON.stringify(undo.request))}  ${undo.state}`,
    );
    if (undo.approve !== null) context.say(`      ${terminalText(votersWords(undo.approve))}`);
  }
  const rounds = new Set(plan.undo.map(({ round }) => round));
  if (rounds.has(null)) context.say('  some go side by side, as the order of the workflow lets them');
  else if (rounds.size < plan.undo.length) context.say('  those of one number go side by side, after all before them');
  for (const effect of plan.standing) context.say(`  ${standingWords(effect)}`);
}

async function compensate(context: CliContext, app: Backend, run: string, options: CompensateOptions): Promise<void> {
  const plan = await app.previewCompensation(run);
  if (options.dryRun === true && printJson(context, plan)) return;
  tellPlan(context, plan);
  const count = plan.undo.length;
  if (count === 0) context.say('  nothing to undo');
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
