import type { QueryOrder, ReadOrder, SendOrder } from '../model/order.ts';
import type { AttemptReport } from '../model/outcome.ts';
import type { TokenAnswer, TokenGrant } from '../model/token-grant.ts';

export type { QueryOrder, ReadOrder, SendOrder } from '../model/order.ts';

/** Asked immediately before the first byte: true only while the seat has its margin and `sendWithinMs` has not passed (E05). */
export type SendGate = () => boolean;

/** Headers that carry secrets (`auth`, and `headers` that read `secrets.*`): rendered at each sending, never stored or hashed. */
export type SecretHeaders = Readonly<Record<string, string>>;

/** Touches the world. Never throws: what went wrong is in the report. Never retries, never follows a redirect. */
export interface ActionAdapter {
  send(order: SendOrder, secrets: SecretHeaders, gate: SendGate, signal: AbortSignal): Promise<AttemptReport>;
  query(order: QueryOrder, secrets: SecretHeaders, signal: AbortSignal): Promise<AttemptReport>;
  read(order: ReadOrder, secrets: SecretHeaders, signal: AbortSignal): Promise<AttemptReport>;
  /** A token for these credentials, remembered until shortly before it expires. `timeoutMs` bounds the asking. */
  token(grant: TokenGrant, timeoutMs: number, signal: AbortSignal): Promise<TokenAnswer>;
  /** The provider has refused this token: the next one is asked for. */
  forgetToken(grant: TokenGrant, token: string): void;
  /** Functions that a version needs and this process lacks (`name@contract`); such runs are held (pin). */
  missing(functions: readonly string[]): readonly string[];
}
