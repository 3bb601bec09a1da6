import { validateCatalogue } from '../definition/catalogue.ts';
import { compareSources, type Difference } from '../definition/compare-sources.ts';
import type { Shelf } from '../definition/embed-catalogues.ts';
import { parseWorkflow } from '../definition/parse-workflow.ts';
import type { SourceMap } from '../definition/source-map.ts';
import { catalogueOfStored } from '../model/catalogue-name.ts';
import { ConflictError } from '../model/errors.ts';
import type { Problem } from '../model/problem.ts';
import { RUN_STATUSES, isEnd } from '../model/statuses.ts';
import type { Backend } from './backend.ts';
import { timeWords } from './time-words.ts';

/** A conflict about a place in a file: shown with its line, kept as data. */
export class PlacedConflict extends ConflictError {
  readonly problem: Problem;
  constructor(cause: ConflictError, problem: Problem, next: number) {
    super(cause.code, problem.message, { ...cause.details, next }, cause);
    this.problem = problem;
  }
}

/** What the parts of a version are, as authors know them. */
const PARTS: Readonly<Record<string, string>> = {
  graph: 'the steps and their order',
  data: 'input, constants, vars, events or output schemas',
  effects: 'what is sent and undone',
  policy: 'timeouts, retries, review or who approves',
  expr: 'expressions',
  language: 'the language version',
};
const COUNTED_MAX = 1_000;

/** A file that was given as a version that is published with other content. */
interface Given {
  readonly name: string;
  readonly version: number;
  readonly file: string;
  readonly text: string;
  readonly map: SourceMap;
}

/**
 * Says of a published version that was given other content: the places that differ, who published it, how many runs are pinned to
 * it, and the next free number. A workflow may have been refused because of a catalogue that it uses.
 * @throws always: the conflict with its place, or what was thrown when it was another error.
 */
export async function refuseOtherContent(app: Backend, file: GivenFile, error: unknown): Promise<never> {
  if (!(error instanceof ConflictError) || error.code !== 'PAWL_VERSION_CONFLICT') throw error;
  const stored = String(error.details['workflow']);
  const catalogue = catalogueOfStored(stored);
  const given = catalogue === null ? workflowOf(file) : catalogueIn(file, catalogue);
  if (given === null) throw error;
  const { name, version } = given;
  const [published, highest] = await Promise.all([app.version(stored, version), app.version(stored, null)]);
  const pinned =
    catalogue === null
      ? await countPinned(app, name, version)
      : 'workflows that are published keep what they have embedded';
  const differs = (error.details['differs'] as readonly string[] | undefined) ?? [];
  const groups = differs.map((part) => (catalogue === null ? PARTS[part] : undefined) ?? part).join('; ');
  const places = compareSources(published.source, given.text);
  const what = places.length === 0 ? groups : `${placeWords(places)} (${groups})`;
  const digest = String(error.details['given']).slice(0, 12);
  const since = timeWords(new Date(published.publishedAtMs).toISOString());
  const next = highest.version + 1;
  const problem: Problem = {
    code: 'PAWL-501',
    severity: 'error',
    message: `${name}@${version} is published with other content; what differs: ${what}`,
    file: given.file,
    range: given.map.valueRange('/version'),
    pointer: '/version',
    help: `set \`version: ${next}\`. ${version} was published ${since} by ${published.publishedBy} as ${published.digest.slice(0, 12)}, yours is ${digest}; ${pinned}`,
    related: [],
  };
  throw new PlacedConflict(error, problem, next);
}

/** What was to be published. */
interface GivenFile {
  readonly text: string;
  readonly file: string;
  readonly catalogues?: Shelf;
}

function workflowOf({ text, file, catalogues }: GivenFile): Given | null {
  const { definition, map } = parseWorkflow(text, file, catalogues);
  return definition === null ? null : { name: definition.workflow, version: definition.version, file, text, map };
}

/** The catalogue itself, or the one of that name that a workflow uses. */
function catalogueIn({ text, file, catalogues }: GivenFile, name: string): Given | null {
  const used = catalogues === undefined ? validateCatalogue(text, file).catalogue : null;
  return used ?? parseWorkflow(text, file, catalogues).catalogues.find((one) => one.name === name) ?? null;
}

const PLACES_MAX = 5;

function placeWords(places: readonly Difference[]): string {
  const words = places.slice(0, PLACES_MAX).map(({ place, before, after }) => {
    if (before === null) return `${place} is new`;
    return after === null ? `${place} is gone` : `${place}: ${before} -> ${after}`;
  });
  const more = places.length - words.length;
  return [...words, ...(more > 0 ? [`${more} more`] : [])].join('; ');
}

async function countPinned(app: Backend, workflow: string, version: number): Promise<string> {
  const statuses = RUN_STATUSES.filter((status) => !isEnd(status));
  const open = await app.list({ workflow, statuses, needsHuman: false, q: null, limit: COUNTED_MAX });
  const count = open.filter((run) => run.version === version).length;
  const many =
    open.length === COUNTED_MAX
      ? `${count} or more runs that have not ended`
      : count === 1
        ? '1 run that has not ended'
        : `${count} runs that have not ended`;
  return `${many} stay${count === 1 ? 's' : ''} on it as it is`;
}
