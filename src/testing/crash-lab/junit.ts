import { BOUNDARIES } from './boundaries.ts';
import type { Cell, Finding, LabReport, Row } from './lab-report.ts';

/** Text inside an attribute or element; what XML cannot hold becomes a space. */
export function xml(text: string): string {
  return [...text]
    .map((letter) => (letter < ' ' ? ' ' : '<>&"'.includes(letter) ? `&#${letter.charCodeAt(0)};` : letter))
    .join('');
}

/** A cell in words. */
export function cellText({ verdict, times }: Cell): string {
  if (verdict === 'review') return 'review';
  if (verdict === 'silent') return '✘ stop';
  if (verdict === 'bug') return '✘ bug';
  if (verdict !== 'ok') return `✘ ${times}`;
  return times === 0 ? '0' : `✔ ${times}`;
}

function failures(findings: readonly Finding[]): readonly string[] {
  return findings.map(
    ({ kind, message, way, story, mend }) =>
      `      <failure type="${kind}" message="${xml(message)}">${xml(`${story}: ${way}`)}\nmend: ${xml(mend)}</failure>`,
  );
}

function testCases({ workflow, findings }: LabReport, row: Row): readonly string[] {
  return BOUNDARIES.flatMap(({ name, words }): readonly string[] => {
    const own = findings.filter(({ effect, boundary }) => effect === row.effect && boundary === name);
    const cell = row.cells[name];
    if (cell === undefined && own.length === 0) return [];
    const said = cell === undefined ? '' : cellText(cell);
    const open = `    <testcase classname="${xml(`${workflow}.${row.effect}`)}" name="${xml(words)}"`;
    const out = `      <system-out>${xml(said)}</system-out>`;
    return [`${open}>`, ...failures(own), out, '    </testcase>'];
  });
}

/** The report as JUnit XML: one suite an effect, one case a boundary. */
export function junitReport(report: LabReport): string {
  const suites = report.rows.map((row) => {
    const cases = testCases(report, row);
    const count = (start: string): number => cases.filter((line) => line.trimStart().startsWith(start)).length;
    const head = `  <testsuite name="${xml(row.effect)}" tests="${count('<testcase')}" failures="${count('<failure')}">`;
    return [head, ...cases, '  </testsuite>'].join('\n');
  });
  const name = xml(`pawl crashtest ${report.workflow}@${report.version}`);
  return ['<?xml version="1.0" encoding="UTF-8"?>', `<testsuites name="${name}">`, ...suites, '</testsuites>', ''].join(
    '\n',
  );
}
