import type { Json } from '../model/json.ts';
import type { Finding } from './report-problem.ts';
import type { RawScalar } from './read-yaml.ts';

/** A scalar's value, and what is wrong with how it is written. */
export interface CheckedScalar {
  readonly value: Json;
  readonly finding: Finding | null;
}

/** What begins with a zero and would be read as a number, or as another number by other readers of YAML. */
const LEADING_ZERO = /^[-+]?0[0-9][0-9_]*(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?$/;
const OTHER_BASE = /^[-+]?0(?:x[0-9a-fA-F_]+|o[0-7_]+|b[01_]+)$/;
const BASES: Readonly<Record<string, string>> = { x: 'a hexadecimal', o: 'an octal', b: 'a binary' };
const DECIMAL_DIGITS_MAX = 17;
/** Numbers nearer to zero have fewer digits than others, and in the end none. */
const SMALLEST_EXACT = 2 ** -1022;
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

function numberFinding(node: RawScalar, pointer: string): Finding | null {
  const { text, value } = node;
  if (LEADING_ZERO.test(text)) {
    const message = `\`${text}\` has a leading zero: as a number it would lose it`;
    return {
      code: 'PAWL-017',
      pointer,
      message,
      help: `quote it to keep it as text: "${text}"; the number is written ${Number(text)}`,
    };
  }
  if (OTHER_BASE.test(text)) {
    const base = BASES[text.replace(/^[-+]/, '').charAt(1)] ?? '';
    const meant = typeof value === 'number' ? `write ${value}, or quote it` : 'write it in decimal digits, or quote it';
    const message = `\`${text}\` looks like ${base} number, which other programs read otherwise`;
    return { code: 'PAWL-017', pointer, message, help: `${meant} to keep it as text: "${text}"` };
  }
  if (typeof value !== 'number') return null;
  if (!Number.isFinite(value)) {
    return {
      code: 'PAWL-016',
      pointer,
      message: `\`${text}\` is no number that JSON can hold`,
      help: 'leave it out, or quote it to keep it as text',
    };
  }
  if (Math.abs(value) < SMALLEST_EXACT && /^[^eE]*[1-9]/.test(text)) {
    const message = `the number ${text} is too small: as a number it would lose digits`;
    return { code: 'PAWL-016', pointer, message, help: `quote it to keep it as text: "${text}"` };
  }
  const digits = text
    .replace(/[eE].*$/, '')
    .replace(/[^0-9]/g, '')
    .replace(/^0+/, '');
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER || digits.length > DECIMAL_DIGITS_MAX) {
    const message = `the number ${text} is beyond 2^53 or has more digits than a number keeps`;
    return { code: 'PAWL-016', pointer, message, help: `quote it to keep every digit as text: "${text}"` };
  }
  return null;
}

/** Position of the first `${` (not `$${`) that no `}` follows; -1 where there is none. */
function unclosedTemplate(text: string): number {
  for (let at = text.indexOf('${'); at !== -1; at = text.indexOf('${', at + 2)) {
    if (text[at - 1] !== '$' && text.indexOf('}', at) === -1) return at;
  }
  return -1;
}

/** The comment that follows on the scalar's last line: `#…`; null where there is none. */
function commentAfter(text: string, end: number): string | null {
  let at = end;
  while (text[at] === ' ' || text[at] === '\t') at += 1;
  if (text[at] !== '#') return null;
  const stop = text.indexOf('\n', at);
  return text.slice(at, stop === -1 ? text.length : stop);
}

function commentFinding(node: RawScalar, pointer: string, text: string): Finding | null {
  if (node.style !== 'plain' && node.style !== 'empty') return null;
  const comment = commentAfter(text, node.end);
  if (comment === null) return null;
  const isExpression = node.style === 'plain' && node.text.includes('${');
  if (!isExpression && /^#(?:$|[\s#!])/.test(comment)) return null;
  const start = text.indexOf('#', node.end);
  return {
    code: 'PAWL-015',
    pointer,
    offsets: [start, start + comment.length],
    message: `${isExpression ? 'the expression ends here' : 'the value ends here'}: \` #\` begins a comment`,
    help: 'quote the whole value if `#` belongs to it; else write the comment on a line of its own, with a blank after `#`',
  };
}

/** The first control character that neither JSON text nor a terminal should carry; -1 where there is none. */
function controlCharacter(text: string): number {
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0x7f || (unit < 0x20 && unit !== 0x09 && unit !== 0x0a && unit !== 0x0d)) return unit;
  }
  return -1;
}

/** `- b` after `a` on a deeper line continues the text `a`: nobody means that. */
function foldedItem(node: RawScalar, pointer: string, text: string): Finding | null {
  if (node.style !== 'plain') return null;
  const found = /\n[ ]*(?=- )/.exec(text.slice(node.start, node.end));
  if (found === null) return null;
  const start = node.start + found.index + found[0].length;
  return {
    code: 'PAWL-006',
    pointer,
    offsets: [start, node.end],
    message: 'this line is indented deeper than the one above, so it is no list item but a part of that text',
    help: 'indent it like the items it belongs to',
  };
}

/** A value between one pair of the quotes of word processors, which are letters to YAML. */
const CURLY = /^[“”„‟«‘’‚‛][^“”„‟«»]*[“”‟»’‛‘]$/u;

function curlyFinding({ style, text }: RawScalar, pointer: string): Finding | null {
  if (style !== 'plain' || !CURLY.test(text)) return null;
  const [first = '', last = ''] = [text.at(0), text.at(-1)];
  return {
    code: 'PAWL-027',
    severity: 'warning',
    pointer,
    message: `${first} and ${last} are letters of the value, not quotes around it`,
    help: 'write straight quotes, " or \'; if they belong to the text, put straight ones around them',
  };
}

function textFinding(node: RawScalar, pointer: string): Finding | null {
  const at = unclosedTemplate(node.text);
  if (at !== -1) {
    const message = '`${` has no `}`';
    return {
      code: 'PAWL-014',
      pointer,
      at: [at, at + 2],
      message,
      help: 'close the expression with `}`; a literal `${` is written `$${`',
    };
  }
  const control = controlCharacter(node.text);
  if (control !== -1 || LONE_SURROGATE.test(node.text)) {
    const what =
      control === -1
        ? 'half a character (a lone surrogate)'
        : `the control character U+${control.toString(16).padStart(4, '0').toUpperCase()}`;
    return {
      code: 'PAWL-019',
      pointer,
      message: `the text holds ${what}, which cannot be stored`,
      help: 'take it out',
    };
  }
  return null;
}

/**
 * Checks how a scalar is written and gives its value: numbers that would lose digits stay text, dates and words such as
 * `NO`, `on`, `yes` are text.
 */
export function checkScalar(node: RawScalar, pointer: string, text: string): CheckedScalar {
  const quoted = node.style !== 'plain' && node.style !== 'empty';
  if (!quoted) {
    const finding =
      commentFinding(node, pointer, text) ?? numberFinding(node, pointer) ?? foldedItem(node, pointer, text);
    if (finding !== null) return { value: finding.code === 'PAWL-015' ? node.value : node.text, finding };
  }
  if (typeof node.value !== 'string') return { value: node.value, finding: null };
  return { value: node.value, finding: textFinding(node, pointer) ?? curlyFinding(node, pointer) };
}
