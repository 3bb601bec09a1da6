import { xml } from '../crash-lab/junit.ts';
import type { ScenarioResult } from './run-test-file.ts';
import type { FileReport, TestReport } from './run-tests.ts';

/** Everything that was wrong with a scenario, one text each. */
function failuresOf({ misses, problems, crashed }: ScenarioResult): readonly string[] {
  const own = misses.map(({ what, expected, got, hint }) => `${what}: expected ${expected}, got ${got} (${hint})`);
  const crashes = (crashed?.misses ?? []).flatMap((crash) =>
    [
      ...crash.misses.map(({ what, expected, got }) => `${what}: expected ${expected}, got ${got}`),
      ...crash.problems,
    ].map((text) => `killed ${crash.words}: ${text}`),
  );
  return [...own, ...problems, ...crashes];
}

function testCase(file: string, name: string, failures: readonly string[]): readonly string[] {
  return [
    `    <testcase classname="${xml(file)}" name="${xml(name)}">`,
    ...failures.map((text) => `      <failure message="${xml(text)}"></failure>`),
    '    </testcase>',
  ];
}

/** A file whose scenarios were not played is one case that failed. */
function casesOf({ file, problems, unreadable, result }: FileReport): readonly (readonly string[])[] {
  if (result !== null) return result.scenarios.map((scenario) => testCase(file, scenario.name, failuresOf(scenario)));
  const told = problems.map(({ file: name, range, code, message }) => `${name}:${range.line} ${code} ${message}`);
  return [testCase(file, 'the file can be played', unreadable === null ? told : [unreadable])];
}

/** The report as JUnit XML: one suite a file, one case a scenario. */
export function testJunit(report: TestReport): string {
  const suites = report.files.map((file) => {
    const cases = casesOf(file);
    const failed = cases.filter((lines) => lines.some((line) => line.trimStart().startsWith('<failure'))).length;
    const head = `  <testsuite name="${xml(file.file)}" tests="${cases.length}" failures="${failed}">`;
    return [head, ...cases.flat(), '  </testsuite>'].join('\n');
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites name="pawl test">',
    ...suites,
    '</testsuites>',
    '',
  ].join('\n');
}
