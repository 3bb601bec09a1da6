import { canonicalJson } from '../model/canonical-json.ts';
import { invariant } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import type { Problem } from '../model/problem.ts';
import { orderKeys } from './format/order-keys.ts';
import { liftAboveDashes, placeComments } from './format/place-comments.ts';
import { printTree } from './format/print-tree.ts';
import { createLayout, type Layout, type WrittenGroup, writtenTree } from './format/written-node.ts';
import { NO_CATALOGUES, type Shelf } from './embed-catalogues.ts';
import { parseWorkflow } from './parse-workflow.ts';
import { type RawNode, readYaml } from './read-yaml.ts';
import { normalizeText, readYamlFile } from './read-yaml-file.ts';
import { sortProblems, toProblem } from './report-problem.ts';
import { validateWorkflow } from './validate-workflow.ts';
import { isObject } from './yaml-node.ts';

/** A file in its canonical form; or, where something is wrong with it, all its problems and no text. */
export interface FormattedFile {
  readonly text: string | null;
  readonly problems: readonly Problem[];
}

/**
 * Writes a file as everybody writes it: keys in the order of the reference, two blanks a level, at most one empty line, `{ }` and
 * `[ ]` on one line or as a block, quotes where they are needed. Comments, anchors and the line ends of the file (those
 * of its first line) stay; what it says stays to the letter, and so does the digest of a workflow. Never throws for what is in a file.
 * @param file the name that problems carry.
 * @param shelf the catalogues that a workflow may use; none unless given.
 */
export function formatFile(source: string, file: string, shelf: Shelf = NO_CATALOGUES): FormattedFile {
  if (file.endsWith('.json')) return asWritten(source, file, shelf);
  const yaml = readYamlFile(source, file);
  const failed = yaml.problems.some(({ severity }) => severity === 'error');
  const isWorkflow = isObject(yaml.value) && Object.hasOwn(yaml.value, 'workflow');
  if (isWorkflow) {
    const { definition, problems } = validateWorkflow(source, file, shelf);
    return { text: definition === null ? null : format(source, 'workflow', shelf), problems };
  }
  if (failed || yaml.value === undefined) return { text: null, problems: sortProblems(yaml.problems) };
  if (!isObject(yaml.value)) {
    const message = 'the file is no map of keys, so it is none that Pawl reads';
    const help = 'name a workflow, a catalogue or a test';
    return { text: null, problems: [toProblem(yaml.map, { code: 'PAWL-021', pointer: '', message, help })] };
  }
  return {
    text: format(source, Object.hasOwn(yaml.value, 'catalogue') ? 'catalogue' : null, shelf),
    problems: yaml.problems,
  };
}

/** A machine in JSON is the file of other tools, too: it stays as they write it. */
function asWritten(source: string, file: string, shelf: Shelf): FormattedFile {
  const { definition, problems } = validateWorkflow(source, file, shelf);
  return { text: definition === null ? null : source, problems };
}

/** The names of a file's whole in the order of keys; null for one whose keys have none. */
type Kind = 'workflow' | 'catalogue' | null;

function format(source: string, kind: Kind, shelf: Shelf): string {
  const text = normalizeText(source);
  const document = readYaml(text);
  const { root, comments } = document;
  invariant(root?.kind === 'map', 'a file that can be read is a map');
  const layout = createLayout(text, keptTexts(root, text));
  const tree = writtenTree(root, layout);
  placeComments(tree, comments, layout);
  const header = takeHeader(tree, layout);
  orderKeys(tree, kind);
  liftAboveDashes(tree);
  const formatted = `${[...header, ...printTree(tree, text)].join('\n')}\n`;
  invariant(
    saysTheSame({ text, formatted, kind, shelf }),
    'formatting changed what the file says; it was left as it is',
  );
  return /^[^\n]*\r\n/.test(source) ? formatted.replaceAll('\n', '\r\n') : formatted;
}

/** Texts whose empty lines at the end are content. */
function keptTexts(root: RawNode, text: string): readonly (readonly [start: number, end: number])[] {
  if (root.kind === 'map') return root.entries.flatMap(({ value }) => keptTexts(value, text));
  if (root.kind === 'list') return root.items.flatMap((item) => keptTexts(item, text));
  return root.kind === 'scalar' && /^[|>]\d?\+/.test(text.slice(root.start, root.end)) ? [[root.start, root.end]] : [];
}

/** Lines that tools look for at the very top. */
const MODELINE = /^#(?:!|\s*yaml-language-server:)/;

/** The comments at the top that speak of the whole file, apart from those about its first key. */
function takeHeader(tree: WrittenGroup, layout: Layout): readonly string[] {
  const [first] = tree.entries;
  if (first === undefined) return [];
  const { head, start } = first;
  const apart = layout.isAfterBlank(start) ? head.length : head.findLastIndex(({ isAfterBlank }) => isAfterBlank);
  const isApart = apart > 0;
  const top = isApart ? apart : head.findIndex(({ text }) => !MODELINE.test(text));
  const lines = head.splice(0, top === -1 ? head.length : top);
  const [next, ...more] = head.splice(0);
  if (next !== undefined) head.push({ ...next, isAfterBlank: false }, ...more);
  const shown = lines.flatMap(({ text, isAfterBlank }, at) => (isAfterBlank && at > 0 ? ['', text] : [text]));
  return isApart ? [...shown, ''] : shown;
}

interface Compared {
  readonly text: string;
  readonly formatted: string;
  readonly kind: Kind;
  readonly shelf: Shelf;
}

/** The assertion under which a formatted file may be written: the same definition or value, the same comments. */
function saysTheSame({ text, formatted, kind, shelf }: Compared): boolean {
  const commentsOf = (source: string): readonly string[] =>
    readYaml(source)
      .comments.map((comment) => comment.text.trimEnd())
      .sort();
  const content = (source: string): string =>
    canonicalJson(
      kind === 'workflow'
        ? (parseWorkflow(source, '', shelf).definition as unknown as Json)
        : (readYamlFile(source, '').value as Json),
    );
  const sameComments = canonicalJson(commentsOf(text)) === canonicalJson(commentsOf(formatted));
  return sameComments && content(text) === content(formatted);
}
