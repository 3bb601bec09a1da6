import { ConflictError, DefinitionError, NotFoundError, PawlError, RefusedError, StaleError } from '../model/errors.ts';
import type { CliContext } from './cli-context.ts';
import { codeFrame } from './code-frame.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { terminalText } from './terminal-text.ts';

/** A command was called in a way that cannot be meant; exit 2. */
export class UsageError extends Error {}

/** Tells an error to whoever called: words on stderr, or the same as data with `-o json`; returns the exit code. */
export function reportError(context: CliContext, error: unknown): ExitCode {
  if (error instanceof UsageError) {
    context.say(terminalText(error.message));
    return EXIT.usage;
  }
  if (!(error instanceof PawlError)) throw error;
  if (context.options.output === 'json') {
    const problems = error instanceof DefinitionError ? error.problems : [];
    context.say(
      JSON.stringify({
        error: { code: error.code, message: error.message, retry: error.retry, details: error.details, problems },
      }),
    );
  } else {
    sayError(context, error);
  }
  return exitOf(error);
}

function sayError(context: CliContext, error: PawlError): void {
  if (error instanceof DefinitionError) {
    for (const problem of error.problems)
      context.say(`${codeFrame(problem, context.sources.get(problem.file) ?? '', context.paint)}\n`);
    return;
  }
  context.say(`${context.paint.bad(`error ${error.code}`)} ${terminalText(error.message)}`);
}

function exitOf(error: PawlError): ExitCode {
  if (
    error instanceof DefinitionError ||
    error.code === 'PAWL_INPUT_INVALID' ||
    error.code === 'PAWL_VALUE_NOT_STORABLE'
  )
    return EXIT.invalid;
  if (error instanceof NotFoundError) return EXIT.notFound;
  if (error.httpStatus === 503) return EXIT.unreachable;
  if (error.code === 'PAWL_CONFIG_INVALID') return EXIT.usage;
  return error instanceof ConflictError || error instanceof StaleError || error instanceof RefusedError
    ? EXIT.conflict
    : EXIT.runFailed;
}
