import type { WorkflowDefinition } from '../model/definition.ts';
import type { Problem } from '../model/problem.ts';
import { buildWorkflow } from './build-workflow.ts';
import { checkJsonSchemas } from './check-json-schemas.ts';
import { checkStepKeys } from './check-step-keys.ts';
import { explainSchema, isWithin } from './explain-schema.ts';
import { readYaml, type YamlFile } from './read-yaml.ts';
import { type Finding, toProblem } from './report-problem.ts';
import type { SourceMap } from './source-map.ts';
import { child, isObject } from './yaml-node.ts';

/** A workflow file as far as it could be read, for checks that go on in spite of mistakes. */
export interface WorkflowReading {
  /** What could be built; parts with mistakes are left out. Null where there is no map at all. */
  readonly built: WorkflowDefinition | null;
  readonly problems: readonly Problem[];
  readonly map: SourceMap;
  /** Nodes that are not what the author meant: what is wrong there further is a consequence. */
  readonly suspect: readonly string[];
  /** Ids that are written in the file and missing in what was built. */
  readonly lostIds: ReadonlySet<string>;
  /** Whether steps or names are missing in what was built. */
  readonly hasHoles: boolean;
}

function builtIds(definition: WorkflowDefinition): Set<string> {
  const ids = new Set<string>();
  const open = [...definition.steps];
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    ids.add(step.id);
    for (const clause of step.catch) open.push(...clause.do);
    if (step.verb === 'choose') for (const branch of step.branches) open.push(...(branch.steps ?? []));
  }
  return ids;
}

function notAWorkflow(): Finding {
  return {
    code: 'PAWL-021',
    pointer: '',
    message: 'there is no workflow in this file: a definition is a map of keys',
    help: 'begin with `pawl: 1`, `workflow: my-name`, `version: 1` and `steps:`',
  };
}

function unread(yaml: YamlFile): WorkflowReading {
  const extra = yaml.value === undefined ? [] : [toProblem(yaml.map, notAWorkflow())];
  return {
    built: null,
    problems: [...yaml.problems, ...extra],
    map: yaml.map,
    suspect: [''],
    lostIds: new Set(),
    hasHoles: true,
  };
}

/** Keeps findings that are not consequences of earlier ones: nothing is said twice about one place. */
function withoutConsequences(findings: readonly Finding[], suspect: readonly string[]): readonly Finding[] {
  return findings.filter((finding) => !suspect.some((pointer) => isWithin(finding.pointer, pointer)));
}

/** Reads YAML, keys and values of a workflow file and builds what can be built. Never throws. */
export function readWorkflow(text: string, file: string): WorkflowReading {
  const yaml = readYaml(text, file);
  if (yaml.value === undefined || !isObject(yaml.value)) return unread(yaml);
  const root = { value: yaml.value, pointer: '' };
  const shape = withoutConsequences([...explainSchema('workflow', yaml.value), ...checkStepKeys(child(root, 'steps'))], yaml.suspect);
  const spoiled = [...yaml.suspect, ...shape.filter((finding) => finding.code !== 'PAWL-102' && finding.code !== 'PAWL-108').map(({ pointer }) => pointer)];
  const found: Finding[] = [];
  const context = { map: yaml.map, report: (finding: Finding) => found.push(finding), ids: new Set<string>() };
  const built = buildWorkflow(context, root);
  found.push(...checkJsonSchemas(root));
  const content = withoutConsequences(found, spoiled);
  const ids = builtIds(built);
  const lostIds = new Set([...context.ids].filter((id) => !ids.has(id)));
  const findings = [...shape, ...content];
  return {
    built,
    problems: [...yaml.problems, ...findings.map((finding) => toProblem(yaml.map, finding))],
    map: yaml.map,
    suspect: [...yaml.suspect, ...findings.map(({ pointer }) => pointer)],
    lostIds,
    hasHoles: yaml.partial || lostIds.size > 0 || findings.some(({ code }) => code === 'PAWL-901' || code === 'PAWL-108'),
  };
}
