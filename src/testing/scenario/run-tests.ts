import { dirname, join } from 'node:path';
import type { Shelf } from '../../definition/embed-catalogues.ts';
import { validateWorkflow } from '../../definition/validate-workflow.ts';
import { DefinitionError, PawlError } from '../../model/errors.ts';
import type { Problem } from '../../model/problem.ts';
import type { LabAsk } from '../crash-lab/run-crash-lab.ts';
import { type CoveredKind, coverageOf } from './coverage.ts';
import { TEST_FILE_END } from './find-test-files.ts';
import { type FileResult, type FileRun, type PlayNo, runTestFile } from './run-test-file.ts';
import { readTestFile, type TestFile } from './test-file.ts';

/** A test file in the report. */
export interface FileReport {
  readonly file: string;
  /** Why its scenarios were not played: what is wrong in it, or in its workflow. */
  readonly problems: readonly Problem[];
  /** Why its workflow could not be read. */
  readonly unreadable: string | null;
  readonly result: FileResult | null;
}

/** What of one workflow all its scenarios have been through. */
export interface CoverageReport {
  readonly workflow: string;
  readonly version: number;
  readonly kinds: readonly CoveredKind[];
}

/** Everything that came of a call. */
export interface TestReport {
  readonly ok: boolean;
  /** Scenarios. */
  readonly passed: number;
  readonly failed: number;
  /** Plays with a crash. */
  readonly crashes: number;
  readonly files: readonly FileReport[];
  readonly coverage: readonly CoverageReport[];
}

/** A play that is about to begin. */
export interface ScenarioPlay extends PlayNo {
  readonly file: string;
  /** Of the file; 1 for the first. */
  readonly no: number;
}

/** What is run, and how its files are read. */
export interface TestsAsk {
  readonly files: readonly string[];
  readonly crash: boolean;
  /** @throws PawlError naming a file that cannot be read. */
  read(file: string): string;
  /** The catalogues that a workflow file may use; none unless given. */
  catalogues?(file: string): Shelf;
  /** Told of each file as soon as it is done. */
  onFile?(report: FileReport): void;
  /** Told of each play as it begins. */
  onPlay?(play: ScenarioPlay): void;
}

/** The workflow file that a test file tests. */
export function workflowFileOf(file: string, named: string | null): string {
  return named === null ? `${file.slice(0, -TEST_FILE_END.length)}.pawl.yaml` : join(dirname(file), named);
}

interface Outcome {
  readonly report: FileReport;
  readonly run: FileRun | null;
}

function refused(file: string, problems: readonly Problem[], unreadable: string | null = null): Outcome {
  return { report: { file, problems, unreadable, result: null }, run: null };
}

/** The files of its children, as the test file names them. */
function childrenOf(ask: TestsAsk, name: string, { children }: TestFile): NonNullable<LabAsk['children']> {
  return children.map((child) => {
    const file = join(dirname(name), child);
    return { text: ask.read(file), file, catalogues: ask.catalogues?.(file) };
  });
}

async function runOne(ask: TestsAsk, name: string, no: number): Promise<Outcome> {
  try {
    const reading = readTestFile(ask.read(name), name);
    if (!reading.ok) return refused(name, reading.problems);
    const workflow = workflowFileOf(name, reading.file.workflow);
    const text = ask.read(workflow);
    const catalogues = ask.catalogues?.(workflow);
    const { definition, problems } = validateWorkflow(text, workflow, catalogues);
    if (definition === null)
      return refused(
        name,
        problems.filter(({ severity }) => severity === 'error'),
      );
    const run = await runTestFile({
      file: reading.file,
      workflow: { text, file: workflow, catalogues, children: childrenOf(ask, name, reading.file) },
      crash: ask.crash,
      onPlay: (play) => ask.onPlay?.({ ...play, file: name, no }),
    });
    return { report: { file: name, problems: [], unreadable: null, result: run.result }, run };
  } catch (error) {
    if (error instanceof DefinitionError) return refused(name, error.problems);
    if (error instanceof PawlError) return refused(name, [], error.message);
    throw error;
  }
}

/** Of each workflow what the scenarios of all its files have been through. */
function coverageReports(runs: readonly FileRun[]): readonly CoverageReport[] {
  const byDigest = new Map<string, FileRun[]>();
  for (const run of runs) {
    const { digest } = run.lab.version;
    byDigest.set(digest, [...(byDigest.get(digest) ?? []), run]);
  }
  return [...byDigest.values()].flatMap(([first, ...rest]): readonly CoverageReport[] => {
    if (first === undefined) return [];
    const { workflow, version } = first.result;
    const plays = [first, ...rest].flatMap((run) => run.plays);
    return [{ workflow, version, kinds: coverageOf(first.lab.compiled, plays) }];
  });
}

/** Plays all scenarios of all files. */
export async function runTests(ask: TestsAsk): Promise<TestReport> {
  const outcomes: Outcome[] = [];
  for (const [at, file] of ask.files.entries()) {
    const outcome = await runOne(ask, file, at + 1);
    outcomes.push(outcome);
    ask.onFile?.(outcome.report);
  }
  const scenarios = outcomes.flatMap(({ report }) => report.result?.scenarios ?? []);
  const passed = scenarios.filter(({ ok }) => ok).length;
  return {
    ok: passed === scenarios.length && outcomes.every(({ run }) => run !== null),
    passed,
    failed: scenarios.length - passed,
    crashes: scenarios.reduce((sum, { crashed }) => sum + (crashed?.plays ?? 0), 0),
    files: outcomes.map(({ report }) => report),
    coverage: coverageReports(outcomes.flatMap(({ run }) => (run === null ? [] : [run]))),
  };
}
