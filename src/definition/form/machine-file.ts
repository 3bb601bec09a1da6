import type { Json } from '../../model/json.ts';
import type { YamlFile } from '../read-yaml-file.ts';
import { type Finding, toProblem } from '../report-problem.ts';
import type { SourceMap } from '../source-map.ts';
import { isObject } from '../yaml-node.ts';

/** Where a machine's file says what a document says beside its machine. */
const DOCUMENT = '/meta/pawl';

/**
 * Reads a file that is a machine and nothing else, an XState config, as the document that it is: what stands beside `machine` is
 * its `meta.pawl`. Any other file is given back as it is. Places stay those of the file.
 */
export function asDocument(yaml: YamlFile): YamlFile {
  const { value } = yaml;
  if (!isObject(value) || !Object.hasOwn(value, 'states') || Object.hasOwn(value, 'workflow')) return yaml;
  const { meta, ...machine } = value;
  const beside = isObject(meta) ? meta['pawl'] : undefined;
  if (!isObject(beside)) return without(yaml);
  const { pawl: _document, ...notes } = meta as { readonly [key: string]: Json };
  const states = Object.keys(notes).length === 0 ? machine : { ...machine, meta: notes };
  return {
    ...yaml,
    value: { ...beside, machine: states },
    map: placesOf(yaml.map),
    suspect: new Set([...yaml.suspect].map(inDocument)),
    lossy: new Set([...yaml.lossy].map(inDocument)),
  };
}

/** A config that does not say which workflow it is. */
function without(yaml: YamlFile): YamlFile {
  const finding: Finding = {
    code: 'PAWL-264',
    pointer: '/states',
    at: 'key',
    message: 'this is a machine, and nothing says which workflow it is',
    help: 'add `meta: { pawl: { pawl: 1, workflow: name, version: 1, actions: … } }` beside `states`, or write a document with `machine:`',
  };
  return { ...yaml, value: undefined, problems: [...yaml.problems, toProblem(yaml.map, finding)], partial: true };
}

/** The place in the file of a place in the document. */
function inFile(pointer: string): string {
  if (pointer === '/machine' || pointer === '') return '';
  return pointer.startsWith('/machine/') ? pointer.slice('/machine'.length) : `${DOCUMENT}${pointer}`;
}

/** The place in the document of a place in the file. */
function inDocument(pointer: string): string {
  if (pointer === DOCUMENT || pointer === '') return '';
  return pointer.startsWith(`${DOCUMENT}/`) ? pointer.slice(DOCUMENT.length) : `/machine${pointer}`;
}

function placesOf(map: SourceMap): SourceMap {
  return {
    ...map,
    has: (pointer) => map.has(inFile(pointer)),
    valueRange: (pointer) => map.valueRange(inFile(pointer)),
    keyRange: (pointer) => map.keyRange(inFile(pointer)),
    insideRange: (pointer, start, end) => map.insideRange(inFile(pointer), start, end),
    sourceText: (pointer) => map.sourceText(inFile(pointer)),
    scalarText: (pointer) => map.scalarText(inFile(pointer)),
    homeOf: (pointer) => map.homeOf(inFile(pointer)),
    *scalars() {
      for (const [pointer, text] of map.scalars()) yield [inDocument(pointer), text] as const;
    },
  };
}
