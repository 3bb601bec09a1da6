import { ConfigFileError } from '../app/config.ts';
import { ConflictError, DefinitionError, NotFoundError, PawlError, RefusedError, StaleError } from '../model/errors.ts';
import type { Problem } from '../model/problem.ts';
import type { CliContext } from './cli-context.ts';
import { codeFrame } from './code-frame.ts';
import { ERROR_HELP } from './error-help.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { hidePasswords, words } from './hide-passwords.ts';
import { PlacedConflict } from './tell-version-conflict.ts';
import { terminalJson } from './terminal-text.ts';

/** A command was called in a way that cannot be meant; exit 2. */
export class UsageError extends PawlError {
  constructor(message: string) {
    super('PAWL_USAGE', message);
  }
}

/**
 * Tells an error to whoever called: words on stderr, or with `-o json` the same as data, one line of JSON as the last
 * line of stderr. No password of an address is told (rule P12).
 * @returns the exit code.
 */
export function reportError(context: CliContext, error: unknown): ExitCode {
  if (!(error instanceof PawlError)) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    context.say(`${context.paint.bad('error')} ${text.split('\n').map(words).join('\n')}`);
    context.say('this is a fault of Pawl: please report it');
    return EXIT.internal;
  }
  if (context.options.output === 'json' || context.options.output === 'jsonl') {
    const problems = problemsOf(error);
    const { code, message, retry, details } = error;
    context.say(hiddenJson({ error: { code, message, retry, details, problems, help: ERROR_HELP[code] } }));
  } else {
    sayError(context, error);
  }
  return exitOf(error);
}

/** Hidden text by text: in the JSON of them all an address would have no end. */
function hiddenJson(value: unknown): string {
  const hide = (_: string, item: unknown): unknown => (typeof item === 'string' ? hidePasswords(item) : item);
  return terminalJson(JSON.parse(JSON.stringify(value, hide)));
}

function sayError(context: CliContext, error: PawlError): void {
  const { paint } = context;
  const placed = problemsOf(error);
  if (placed.length > 0) {
    const source = error instanceof ConfigFileError ? error.text : context.sources;
    for (const problem of placed) context.say(`${codeFrame(problem, source, paint)}\n`);
    return;
  }
  if (error instanceof UsageError) {
    context.say(`${paint.bad('error')} ${words(error.message)}`);
    return;
  }
  context.say(`${paint.bad(`error ${error.code}`)} ${words(error.message)}`);
  context.say(`  ${paint.quiet('=')} help: ${ERROR_HELP[error.code]}`);
}

function problemsOf(error: PawlError): readonly Problem[] {
  if (error instanceof PlacedConflict) return [error.problem];
  return error instanceof DefinitionError || error instanceof ConfigFileError ? error.problems : [];
}

/** What was given does not fit: as an input, or as the request that a server was sent. */
const INVALID: ReadonlySet<string> = new Set(['PAWL_INPUT_INVALID', 'PAWL_VALUE_NOT_STORABLE', 'PAWL_API_MALFORMED']);
/** A server does not know who calls, or does not let them. */
const AUTH: ReadonlySet<number> = new Set([401, 403]);

function exitOf(error: PawlError): ExitCode {
  if (error instanceof UsageError || error.code === 'PAWL_CONFIG_INVALID') return EXIT.usage;
  if (error instanceof DefinitionError || INVALID.has(error.code)) return EXIT.invalid;
  if (AUTH.has(error.httpStatus)) return EXIT.auth;
  if (error instanceof NotFoundError) return EXIT.notFound;
  if (error.httpStatus === 503) return EXIT.unreachable;
  return error instanceof ConflictError || error instanceof StaleError || error instanceof RefusedError
    ? EXIT.conflict
    : EXIT.internal;
}
