import type { WorkflowDefinition } from '../model/definition.ts';
import type { Json } from '../model/json.ts';
import type { Problem } from '../model/problem.ts';
import { everyStep } from '../model/step-lists.ts';
import { buildWorkflow } from './build-workflow.ts';
import { checkJsonSchemas } from './check-json-schemas.ts';
import { checkStepKeys } from './check-step-keys.ts';
import { explainSchema } from './explain-schema.ts';
import type { ProblemCode } from './problem-codes.ts';
import type { YamlFile } from './read-yaml-file.ts';
import { type Finding, toProblem } from './report-problem.ts';
import { isInside, type SourceMap } from './source-map.ts';
import { child, isObject, type YamlNode } from './yaml-node.ts';

/** A workflow or catalogue as far as it could be read, for checks that go on in spite of mistakes. */
export interface WorkflowReading {
  /** What could be built; parts with mistakes are left out. Null where there is no map at all. */
  readonly built: WorkflowDefinition | null;
  readonly problems: readonly Problem[];
  readonly map: SourceMap;
  /** Nodes that are not what the author meant: what is wrong there further is a consequence. */
  readonly suspect: ReadonlySet<string>;
  /** Lists and maps that may lack what is in the file. */
  readonly lossy: ReadonlySet<string>;
  /** Ids that are written in the file and missing in what was built. */
  readonly lostIds: ReadonlySet<string>;
  /** Whether a part of the file was stepped over, so that any name may be missing. */
  readonly isPartial: boolean;
  /** Whether steps are missing in what was built. */
  readonly hasHoles: boolean;
  /** Whether a catalogue is missing, so that any action may be. */
  readonly lacksActions: boolean;
}

function builtIds(definition: WorkflowDefinition): Set<string> {
  return new Set(everyStep(definition).map(({ id }) => id));
}

function notAWorkflow(): Finding {
  return {
    code: 'PAWL-021',
    pointer: '',
    message: 'there is no workflow in this file: a definition is a map of keys',
    help: 'begin with `pawl: 1`, `workflow: my-name`, `version: 1` and `steps:`',
  };
}

function unread(yaml: YamlFile, reason: Finding): WorkflowReading {
  const extra = yaml.value === undefined ? [] : [toProblem(yaml.map, reason)];
  return {
    built: null,
    problems: [...yaml.problems, ...extra],
    map: yaml.map,
    suspect: new Set(['']),
    lossy: new Set(),
    lostIds: new Set(),
    isPartial: true,
    hasHoles: true,
    lacksActions: true,
  };
}

/** The version of the language that is read here. */
const LANGUAGE_VERSION = 1;

/** A file in another version of the language: all else that could be said of it would be beside the point. */
function otherLanguage(version: Json | undefined): Finding | null {
  if (typeof version !== 'number' || version === LANGUAGE_VERSION) return null;
  return {
    code: 'PAWL-104',
    pointer: '/pawl',
    message: `the file is in version ${version} of the language, and this release reads \`pawl: ${LANGUAGE_VERSION}\``,
    help: `write it in version ${LANGUAGE_VERSION}, or use a release that reads version ${version}`,
  };
}

/** A map that lacks a key is still a map: its members are judged. */
const LACKS: readonly ProblemCode[] = ['PAWL-102', 'PAWL-108'];

/** A step without a verb, a target of a machine that leads nowhere: the ways through the whole are not known. */
const HOLES: readonly ProblemCode[] = ['PAWL-108', 'PAWL-202'];

/** Keeps findings that are not consequences of earlier ones: nothing is said twice about one place. */
function withoutConsequences(
  findings: readonly Finding[],
  yaml: Pick<YamlFile, 'suspect' | 'lossy'>,
): readonly Finding[] {
  const isLost = ({ code, pointer }: Finding): boolean => LACKS.includes(code) && yaml.lossy.has(pointer);
  return findings.filter((finding) => !isInside(finding.pointer, yaml.suspect) && !isLost(finding));
}

/** Builds what can be built of a part that was read before, without telling its mistakes again. */
export function buildPart(map: SourceMap, node: YamlNode): WorkflowDefinition {
  return buildWorkflow({ map, report: () => undefined, ids: new Set() }, node);
}

/** Reads keys and values of a workflow or a catalogue and builds what can be built. Never throws. */
export function readDefinition(kind: 'workflow' | 'catalogue', yaml: YamlFile): WorkflowReading {
  if (yaml.value === undefined || !isObject(yaml.value)) return unread(yaml, notAWorkflow());
  const other = otherLanguage(yaml.value['pawl']);
  if (other !== null) return unread(yaml, other);
  const root = { value: yaml.value, pointer: '' };
  const lists = ['steps', 'finally'].flatMap((key) => checkStepKeys(child(root, key)));
  const keys = [...explainSchema(kind, yaml.value), ...lists];
  const shape = withoutConsequences(keys, yaml);
  const spoilt = shape.filter((finding) => !LACKS.includes(finding.code)).map(({ pointer }) => pointer);
  const found: Finding[] = [];
  const context = { map: yaml.map, report: (finding: Finding) => found.push(finding), ids: new Set<string>() };
  const built = buildWorkflow(context, root);
  found.push(...checkJsonSchemas(root));
  const content = withoutConsequences(found, { suspect: new Set([...yaml.suspect, ...spoilt]), lossy: yaml.lossy });
  const ids = builtIds(built);
  const lostIds = new Set([...context.ids].filter((id) => !ids.has(id)));
  const findings = [...shape, ...content];
  return {
    built,
    problems: [...yaml.problems, ...findings.map((finding) => toProblem(yaml.map, finding))],
    map: yaml.map,
    suspect: new Set([...yaml.suspect, ...findings.map(({ pointer }) => pointer)]),
    lossy: yaml.lossy,
    lostIds,
    isPartial: yaml.partial,
    hasHoles: yaml.partial || lostIds.size > 0 || findings.some(({ code }) => HOLES.includes(code)),
    lacksActions: false,
  };
}
