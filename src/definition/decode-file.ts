import type { Problem } from '../model/problem.ts';
import { normalizeText } from './read-yaml-file.ts';
import { toProblem } from './report-problem.ts';
import { createSourceMap } from './source-map.ts';

const REPLACEMENT = Buffer.from('\uFFFD');

/** A file's bytes as text, and the first place where they are none. */
export interface DecodedFile {
  /** With U+FFFD where a byte is part of no character. */
  readonly text: string;
  readonly problem: Problem | null;
}

/**
 * Reads bytes as UTF-8. What begins with another encoding's bytes is told at its place: replaced silently, a name or a text would
 * be another one than its author wrote.
 * @param file the name that the problem carries.
 */
export function decodeFile(bytes: Buffer, file: string): DecodedFile {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const at = firstReplaced(text, bytes);
  if (at === null) return { text, problem: null };
  const map = createSourceMap({ file, text: normalizeText(text), nodes: new Map() });
  const start = normalizeText(text.slice(0, at.index)).length;
  const byte = `0x${bytes.toString('hex', at.offset, at.offset + 1).toUpperCase()}`;
  const problem = toProblem(map, {
    code: 'PAWL-019',
    pointer: '',
    offsets: [start, start + 1],
    message: `the file is not in UTF-8: byte ${at.offset + 1}, ${byte}, is part of no character`,
    help: 'save the file as UTF-8',
  });
  return { text, problem };
}

/** The first U+FFFD of the text that stands for a byte; one that the file itself holds is a character like others. */
function firstReplaced(text: string, bytes: Buffer): { readonly index: number; readonly offset: number } | null {
  let offset = 0;
  let from = 0;
  for (let index = text.indexOf('\uFFFD'); index !== -1; index = text.indexOf('\uFFFD', from)) {
    offset += Buffer.byteLength(text.slice(from, index));
    if (!bytes.subarray(offset, offset + REPLACEMENT.length).equals(REPLACEMENT)) return { index, offset };
    offset += REPLACEMENT.length;
    from = index + 1;
  }
  return null;
}
