import { cutText } from '../model/cut-text.ts';
import { LINK_TOKEN } from '../model/link.ts';

/** What stands where a secret stood. */
const CENSORED = '[secret]';
/** Longer texts are no facts but payloads. */
const TEXT_CHARS_MAX = 1_000;
const DEPTH_MAX = 4;
const ITEMS_MAX = 100;
/** Whoever holds one can act by it, and it is made anew at each sending: known by its form alone. */
const TOKENS = new RegExp(LINK_TOKEN.source, 'g');
/** A shorter secret would hide half of every log, and is none. */
const SECRET_CHARS_MIN = 6;

/** The forms in which a secret leaves by accident: as it is, in a URL, in base 64. */
function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret, 'utf8');
  const base64 = bytes.toString('base64').replace(/=+$/, '');
  return [secret, encodeURIComponent(secret), base64, bytes.toString('base64url')];
}

/** Facts as they may be written down. */
class Scrubber {
  readonly #forms: readonly string[];

  constructor(secrets: readonly string[]) {
    const long = secrets.filter((secret) => secret.length >= SECRET_CHARS_MIN);
    this.#forms = [...new Set(long.flatMap(formsOf))];
  }

  scrub(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'bigint') return String(value);
    if (typeof value !== 'object' || value === null) return typeof value === 'function' ? '[function]' : value;
    if (depth >= DEPTH_MAX) return '[deep]';
    if (value instanceof Error) return this.#error(value);
    if (Array.isArray(value)) return value.slice(0, ITEMS_MAX).map((item) => this.scrub(item, depth + 1));
    const entries = Object.entries(value).slice(0, ITEMS_MAX);
    return Object.fromEntries(entries.map(([name, item]) => [this.text(name), this.scrub(item, depth + 1)]));
  }

  /** Censored before it is cut: half a secret at the cut would not be found. */
  text(value: string): string {
    const secret = this.#forms.reduce((text, form) => text.replaceAll(form, CENSORED), value);
    const clean = secret.replaceAll(TOKENS, CENSORED);
    return clean.length > TEXT_CHARS_MAX ? `${cutText(clean, TEXT_CHARS_MAX)}…` : clean;
  }

  /** Name and code; a message of others can hold anything. */
  #error(error: Error): Readonly<Record<string, unknown>> {
    const code: unknown = Reflect.get(error, 'code');
    return { name: this.text(error.name), ...(typeof code === 'string' ? { code: this.text(code) } : {}) };
  }
}

/**
 * Facts without secrets: every text that holds one (as it is, URL-encoded, in base 64) or a link has it censored, errors are
 * reduced to name and code, and what is long or deep is cut.
 * @param secrets the values that must not appear; those under 6 characters are not looked for.
 */
export function scrubFacts(facts: Readonly<Record<string, unknown>>, secrets: readonly string[]): object {
  return new Scrubber(secrets).scrub(facts, 0) as object;
}
