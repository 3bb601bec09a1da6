import type { RawScalar } from '../read-yaml.ts';

/** Texts that no reader of YAML takes for anything but themselves, in a block or in `{ }`. */
const PLAIN = /^(?:[A-Za-z_/](?:[A-Za-z0-9_ ./+()<>-]*[A-Za-z0-9_./+()<>-])?|=[A-Za-z0-9_.]+)$/;
/** Words that are no texts: in YAML 1.2, and in the 1.1 that other tools still read. */
const WORDS = /^(?:null|true|false|yes|no|on|off|y|n)$/i;
/** What single quotes can hold on one line: no quote, nothing that does not print. */
const QUOTABLE = /^[^'\p{C}\u2028\u2029]*$/u;

/** How a value is written on the line of its key; of several lines where its author broke it. */
export function scalarLines(scalar: RawScalar, source: string): readonly string[] {
  const written = source.slice(scalar.start, scalar.end);
  if (scalar.style === 'literal' || scalar.style === 'folded') return blockLines(scalar, written);
  if (written.includes('\n')) return brokenLines(scalar, written);
  if (scalar.style !== 'single' && scalar.style !== 'double') return [written];
  if (PLAIN.test(scalar.text) && !WORDS.test(scalar.text)) return [scalar.text];
  return [QUOTABLE.test(scalar.text) ? `'${scalar.text}'` : written];
}

/** A key as it is written: quotes only where it would be read as something else. */
export function keyText(key: RawScalar, source: string): string {
  return scalarLines(key, source).join(' ');
}

/** A text that goes on over lines keeps its breaks; what leads a further line is layout. */
function brokenLines({ style }: RawScalar, written: string): readonly string[] {
  const lines = written.split('\n');
  // In double quotes a blank at the end may be meant: it can be behind a `\`.
  const ended = style === 'double' ? lines : lines.map((line) => line.trimEnd());
  return ended.map((line, index) => (index === 0 ? line : indented(line.trimStart())));
}

/** `|` and `>`: the header, then the content two blanks deeper than its key. */
function blockLines({ text }: RawScalar, written: string): readonly string[] {
  const [header = '', ...body] = written.split('\n');
  const keeps = header.includes('+');
  const content = body.slice(0, contentLength(body, keeps ? text : null));
  const first = content.findIndex((line) => line.trim() !== '');
  const leads = (line: string | undefined): number => (line === undefined ? 0 : line.length - line.trimStart().length);
  const inText = leads(text.split('\n').find((line) => line.trim() !== ''));
  const base = Math.max(0, leads(content[first]) - inText);
  const sign = header.replace(/\s.*/, '').replace(/\d/, inText > 0 ? '2' : '');
  return [sign, ...content.map((line) => indented(line.slice(base)))];
}

/** How many lines of a block are content: empty ones at its end only where they are kept. */
function contentLength(body: readonly string[], kept: string | null): number {
  const last = body.findLastIndex((line) => line.trim() !== '') + 1;
  if (kept === null) return last;
  const breaks = kept.length - kept.replace(/\n+$/, '').length;
  return last === 0 ? breaks : last + breaks - 1;
}

function indented(line: string): string {
  return line === '' ? '' : `  ${line}`;
}
