/** What may happen outside and in which order. */
export type EffectPattern =
  | { readonly kind: 'one'; readonly name: string }
  | { readonly kind: 'row'; readonly parts: readonly EffectPattern[] }
  /** The branches in any order, each in its own. */
  | { readonly kind: 'any'; readonly branches: readonly EffectPattern[] };

/** A name in an effects text, and where: UTF-16 offsets. */
export interface NamedEffect {
  readonly name: string;
  readonly at: readonly [start: number, end: number];
}

/** An effects text as it was read, or why it cannot be. */
export type EffectsReading =
  | { readonly ok: true; readonly pattern: EffectPattern; readonly names: readonly NamedEffect[] }
  | { readonly ok: false; readonly message: string; readonly at: readonly [start: number, end: number] };

/** Nothing happens. */
export const NOTHING: EffectPattern = { kind: 'row', parts: [] };

/** More of one thing than any scenario has. */
const TIMES_MAX = 10_000;
const REPEATED = /^(.*\S)\s+x\s*([1-9]\d{0,4})$/s;

interface Token {
  readonly text: string;
  readonly at: readonly [start: number, end: number];
}

class EffectsFault extends Error {
  readonly at: Token['at'];
  constructor(message: string, at: Token['at']) {
    super(message);
    this.at = at;
  }
}

/** Signs, and what stands between them without the blanks around it. */
function tokensOf(text: string): readonly Token[] {
  return [...text.matchAll(/[,;{}]|[^,;{}]+/g)].flatMap((match): readonly Token[] => {
    const trimmed = match[0].trim();
    if (trimmed === '') return [];
    const start = match.index + match[0].indexOf(trimmed);
    return [{ text: trimmed, at: [start, start + trimmed.length] }];
  });
}

/** Reads `a, {b ; c}, d x3`. */
class EffectsParser {
  readonly names: NamedEffect[] = [];
  readonly #tokens: readonly Token[];
  readonly #end: Token;
  #next = 0;

  constructor(text: string) {
    this.#tokens = tokensOf(text);
    this.#end = { text: '', at: [Math.max(0, text.length - 1), text.length] };
  }

  parse(): EffectPattern {
    const row = this.#row();
    const rest = this.#peek();
    if (rest !== this.#end) throw new EffectsFault(`\`${rest.text}\` has no place here`, rest.at);
    return row;
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? this.#end;
  }

  /** Takes the next token if it is that sign. */
  #takes(sign: string): boolean {
    if (this.#peek().text !== sign) return false;
    this.#next += 1;
    return true;
  }

  #row(): EffectPattern {
    const parts = [this.#part()];
    while (this.#takes(',')) parts.push(this.#part());
    return { kind: 'row', parts };
  }

  #part(): EffectPattern {
    const opening = this.#peek();
    if (!this.#takes('{')) return this.#name();
    const branches = [this.#row()];
    while (this.#takes(';')) branches.push(this.#row());
    if (!this.#takes('}')) throw new EffectsFault('`{` is never closed', opening.at);
    return { kind: 'any', branches };
  }

  #name(): EffectPattern {
    const token = this.#peek();
    if (token === this.#end || /^[,;{}]$/.test(token.text)) throw new EffectsFault('a name is missing', token.at);
    this.#next += 1;
    const [, name = token.text, times = '1'] = REPEATED.exec(token.text) ?? [];
    if (Number(times) > TIMES_MAX) throw new EffectsFault(`at most x${TIMES_MAX}`, token.at);
    this.names.push({ name, at: [token.at[0], token.at[0] + name.length] });
    const one = { kind: 'one', name } as const;
    return times === '1' ? one : { kind: 'row', parts: Array.from({ length: Number(times) }, () => one) };
  }
}

/** Reads an effects text: `a, b` in this order, `{a ; b}` in any order, `a x3` three times, `-` nothing. */
export function readEffects(text: string): EffectsReading {
  if (text.trim() === '-') return { ok: true, pattern: NOTHING, names: [] };
  const parser = new EffectsParser(text);
  try {
    return { ok: true, pattern: parser.parse(), names: parser.names };
  } catch (error) {
    if (!(error instanceof EffectsFault)) throw error;
    return { ok: false, message: error.message, at: error.at };
  }
}

/** Names as an effects text: the same one after the other is counted. */
export function effectsText(names: readonly string[]): string {
  const counted: { readonly name: string; times: number }[] = [];
  for (const name of names) {
    const last = counted.at(-1);
    if (last?.name === name) last.times += 1;
    else counted.push({ name, times: 1 });
  }
  if (counted.length === 0) return '-';
  return counted.map(({ name, times }) => (times === 1 ? name : `${name} x${times}`)).join(', ');
}
