import type { Picture, PictureEdge, PictureNode } from '../model/picture.ts';

/**
 * A picture as Mermaid flowchart text (GitHub draws it). A flowchart and not a state diagram: those have neither dashed
 * arrows nor arrows between a box and what is in it. Names are numbers, so that no id can be a word of Mermaid's.
 */
export function toMermaid(picture: Picture): string {
  const names = new Map(picture.nodes.map((node, index) => [node.id, `n${index}`] as const));
  const lines = ['---', `title: ${JSON.stringify(picture.title)}`, '---', 'flowchart TD'];
  const children = childrenOf(picture.nodes);
  const write = (node: PictureNode, indent: string): void => {
    const name = names.get(node.id) ?? node.id;
    const inside = children.get(node.id) ?? [];
    if (node.kind !== 'group' && node.kind !== 'parallel') {
      lines.push(`${indent}${name}${shapeOf(node)}`);
      return;
    }
    lines.push(`${indent}subgraph ${name}["${escapeText(node.title)}"]`);
    for (const child of inside) write(child, `${indent}  `);
    lines.push(`${indent}end`);
  };
  for (const node of children.get(null) ?? []) write(node, '  ');
  for (const edge of picture.edges) lines.push(`  ${arrowOf(edge, names)}`);
  return `${lines.join('\n')}\n`;
}

function childrenOf(nodes: readonly PictureNode[]): ReadonlyMap<string | null, readonly PictureNode[]> {
  const children = new Map<string | null, PictureNode[]>();
  for (const node of nodes) {
    const siblings = children.get(node.parent);
    if (siblings === undefined) children.set(node.parent, [node]);
    else siblings.push(node);
  }
  return children;
}

function shapeOf(node: PictureNode): string {
  const marks = node.marks.map((mark) => `[${mark}]`).join(' ');
  const text = [node.title, node.detail, marks]
    .filter((line) => line !== null && line !== '')
    .map((line) => escapeText(line ?? ''));
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

function arrowOf(edge: PictureEdge, names: ReadonlyMap<string, string>): string {
  const line = edge.kind === 'compensation' || edge.kind === 'catch' ? '-.->' : '-->';
  const label = edge.label === null ? '' : `|"${escapeText(edge.label)}"|`;
  return `${names.get(edge.from) ?? ''} ${line}${label} ${names.get(edge.to) ?? ''}`;
}

/** Mermaid reads `#…;` as an entity and stops a text at a quote. */
function escapeText(text: string): string {
  return text.replace(/[#"<>&\n\r`]/g, (character) => `#${character.codePointAt(0) ?? 32};`);
}
