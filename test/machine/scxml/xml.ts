/** An element of an XML text; texts inside are joined. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  readonly text: string;
}

const TOKEN =
  /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[([\s\S]*?)\]\]>|<(\/?)([\w:-]+)((?:\s+[\w:-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>|[^<]+/g;
const ATTRIBUTE = /([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function unescaped(text: string): string {
  return text.replace(/&(?:#(\d+)|(\w+));/g, (whole, code: string | undefined, name: string | undefined) =>
    code === undefined ? (ENTITIES[name ?? ''] ?? whole) : String.fromCharCode(Number(code)),
  );
}

/** Reads XML as far as SCXML needs it: elements, attributes, texts. @throws for what is not well-formed. */
export function parseXml(source: string): Element {
  type Open = { name: string; tag: string; attributes: Record<string, string>; children: Open[]; text: string };
  const stack: Open[] = [{ name: '', tag: '', attributes: {}, children: [], text: '' }];
  let end = 0;
  for (const match of source.matchAll(TOKEN)) {
    if (match.index !== end) throw new Error(`no XML at ${end}: ${source.slice(end, end + 40)}`);
    end = match.index + match[0].length;
    const [whole, data, closing, name, attributes = '', empty] = match;
    const top = stack.at(-1);
    if (top === undefined) throw new Error('more is closed than was opened');
    if (data !== undefined) top.text += data;
    else if (name === undefined) top.text += whole.startsWith('<') ? '' : unescaped(whole);
    else if (closing === '/') {
      if (top.tag !== name) throw new Error(`<${top.tag}> is closed as </${name}>`);
      stack.pop();
    } else {
      const found = [...attributes.matchAll(ATTRIBUTE)].map(([, key, a, b]) => [key, unescaped(a ?? b ?? '')] as const);
      const own = { name: name.replace(/^.*:/, ''), tag: name, attributes: Object.fromEntries(found) };
      const element: Open = { ...own, children: [], text: '' };
      top.children.push(element);
      if (empty !== '/') stack.push(element);
    }
  }
  if (end !== source.length || stack.length !== 1) throw new Error('the XML ends in the middle');
  const root = stack[0]?.children[0];
  if (root === undefined) throw new Error('no element');
  return root;
}
