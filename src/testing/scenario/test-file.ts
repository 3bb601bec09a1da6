import { explainSchema } from '../../definition/explain-schema.ts';
import { readYamlFile } from '../../definition/read-yaml-file.ts';
import { sortProblems, toProblem } from '../../definition/report-problem.ts';
import { isInside, type SourceMap } from '../../definition/source-map.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Problem } from '../../model/problem.ts';
import type { ReviewAnswer } from '../../model/statuses.ts';

/** A text, or a list of them. */
export type Texts = string | readonly string[];

/** A word of a script: a text, a status, or an answer as data. */
export type WordYaml =
  | string
  | number
  | { readonly status?: number; readonly retryAfter?: string; readonly body: Json };

/** The words of a script. */
export type ScriptYaml = string | number | readonly WordYaml[];

/** What is said of one action's provider, as the schema lets it pass. */
export type OperationYaml =
  | ScriptYaml
  | {
      readonly script?: ScriptYaml;
      readonly answer?: Json;
      readonly key?: 'honoured' | 'ignored';
      readonly lookup?: 'yes' | 'no';
      readonly takes?: string;
    };

/** What comes from outside, as the schema lets it pass: exactly one of the acts. */
export interface EventYaml {
  readonly at: string;
  readonly signal?: string;
  readonly approve?: string;
  readonly deny?: string;
  readonly cancel?: string;
  readonly terminate?: string;
  readonly compensate?: string;
  readonly retry?: string;
  readonly resolve?: string;
  readonly start?: 'again';
  readonly worker?: 'down' | 'up';
  readonly child?: string;
  readonly data?: Json;
  readonly id?: string;
  readonly source?: string;
  readonly by?: string;
  readonly roles?: readonly string[];
  readonly form?: Json;
  readonly as?: ReviewAnswer;
  readonly evidence?: string;
  readonly output?: Json;
  readonly input?: Json;
  readonly answer?: string;
}

/** What must have come of it, as the schema lets it pass. */
export interface ExpectationYaml {
  readonly effects?: Texts;
  readonly status: string;
  readonly outcome?: string;
  readonly failure?: string | JsonObject;
  readonly finallyFailed?: string;
  readonly output?: Json;
  readonly wholeOutput?: Json;
  readonly steps?: readonly string[];
  readonly incidents?: readonly string[];
  readonly open?: Texts;
  readonly sent?: Readonly<Record<string, readonly Json[]>>;
  readonly published?: Readonly<Record<string, readonly Json[]>>;
  readonly calls?: Readonly<Record<string, number>>;
  readonly waits?: Readonly<Record<string, readonly string[]>>;
  readonly at?: Readonly<Record<string, string>>;
}

/** A scenario, as the schema lets it pass. */
export interface ScenarioYaml {
  readonly name: string;
  readonly input?: Json;
  readonly by?: string;
  readonly startsAt?: string;
  readonly provider?: Readonly<Record<string, OperationYaml>>;
  readonly events?: readonly EventYaml[];
  readonly until?: string;
  readonly expect: ExpectationYaml;
  readonly crashed?: readonly ExpectationYaml[];
}

/** A test file as it is written: its names mean nothing yet. */
export interface TestFile {
  /** The workflow file that it names; null = the one of its own name. */
  readonly workflow: string | null;
  /** Workflow files that it, or one of them, runs as children: each before those that run it. */
  readonly children: readonly string[];
  readonly scenarios: readonly ScenarioYaml[];
  readonly map: SourceMap;
}

/** A test file, or what is wrong with it. */
export type TestFileReading =
  | { readonly ok: true; readonly file: TestFile }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** An empty file is told in the words of its own kind. */
function inOwnWords(problem: Problem): Problem {
  if (problem.code !== 'PAWL-021') return problem;
  return { ...problem, message: 'there is no scenario in this file', help: 'begin with `scenarios:`' };
}

/**
 * Reads a test file by its schema, with the same YAML and the same words as a workflow. Never throws.
 * @param name the name that problems carry.
 */
export function readTestFile(text: string, name: string): TestFileReading {
  const { value, map, problems, suspect } = readYamlFile(text, name);
  const misfits = value === undefined ? [] : explainSchema('scenario', value);
  const own = misfits.filter(({ pointer }) => !isInside(pointer, suspect)).map((finding) => toProblem(map, finding));
  const all = [...problems.map(inOwnWords), ...own];
  if (value === undefined || all.some(({ severity }) => severity === 'error'))
    return { ok: false, problems: sortProblems(all) };
  // The schema has let it pass.
  const {
    workflow = null,
    children = [],
    scenarios,
  } = value as unknown as Pick<TestFile, 'scenarios'> & {
    workflow?: string;
    children?: readonly string[];
  };
  return { ok: true, file: { workflow, children, scenarios, map } };
}
