import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { RefusedError } from '../../model/errors.ts';
import type { Json } from '../../model/json.ts';
import { openBook } from './book.ts';
import type { Book, DuePromise } from './book.ts';
import { createDesk } from './desk.ts';
import type { Desk, IncomingCall, Reaction } from './desk.ts';
import { findItem, listItems } from './lookup.ts';
import { nameOperations } from './operations.ts';
import type { ProviderOptions } from './options.ts';
import { readScripts, wordFor, wordText } from './script.ts';
import type { Script, ScriptTexts, ScriptWord } from './script.ts';

/** A body beyond this is not read: no request of a test is larger. */
const BODY_BYTES_MAX = 4_194_304;
const CONTROL = '/_provider/';
const CONTROL_VERBS = ['GET book', 'GET script', 'PUT script', 'POST forget-keys'];
const PAGE = '<!doctype html><title>Thank you</title><p>Your order has been received.';

/** The value of a header that comes once, else null. */
function headerOf(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A whole number from a header, else null. */
function numberOf(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** Reads a JSON body; undefined when it is too large or no JSON. An empty body is null. */
async function readJson(request: IncomingMessage): Promise<Json | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  if (bytes === 0) return null;
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Json;
  } catch {
    return undefined;
  }
}

/** A segment of a path as text; as it came where it is no text. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Ends the connection with a reset, so that the caller cannot tell it from a crash. */
function reset(socket: Socket): void {
  socket.resetAndDestroy();
}

/** Sends JSON. */
function sendJson(
  response: ServerResponse,
  status: number,
  body: Json,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** The provider behind its HTTP server: names calls, takes their words from the scripts, lets the desk act. */
export class ProviderService {
  readonly book: Book;
  readonly #options: ProviderOptions;
  readonly #desk: Desk;
  readonly #name: ReturnType<typeof nameOperations>;
  readonly #scripts = new Map<string, Script>();
  /** Calls that an operation had when its script was set. */
  readonly #bases = new Map<string, number>();
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(options: ProviderOptions) {
    this.#options = options;
    this.#name = nameOperations(options.operations ?? {});
    for (const script of readScripts((options.script ?? {}) as Json)) this.#scripts.set(script.operation, script);
    this.book = openBook(options.bookFile);
    this.#desk = createDesk(this.book, {
      keys: options.keys ?? 'honoured',
      retryAfterSeconds: options.retryAfterSeconds ?? 1,
      onPromise: (promise) => this.#schedule(promise),
    });
    for (const promise of this.book.promises.values()) this.#schedule(promise);
  }

  setScript(texts: ScriptTexts | Json): void {
    const scripts = readScripts(texts as Json);
    for (const script of scripts) {
      this.#scripts.set(script.operation, script);
      this.#bases.set(script.operation, this.#countCalls(script.operation));
    }
  }

  /** Whether some operation's next word shuts the door. */
  isRefusing(): boolean {
    return [...this.#scripts.keys()].some((operation) => this.#nextWord(operation).kind === 'refused');
  }

  /** Notes one refused call for each operation whose turn it was. */
  noteRefused(): void {
    for (const operation of this.#scripts.keys()) {
      const word = this.#nextWord(operation);
      if (word.kind !== 'refused') continue;
      this.book.append([{ kind: 'call', operation, word: wordText(word), key: null, attempt: null, status: null }]);
    }
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.book.close();
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://provider');
    const body = await readJson(request);
    if (body === undefined) return sendJson(response, 400, { error: 'unreadable-body' });
    if (url.pathname.startsWith(CONTROL))
      return this.#control(request, response, url.pathname.slice(CONTROL.length), body);
    if (request.method === 'GET') return this.#look(url, response);
    const call = this.#callOf(request, url.pathname, body);
    this.#react(response, this.#desk.serve(call, this.#nextWord(call.operation)));
  }

  #callOf(request: IncomingMessage, path: string, body: Json): IncomingCall {
    const { keyHeader = 'idempotency-key', keyField } = this.#options;
    const field: unknown =
      keyField !== undefined && typeof body === 'object' && body !== null ? Reflect.get(body, keyField) : null;
    return {
      operation: this.#name(request.method ?? 'POST', path).operation,
      path,
      key: typeof field === 'string' ? field : headerOf(request, keyHeader.toLowerCase()),
      effect: headerOf(request, 'pawl-effect'),
      attempt: numberOf(headerOf(request, 'pawl-attempt')),
      fence: numberOf(headerOf(request, 'pawl-fence')),
      request: body,
    };
  }

  #countCalls(operation: string): number {
    return this.book.calls.filter((call) => call.operation === operation).length;
  }

  #nextWord(operation: string): ScriptWord {
    return wordFor(this.#scripts.get(operation), this.#countCalls(operation) - (this.#bases.get(operation) ?? 0));
  }

  #schedule(promise: DuePromise): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#desk.keep(promise);
    }, this.#options.lateMs ?? 200);
    timer.unref();
    this.#timers.add(timer);
  }

  #react(response: ServerResponse, reaction: Reaction): void {
    if (reaction.kind === 'silence') return;
    if (reaction.kind === 'lost') {
      if (this.#options.lost !== 'silence' && response.socket !== null) reset(response.socket);
      return;
    }
    if (reaction.kind === 'page') {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      response.end(PAGE);
      return;
    }
    const { status, body, retryAfterSeconds } = reaction;
    sendJson(
      response,
      status,
      body,
      retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) },
    );
  }

  /** A question: scripted like a call, under `GET <operation>`. */
  #look(url: URL, response: ServerResponse): void {
    const { operation, answer } = this.#lookUp(url);
    const scripted = `GET ${operation}`;
    const word = this.#nextWord(scripted);
    if (word.kind === 'ok') {
      const status = answer === null ? 404 : 200;
      this.book.append([{ kind: 'call', operation: scripted, word: wordText(word), key: null, attempt: null, status }]);
      sendJson(response, status, answer ?? { error: 'not-found' });
      return;
    }
    const call = {
      operation: scripted,
      path: url.pathname,
      key: null,
      effect: null,
      attempt: null,
      fence: null,
      request: null,
    };
    // A question does nothing, however its answer is lost.
    const isLost = word.kind !== 'hang' && word.kind !== 'status';
    this.#react(response, this.#desk.serve(call, isLost ? { kind: 'lost-not-done' } : word));
  }

  /** A record, a list (`/charge?key=K`) or one item (`/charge/K`); null = there is none. */
  #lookUp(url: URL): { readonly operation: string; readonly answer: Json | null } {
    const path = url.pathname;
    const { operation, isDeclared } = this.#name('POST', path);
    const cut = path.lastIndexOf('/');
    const record = Object.entries(this.#options.records ?? {}).find(
      ([at]) => at === path || at === `${path.slice(0, cut)}/*`,
    );
    if (record !== undefined) return { operation, answer: record[1] };
    const isList = url.search !== '' || isDeclared || cut <= 0;
    const asked = isList ? operation : this.#name('POST', path.slice(0, cut)).operation;
    if (this.#options.lookup === false) return { operation: asked, answer: null };
    if (isList) return { operation, answer: listItems(this.book, path, url.searchParams) };
    return {
      operation: asked,
      answer: findItem(this.book, path.slice(0, cut), decoded(path.slice(cut + 1))),
    };
  }

  /** For the process form: the book, the scripts and other ones, forgetting keys. What cannot be read is told, with 400. */
  #control(request: IncomingMessage, response: ServerResponse, verb: string, body: Json): void {
    try {
      const done = this.#obey(`${request.method} ${verb}`, body);
      if (done === null) sendJson(response, 404, { error: 'not-found', verbs: CONTROL_VERBS });
      else sendJson(response, 200, done);
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      sendJson(response, 400, { error: error.code, message: error.message });
    }
  }

  /** Does what is asked; null when it is no verb. */
  #obey(asked: string, body: Json): Json | null {
    if (asked === 'GET book') return { effects: this.book.entries, calls: this.book.calls } as unknown as Json;
    if (asked === 'GET script') return this.#scriptTexts();
    if (asked === 'PUT script') this.setScript(body);
    else if (asked === 'POST forget-keys') this.book.append([{ kind: 'forget' }]);
    else return null;
    return {};
  }

  /** The scripts as they were set, word by word. */
  #scriptTexts(): Json {
    return Object.fromEntries(
      [...this.#scripts.values()].map(({ operation, words }) => [operation, words.map(wordText)]),
    );
  }
}
