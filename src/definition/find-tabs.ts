import type { RawDocument, RawNode } from './read-yaml.ts';
import type { Finding } from './report-problem.ts';

type Span = readonly [start: number, end: number];

/** Texts in which a line may begin with a tab: block scalars and quoted texts over several lines. */
function protectedSpans(node: RawNode | null): Span[] {
  if (node === null) return [];
  if (node.kind === 'list') return node.items.flatMap(protectedSpans);
  if (node.kind === 'map')
    return node.entries.flatMap(({ key, value }) => [...protectedSpans(key), ...protectedSpans(value)]);
  return node.kind === 'scalar' && node.style !== 'plain' && node.style !== 'empty' ? [[node.start, node.end]] : [];
}

/** A file whose indentation has tabs: what to say, and the text with each tab made harmless (offsets stay true). */
export interface TabbedText {
  readonly finding: Finding;
  readonly text: string;
  /** Lines that were blanked, since their depth cannot be known. */
  readonly blanked: readonly Span[];
}

const IN_INDENTATION = /^[ ]*\t[ \t]*(?=[^\s#])/gm;
/** `-⇥id: a`: what follows the dash is the indentation of the map's other keys. */
const AFTER_DASH = /(?<=^[ \t]*(?:-[ \t]+)*-[ ]*)\t[ \t]*(?=[^\s#'"{[|>&*!-][^\n]*:(?:\s|$))/gm;

/** Where a form is found outside texts that may have tabs. */
function matchesOutside(texts: readonly Span[], text: string, form: RegExp): readonly Span[] {
  const found: Span[] = [];
  let next = 0;
  for (const { index, 0: match } of text.matchAll(form)) {
    while ((texts[next]?.[1] ?? Number.POSITIVE_INFINITY) <= index) next += 1;
    if ((texts[next]?.[0] ?? Number.POSITIVE_INFINITY) >= index) found.push([index, index + match.length]);
  }
  return found;
}

/** The text with blanks in place of some parts, so that offsets stay true. */
function blank(text: string, parts: readonly Span[]): string {
  let at = 0;
  let result = '';
  for (const [start, end] of parts) {
    result += text.slice(at, start) + ' '.repeat(end - start);
    at = end;
  }
  return result + text.slice(at);
}

/**
 * Finds tabs in the indentation. Where every indented line uses tabs only, one tab is one level and the structure is
 * kept; where few lines have them among blanks, those lines are left out.
 */
export function findTabs(document: RawDocument, text: string): TabbedText | null {
  const texts = protectedSpans(document.root);
  const indents = matchesOutside(texts, text, IN_INDENTATION);
  const dashes = matchesOutside(texts, text, AFTER_DASH);
  const all = [...indents, ...dashes].sort((a, b) => a[0] - b[0]);
  const [first] = all;
  if (first === undefined) return null;
  const more = all.length > 1 ? ` (and in ${all.length - 1} more line${all.length > 2 ? 's' : ''})` : '';
  const finding: Finding = {
    code: 'PAWL-004',
    pointer: '',
    offsets: [text.indexOf('\t', first[0]), first[1]],
    message: `a tab in the indentation${more}`,
    help: 'indent with blanks: in YAML a tab is no indentation',
  };
  const tabless = blank(text, dashes);
  // A dash and a blank in a tabbed line ask for two columns on the next, which people write as blanks after the tabs.
  const isPure = !/^ +[^\s#]/m.test(text) && indents.every(([start, end]) => /^\t+ *$/.test(text.slice(start, end)));
  if (isPure) return { finding, text: blank(tabless, indents), blanked: [] };
  const blanked = indents.map(([start]): Span => {
    const stop = text.indexOf('\n', start);
    return [start, stop === -1 ? text.length : stop];
  });
  return { finding, text: blank(tabless, blanked), blanked };
}
