import { ClientError, type Problem as ServedProblem, type Reply } from '../client/index.ts';
import {
  ConflictError,
  DefinitionError,
  ERROR_CODES,
  type ErrorCode,
  NotFoundError,
  PawlError,
  RefusedError,
  StoreError,
} from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import type { Problem } from '../model/problem.ts';

/** What the server refuses before it is asked anything: who calls, or how. */
class ServedError extends PawlError {}

/** The kind of an error by the HTTP status of its code; what it ends with is decided by its kind, as for one from here. */
const KINDS: Readonly<Record<number, typeof ServedError>> = {
  401: ServedError,
  403: ServedError,
  404: NotFoundError,
  409: ConflictError,
  412: ConflictError,
  500: ServedError,
  503: StoreError,
};

function isKnown(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CODES, code);
}

/** A place of a workflow file; that it was valid here and not there is for the release to explain. */
function problemAt({ pointer, message, code, source }: ServedProblem['errors'][number], file: string): Problem {
  const { line = 1, column = 1 } = source ?? {};
  return {
    code: code ?? '',
    severity: 'error',
    message,
    file,
    range: { line, column, endLine: line, endColumn: column + 1 },
    pointer,
    help: 'the server says so, and this release did not: they may differ',
    related: [],
  };
}

/** What a server has refused, as the error that it would be here. @param file what was published, where that was asked. */
export function servedError(error: unknown, file = ''): unknown {
  if (!(error instanceof ClientError)) return error;
  const { code, message, problem } = error;
  const isOther = !isKnown(code) || code === 'PAWL_API_NO_ROUTE' || code === 'PAWL_API_METHOD';
  if (isOther)
    return new StoreError(
      'PAWL_SERVER_UNREADABLE',
      `this release does not know the answer ${code}: ${message}`,
      {},
      error,
    );
  if (code === 'PAWL_DEFINITION_INVALID' && problem !== null)
    return new DefinitionError(problem.errors.map((place) => problemAt(place, file)));
  const Kind = KINDS[ERROR_CODES[code].httpStatus] ?? RefusedError;
  const details = (problem?.details ?? {}) as Readonly<Record<string, Json>>;
  return new Kind(code, message, details, error);
}

/** An answer, its refusal told as the same error that it would be here. @param file what is published. */
export async function askServer<T>(call: Promise<Reply<T>>, file?: string): Promise<Reply<T>> {
  try {
    return await call;
  } catch (error) {
    throw servedError(error, file);
  }
}
