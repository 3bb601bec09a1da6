import type { Catalogue } from './catalogue.ts';
import { embedCatalogues, type Shelf } from './embed-catalogues.ts';
import { asDocument } from './form/machine-file.ts';
import { readDefinition, type WorkflowReading } from './read-definition.ts';
import { readYamlFile } from './read-yaml-file.ts';
import { toProblem } from './report-problem.ts';

/** A workflow file as far as it could be read, with the catalogues that it embeds. */
export interface EmbeddedReading extends WorkflowReading {
  readonly catalogues: readonly Catalogue[];
}

/** Reads YAML, keys and values of a workflow file and of what it uses, and builds what can be built. Never throws. */
export function readWorkflow(text: string, file: string, shelf: Shelf): EmbeddedReading {
  const yaml = asDocument(readYamlFile(text, file));
  const reading = readDefinition('workflow', yaml);
  const { built } = reading;
  if (built === null || yaml.value === undefined) return { ...reading, catalogues: [] };
  const embedded = embedCatalogues(built, { value: yaml.value, map: yaml.map, suspect: reading.suspect, shelf });
  const { definition, map, catalogues, findings, problems, isComplete } = embedded;
  return {
    ...reading,
    built: definition,
    map,
    problems: [...reading.problems, ...findings.map((finding) => toProblem(map, finding)), ...problems],
    suspect: new Set([...reading.suspect, ...findings.map(({ pointer }) => pointer)]),
    lacksActions: !isComplete,
    catalogues,
  };
}
