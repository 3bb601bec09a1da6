import { STATUS_CODES } from 'node:http';
import { DefinitionError, InvariantError, PawlError } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import type { Problem } from '../model/problem.ts';
import { ApiError } from './api-error.ts';
import type { Answer } from './route.ts';

/** One place of a request, or of a workflow file, and what is wrong there. */
export interface ProblemPlace {
  readonly pointer: string;
  readonly message: string;
  /** Of a problem in a workflow file. */
  readonly code?: string;
  readonly source?: { readonly file: string; readonly line: number; readonly column: number };
}

/** RFC 9457, with what a caller must know to go on. */
export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: string;
  readonly requestId: string;
  readonly retry: 'never' | 'later' | 'reconcile';
  readonly errors: readonly ProblemPlace[];
  readonly details: Readonly<Record<string, Json>>;
}

/** The media type of every error. */
export const PROBLEM_MEDIA = 'application/problem+json; charset=utf-8';

/** Seconds after which an overloaded server, or a database that is away, is asked again. */
const RETRY_AFTER_S = '1';

/** What is said of a fault of our own or of the database: its words could name hosts, statements or rows. */
const BUG_WORDS = 'a fault of Pawl; its log says more under this request id';
const AWAY_WORDS = 'the database does not answer as it should; the log says more under this request id';

/** What was wrong about a request: where it was asked, and under which id the log has it. */
export interface ProblemContext {
  readonly requestId: string;
  readonly path: string;
}

/** An error as an answer: nothing of the house's inside is told (S61). */
export function problemAnswer(error: unknown, { requestId, path }: ProblemContext): Answer {
  const known = error instanceof PawlError ? error : new InvariantError(BUG_WORDS, {}, error);
  const { httpStatus: status, code, retry } = known;
  const body: ProblemDocument = {
    type: `urn:pawl:error:${code}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    ...toldOf(known),
    instance: path,
    code,
    requestId,
    retry,
  };
  return {
    status,
    text: { media: PROBLEM_MEDIA, text: JSON.stringify(body) },
    headers: {
      ...(retry === 'later' ? { 'retry-after': RETRY_AFTER_S } : {}),
      ...(known instanceof ApiError ? known.headers : {}),
    },
  };
}

/** What is said of an error: of one that is not the caller's only that it is none. */
function toldOf(error: PawlError): Pick<ProblemDocument, 'detail' | 'errors' | 'details'> {
  const isOurs = error instanceof ApiError;
  const isFault = error.httpStatus >= 500 && !isOurs;
  if (isFault) return { detail: error.httpStatus === 503 ? AWAY_WORDS : BUG_WORDS, errors: [], details: {} };
  return { detail: error.message, errors: placesOf(error), details: error.details };
}

function placesOf(error: PawlError): readonly ProblemPlace[] {
  if (error instanceof DefinitionError) return error.problems.map(placeOfProblem);
  if (error instanceof ApiError) return error.places;
  const { pointer, problems } = error.details;
  if (Array.isArray(problems)) return problems.flatMap((problem: Json) => placeOfFact(problem));
  return typeof pointer === 'string' ? [{ pointer, message: error.message }] : [];
}

/** A problem of a workflow file, as `pawl validate -o json` has it, in the words of the API. */
export function placeOfProblem({ pointer, message, help, code, file, range }: Problem): ProblemPlace {
  const { line, column } = range;
  return { pointer, message: `${message}: ${help}`, code, source: { file, line, column } };
}

function placeOfFact(fact: Json): readonly ProblemPlace[] {
  if (typeof fact !== 'object' || fact === null || Array.isArray(fact)) return [];
  const { pointer, message } = fact as Readonly<Record<string, Json>>;
  return typeof pointer === 'string' && typeof message === 'string' ? [{ pointer, message }] : [];
}
