import { FORGOTTEN, IN_RECOVERY, SECRET_MISSING } from '../../../src/decision/judge-outcome.ts';
import type { QueryOrder, ReadOrder, SendOrder } from '../../../src/model/order.ts';
import type { Outcome } from '../../../src/model/outcome.ts';
import type { Json } from '../../../src/model/json.ts';

/**
 * What the provider does with a call (the words of the cases). `unsent`: our own side refuses to start it (E05); `no-secret`:
 * for want of a secret. `forgotten`, `held-back`: because the database may have lost commits (P14). `named`: a refusal that the action's own outcome table names (E15).
 */
export type Word =
  | 'named'
  | 'ok'
  | '503'
  | '500'
  | '429'
  | 'declined'
  | 'refused'
  | 'lost-done'
  | 'lost-not-done'
  | 'hang'
  | 'pending'
  | 'unreadable'
  | 'unsent'
  | 'no-secret'
  | 'forgotten'
  | 'held-back';

/** The world: it has its own book, remembers keys, and does what its script says. */
export class Provider {
  readonly happened: string[] = [];
  readonly calls: string[] = [];
  readonly keys: string[] = [];
  /** Keys that were acted on, with what was answered. */
  readonly book = new Map<string, Json>();
  private readonly script: Map<string, readonly Word[]>;

  constructor(script: Readonly<Record<string, readonly Word[]>>) {
    this.script = new Map(Object.entries(script));
  }

  /** Says from now on. */
  says(action: string, ...words: readonly Word[]): void {
    this.script.set(action, words);
  }

  /** Whether the next sending would get no answer. */
  hangs({ request }: SendOrder): boolean {
    return this.script.get(request.action)?.[0] === 'hang';
  }

  private next(action: string): Word {
    const words = this.script.get(action) ?? ['ok'];
    if (words.length > 1) this.script.set(action, words.slice(1));
    return words[0] ?? 'ok';
  }

  /** One sending; null = no answer for as long as the story wants. */
  send(order: SendOrder): Outcome | null {
    const { action } = order.request;
    const word = this.next(action);
    if (word === 'hang') return null;
    if (word === 'unsent') return outcome('unavailable', { sent: false, code: 'not-sent' });
    if (word === 'no-secret') return withoutSecret();
    if (word === 'forgotten') return outcome('unavailable', { sent: false, code: FORGOTTEN });
    if (word === 'held-back') return outcome('unavailable', { sent: false, code: IN_RECOVERY, retryAfterMs: 10_000 });
    this.calls.push(action);
    this.keys.push(order.effect.key);
    const known = this.book.get(order.effect.key);
    if (known !== undefined && word === 'ok') return outcome('confirmed', { output: known });
    return this.act(order.effect.key, action, word);
  }

  private act(key: string, action: string, word: Word): Outcome {
    switch (word) {
      case 'ok':
        return outcome('confirmed', { output: this.enter(key, action) });
      case 'lost-done':
        this.enter(key, action);
        return outcome('unknown', { code: 'reset' });
      case '503':
      case 'refused':
        return outcome('unavailable');
      case '429':
        return outcome('throttled');
      case 'declined':
        return outcome('rejected', { code: 'declined' });
      case 'named':
        return outcome('rejected', { code: 'declined', named: true });
      case 'pending':
        this.enter(key, action);
        return outcome('pending');
      default:
        return outcome('unknown', { code: word });
    }
  }

  private enter(key: string, action: string): Json {
    const known = this.book.get(key);
    if (known !== undefined) return known;
    this.happened.push(action);
    const answer = { id: `${action}-${this.happened.length}` };
    this.book.set(key, answer);
    return answer;
  }

  /** What a lookup by key finds. */
  query(order: QueryOrder): Outcome {
    const known = this.book.get(order.effect.key);
    return known === undefined ? outcome('absent') : outcome('confirmed', { output: known });
  }

  read(order: ReadOrder): Outcome {
    const { action } = order.request;
    const word = this.next(action);
    if (word === 'no-secret') return withoutSecret();
    this.calls.push(action);
    if (word === 'ok') return outcome('confirmed', { output: { read: this.calls.length } });
    return word === 'declined' ? outcome('rejected', { code: 'declined' }) : outcome('unavailable');
  }
}

function withoutSecret(): Outcome {
  return outcome('unavailable', { sent: false, code: SECRET_MISSING, message: 'the secret token is missing here' });
}

/** An outcome with everything unsaid filled in. */
export function outcome(kind: Outcome['kind'], said: Partial<Outcome> = {}): Outcome {
  return {
    kind,
    code: kind === 'confirmed' ? null : kind,
    message: `the provider said ${kind}`,
    output: undefined,
    named: false,
    retryAfterMs: null,
    externalId: null,
    resultBase64: '',
    sent: true,
    ...said,
  };
}
