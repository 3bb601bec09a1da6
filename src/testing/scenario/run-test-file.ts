import { toProblem } from '../../definition/report-problem.ts';
import type { Finding } from '../../definition/report-problem.ts';
import { DefinitionError } from '../../model/errors.ts';
import type { Problem } from '../../model/problem.ts';
import type { Lab } from '../crash-lab/lab.ts';
import { type LabAsk, openLab } from '../crash-lab/run-crash-lab.ts';
import { NO_SCENARIO } from '../crash-lab/scenario-file.ts';
import { buildScenarios } from './build-scenario.ts';
import { childDefinitions, type Crashed, crashScenario } from './crash-scenario.ts';
import { judgeScenario, type Miss } from './judge-scenario.ts';
import { playScenario } from './play-scenario.ts';
import type { Seen } from './seen.ts';
import type { TestFile } from './test-file.ts';
import type { TestScenario } from './test-scenario.ts';
import { namesOf } from './workflow-names.ts';

/** What came of one scenario. */
export interface ScenarioResult {
  readonly name: string;
  readonly ok: boolean;
  /** Expectations that were not met, with their places in the test file. */
  readonly misses: readonly (Miss & { readonly problem: Problem })[];
  /** Why it could not be played to its end, or what broke. */
  readonly problems: readonly string[];
  /** What crashes have changed; null = it was not crashed. */
  readonly crashed: Crashed | null;
}

/** What came of a test file. */
export interface FileResult {
  readonly workflow: string;
  readonly version: number;
  readonly scenarios: readonly ScenarioResult[];
}

/** A test file that was run, with what coverage is read from. */
export interface FileRun {
  readonly lab: Lab;
  readonly result: FileResult;
  readonly plays: readonly Seen[];
}

/** One of the plays of a scenario. */
export interface PlayNo {
  readonly scenario: string;
  /** 1 for the play without a crash. */
  readonly played: number;
  readonly plays: number;
}

/** What is run. */
export interface FileAsk {
  readonly file: TestFile;
  /** The workflow that it tests, and the name that its problems carry. */
  readonly workflow: Pick<LabAsk, 'text' | 'file' | 'catalogues' | 'children'>;
  /** Whether each scenario is also played with a crash at each of its boundaries. */
  readonly crash: boolean;
  onPlay(play: PlayNo): void;
}

function scenariosOf(lab: Lab, { scenarios, map }: TestFile): readonly TestScenario[] {
  const findings: Finding[] = [];
  const context = {
    names: namesOf(lab.definition, childDefinitions(lab)),
    report: (finding: Finding) => void findings.push(finding),
  };
  const built = buildScenarios(context, scenarios);
  if (findings.length > 0) throw new DefinitionError(findings.map((finding) => toProblem(map, finding)));
  return built;
}

/** The expectation in its file. */
function problemOf({ map }: TestFile, { pointer, what, hint }: Miss): Problem {
  const message = `${what} not as expected: ${hint}`;
  return toProblem(map, { code: 'PAWL-650', pointer, message, help: 'mend the workflow, or what is expected of it' });
}

async function runScenario(
  lab: Lab,
  scenario: TestScenario,
  { file, crash, onPlay }: FileAsk,
): Promise<{ readonly seen: Seen; readonly result: ScenarioResult }> {
  const { name } = scenario;
  onPlay({ scenario: name, played: 1, plays: 1 });
  const calm = await playScenario(lab, scenario, null);
  const { seen } = calm;
  const misses = judgeScenario({ scenario, seen, compiled: lab.compiled, children: childDefinitions(lab) });
  const isMet = misses.length === 0 && seen.problems.length === 0;
  const crashed =
    crash && isMet
      ? await crashScenario(lab, scenario, calm, (no, plays) =>
          onPlay({ scenario: name, played: no + 1, plays: plays + 1 }),
        )
      : null;
  const result = {
    name,
    ok: isMet && (crashed?.misses.length ?? 0) === 0,
    misses: misses.map((miss) => ({ ...miss, problem: problemOf(file, miss) })),
    problems: seen.problems,
    crashed,
  };
  return { seen, result };
}

/**
 * Plays every scenario of a test file.
 * @throws PAWL_DEFINITION_INVALID with the problems of the workflow, or of the names that the scenarios use.
 */
export async function runTestFile(ask: FileAsk): Promise<FileRun> {
  const lab = await openLab({ ...ask.workflow, scenario: NO_SCENARIO, lies: [] });
  const plays: Seen[] = [];
  const results: ScenarioResult[] = [];
  for (const scenario of scenariosOf(lab, ask.file)) {
    const { seen, result } = await runScenario(lab, scenario, ask);
    plays.push(seen);
    results.push(result);
  }
  const { workflow, version } = lab.definition;
  return { lab, result: { workflow, version, scenarios: results }, plays };
}
