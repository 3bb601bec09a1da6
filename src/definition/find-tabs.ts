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

/**
 * Finds tabs in the indentation. Where every indented line uses tabs only, one tab is one level and the structure is
 * kept; where few lines have them among blanks, those lines are left out.
 */
export function findTabs(document: RawDocument, text: string): TabbedText | null {
  const spans = protectedSpans(document.root);
  const lines: Span[] = [];
  for (const match of text.matchAll(/^[ ]*\t[ \t]*(?=[^\s#])/gm)) {
    const start = match.index;
    if (!spans.some(([from, to]) => from < start && start < to)) lines.push([start, start + match[0].length]);
  }
  const [first] = lines;
  if (first === undefined) return null;
  const tab = text.indexOf('\t', first[0]);
  const more = lines.length > 1 ? ` (and in ${lines.length - 1} more line${lines.length > 2 ? 's' : ''})` : '';
  const finding: Finding = {
    code: 'PAWL-004',
    pointer: '',
    offsets: [tab, first[1]],
    message: `a tab in the indentation${more}`,
    help: 'indent with blanks: in YAML a tab is no indentation',
  };
  // A dash and a blank in a tabbed line ask for two columns on the next, which people write as blanks after the tabs.
  const pure = !/^ +[^\s#]/m.test(text) && lines.every(([start, end]) => /^\t+ *$/.test(text.slice(start, end)));
  return pure ? { finding, text: levelled(text, lines), blanked: [] } : { finding, ...blanked(text, lines) };
}

function levelled(text: string, lines: readonly Span[]): string {
  let result = text;
  for (const [start, end] of lines) result = result.slice(0, start) + ' '.repeat(end - start) + result.slice(end);
  return result;
}

function blanked(text: string, lines: readonly Span[]): { text: string; blanked: Span[] } {
  let result = text;
  const lost: Span[] = [];
  for (const [start] of lines) {
    const stop = text.indexOf('\n', start);
    const end = stop === -1 ? text.length : stop;
    result = result.slice(0, start) + ' '.repeat(end - start) + result.slice(end);
    lost.push([start, end]);
  }
  return { text: result, blanked: lost };
}
