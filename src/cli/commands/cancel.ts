import type { Command } from 'commander';
import type { App } from '../../app/create-app.ts';
import { ConflictError } from '../../model/errors.ts';
import { isEnd } from '../../model/statuses.ts';
import type { CliContext } from '../cli-context.ts';
import { askConsent, type Consent } from '../confirm.ts';
import type { Bind } from '../bind.ts';
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
        context.withApp((app) => cancel(context, app, run, options)),
      ),
    );
}

async function cancel(context: CliContext, app: App, run: string, options: CancelOptions): Promise<void> {
  const shown = await app.show(run);
  const isTermination = options.terminate === true;
  const standing = shown.effects.filter((effect) => effect.state === 'CONFIRMED' && effect.compensates === null);
  const open = shown.effects.filter((effect) => effect.state === 'REQUESTED' || effect.state === 'UNKNOWN');
  context.say(`${shown.workflow}@${shown.version} ${terminalText(shown.key)} is ${shown.status}`);
  if (isEnd(shown.status))
    throw new ConflictError('PAWL_EVENT_REFUSED', 'the run has ended: pawl compensate RUN undoes what it did');
  for (const effect of open)
    context.say(
      `  ? ${effect.step}  ${effect.action} is ${effect.state}: ${isTermination ? 'it stays so' : 'it is settled first'}`,
    );
  for (const effect of standing)
    context.say(
      `  ${isTermination ? '!' : '↩'} ${effect.step}  ${effect.action} ${isTermination ? 'stays done' : 'is undone where the workflow says how'}`,
    );
  const reason = await askConsent(context, isTermination ? 'Terminate without undo?' : 'Cancel this run?', options);
  if (reason === null) return;
  const act = { by: app.principal(context.options.by ?? null).name, reason };
  const delivered = await (isTermination ? app.terminate(run, act) : app.cancel(run, act));
  tellDelivered(
    context,
    isTermination ? 'terminated' : 'told to cancel: what is open settles, then what was done is undone',
    delivered,
  );
}
