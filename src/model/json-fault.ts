/** Where a text stops being JSON, and why. */
export interface JsonFault {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  readonly reason: string;
}

type Expects = 'value' | 'item' | 'key' | 'member' | 'colon' | 'next';

const BLANK = /[ \t\n\r]*/y;
const TEXT = /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const SCALAR = new RegExp(`${TEXT.source}|-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|true|false|null`, 'uy');

const WORDS: Readonly<Record<Exclude<Expects, 'next'>, string>> = {
  value: 'a value',
  item: 'a value or "]"',
  key: 'a name in double quotes',
  member: 'a name in double quotes or "}"',
  colon: '":"',
};

/** Reads JSON piece by piece for as long as it is JSON. */
class Reader {
  readonly #text: string;
  readonly #open: ('{' | '[')[] = [];
  #expects: Expects = 'value';
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** @returns the offset of what is not expected, or null when the whole text is JSON. */
  read(): number | null {
    do this.#take(BLANK);
    while (this.#at < this.#text.length && this.#step());
    const isWhole = this.#at === this.#text.length && this.#open.length === 0 && this.#expects === 'next';
    return isWhole ? null : this.#at;
  }

  expected(): string {
    if (this.#expects !== 'next') return WORDS[this.#expects];
    const open = this.#open.at(-1);
    return open === undefined ? 'the end' : `"," or "${open === '{' ? '}' : ']'}"`;
  }

  #step(): boolean {
    switch (this.#expects) {
      case 'key':
        return this.#take(TEXT, 'colon');
      case 'member':
        return this.#close('}') || this.#take(TEXT, 'colon');
      case 'colon':
        return this.#take(/:/y, 'value');
      case 'next':
        return this.#next();
      case 'item':
        return this.#close(']') || this.#value();
      case 'value':
        return this.#value();
    }
  }

  #value(): boolean {
    const character = this.#text[this.#at];
    if (character !== '{' && character !== '[') return this.#take(SCALAR, 'next');
    this.#open.push(character);
    this.#at += 1;
    this.#expects = character === '{' ? 'member' : 'item';
    return true;
  }

  #next(): boolean {
    const open = this.#open.at(-1);
    if (open === undefined) return false;
    return this.#close(open === '{' ? '}' : ']') || this.#take(/,/y, open === '{' ? 'key' : 'value');
  }

  #close(character: '}' | ']'): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#open.pop();
    this.#at += 1;
    this.#expects = 'next';
    return true;
  }

  /** Goes past what the pattern finds here. */
  #take(pattern: RegExp, then: Expects = this.#expects): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return false;
    this.#at = pattern.lastIndex;
    this.#expects = then;
    return true;
  }
}

/** Finds where a text stops being JSON: what `JSON.parse` refuses, with line and column. @returns null when it is JSON. */
export function findJsonFault(text: string): JsonFault | null {
  const reader = new Reader(text);
  const at = reader.read();
  if (at === null) return null;
  const before = text.slice(0, at);
  const found = at === text.length ? 'it ends there' : `there is ${JSON.stringify([...text.slice(at, at + 2)][0])}`;
  return {
    line: before.split('\n').length,
    column: before.length - before.lastIndexOf('\n'),
    reason: `${reader.expected()} is expected and ${found}`,
  };
}
