import type { Command } from 'commander';
import { ConflictError } from '../../model/errors.ts';
import { isEnd } from '../../model/statuses.ts';
import { answerWords } from '../../app/answer-words.ts';
import type { CliContext } from '../cli-context.ts';
import { askConsent, type Consent } from '../confirm.ts';
import type { Backend } from '../backend.ts';
import type { Bind } from '../bind.ts';
import { placeWords } from '../run-lines.ts';
import { standingWords } from '../standing-words.ts';
import { tellDelivered } from '../tell-delivered.ts';
import { terminalText } from '../terminal-text.ts';

interface CancelOptions extends Consent {
  readonly terminate?: boolean;
}

/** `pawl cancel RUN [--terminate]`: settle, undo, CANCELLED; or stop without undo. */
export function addCancel(program: Command, bind: Bind): void {
  program
    .command('cancel')
    .description('cancel a run: open effects settle, what was done is undone')
    .argument('<run>', 'run id or key')
    .option('--terminate', 'stop without undoing anything; what stands is listed')
    .option('--reason <text>', 'kept with the act')
    .option('--yes', 'do not ask (needs --reason)')
    .action(
      bind((context, run: string, options: CancelOptions) =>
        context.withBackend((app) => cancel(context, app, run, options)),
      ),
    );
}

type RunView = Awaited<ReturnType<Backend['show']>>;

async function cancel(context: CliContext, app: Backend, run: string, options: CancelOptions): Promise<void> {
  const shown = await app.show(run);
  const isTermination = options.terminate === true;
  context.say(`${shown.workflow}@${shown.version} ${terminalText(shown.key)} is ${shown.status}`);
  if (isEnd(shown.status))
    throw new ConflictError('PAWL_EVENT_REFUSED', 'the run has ended: pawl compensate RUN undoes what it did');
  if (isTermination) sayTermination(context, shown);
  else sayCancel(context, await app.previewCancel(run));
  const reason = await askConsent(context, isTermination ? 'Terminate without undo?' : 'Cancel this run?', options);
  if (reason === null) return;
  const act = { by: app.principal(context.options.by ?? null).name, reason };
  const delivered = await (isTermination ? app.terminate(run, act) : app.cancel(run, act));
  tellDelivered(
    context,
    isTermination
      ? { done: 'terminated' }
      : { done: 'told to cancel', then: 'what is open settles, then what was done is undone' },
    delivered,
  );
}

function sayTermination(context: CliContext, { effects }: RunView): void {
  for (const { step, action, state } of effects)
    if (state === 'REQUESTED' || state === 'UNKNOWN') context.say(`  ? ${step}  ${action} is ${state}: it stays so`);
  for (const { step, action, state, compensates } of effects)
    if (state === 'CONFIRMED' && compensates === null) context.say(`  ! ${step}  ${action} stays done`);
}

/** What the act would come to, by its own rule; one that would be refused is refused here, before anybody is asked. */
function sayCancel(context: CliContext, preview: Awaited<ReturnType<Backend['previewCancel']>>): void {
  const { verdict, code, open, undo, standing, fault } = preview;
  if (verdict === 'refused') throw new ConflictError('PAWL_EVENT_REFUSED', answerWords(code ?? verdict));
  if (verdict === 'waits') context.say(`  ${answerWords('waits-for-pivot')}`);
  for (const { step, action, state } of open) context.say(`  ? ${step}  ${action} is ${state}: it is settled first`);
  for (const row of undo) context.say(`  ↩ ${terminalText(placeWords(row))}  is undone by ${row.action}`);
  for (const effect of standing) context.say(`  ${standingWords(effect)}`);
  if (fault !== null) context.say(`  ! ${terminalText(fault)}: the run would be held before any undo`);
}
