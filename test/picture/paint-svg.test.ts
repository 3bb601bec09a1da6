import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/model/hash.ts';
import type { Picture, PictureEdge, PictureNode } from '../../src/model/picture.ts';
import { SIZES } from '../../src/picture/elk-graph.ts';
import { layoutPicture } from '../../src/picture/layout.ts';
import { paintSvg } from '../../src/picture/paint-svg.ts';
import { textWidth } from '../../src/picture/text-width.ts';

const node = (id: string, more: Partial<PictureNode> = {}): PictureNode => ({
  id,
  kind: 'call',
  parent: null,
  title: id,
  detail: null,
  marks: [],
  live: null,
  ...more,
});
const edge = (from: string, to: string, more: Partial<PictureEdge> = {}): PictureEdge => ({
  id: `${from}>${to}`,
  from,
  to,
  kind: 'next',
  label: null,
  condition: null,
  taken: false,
  ...more,
});

const PICTURE: Picture = {
  title: 'order-fulfilment@1',
  nodes: [
    node('$start', { kind: 'start', title: 'start' }),
    node('reserve', { detail: 'warehouse.reserve', live: 'taken' }),
    node('pay', { detail: 'psp.authorize', marks: ['pivot'], live: 'now' }),
    node('choice', { kind: 'group', title: 'choose' }),
    node('approve', { kind: 'approve', parent: 'choice', marks: ['human'] }),
    node('undo', { kind: 'compensation', title: 'warehouse.release' }),
    node('$end', { kind: 'end', title: 'done' }),
  ],
  edges: [
    edge('$start', 'reserve', { taken: true }),
    edge('reserve', 'pay', { taken: true, label: 'confirmed' }),
    edge('pay', 'approve', { kind: 'branch', label: 'input.amount > 500' }),
    edge('approve', 'approve', { kind: 'jump', label: 'again' }),
    edge('approve', '$end'),
    edge('reserve', 'undo', { kind: 'compensation' }),
  ],
};

describe('a painted picture', () => {
  it('is the same bytes each time it is laid out', async () => {
    const paint = async (): Promise<string> => sha256(paintSvg(PICTURE, await layoutPicture(PICTURE)));
    expect(await paint()).toBe(await paint());
  });

  it('draws compensation edges dashed and marks the pivot by word and shape', async () => {
    const svg = paintSvg(PICTURE, await layoutPicture(PICTURE));
    expect(svg).toMatch(/<path class="edge compensation compensation"[^>]*stroke-dasharray="5 4"/);
    expect(svg).toMatch(/<g class="badge pivot"><rect[^>]*\/><path[^>]*\/><text[^>]*>pivot<\/text>/);
  });

  it('says of each node in words what its colours say', async () => {
    const svg = paintSvg(PICTURE, await layoutPicture(PICTURE));
    expect(svg).toContain('<title>call pay: psp.authorize [pivot] - now</title>');
  });

  it('gives every mark a word and a shape, and every state of a run a sign', async () => {
    const marks = ['pivot', 'human', 'authorized', 'wait', 'unknown'] as const;
    const lives = ['taken', 'now', 'held', 'failed', 'undone'] as const;
    const nodes = lives.map((live, index) => node(live, { live, marks: marks.slice(index, index + 1) }));
    const svg = paintSvg({ title: 'x', nodes, edges: [] }, await layoutPicture({ title: 'x', nodes, edges: [] }));
    const badges = [...svg.matchAll(/<g class="badge (\w+)"><rect[^>]*\/><path [^>]*d="([^"]+)"\/><text[^>]*>(\w+)</g)];
    expect(badges.map(([, mark, , word]) => [mark, word])).toEqual(marks.map((mark) => [mark, mark]));
    // A shape without its place: people share one, all others differ.
    const shapes = badges.map(([, , path = '']) => path.replace(/-?[\d.]+/g, ''));
    expect(new Set(shapes).size).toBe(marks.length - 1);
    const signs = [...svg.matchAll(/<g class="sign (\w+)">.*?<text[^>]*>(.)<\/text>/gu)].map(([, live, sign]) => [
      live,
      sign,
    ]);
    expect(signs).toEqual([
      ['taken', '✓'],
      ['now', '●'],
      ['held', '!'],
      ['failed', '✕'],
      ['undone', '↩'],
    ]);
  });

  it('paints failures and catches alike, unless the run went that way', async () => {
    const picture: Picture = {
      title: 'x',
      nodes: [node('a'), node('b'), node('c')],
      edges: [
        edge('a', 'b', { kind: 'catch', label: 'any' }),
        edge('a', 'c', { kind: 'failure' }),
        edge('b', 'c', { kind: 'catch', taken: true }),
      ],
    };
    const svg = paintSvg(picture, await layoutPicture(picture));
    expect([...svg.matchAll(/<path class="(edge [^"]*)"/g)].map(([, classes]) => classes)).toEqual([
      'edge catch failure',
      'edge failure failure',
      'edge catch taken',
    ]);
  });

  it('lays the title of a group over the lines that cross it', async () => {
    const svg = paintSvg(PICTURE, await layoutPicture(PICTURE));
    const title = svg.search(/<g class="group [^>]*><text class="halo"[^>]*>choose</);
    expect(title).toBeGreaterThan(svg.lastIndexOf('<path class="edge'));
  });

  it('draws every line upright or level, also where the layout engine is a little off', () => {
    const nodes = [node('a'), node('b')];
    const at = (id: string, y: number) => ({ id, x: 0, y, width: 90, height: 32 });
    const section = {
      startPoint: { x: 19, y: 32 },
      bendPoints: [
        { x: 20, y: 60 },
        { x: 48, y: 62 },
      ],
      endPoint: { x: 46, y: 100 },
    };
    const edges = [{ id: 'a>b', sources: ['a'], targets: ['b'], sections: [section] }];
    const laidOut = { id: '$picture', width: 90, height: 132, children: [at('a', 0), at('b', 100)], edges };
    const svg = paintSvg({ title: 'x', nodes, edges: [edge('a', 'b')] }, laidOut);
    expect(/class="edge[^>]* d="([^"]+)"/.exec(svg)?.[1]).toBe(
      'M20 32 L20 56 Q20 62 26 62 L40 62 Q46 62 46 68 L46 100',
    );
  });

  it('writes a long detail in two lines, and makes room for both', async () => {
    const detail = 'Order {input.orderId} is above the review limit of its customer, who is new';
    const picture: Picture = { title: 'x', nodes: [node('a', { detail }), node('b', { detail: 'd' })], edges: [] };
    const laidOut = await layoutPicture(picture);
    const lines = [...paintSvg(picture, laidOut).matchAll(/<text class="detail"[^>]*>(.*?)<\/text>/g)];
    expect(lines.map(([, line]) => line)).toEqual([
      'Order {input.orderId} is above the',
      'review limit of its customer, who is new',
      'd',
    ]);
    const [two, one] = laidOut.children ?? [];
    expect((two?.height ?? 0) - (one?.height ?? 0)).toBe(SIZES.detailLine);
  });

  it('makes room for capitals and wide characters', async () => {
    const width = async (title: string): Promise<number> => {
      const picture: Picture = { title: 'x', nodes: [node('a', { title })], edges: [] };
      return (await layoutPicture(picture)).children?.[0]?.width ?? 0;
    };
    const [small, capital, han] = [
      await width('a'.repeat(20)),
      await width('A'.repeat(20)),
      await width('漢'.repeat(20)),
    ];
    expect(small).toBeLessThan(capital);
    expect(capital).toBeLessThan(han);
  });

  it('keeps a group around its children and a self-loop on its node', async () => {
    const laidOut = await layoutPicture(PICTURE);
    const group = laidOut.children?.find((c) => c.id === 'choice');
    const child = group?.children?.[0];
    expect(child?.x).toBeGreaterThan(group?.x ?? Number.NaN);
    expect((child?.y ?? 0) + (child?.height ?? 0)).toBeLessThan((group?.y ?? 0) + (group?.height ?? 0));
    expect(laidOut.edges?.find((e) => e.id === 'approve>approve')?.sections?.length).toBe(1);
  });

  it('writes when a step runs at all along the arrow to it, beside the way it is, in full for whoever points at it', async () => {
    const condition = 'input.amount > constants.reviewAbove && input.amount < 100000';
    const edges = [edge('a', 'b', { kind: 'branch', label: 'else', condition })];
    const picture: Picture = { title: 'x', nodes: [node('a'), node('b', { detail: 'd'.repeat(60) })], edges };
    const laidOut = await layoutPicture(picture);
    const svg = paintSvg(picture, laidOut);
    expect([...svg.matchAll(/<text class="label[^>]*>(.*?)<\/text>/g)].map(([, text]) => text)).toEqual([
      'else',
      `<title>only if ${condition.replace('>', '&gt;').replaceAll('&&', '&amp;&amp;').replace('<', '&lt;')}</title>only if input.amount &gt; constants.reviewAbove &amp;&amp;…`,
    ]);
    const [one, two] = laidOut.edges?.[0]?.labels ?? [];
    expect(two?.y).toBeGreaterThanOrEqual((one?.y ?? Number.NaN) + (one?.height ?? Number.NaN));
  });

  it('makes a group as wide as its title, also around another group', async () => {
    const title = 'decision fails: denied, expired';
    const nodes = [
      node('outer', { kind: 'group', title: `${title}, o` }),
      node('inner', { kind: 'group', title, parent: 'outer' }),
      node('a', { parent: 'inner' }),
      node('wide', { kind: 'group', title }),
      node('b', { parent: 'wide', title: 'a step of a long name indeed' }),
    ];
    const laidOut = await layoutPicture({ title: 'x', nodes, edges: [] });
    const outer = laidOut.children?.find(({ id }) => id === 'outer');
    const room = textWidth(title, SIZES.detailPx) + 2 * SIZES.padding;
    for (const group of [outer, outer?.children?.[0], laidOut.children?.find(({ id }) => id === 'wide')]) {
      expect(group?.width).toBeGreaterThanOrEqual(room);
    }
    expect(outer?.width).toBeLessThan(room + 60);
  });

  it('carries hostile names as inert text', async () => {
    const hostile: Picture = {
      title: 'x',
      nodes: [node('a', { title: '<script>alert("1")</script>\u0007', detail: '&amp;' })],
      edges: [],
    };
    const svg = paintSvg(hostile, await layoutPicture(hostile));
    expect(svg).not.toContain('<script');
    expect(svg).toContain('&lt;script&gt;');
    expect(svg).not.toContain('\u0007');
    expect(svg).toContain('&amp;amp;');
  });

  it('uses no style attribute, so a strict content policy lets it be shown', async () => {
    expect(paintSvg(PICTURE, await layoutPicture(PICTURE))).not.toMatch(/\sstyle=/);
  });
});
