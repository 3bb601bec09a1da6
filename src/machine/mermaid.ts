import { invariant } from '../model/errors.ts';
import type { Picture, PictureEdge, PictureLive, PictureNode } from '../model/picture.ts';

type Names = ReadonlyMap<string, string>;

/** How a box looks where a run stands at it: lines only, so that they can be seen in light and dark alike. */
const CLASSES: Readonly<Record<PictureLive, string>> = {
  taken: 'stroke:#1f7f45,stroke-width:2px',
  now: 'stroke:#1757d6,stroke-width:4px',
  held: 'stroke:#c22f2f,stroke-width:4px,stroke-dasharray:2 3',
  failed: 'stroke:#c22f2f,stroke-width:3px',
  undone: 'stroke:#a85b00,stroke-width:3px,stroke-dasharray:5 4',
};

/**
 * A picture as Mermaid flowchart text (GitHub draws it). A flowchart and not a state diagram: those have neither dashed
 * arrows nor arrows between a box and what is in it. Names are numbers, so that no id can be a word of Mermaid's.
 */
export function toMermaid(picture: Picture): string {
  const names: Names = new Map(picture.nodes.map((node, index) => [node.id, `n${index}`] as const));
  const lines = ['---', `title: ${JSON.stringify(picture.title)}`, '---', 'flowchart TD'];
  const writeAll = (parent: string | null, indent: string): void => {
    for (const node of picture.nodes) if (node.parent === parent) write(node, indent);
  };
  const write = (node: PictureNode, indent: string): void => {
    const name = nameOf(names, node.id);
    if (node.kind !== 'group' && node.kind !== 'parallel') {
      lines.push(`${indent}${name}${shapeOf(node)}`);
      return;
    }
    lines.push(`${indent}subgraph ${name}["${escapeText(node.title)}"]`);
    writeAll(node.id, `${indent}  `);
    lines.push(`${indent}end`);
  };
  writeAll(null, '  ');
  lines.push(...picture.edges.map((edge) => `  ${arrowOf(edge, names)}`), ...runLines(picture, names));
  return `${lines.join('\n')}\n`;
}

/** The way of a run: a class for the boxes of each kind, and the arrows that it took. */
function runLines(picture: Picture, names: Names): readonly string[] {
  const classes = Object.entries(CLASSES).flatMap(([live, style]) => {
    const boxes = picture.nodes.filter((node) => node.live === live).map((node) => nameOf(names, node.id));
    return boxes.length === 0 ? [] : [`  classDef ${live} ${style}`, `  class ${boxes.join(',')} ${live}`];
  });
  const taken = picture.edges.flatMap((edge, index) => (edge.taken ? [index] : []));
  return taken.length === 0 ? classes : [...classes, `  linkStyle ${taken.join(',')} ${CLASSES.taken}`];
}

function nameOf(names: Names, id: string): string {
  const name = names.get(id);
  invariant(name !== undefined, 'an arrow to a box that is not there', { id });
  return name;
}

/** What the run is doing at a box is said in words too: colour alone says nothing to many people. */
function shapeOf(node: PictureNode): string {
  const marks = node.marks.map((mark) => `[${mark}]`).join(' ');
  const live = node.live === 'taken' ? null : node.live;
  const text = [node.title, node.detail, marks, live].flatMap((line) =>
    line === null || line === '' ? [] : [escapeText(line)],
  );
  const label = `"${text.join('<br>')}"`;
  switch (node.kind) {
    case 'start':
    case 'end':
      return `([${label}])`;
    case 'choose':
      return `{${label}}`;
    case 'approve':
    case 'await':
    case 'wait':
      return `[/${label}/]`;
    case 'compensation':
      return `[[${label}]]`;
    default:
      return `[${label}]`;
  }
}

function arrowOf(edge: PictureEdge, names: Names): string {
  const line = edge.kind === 'compensation' || edge.kind === 'catch' ? '-.->' : '-->';
  const texts = [edge.label, edge.condition === null ? null : `only if ${edge.condition}`];
  const words = texts.flatMap((text) => (text === null ? [] : [escapeText(text)])).join('<br>');
  const label = words === '' ? '' : `|"${words}"|`;
  return `${nameOf(names, edge.from)} ${line}${label} ${nameOf(names, edge.to)}`;
}

/** Mermaid reads `#…;` as an entity and stops a text at a quote. */
function escapeText(text: string): string {
  return text.replace(/[#"<>&\n\r`]/g, (character) => `#${character.charCodeAt(0)};`);
}
