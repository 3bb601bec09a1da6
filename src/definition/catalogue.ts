import type { WorkflowDefinition } from '../model/definition.ts';
import type { Problem } from '../model/problem.ts';
import { checkExpressions } from './check-expressions.ts';
import { expressionsOfTheirOwn, lintOfItsOwn, withoutRepeats } from './consequences.ts';
import { lintCatalogue } from './lint/lint-workflow.ts';
import { buildPart, readDefinition, type WorkflowReading } from './read-definition.ts';
import { type YamlFile, readYamlFile } from './read-yaml-file.ts';
import { sortProblems, toProblem } from './report-problem.ts';
import type { SourceMap } from './source-map.ts';
import { isObject } from './yaml-node.ts';

/** A file as it was found: its name for problems, and its text. */
export interface SourceFile {
  readonly file: string;
  readonly text: string;
}

/** How the name of a catalogue's file ends. */
export const CATALOGUE_END = '.catalogue.yaml';

/** A catalogue of actions without any mistake, ready to be published or embedded. */
export interface Catalogue extends SourceFile {
  readonly name: string;
  readonly version: number;
  readonly map: SourceMap;
  readonly secrets: readonly string[];
  /** Its actions as they stand in its own file. */
  readonly actions: WorkflowDefinition['actions'];
  /** The same with pointers that begin with another one, as a workflow embeds them. */
  actionsUnder(pointer: string): WorkflowDefinition['actions'];
}

/** A catalogue's file with all that is wrong with it. */
export interface ValidatedCatalogue {
  /** Null where the file has an error. */
  readonly catalogue: Catalogue | null;
  readonly problems: readonly Problem[];
}

/** What a file says that it is, however much else is wrong with it. */
export interface CatalogueHead {
  readonly name: string | null;
  readonly version: number | null;
}

/** Reads no more of a file than its name and version. Never throws. */
export function readCatalogueHead({ file, text }: SourceFile): CatalogueHead {
  const { value } = readYamlFile(text, file);
  const { catalogue, version } = isObject(value) ? value : {};
  return {
    name: typeof catalogue === 'string' ? catalogue : null,
    version: typeof version === 'number' ? version : null,
  };
}

const NO_CATALOGUE: Pick<Problem, 'message' | 'help'> = {
  message: 'there is no catalogue in this file',
  help: 'begin with `pawl: 1`, `catalogue: my-name`, `version: 1` and `actions:`',
};

/** An empty file is told in the words of its own kind. */
function inOwnWords(problem: Problem): Problem {
  return problem.code === 'PAWL-021' ? { ...problem, ...NO_CATALOGUE } : problem;
}

/** What an action of a catalogue may read of a run is what it is called with: it knows no workflow's input. */
const NO_INPUT = { type: 'object', properties: {}, additionalProperties: false } as const;

/**
 * Checks a catalogue file completely, by itself: its actions may name each other and read what they are called with,
 * nothing of a workflow. Never throws.
 * @param file the name that problems carry.
 */
export function validateCatalogue(text: string, file: string): ValidatedCatalogue {
  const yaml = readYamlFile(text, file);
  const reading = readDefinition('catalogue', yaml);
  const { map } = reading;
  if (reading.built === null) return { catalogue: null, problems: sortProblems(reading.problems.map(inOwnWords)) };
  const definition = { ...reading.built, input: NO_INPUT };
  const problems = sortProblems([...reading.problems, ...findProblems(definition, reading)]);
  const failed = problems.some(({ severity }) => severity === 'error');
  return { catalogue: failed ? null : catalogueOf({ file, text }, yaml, definition, map), problems };
}

function findProblems(definition: WorkflowDefinition, reading: WorkflowReading): readonly Problem[] {
  const { map } = reading;
  const lint = reading.isPartial ? [] : lintOfItsOwn(lintCatalogue(definition, map), reading, definition);
  const found = checkExpressions(definition).map((finding) => toProblem(map, finding));
  return [...withoutRepeats(expressionsOfTheirOwn(found, reading), lint), ...lint];
}

function catalogueOf(
  source: SourceFile,
  { value }: YamlFile,
  { actions, secrets, version }: WorkflowDefinition,
  map: SourceMap,
): Catalogue {
  const content = isObject(value) ? value : {};
  const actionsUnder = (pointer: string): Catalogue['actions'] => buildPart(map, { value: content, pointer }).actions;
  return { ...source, name: String(content['catalogue']), version, map, secrets, actions, actionsUnder };
}
