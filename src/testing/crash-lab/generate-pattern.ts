/** Characters for a class of a pattern; the first that fits is taken. */
const LETTERS = 'aA0-_ .bcdefghijklmnopqrstuvwxyzBCDEFGHIJKLMNOPQRSTUVWXYZ123456789@/:#';
const CLASSES: Readonly<Record<string, string>> = { d: '0', w: 'a', s: ' ', D: 'a', W: '-', S: 'a' };

/** One element of a pattern and what follows it. */
interface Piece {
  readonly text: string;
  readonly rest: string;
}

/** The end of a bracket that begins at 0, with others inside it. */
function closing(pattern: string, open: string, close: string): number {
  let depth = 0;
  for (let at = 0; at < pattern.length; at += 1) {
    const letter = pattern[at];
    if (letter === '\\') at += 1;
    else if (letter === open) depth += 1;
    else if (letter === close) {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return pattern.length - 1;
}

function element(pattern: string, no: number): Piece {
  const [first = ''] = pattern;
  if (first === '\\') {
    const name = pattern[1] ?? '';
    const digit = name === 'd' ? String(no % 10) : undefined;
    return { text: digit ?? CLASSES[name] ?? name, rest: pattern.slice(2) };
  }
  if (first === '[') return bracket(pattern, no);
  if (first === '(') {
    const end = closing(pattern, '(', ')');
    const [choice = ''] = pattern
      .slice(1, end)
      .replace(/^\?(?::|P?<\w+>)/, '')
      .split('|');
    return { text: generateText(choice, no), rest: pattern.slice(end + 1) };
  }
  return { text: first === '.' ? 'a' : first, rest: pattern.slice(1) };
}

function bracket(pattern: string, no: number): Piece {
  const end = pattern.indexOf(']', 2);
  const set = pattern.slice(0, end + 1);
  const test = new RegExp(`^${set}$`);
  const fitting = [...LETTERS].filter((letter) => test.test(letter));
  // Digits count up, so that two values of one pattern differ.
  const digits = fitting.filter((letter) => letter >= '0' && letter <= '9');
  const text = (digits.length > 1 ? digits[no % digits.length] : fitting[0]) ?? 'a';
  return { text, rest: pattern.slice(end + 1) };
}

/** How often an element comes: as seldom as it may, once where it may be left out. */
function times(rest: string): { readonly count: number; readonly length: number } {
  const exact = /^\{(\d+)(?:,\d*)?\}\??/.exec(rest);
  if (exact !== null) return { count: Number(exact[1]), length: exact[0].length };
  const sign = /^[*+?]\??/.exec(rest);
  return { count: 1, length: sign?.[0].length ?? 0 };
}

/**
 * A text that a simple pattern takes: letters, classes, groups, counts; the caller checks it.
 * @param no makes another text of the same pattern where it has room for digits.
 */
export function generateText(pattern: string, no: number): string {
  let text = '';
  for (let rest = pattern.replace(/^\^/, '').replace(/\$$/, ''); rest !== ''; ) {
    const piece = element(rest, no);
    const { count, length } = times(piece.rest);
    text += piece.text.repeat(count);
    rest = piece.rest.slice(length);
  }
  return text;
}
