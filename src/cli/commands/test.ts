import { resolve } from 'node:path';
import type { Command } from 'commander';
import { findTestFiles } from '../../testing/scenario/find-test-files.ts';
import { testJunit } from '../../testing/scenario/junit-report.ts';
import type { CrashMiss } from '../../testing/scenario/crash-scenario.ts';
import type { ScenarioResult } from '../../testing/scenario/run-test-file.ts';
import {
  type CoverageReport,
  type FileReport,
  runTests,
  type TestReport,
  type TestsAsk,
} from '../../testing/scenario/run-tests.ts';
import type { Bind } from '../bind.ts';
import { readSource, shelfOf } from '../catalogue-shelf.ts';
import { type CliContext, printJson } from '../cli-context.ts';
import { codeFrame } from '../code-frame.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { openProgress } from '../test-progress.ts';
import { UsageError } from '../report-error.ts';
import { terminalText } from '../terminal-text.ts';
import { untilStopped } from '../until-stopped.ts';
import { stampFiles, untilChanged } from '../watch-files.ts';

interface TestOptions {
  readonly crash?: boolean;
  readonly watch?: boolean;
}

/** `pawl test [FILES]`: plays the scenarios of test files on a simulated clock. */
export function addTest(program: Command, bind: Bind): void {
  program
    .command('test')
    .description('play the scenarios of *.test.yaml files on a simulated clock; -o json or junit')
    .argument('[files...]', 'test files, folders to search, or patterns (default: this folder)')
    .option('--crash', 'each scenario also with its worker killed at every boundary: effects and end must not change')
    .option('--watch', 'again whenever a file changes, until Ctrl-C')
    .action(bind((context, files: string[], options: TestOptions) => test(context, files, options)));
}

async function test(context: CliContext, given: readonly string[], options: TestOptions): Promise<void> {
  for (;;) {
    const { folder, stopped } = context.host;
    const { files, missing } = findTestFiles(folder, given.length === 0 ? ['.'] : given);
    const [none] = missing;
    if (none !== undefined) throw new UsageError(`${none}: there is no *.test.yaml there`);
    const read = new Map(files.map((file) => [resolve(folder, file), file]));
    // Before anything is read, so that no change is missed.
    let stamps = stampFiles([...read.keys()]);
    const readStamped = (_: CliContext, file: string): string => {
      const path = resolve(folder, file);
      if (!stamps.has(path)) stamps = new Map([...stamps, ...stampFiles([path])]);
      return readSource(context, file);
    };
    const report = await playAll(context, {
      files,
      crash: options.crash === true,
      read: (file) => readStamped(context, file),
      catalogues: (file) => shelfOf(context, file, readStamped),
    });
    if (report === null) return;
    context.exit = exitOf(report);
    tellReport(context, report);
    if (options.watch !== true) return;
    context.say(context.paint.quiet('waiting for a change (Ctrl-C ends)'));
    if (!(await untilChanged(stamps, stopped))) return;
  }
}

/** Plays the files, tells each as it is done, and meanwhile how far it is. @returns null when it was interrupted. */
async function playAll(context: CliContext, ask: Omit<TestsAsk, 'onFile' | 'onPlay'>): Promise<TestReport | null> {
  const progress = openProgress(context.host.stderr, ask.files.length);
  try {
    return await untilStopped(context, () =>
      runTests({
        ...ask,
        onFile: (file) => {
          progress.clear();
          if (context.options.output === 'table' && !context.host.stopped.aborted) tellFile(context, file);
        },
        onPlay: progress.tell,
      }),
    );
  } finally {
    progress.clear();
  }
}

function exitOf({ ok, files }: TestReport): ExitCode {
  if (files.some(({ unreadable }) => unreadable !== null)) return EXIT.usage;
  if (files.some(({ problems }) => problems.length > 0)) return EXIT.invalid;
  return ok ? EXIT.ok : EXIT.runFailed;
}

function tellReport(context: CliContext, report: TestReport): void {
  if (printJson(context, report)) return;
  if (context.options.output === 'junit') {
    context.print(testJunit(report));
    return;
  }
  const { paint } = context;
  for (const coverage of report.coverage) tellCoverage(context, coverage);
  const { passed, failed, crashes, files } = report;
  const unplayed = files.filter(({ result }) => result === null).length;
  const parts = [
    paint.good(`${passed} passed`),
    ...(failed === 0 ? [] : [paint.bad(`${failed} failed`)]),
    ...(unplayed === 0 ? [] : [paint.bad(`${unplayed} ${unplayed === 1 ? 'file' : 'files'} not played`)]),
    ...(crashes === 0 ? [] : [`${crashes} crashes`]),
  ];
  context.print(`\n${parts.join(', ')}`);
}

function tellFile(context: CliContext, { file, problems, unreadable, result }: FileReport): void {
  const { paint, sources } = context;
  if (unreadable !== null) context.say(`${paint.bad('error')} ${terminalText(unreadable)}`);
  for (const problem of problems) context.print(`${codeFrame(problem, sources, paint)}\n\n`);
  if (result === null) return;
  context.print(`${terminalText(file)}  ${paint.quiet(`${result.workflow}@${result.version}`)}`);
  for (const scenario of result.scenarios) tellScenario(context, scenario);
}

function tellScenario(context: CliContext, scenario: ScenarioResult): void {
  const { paint, sources } = context;
  const crashes = scenario.crashed === null ? '' : paint.quiet(`  ${scenario.crashed.plays} crashes`);
  context.print(`  ${scenario.ok ? paint.good('✔') : paint.bad('✘')} ${terminalText(scenario.name)}${crashes}`);
  for (const { problem, expected, got } of scenario.misses) {
    context.print(`\n${codeFrame(problem, sources, paint)}`);
    context.print(beside(expected, got));
  }
  for (const problem of scenario.problems) context.print(`    ${paint.bad('✘')} ${terminalText(problem)}`);
  for (const crash of scenario.crashed?.misses ?? []) tellCrash(context, crash);
}

function tellCrash(context: CliContext, { words, misses, problems }: CrashMiss): void {
  context.print(`    ${context.paint.bad('✘')} killed ${terminalText(words)}`);
  for (const { what, expected, got } of misses) context.print(`      ${what}\n${beside(expected, got)}`);
  for (const problem of problems) context.print(`      ${terminalText(problem)}`);
}

/** Expected beside got, one under the other. */
function beside(expected: string, got: string): string {
  return `      expected  ${terminalText(expected)}\n      got       ${terminalText(got)}\n`;
}

function tellCoverage(context: CliContext, { workflow, version, kinds }: CoverageReport): void {
  const counts = kinds
    .filter(({ total }) => total > 0)
    .map(({ kind, total, missed }) => `${kind} ${total - missed.length} of ${total}`);
  context.print(`\n${workflow}@${version}: ${counts.join(', ')}`);
  for (const { kind, missed } of kinds)
    if (missed.length > 0) context.print(`  ${context.paint.warn(`${kind} never visited`)}: ${missed.join('; ')}`);
}
