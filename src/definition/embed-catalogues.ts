import type { ActionContract, WorkflowDefinition } from '../model/definition.ts';
import type { Json } from '../model/json.ts';
import type { Problem } from '../model/problem.ts';
import {
  CATALOGUE_END,
  type Catalogue,
  type CatalogueHead,
  readCatalogueHead,
  type SourceFile,
  validateCatalogue,
} from './catalogue.ts';
import { closestWord } from './closest-word.ts';
import { embeddedPointer, joinMaps } from './join-maps.ts';
import type { Finding } from './report-problem.ts';
import { childPointer, isInside, type SourceMap } from './source-map.ts';
import { child, itemsOf, textOf } from './yaml-node.ts';

/** Gives every catalogue file that a workflow may use; asked only for one that uses any. */
export type Shelf = () => readonly SourceFile[];

/** No catalogue is at hand. */
export const NO_CATALOGUES: Shelf = () => [];

/** A workflow together with the catalogues that it uses. */
export interface Embedded {
  /** The definition with the actions and secrets of all of them. */
  readonly definition: WorkflowDefinition;
  /** Finds the place of every node, in its own file. */
  readonly map: SourceMap;
  readonly catalogues: readonly Catalogue[];
  /** What is wrong in the workflow. */
  readonly findings: readonly Finding[];
  /** What is wrong in the catalogues. */
  readonly problems: readonly Problem[];
  /** Whether all could be embedded. */
  readonly isComplete: boolean;
}

/** The file of a workflow, as it was read. */
interface Source {
  readonly value: Json;
  readonly map: SourceMap;
  readonly suspect: ReadonlySet<string>;
  readonly shelf: Shelf;
}

interface Use {
  readonly name: string;
  readonly version: number;
  readonly pointer: string;
}

type Shelved = SourceFile & CatalogueHead;

/** Embeds what `use` names: its actions become the workflow's own, and keep their places in their own files. */
export function embedCatalogues(definition: WorkflowDefinition, source: Source): Embedded {
  const { value, map, suspect, shelf } = source;
  const list = child({ value, pointer: '' }, 'use');
  const items = itemsOf(list);
  const entries = items.filter(({ pointer }) => !isInside(pointer, suspect));
  const isWhole = entries.length === items.length && !isInside('/use', suspect);
  const uses = entries.flatMap((item): readonly Use[] => {
    const [, name = '', version = ''] = /^(.*)@(\d+)$/.exec(textOf(item) ?? '') ?? [];
    return [{ name, version: Number(version), pointer: item.pointer }];
  });
  const embedding = new Embedding(definition, map);
  const files = uses.length === 0 ? [] : shelf().map((file) => ({ ...file, ...readCatalogueHead(file) }));
  for (const use of uses) embedding.add(use, files);
  return embedding.done(isWhole);
}

class Embedding {
  private readonly definition: WorkflowDefinition;
  private readonly main: SourceMap;
  private readonly named = new Set<string>();
  private readonly catalogues = new Map<string, Catalogue>();
  private readonly actions: Map<string, ActionContract>;
  private readonly findings: Finding[] = [];
  private readonly problems: Problem[] = [];
  private isComplete = true;

  constructor(definition: WorkflowDefinition, main: SourceMap) {
    this.definition = definition;
    this.main = main;
    this.actions = new Map(definition.actions.map((action) => [action.name, action]));
  }

  add(use: Use, files: readonly Shelved[]): void {
    const name = `${use.name}@${use.version}`;
    const matches = files.filter((file) => isMeant(file, use));
    const [match, second] = matches;
    if (this.named.has(name)) this.tell(use, twice(name));
    else if (match === undefined) this.tell(use, missing(use, files));
    else if (second !== undefined) this.tell(use, ambiguous(name, match, second));
    else this.embed(use, match);
    this.named.add(name);
  }

  done(isWhole: boolean): Embedded {
    const { definition, catalogues, findings, problems } = this;
    const actions = [...this.actions.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    const secrets = new Set([...definition.secrets, ...[...catalogues.values()].flatMap((one) => one.secrets)]);
    const maps = new Map([...catalogues].map(([pointer, { map }]) => [pointer, map]));
    return {
      definition: catalogues.size === 0 ? definition : { ...definition, secrets: [...secrets], actions },
      map: joinMaps(this.main, maps),
      catalogues: [...catalogues.values()],
      findings,
      problems,
      isComplete: this.isComplete && isWhole,
    };
  }

  private tell({ pointer }: Use, told: Pick<Finding, 'code' | 'message' | 'help'>): void {
    this.isComplete = false;
    this.findings.push({ ...told, pointer });
  }

  private embed(use: Use, { file, text }: Shelved): void {
    const { catalogue, problems } = validateCatalogue(text, file);
    this.problems.push(...problems);
    if (catalogue === null) {
      this.isComplete = false;
      return;
    }
    const root = embeddedPointer(`${use.name}@${use.version}`);
    this.catalogues.set(root, catalogue);
    for (const action of catalogue.actionsUnder(root)) {
      const known = this.actions.get(action.name);
      if (known === undefined) this.actions.set(action.name, action);
      else this.reportBoth(use, known, action);
    }
  }

  /** Told at the workflow's own action; of two catalogues at the one that is named later. */
  private reportBoth({ name, version, pointer }: Use, known: ActionContract, action: ActionContract): void {
    const isOwn = known.pointer === childPointer('/actions', known.name);
    const also = { message: `${action.name} of ${name}@${version}`, pointer: action.pointer, at: 'key' } as const;
    const first = { message: `${action.name} is here, too`, pointer: known.pointer, at: 'key' } as const;
    this.findings.push({
      code: 'PAWL-342',
      ...(isOwn ? { pointer: known.pointer, at: 'key' as const } : { pointer }),
      message: isOwn
        ? `"${action.name}" is an action of this file and of ${name}@${version}`
        : `"${action.name}" is an action of ${name}@${version} and of another catalogue`,
      help: isOwn ? 'rename it, or leave it out and call the one of the catalogue' : 'use one of the two catalogues',
      related: isOwn ? [also] : [first, also],
    });
  }
}

/** A file is meant by what it says that it is; one that cannot be read, by its name. */
function isMeant(file: Shelved, use: Use): boolean {
  if (file.name === null || file.version === null)
    return file.file.split(/[\\/]/).at(-1) === `${use.name}${CATALOGUE_END}`;
  return file.name === use.name && file.version === use.version;
}

function twice(name: string): Pick<Finding, 'code' | 'message' | 'help'> {
  return { code: 'PAWL-342', message: `${name} is named twice`, help: 'name each catalogue once' };
}

function ambiguous(name: string, one: Shelved, other: Shelved): Pick<Finding, 'code' | 'message' | 'help'> {
  return {
    code: 'PAWL-342',
    message: `${name} is in ${one.file} and in ${other.file}`,
    help: 'keep one of the two files, or give one another version',
  };
}

function missing({ name, version }: Use, files: readonly Shelved[]): Pick<Finding, 'code' | 'message' | 'help'> {
  const versions = files.filter((file) => file.name === name).map((file) => `${name}@${file.version}`);
  if (versions.length > 0) {
    const message = `there is no version ${version} of the catalogue "${name}"`;
    return { code: 'PAWL-341', message, help: `there is ${versions.join(', ')}` };
  }
  const names = files.flatMap((file) => file.name ?? []);
  const near = closestWord(name, names);
  const there = [...new Set(names)].join(', ');
  const found = files.find((file) => file.name === near);
  return {
    code: 'PAWL-341',
    message: `there is no catalogue "${name}"`,
    help:
      found !== undefined
        ? `did you mean \`${near}@${found.version}\`?`
        : there === ''
          ? `write it as ${name}${CATALOGUE_END} beside this file, or name its folder in pawl.config.yaml under \`catalogues\``
          : `there is ${there}; a catalogue is a file ${name}${CATALOGUE_END} beside this one, or in a folder of \`catalogues\` in pawl.config.yaml`,
  };
}
