import type { Finding } from './report-problem.ts';
import { explainSyntax } from './yaml-messages.ts';
import { parseYaml, type RawDocument } from './yaml-syntax.ts';

/** At most this many syntax mistakes of one file are told in one run. */
const SYNTAX_FINDINGS_MAX = 20;

/** A file read in spite of its syntax mistakes. */
export interface Recovered {
  readonly document: RawDocument;
  readonly findings: readonly Finding[];
  /** Parts of the text that were stepped over, as offsets. */
  readonly masked: readonly (readonly [start: number, end: number])[];
}

/** Replaces a part of a text by a harmless value (or blanks, for a whole line) of the same length, so that offsets stay true. */
function mask(text: string, [start, end]: readonly [number, number]): string {
  const whole = start === 0 || text[start - 1] === '\n';
  return text.slice(0, start) + (whole ? ' ' : 'x').repeat(end - start) + text.slice(end);
}

/**
 * Parses a text, steps over each syntax mistake and goes on, so that all are told in one run and each once. Where
 * stepping over does not help, the rest is not looked at: a guess would only puzzle the reader.
 */
export function recoverSyntax(text: string): Recovered {
  const findings: Finding[] = [];
  const masked: (readonly [number, number])[] = [];
  let current = text;
  let document = parseYaml(current);
  let last = -1;
  while (document.tooDeepAt === null && findings.length < SYNTAX_FINDINGS_MAX) {
    const explained = explainSyntax(document, current);
    if (explained === null) return { document, findings, masked };
    const part = explained.recover ?? null;
    findings.push(explained.finding);
    const place = explained.finding.offsets?.[0] ?? 0;
    if (part === null || place <= last) break;
    last = place;
    masked.push(part);
    current = mask(current, part);
    document = parseYaml(current);
  }
  if (document.tooDeepAt !== null) return { document, findings, masked };
  return { document: { ...document, root: null }, findings, masked };
}
