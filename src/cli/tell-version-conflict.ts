import type { App } from '../app/create-app.ts';
import { compareSources, type Difference } from '../definition/compare-sources.ts';
import { parseWorkflow } from '../definition/parse-workflow.ts';
import { ConflictError } from '../model/errors.ts';
import type { Problem } from '../model/problem.ts';
import { RUN_STATUSES, isEnd } from '../model/statuses.ts';
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

/**
 * Says of a published version that was given other content: the places that differ, who published it, how many runs are pinned to
 * it, and the next free number. @throws always: the conflict with its place, or what was thrown when it was another error.
 */
export async function refuseOtherContent(
  app: App,
  { text, file }: { readonly text: string; readonly file: string },
  error: unknown,
): Promise<never> {
  if (!(error instanceof ConflictError) || error.code !== 'PAWL_VERSION_CONFLICT') throw error;
  const { definition, map } = parseWorkflow(text, file);
  if (definition === null) throw error;
  const { workflow, version } = definition;
  const [published, highest, pinned] = await Promise.all([
    app.version(workflow, version),
    app.version(workflow, null),
    countPinned(app, workflow, version),
  ]);
  const differs = (error.details['differs'] as readonly string[] | undefined) ?? [];
  const groups = differs.map((part) => PARTS[part] ?? part).join('; ');
  const places = compareSources(published.source, text);
  const what = places.length === 0 ? groups : `${placeWords(places)} (${groups})`;
  const given = String(error.details['given']).slice(0, 12);
  const since = timeWords(new Date(published.publishedAtMs).toISOString());
  const next = highest.version + 1;
  const problem: Problem = {
    code: 'PAWL-501',
    severity: 'error',
    message: `${workflow}@${version} is published with other content; what differs: ${what}`,
    file,
    range: map.valueRange('/version'),
    pointer: '/version',
    help: `set \`version: ${next}\`. ${version} was published ${since} by ${published.publishedBy} as ${published.digest.slice(0, 12)}, yours is ${given}; ${pinned}`,
    related: [],
  };
  throw new PlacedConflict(error, problem, next);
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

async function countPinned(app: App, workflow: string, version: number): Promise<string> {
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
