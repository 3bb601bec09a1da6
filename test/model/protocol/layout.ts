/** How the fields of a state (one byte each while it is worked on) lie in 32-bit words while it is kept. */
export interface Layout {
  /** Words of a kept state. */
  readonly words: number;
  /** Writes the fields of a state into words. */
  readonly pack: (fields: Uint8Array, words: Uint32Array) => void;
  /** Reads the fields back from the words that begin at an index. */
  readonly unpack: (words: Uint32Array, at: number, fields: Uint8Array) => void;
}

const WORD_BITS = 32;

/**
 * Lays fields out, in order, none across two words.
 * @param bits width of each field, 0 to 8; a field of no bits is always 0
 */
export function layoutOf(bits: readonly number[]): Layout {
  const wordOf = new Uint8Array(bits.length);
  const shiftOf = new Uint8Array(bits.length);
  const maskOf = Uint8Array.from(bits, (width) => (1 << width) - 1);
  const lastOf: number[] = [];
  let word = 0;
  let used = 0;
  for (const [field, width] of bits.entries()) {
    if (used + width > WORD_BITS) {
      lastOf[word] = field;
      word += 1;
      used = 0;
    }
    wordOf[field] = word;
    shiftOf[field] = used;
    used += width;
  }
  const size = bits.length;
  lastOf[word] = size;
  return {
    words: word + 1,
    pack(fields, words) {
      let field = 0;
      for (let at = 0; at < lastOf.length; at += 1) {
        let packed = 0;
        for (const last = Number(lastOf[at]); field < last; field += 1)
          packed |= Number(fields[field]) << Number(shiftOf[field]);
        words[at] = packed;
      }
    },
    unpack(words, at, fields) {
      for (let field = 0; field < size; field += 1) {
        const bitsOfWord = Number(words[at + Number(wordOf[field])]);
        fields[field] = (bitsOfWord >>> Number(shiftOf[field])) & Number(maskOf[field]);
      }
    },
  };
}
