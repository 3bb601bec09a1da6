import { cutText } from '../model/cut-text.ts';
import { findTabs } from './find-tabs.ts';
import { type RawDocument, readYaml } from './read-yaml.ts';
import type { Finding } from './report-problem.ts';
import { lineEnd, lineStart } from './yaml-complaint.ts';
import { explainSyntax } from './yaml-messages.ts';

/** At most this many syntax mistakes of one file are told in one run. */
const SYNTAX_FINDINGS_MAX = 20;

/** At most so many characters are read again in all: a large file with many mistakes does not take long. */
const REREAD_CHARACTERS_MAX = 512 * 1024;

type Span = readonly [start: number, end: number];

/** A file read in spite of its syntax mistakes. */
export interface Recovered {
  /** `root` is null where going on made no sense. */
  readonly document: RawDocument;
  readonly findings: readonly Finding[];
  /** Values that were stepped over, as offsets. */
  readonly masked: readonly Span[];
  /** Lines that were left out, since a tab hides how deep they are. */
  readonly blanked: readonly Span[];
}

/** The part of a mistake's line that is stepped over: what follows the dashes and the first key. */
function valueSpan(text: string, at: number): Span {
  const end = lineEnd(text, at);
  const line = text.slice(lineStart(text, at), end);
  const value = line.replace(/^\s*(?:- +)*(?:(?:[^\s#:'"{}[\],!&*|>@%`-][^\s:'"{}[\],]*|"[^"]*"|'[^']*')\s*: +)?/, '');
  return [end - value.length, end];
}

/** Puts a harmless value of the same length in place of a part, so that offsets stay true. */
function mask(text: string, [start, end]: Span): string {
  return text.slice(0, start) + 'x'.repeat(end - start) + text.slice(end);
}

/** A second document: what it holds is not looked at. */
function secondFindings({ secondDocument: at }: RawDocument, text: string): Finding[] {
  if (at === null) return [];
  const message = 'a second document begins here: one file holds one workflow';
  const help = 'move it to a file of its own';
  return [{ code: 'PAWL-018', pointer: '', offsets: [at, lineEnd(text, at)], message, help }];
}

/** The lines that can hold directives: none of them holds anything else. */
const FRONT = /^(?:[%#].*(?:\n|$)|[ \t]*\n)*/;
const SHOWN_MAX = 60;

/** Takes directives out, so that they alone are told and the workflow under them is read. */
function withoutDirectives(source: string): { readonly text: string; readonly findings: Finding[] } {
  const front = FRONT.exec(source)?.[0] ?? '';
  const findings = [...front.matchAll(/^%.*/gm)].slice(0, SYNTAX_FINDINGS_MAX).map(({ 0: line, index }): Finding => {
    const message = `\`${cutText(line.trimEnd(), SHOWN_MAX)}\` is a YAML directive`;
    const help = 'take it out: definitions are YAML 1.2';
    return { code: 'PAWL-020', pointer: '', offsets: [index, index + line.trimEnd().length], message, help };
  });
  return { text: front.replace(/^%.*/gm, (line) => ' '.repeat(line.length)) + source.slice(front.length), findings };
}

/** Reads one document of the text, with tabs made harmless. */
function readTabless(source: string): Recovered & { readonly text: string } {
  const document = readYaml(source);
  if (document.tooDeepAt !== null) return { document, findings: [], masked: [], blanked: [], text: source };
  const tabbed = findTabs(document, source);
  const text = tabbed?.text ?? source;
  const findings = tabbed === null ? [] : [tabbed.finding];
  const blanked = tabbed?.blanked ?? [];
  return { document: tabbed === null ? document : readYaml(text), findings, masked: [], blanked, text };
}

/**
 * Parses a text, steps over each syntax mistake and goes on, so that all are told in one run and each once. Where
 * stepping over does not help, the rest is not looked at: a guess would only puzzle the reader.
 */
export function recoverSyntax(source: string): Recovered {
  const directives = withoutDirectives(source);
  const tabless = readTabless(directives.text);
  if (tabless.document.tooDeepAt !== null) return tabless;
  const findings = [...tabless.findings, ...directives.findings, ...secondFindings(tabless.document, source)];
  const masked: Span[] = [];
  const { blanked } = tabless;
  let { document, text } = tabless;
  let last = -1;
  const rounds = Math.min(SYNTAX_FINDINGS_MAX, 1 + Math.floor(REREAD_CHARACTERS_MAX / (source.length + 1)));
  for (let round = 0; round < rounds; round += 1) {
    const explained = explainSyntax(document, text);
    if (explained === null) return { document, findings, masked, blanked };
    const { finding, at, isLast } = explained;
    // A mistake before or at the last one, or right after a tab, is a consequence of it.
    if (at <= last || (round === 0 && tabless.findings.length > 0)) break;
    findings.push(finding);
    const part = valueSpan(text, at);
    if (isLast || part[1] <= part[0]) break;
    masked.push(part);
    last = part[1];
    text = mask(text, part);
    document = readYaml(text);
    if (document.tooDeepAt !== null) break;
  }
  return { document: { ...document, root: null, tooDeepAt: null }, findings, masked, blanked };
}
