import type { App } from '../app/create-app.ts';
import type { Caller } from '../app/caller.ts';
import type { ApiRight } from '../model/api-key.ts';
import type { JsonSchema } from '../model/definition.ts';
import type { Json } from '../model/json.ts';
import type { Pulse } from './pulse.ts';
import type { Streams } from './streams.ts';

/** What a route needs that goes on answering. */
export interface Watching {
  readonly pulse: Pulse;
  readonly streams: Streams;
  /** Who asks, looked up anew. @throws PAWL_API_UNAUTHENTICATED, PAWL_STORE_*. */
  readonly admit: () => Promise<Caller>;
}

/** What the handler of a route is given; everything in it fits the route's row. */
export interface Call {
  readonly app: App;
  readonly caller: Caller;
  /** Who calls a route that needs no key, by the key that they show all the same. @throws PAWL_API_UNAUTHENTICATED. */
  identify(): Promise<Caller>;
  readonly params: Readonly<Record<string, string>>;
  /** Only what was given. */
  readonly query: Readonly<Record<string, string>>;
  /** The body as JSON, or as the text that it is; null where the route takes none. */
  readonly body: Json;
  /** The caller's name for this act: it is the id of the event in the run's inbox. */
  readonly idempotencyKey: string | null;
  /** The revision that the act is meant for. */
  readonly ifMatch: number | null;
  readonly ifNoneMatch: string | null;
  /** The trace that the caller is in (W3C); null = none that can be read. */
  readonly traceparent: string | null;
  /** Behind which event a stream goes on. */
  readonly lastEventId: string | null;
  readonly watching: Watching;
  /** Ends what waits: the caller has left, or the server stops. */
  readonly leaving: AbortSignal;
  /** The release of this server. */
  readonly release: string;
}

/** What a handler answers. */
export interface Answer {
  readonly status: number;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly text?: { readonly media: string; readonly text: string };
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent piece by piece as it comes, instead of `body`: server-sent events. */
  readonly stream?: AsyncIterable<string>;
}

/** How an answer of a route is described. */
export interface AnswerDoc {
  readonly description: string;
  /** Absent: the body is text of `media`, or there is none. */
  readonly schema?: JsonSchema;
  readonly media?: readonly string[];
}

/** What a query parameter may be: a text that fits a schema. */
export interface QueryDoc {
  readonly description: string;
  readonly schema: JsonSchema;
}

/** What a body is: JSON of a schema, or a text of one of some media types. */
export type BodyDoc =
  | { readonly kind: 'json'; readonly schema: JsonSchema; readonly example: Json }
  | { readonly kind: 'text'; readonly media: readonly string[]; readonly example: string };

/** A row of the table: everything that the server, the document and the tests know of a route. */
export interface Route {
  /** The name of the operation, unique. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** `{name}` stands for one part. */
  readonly path: string;
  readonly summary: string;
  /** What a key must be good for; null = anybody is answered, without a key. */
  readonly right: ApiRight | null;
  /** What lets a caller in instead of a key, before a body is read; absent = nothing. @throws PAWL_API_UNAUTHENTICATED. */
  readonly admit?: (app: App, params: Call['params']) => void;
  readonly query?: Readonly<Record<string, QueryDoc>>;
  readonly body?: BodyDoc;
  /** Whether `Idempotency-Key` must be sent, or may be; absent: it is not read. */
  readonly idempotency?: 'required' | 'optional';
  /** Whether `If-Match` must be sent, or may be; absent: it is not read. */
  readonly ifMatch?: 'required' | 'optional';
  /** It answers with a stream, and `Last-Event-ID` says where that goes on; absent: it is not read. */
  readonly resumes?: true;
  readonly answers: Readonly<Record<number, AnswerDoc>>;
  readonly handle: (call: Call) => Promise<Answer>;
}

/** The names that stand in braces in a path, in their order. */
export function paramsOf({ path }: Pick<Route, 'path'>): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

/** Whether a path is one of a route, whatever stands for its names. */
export function isPathOf({ path }: Pick<Route, 'path'>, given: string): boolean {
  const parts = path.split('/');
  const others = given.split('/');
  return (
    parts.length === others.length &&
    parts.every((part, at) => part === others[at] || (part.startsWith('{') && others[at] !== ''))
  );
}
