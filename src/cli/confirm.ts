import type { CliContext } from './cli-context.ts';
import { UsageError } from './report-error.ts';

/** What a destructive verb was given. */
export interface Consent {
  readonly yes?: boolean;
  readonly reason?: string;
}

/**
 * Asks before something that cannot be taken back: the plan has been printed, now a person says yes, or the caller has
 * said `--yes` with a `--reason`.
 * @returns the reason, or null when the person said no.
 * @throws UsageError without a terminal and without `--yes`, or `--yes` without `--reason`.
 */
export async function askConsent(context: CliContext, question: string, consent: Consent): Promise<string | null> {
  if (consent.yes === true) {
    if (consent.reason === undefined || consent.reason.trim() === '')
      throw new UsageError('--yes needs --reason TEXT: it is kept with the act');
    return consent.reason;
  }
  if (!context.host.isInteractive)
    throw new UsageError('this asks before it acts, and nobody can be asked here: add --yes --reason TEXT');
  const { confirm, isCancel, text } = await import('@clack/prompts');
  const reason =
    consent.reason ??
    (await text({
      message: 'Reason (kept with the act)',
      validate: (value) => ((value ?? '').trim() === '' ? 'say why' : undefined),
    }));
  if (isCancel(reason)) return null;
  const answer = await confirm({ message: question, initialValue: false });
  return answer === true ? reason : null;
}
