import type { SourceMap } from './source-map.ts';

/** The pointer under which a catalogue stands in the workflow that embeds it. */
export function embeddedPointer(name: string): string {
  return `/use/${name}`;
}

/** `/use/payments@1` of a pointer into it; an entry of the list is `/use/0`, which has no version. */
const EMBEDDED = /^\/use\/[a-z0-9-]+@\d+(?=\/|$)/;

/**
 * The map of a workflow with the files that it embeds: a node of a catalogue is found in that catalogue's own file.
 * @param embedded maps of the catalogues by the pointer under which each stands.
 */
export function joinMaps(main: SourceMap, embedded: ReadonlyMap<string, SourceMap>): SourceMap {
  const at = (pointer: string): { readonly map: SourceMap; readonly pointer: string } => {
    const root = EMBEDDED.exec(pointer)?.[0] ?? '';
    const map = embedded.get(root);
    return map === undefined ? { map: main, pointer } : { map, pointer: pointer.slice(root.length) };
  };
  const through =
    <Value>(ask: (map: SourceMap, pointer: string) => Value) =>
    (pointer: string): Value => {
      const home = at(pointer);
      return ask(home.map, home.pointer);
    };
  return {
    ...main,
    has: through((map, pointer) => map.has(pointer)),
    valueRange: through((map, pointer) => map.valueRange(pointer)),
    keyRange: through((map, pointer) => map.keyRange(pointer)),
    insideRange: (pointer, start, end) => through((map, own) => map.insideRange(own, start, end))(pointer),
    sourceText: through((map, pointer) => map.sourceText(pointer)),
    scalarText: through((map, pointer) => map.scalarText(pointer)),
    homeOf: through((map, pointer) => map.homeOf(pointer)),
  };
}
