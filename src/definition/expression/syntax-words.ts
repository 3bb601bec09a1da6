import type { ExpressionProblemKind } from './expression-problem.ts';
import type { Span } from './syntax-tree.ts';

/** Why a source is no CEL, for a person. */
export interface SyntaxWords {
  readonly kind: ExpressionProblemKind;
  readonly message: string;
  readonly help: string;
  readonly span: Span;
}

/** What an engine's parser says: its code and place; its message is shown only for what has no words of ours. */
export interface ParserFault {
  readonly code: string;
  readonly message: string;
  readonly span: Span;
}

/** Says a parser's fault in words that an author understands, with the mend for the usual slips. */
export function syntaxWords(fault: ParserFault, source: string): SyntaxWords {
  const at = (kind: ExpressionProblemKind, message: string, help: string): SyntaxWords => ({
    kind,
    message,
    help,
    span: fault.span,
  });
  const text = source.slice(fault.span.start, fault.span.end);
  switch (fault.code) {
    case 'limit_exceeded':
      return at('bounds', 'too large or nested too deeply', 'split it: compute parts in `set` steps');
    case 'unterminated_string':
    case 'unterminated_triple_quoted_string':
      return at('syntax', 'a text without its closing quote', 'close it with the quote that it begins with');
    case 'newline_in_string':
      return at('syntax', 'a line break inside a text', 'write \\n, or """ around a text of several lines');
    case 'reserved_identifier':
      return at('syntax', `\`${text}\` is a reserved word of CEL`, 'a key of that name is read as x["name"]');
    case 'invalid_macro_argument':
      return at(
        'syntax',
        'the first argument must be a name for the item',
        'write for example input.lines.map(line, line.qty)',
      );
    case 'int_range':
      return at(
        'syntax',
        `\`${text}\` is no int of 64 bits`,
        `write decimal("${BigInt(text)}"), which takes any digits`,
      );
    case 'invalid_number':
      return at('syntax', `\`${text}\` is larger than any double`, 'write its digits in decimal("…")');
    case 'unexpected_character':
      return at('syntax', `unexpected \`${text}\``, slip(source, fault.span.start));
    default:
      return at('syntax', expected(fault, source), slip(source, fault.span.start));
  }
}

function expected(fault: ParserFault, source: string): string {
  if (fault.span.start >= source.trimEnd().length) return 'the expression ends too early';
  const text = source.slice(fault.span.start, fault.span.end);
  return text === '' ? 'this is not CEL' : `unexpected \`${text}\``;
}

const GENERAL_HELP = 'see what is missing before it: operators stand between two values, texts in quotes';

/** Words of other languages: what stands before and at the place, and the mend. */
const SLIPS: readonly (readonly [before: RegExp, rest: RegExp, help: string])[] = [
  [/[^=!<>]=$/, /^/, 'equality is written =='],
  [/^/, /^=/, 'equality is written =='],
  [/^/, /^and\b/, '`and` is written &&'],
  [/^/, /^or\b/, '`or` between conditions is written ||'],
  [/^/, /^not\b/, '`not` is written !'],
  [/\bnot\s*$/, /^/, '`not` is written !'],
  [/^/, /^[&|]/, 'write && and ||'],
  [/^/, /^is\b/, 'to ask whether something is null, write == null or != null'],
  [/^/, /^\?\?/, 'for a value that may be missing write or(path, default)'],
  [/[.?]$/, /^\?/, 'for a value that may be missing write or(path, default)'],
  [/^/, /^\$/, 'an expression has no $ in it'],
  [/^/, /^[“”‘’]/, 'texts have straight quotes: "…" or \'…\''],
];

function slip(source: string, at: number): string {
  const [before, rest] = [source.slice(0, at), source.slice(at)];
  return SLIPS.find(([left, right]) => left.test(before) && right.test(rest))?.[2] ?? GENERAL_HELP;
}
