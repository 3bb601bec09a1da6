import type { Json } from '../../model/json.ts';
import type { OperationRoutes } from './operations.ts';
import type { ScriptTexts } from './script.ts';

/** How a provider behaves. Everything but the book's file may be left out. */
export interface ProviderOptions {
  /** The book: a file that outlives the process. The same file again goes on where the last one stopped. */
  readonly bookFile: string;
  /** Port on loopback; 0 (default) takes a free one. */
  readonly port?: number;
  /** `honoured` (default): a key that was seen gets its first answer again, and another request under it 422. `ignored`: every accepted call acts. */
  readonly keys?: 'honoured' | 'ignored';
  /** Header that holds the key; default `idempotency-key`. */
  readonly keyHeader?: string;
  /** Field of the JSON body that holds the key instead. */
  readonly keyField?: string;
  /** Whether one can ask what happened; default true. */
  readonly lookup?: boolean;
  /** What it does with each call, by operation (`GET charge` for lookups and records); default `ok`. */
  readonly script?: ScriptTexts;
  /** Names of operations by `METHOD /path`; otherwise the path is the name (`POST /charge` is `charge`). */
  readonly operations?: OperationRoutes;
  /** Documents that a plain GET of the path answers, for actions with `effect: read`; `*` stands for any last segment (`/charges/*`). */
  readonly records?: Readonly<Record<string, Json>>;
  /** What a lost answer looks like: the connection is reset (default) or nothing comes. */
  readonly lost?: 'reset' | 'silence';
  /** When `late-done` and `pending` happen, milliseconds after the call; default 200. */
  readonly lateMs?: number;
  /** How long the door is shut for each `refused`, milliseconds; default 500. */
  readonly refusedMs?: number;
  /** `Retry-After` of a 429, seconds; default 1. */
  readonly retryAfterSeconds?: number;
}
