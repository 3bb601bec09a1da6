import { type Operations, OPERATIONS } from './generated/operations.generated.ts';
import { type Asked, makeRequest, readBase, readKey } from './make-request.ts';
import { type Reply, send } from './send.ts';

/** Which server, and who asks. */
export interface ClientOptions {
  /** Its address, as `https://pawl.example.com`; a path before `/v1` is kept. */
  readonly url: string;
  /** An API key (`pawl key create`); left out where the server asks for none. */
  readonly key?: string;
  /** How long one answer may take, milliseconds, beside what `wait` asks for; 30 000 unless given. */
  readonly timeoutMs?: number;
  /** What sends; the global `fetch` unless given. */
  readonly fetch?: typeof fetch;
}

type Id = keyof Operations;
type CallOf<Name extends Id> = Operations[Name]['call'] & { readonly signal?: AbortSignal };
/** What need not be said may be left out altogether. */
type Given<Name extends Id> = Partial<CallOf<Name>> extends CallOf<Name> ? [call?: CallOf<Name>] : [call: CallOf<Name>];

/**
 * Every operation of the API by its name. Each throws ClientError; each is sent again by itself where that is safe: when nothing
 * was done, or when it reads, or under the same name of the act.
 */
export type Client = {
  readonly [Name in Id]: (...given: Given<Name>) => Promise<Reply<Operations[Name]['answer']>>;
};

const TIMEOUT_MS = 30_000;

/** Makes a client; nothing is sent yet. @throws TypeError for what is no address of a server, or no key. */
export function createClient({ url, key, timeoutMs = TIMEOUT_MS, fetch: fetcher = fetch }: ClientOptions): Client {
  const destination = { base: readBase(url), key: key === undefined ? null : readKey(key), timeoutMs };
  const calls = Object.entries(OPERATIONS).map(([name, operation]) => [
    name,
    async (asked: Asked = {}) => send(fetcher, makeRequest(destination, operation, asked)),
  ]);
  return Object.fromEntries(calls) as Client;
}
