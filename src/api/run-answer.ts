import type { Verbs } from '../app/verbs.ts';
import { hashJson } from '../model/hash.ts';
import type { Json } from '../model/json.ts';
import type { Answer } from './route.ts';

type RunView = Awaited<ReturnType<Verbs['show']>>;

/** Digits of the part of a tag that tells two answers of one revision apart: votes and attempts move no revision. */
const TAG_DIGITS = 16;

/** The tag of a run as it is told: its revision, and what the rest of the answer comes to. */
export function etagOf(run: RunView): string {
  return `"${run.revision}-${hashJson(run as unknown as Json).slice(0, TAG_DIGITS)}"`;
}

/** A run as an answer; nothing again to whoever has it already. */
export function answerRun(run: RunView, status: number, ifNoneMatch: string | null = null): Answer {
  const etag = etagOf(run);
  if (ifNoneMatch === etag) return { status: 304, headers: { etag } };
  return { status, body: run, headers: { etag } };
}

/** Something as an answer under a tag of its content; nothing again to whoever has it already. */
export function answerTagged(body: object, ifNoneMatch: string | null): Answer {
  const etag = `"${hashJson(body as unknown as Json).slice(0, TAG_DIGITS)}"`;
  return ifNoneMatch === etag ? { status: 304, headers: { etag } } : { status: 200, body, headers: { etag } };
}
