import type { Json } from '../model/json.ts';
import type { Problem } from '../model/problem.ts';
import { type Finding, toProblem } from './report-problem.ts';
import { createSourceMap, type SourceMap } from './source-map.ts';
import { recoverSyntax } from './recover-syntax.ts';
import { readTree } from './yaml-tree.ts';
import { DEPTH_MAX } from './read-yaml.ts';

/** The largest definition, bytes of UTF-8. */
export const DEFINITION_BYTES_MAX = 1024 * 1024;

/** A file read as data, with the place of every node. */
export interface YamlFile {
  /** The value; undefined where the file could not be read as YAML. */
  readonly value: Json | undefined;
  readonly map: SourceMap;
  readonly problems: readonly Problem[];
  /** Nodes whose value is not what the author meant: what else is wrong in or right at them is a consequence. */
  readonly suspect: ReadonlySet<string>;
  /** Lists and maps of which a part was stepped over, so that something may be missing in them. */
  readonly lossy: ReadonlySet<string>;
  /** Whether a part of the file was stepped over, so that names may be missing. */
  readonly partial: boolean;
}

/** Strips the byte order mark and makes every line end LF, so that the same file gives the same values everywhere. */
export function normalizeText(text: string): string {
  return (text.startsWith('\uFEFF') ? text.slice(1) : text).replace(/\r\n?/g, '\n');
}

function unread(file: string, text: string, findings: readonly Finding[]): YamlFile {
  const map = createSourceMap({ file, text, nodes: new Map() });
  return {
    value: undefined,
    map,
    problems: findings.map((finding) => toProblem(map, finding)),
    suspect: new Set(),
    lossy: new Set(),
    partial: true,
  };
}

/**
 * Reads one file of the YAML that definitions are written in: YAML 1.2 core without what misleads people. Never throws;
 * files that are too large or too deep are refused before any of their structure is built.
 * @param file the name that problems carry.
 */
export function readYamlFile(source: string, file: string): YamlFile {
  const bytes = Buffer.byteLength(source, 'utf8');
  if (bytes > DEFINITION_BYTES_MAX) {
    const message = `the file has ${bytes} bytes; a definition has at most ${DEFINITION_BYTES_MAX} (1 MiB)`;
    return unread(file, '', [
      { code: 'PAWL-001', pointer: '', message, help: 'keep data out of the definition: pass it as input' },
    ]);
  }
  const text = normalizeText(source);
  const { document, findings, masked, blanked } = recoverSyntax(text);
  if (document.tooDeepAt !== null) {
    const at = document.tooDeepAt;
    const message = `nested deeper than ${DEPTH_MAX} levels`;
    return unread(file, text, [
      {
        code: 'PAWL-002',
        pointer: '',
        offsets: [at, at + 1],
        message,
        help: 'split the workflow, or flatten the value',
      },
    ]);
  }
  if (document.root === null) return unread(file, text, findings.length > 0 ? findings : [emptyFile()]);
  const tree = readTree(document.root, text, { masked, blanked });
  const all = [...findings, ...tree.findings];
  if (tree.isCutOff) return unread(file, text, all);
  const map = createSourceMap({ file, text, nodes: tree.nodes });
  return {
    value: tree.value,
    map,
    problems: all.map((finding) => toProblem(map, finding)),
    suspect: tree.suspect,
    lossy: tree.lossy,
    partial: findings.length > 0,
  };
}

function emptyFile(): Finding {
  return {
    code: 'PAWL-021',
    pointer: '',
    message: 'there is no workflow in this file',
    help: 'begin with `pawl: 1` and `workflow: my-name`',
  };
}
