import type { Picture, PictureEdge, PictureNode } from '../../model/picture.ts';
import { invariant } from '../../model/errors.ts';

/** A picture in the language of Graphviz. Names are numbers, so that no id can be a word of it. */
export function toDot(picture: Picture): string {
  const names = new Map(picture.nodes.map((node, index) => [node.id, `n${index}`] as const));
  const lines = [`digraph ${quoted(picture.title)} {`, '  compound=true;', '  node [shape=box];'];
  const write = (parent: string | null, indent: string): void => {
    for (const node of picture.nodes.filter((one) => one.parent === parent)) {
      if (!isBox(node)) {
        lines.push(
          `${indent}${nameOf(names, node.id)} [${attributes({ label: labelOf(node), shape: shapeOf(node) })}];`,
        );
        continue;
      }
      lines.push(`${indent}subgraph cluster_${nameOf(names, node.id)} {`, `${indent}  label=${quoted(node.title)};`);
      write(node.id, `${indent}  `);
      lines.push(`${indent}}`);
    }
  };
  write(null, '  ');
  lines.push(...picture.edges.map((edge) => `  ${arrowOf(picture, names, edge)}`), '}');
  return `${lines.join('\n')}\n`;
}

type Names = ReadonlyMap<string, string>;

function isBox({ kind }: PictureNode): boolean {
  return kind === 'group' || kind === 'parallel';
}

function nameOf(names: Names, id: string): string {
  const name = names.get(id);
  invariant(name !== undefined, 'an arrow to a box that is not there', { id });
  return name;
}

function labelOf({ title, detail, marks }: PictureNode): string {
  return [title, detail ?? '', marks.map((mark) => `[${mark}]`).join(' ')].filter((line) => line !== '').join('\n');
}

function shapeOf({ kind }: PictureNode): string | null {
  if (kind === 'start' || kind === 'end') return 'oval';
  if (kind === 'choose') return 'diamond';
  return kind === 'compensation' ? 'cds' : null;
}

/** Graphviz draws arrows between nodes only: one that ends at a group ends at the first node in it and is cut at its border. */
function arrowOf(picture: Picture, names: Names, edge: PictureEdge): string {
  const condition = edge.condition === null ? '' : `only if ${edge.condition}`;
  const label = [edge.label ?? '', condition].filter((line) => line !== '').join('\n');
  const isDashed = edge.kind === 'compensation' || edge.kind === 'catch';
  const cut = (id: string): string | null => (leafOf(picture, id) === id ? null : `cluster_${nameOf(names, id)}`);
  const said = attributes({
    label: label === '' ? null : label,
    style: isDashed ? 'dashed' : null,
    ltail: cut(edge.from),
    lhead: cut(edge.to),
  });
  const ends = [edge.from, edge.to].map((id) => nameOf(names, leafOf(picture, id)));
  return `${ends.join(' -> ')}${said === '' ? '' : ` [${said}]`};`;
}

function leafOf(picture: Picture, id: string): string {
  const node = picture.nodes.find((one) => one.id === id);
  if (node === undefined || !isBox(node)) return id;
  const inside = picture.nodes.find((one) => one.parent === id);
  invariant(inside !== undefined, 'a group with nothing in it', { id });
  return leafOf(picture, inside.id);
}

function attributes(values: Readonly<Record<string, string | null>>): string {
  return Object.entries(values)
    .flatMap(([name, value]) => (value === null ? [] : [`${name}=${quoted(value)}`]))
    .join(', ');
}

function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}
