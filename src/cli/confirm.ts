import type { CliContext, Terminal } from './cli-context.ts';
import { EXIT } from './exit-codes.ts';
import { UsageError } from './report-error.ts';

/** What a destructive verb was given. */
export interface Consent {
  readonly yes?: boolean;
  readonly reason?: string;
}

/**
 * Asks before something that cannot be taken back: the plan has been printed, now a person says yes, or the caller has
 * said `--yes` with a `--reason`.
 * @returns the reason; null when the person said no or left the question, which ends the command with 130.
 * @throws UsageError without a terminal and without `--yes`, or `--yes` without `--reason`.
 */
export async function askConsent(context: CliContext, question: string, consent: Consent): Promise<string | null> {
  if (consent.yes === true) {
    if (consent.reason === undefined || consent.reason.trim() === '')
      throw new UsageError('--yes needs --reason TEXT: it is kept with the act');
    return consent.reason;
  }
  const { terminal } = context.host;
  if (terminal === null)
    throw new UsageError('this asks before it acts, and nobody can be asked here: add --yes --reason TEXT');
  const reason = await ask(terminal, question, consent.reason, context.host.stopped);
  if (reason === null) tellNothingDone(context);
  return reason;
}

/**
 * Asks before something that was shown is agreed to, where no reason is kept: a person says yes, or the caller has said `--yes`.
 * @returns false when the person said no or left the question, which ends the command with 130.
 * @throws UsageError without a terminal and without `--yes`.
 */
export async function askAgreement(context: CliContext, question: string, yes: boolean): Promise<boolean> {
  if (yes) return true;
  const { terminal, stopped } = context.host;
  if (terminal === null)
    throw new UsageError('this shows what it is about and asks, and nobody can be asked here: read it, then add --yes');
  const agreed = await isAgreed(terminal, question, stopped);
  if (!agreed) tellNothingDone(context);
  return agreed;
}

function tellNothingDone(context: CliContext): void {
  context.exit = EXIT.interrupted;
  context.say('nothing was done');
}

async function isAgreed(terminal: Terminal, question: string, signal: AbortSignal): Promise<boolean> {
  const { confirm } = await import('@clack/prompts');
  return (await confirm({ ...terminal, signal, message: question, initialValue: false })) === true;
}

async function ask(
  terminal: Terminal,
  question: string,
  given: string | undefined,
  signal: AbortSignal,
): Promise<string | null> {
  const { isCancel, text } = await import('@clack/prompts');
  const on = { ...terminal, signal };
  const reason =
    given ??
    (await text({
      ...on,
      message: 'Reason (kept with the act)',
      validate: (value = '') => (value.trim() === '' ? 'say why' : undefined),
    }));
  if (isCancel(reason)) return null;
  return (await isAgreed(terminal, question, signal)) ? reason : null;
}
