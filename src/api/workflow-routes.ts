import { drawMachine } from '../app/draw-workflow.ts';
import { validateWorkflow } from '../definition/validate-workflow.ts';
import { reaches } from '../model/api-key.ts';
import { catalogueOfStored } from '../model/catalogue-name.ts';
import type { Deprecation } from '../model/deprecation.ts';
import { DefinitionError, NotFoundError } from '../model/errors.ts';
import type { Machine } from '../model/machine.ts';
import type { StoredVersion } from '../ports/store.ts';
import { assertReaches } from './find-run.ts';
import { placeOfProblem } from './problem-json.ts';
import type { Answer, Call, Route } from './route.ts';
import { answerTagged } from './run-answer.ts';
import { DRY_RUN, listOf, objectOf, PLACE, REASON, VERSION } from './schemas.ts';

/** The name that problems carry; a file that is sent has none. */
const FILE = 'workflow.pawl.yaml';

/** What a version never changes: whoever has it need not ask again. */
const IMMUTABLE = { 'cache-control': 'private, max-age=31536000, immutable' };

function publishedView({ workflow, version, digest, publishedBy, publishedAtMs }: StoredVersion): object {
  return { workflow, version, digest, publishedBy, publishedAt: new Date(publishedAtMs).toISOString() };
}

function versionView(stored: StoredVersion, known: readonly Deprecation[]): object {
  const found = known.find(({ version }) => version === stored.version);
  const deprecated =
    found === undefined ? null : { by: found.by, reason: found.reason, at: new Date(found.atMs).toISOString() };
  return { ...publishedView(stored), deprecated };
}

/** Versions that the caller may read, by workflow and number. */
async function readable({ app, caller }: Call): Promise<readonly StoredVersion[]> {
  return (await app.versions()).filter(({ workflow }) => reaches(caller, 'definition:read', workflow));
}

function notPublished(workflow: string, version: string | null): NotFoundError {
  const what = version === null ? workflow : `${workflow}@${version}`;
  return new NotFoundError('PAWL_VERSION_NOT_FOUND', `no version ${what} is published`, { workflow });
}

/** The version on which a start that names none begins: the highest that is not deprecated; null = nothing new starts. */
function latestOf(versions: readonly StoredVersion[], known: readonly Deprecation[]): number | null {
  const isOpen = (stored: StoredVersion): boolean =>
    !known.some(({ workflow, version }) => workflow === stored.workflow && version === stored.version);
  return versions.findLast(isOpen)?.version ?? null;
}

async function listWorkflows(call: Call): Promise<Answer> {
  const known = await call.app.deprecations(null);
  const byName = new Map<string, StoredVersion[]>();
  for (const stored of await readable(call))
    byName.set(stored.workflow, [...(byName.get(stored.workflow) ?? []), stored]);
  const data = [...byName].map(([workflow, versions]) => ({
    workflow,
    latest: latestOf(versions, known),
    versions: versions.map(({ version }) => version),
  }));
  return { status: 200, body: { data } };
}

async function listVersions(call: Call): Promise<Answer> {
  const name = call.params['workflow'] ?? '';
  const versions = (await readable(call)).filter(({ workflow }) => workflow === name);
  if (versions.length === 0) throw notPublished(name, null);
  const known = await call.app.deprecations(name);
  return { status: 200, body: { data: versions.map((stored) => versionView(stored, known)) } };
}

const NUMBER = /^[1-9]\d{0,8}$/;

async function versionFor({ app, caller, params }: Call): Promise<StoredVersion> {
  const { workflow = '', version = '' } = params;
  const isNamed = NUMBER.test(version) && catalogueOfStored(workflow) === null;
  if (!isNamed || !reaches(caller, 'definition:read', workflow)) throw notPublished(workflow, version);
  return app.version(workflow, Number(version));
}

async function viewOf({ app }: Call, stored: StoredVersion): Promise<object> {
  return versionView(stored, await app.deprecations(stored.workflow));
}

/** Whether it is deprecated may change, so this answer is asked for anew, under a tag of its content. */
async function showVersion(call: Call): Promise<Answer> {
  return answerTagged(await viewOf(call, await versionFor(call)), call.ifNoneMatch);
}

/** Whoever may not publish it is told so before whether it is there. */
function orderedName({ caller, params }: Call): { readonly workflow: string; readonly version: number } {
  const { workflow = '', version = '' } = params;
  assertReaches(caller, 'definition:publish', workflow);
  if (!NUMBER.test(version)) throw notPublished(workflow, version);
  return { workflow, version: Number(version) };
}

async function deprecate(call: Call): Promise<Answer> {
  const { workflow, version } = orderedName(call);
  const { reason } = call.body as { readonly reason: string };
  await call.app.orderVersion(workflow, version, { act: 'deprecate', by: call.caller.name, reason });
  return { status: 201, body: await viewOf(call, await call.app.version(workflow, version)) };
}

async function restore(call: Call): Promise<Answer> {
  const { workflow, version } = orderedName(call);
  const reason = call.query['reason'] ?? null;
  await call.app.orderVersion(workflow, version, { act: 'restore', by: call.caller.name, reason });
  return { status: 200, body: await viewOf(call, await call.app.version(workflow, version)) };
}

async function showSource(call: Call): Promise<Answer> {
  const { source, digest } = await versionFor(call);
  const headers = { ...IMMUTABLE, etag: `"${digest}-source"` };
  if (call.ifNoneMatch === headers.etag) return { status: 304, headers };
  return { status: 200, text: { media: 'application/yaml; charset=utf-8', text: source }, headers };
}

async function showDiagram(call: Call): Promise<Answer> {
  const { machine, digest } = await versionFor(call);
  const format = call.query['format'] ?? 'svg';
  const etag = `"${digest}-${format}"`;
  const headers = { ...IMMUTABLE, etag };
  if (call.ifNoneMatch === etag) return { status: 304, headers };
  const parsed = JSON.parse(machine) as Machine;
  const media = format === 'svg' ? 'image/svg+xml' : 'text/plain; charset=utf-8';
  const text = await drawMachine(parsed, format === 'svg' ? 'svg' : 'mermaid');
  return { status: 200, text: { media, text }, headers };
}

/** The right reaches as far as the name in the file; a dry run writes nothing. */
async function publish({ app, caller, body, query }: Call): Promise<Answer> {
  const text = body as string;
  const { definition, problems } = validateWorkflow(text, FILE);
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (definition === null || errors.length > 0) throw new DefinitionError(errors);
  const { workflow, version } = definition;
  assertReaches(caller, 'definition:publish', workflow);
  if (query['dryRun'] === 'true') {
    const warnings = problems.filter(({ severity }) => severity === 'warning').map(placeOfProblem);
    return { status: 200, body: { workflow, version, warnings } };
  }
  const published = await app.publish({ text, file: FILE, by: caller.name });
  return {
    status: published.created ? 201 : 200,
    body: { ...publishedView(published.version), warnings: published.warnings.map(placeOfProblem) },
    headers: { location: `/v1/workflows/${encodeURIComponent(workflow)}/versions/${version}` },
  };
}

const EXAMPLE = [
  'pawl: 1',
  'workflow: hello',
  'version: 1',
  'timeout: 1d',
  'steps: [{ id: pause, wait: 1s }]',
  '',
].join('\n');

const PUBLISHED = objectOf({
  workflow: { type: 'string' },
  version: { type: 'integer' },
  'digest?': { type: 'string' },
  'publishedBy?': { type: 'string' },
  'publishedAt?': { type: 'string', format: 'date-time' },
  warnings: listOf(PLACE),
});

const WORKFLOW_LINE = objectOf({
  workflow: { type: 'string' },
  latest: { type: ['integer', 'null'], description: 'the highest version that is not deprecated' },
  versions: listOf({ type: 'integer' }),
});

/** Workflows and their versions. */
export const WORKFLOW_ROUTES: readonly Route[] = [
  {
    id: 'listWorkflows',
    method: 'GET',
    path: '/v1/workflows',
    summary: 'Published workflows with their versions',
    right: 'definition:read',
    answers: { 200: { description: 'The workflows', schema: objectOf({ data: listOf(WORKFLOW_LINE) }) } },
    handle: listWorkflows,
  },
  {
    id: 'publishWorkflow',
    method: 'POST',
    path: '/v1/workflows',
    summary: 'Publish a version of a workflow; the same content again changes nothing',
    right: 'definition:publish',
    query: { dryRun: DRY_RUN },
    body: { kind: 'text', media: ['application/yaml', 'application/json'], example: EXAMPLE },
    answers: {
      200: { description: 'It was there already, or this was a dry run', schema: PUBLISHED },
      201: { description: 'A new version', schema: PUBLISHED },
    },
    handle: publish,
  },
  {
    id: 'listVersions',
    method: 'GET',
    path: '/v1/workflows/{workflow}',
    summary: 'Versions of a workflow',
    right: 'definition:read',
    answers: { 200: { description: 'The versions, lowest first', schema: objectOf({ data: listOf(VERSION) }) } },
    handle: listVersions,
  },
  {
    id: 'showVersion',
    method: 'GET',
    path: '/v1/workflows/{workflow}/versions/{version}',
    summary: 'A version',
    right: 'definition:read',
    answers: {
      200: { description: 'The version', schema: VERSION },
      304: { description: 'The caller has it already' },
    },
    handle: showVersion,
  },
  {
    id: 'deprecateVersion',
    method: 'POST',
    path: '/v1/workflows/{workflow}/versions/{version}/deprecations',
    summary: 'Have nothing new start on a version; its runs go on',
    right: 'definition:publish',
    body: { kind: 'json', schema: objectOf({ reason: REASON }), example: { reason: 'it refunds twice' } },
    answers: { 201: { description: 'Nothing new starts on it', schema: VERSION } },
    handle: deprecate,
  },
  {
    id: 'restoreVersion',
    method: 'DELETE',
    path: '/v1/workflows/{workflow}/versions/{version}/deprecations/current',
    summary: 'Take a deprecation back',
    right: 'definition:publish',
    query: { reason: { description: 'why, kept with the act', schema: REASON } },
    answers: { 200: { description: 'It may be started again', schema: VERSION } },
    handle: restore,
  },
  {
    id: 'showSource',
    method: 'GET',
    path: '/v1/workflows/{workflow}/versions/{version}/source',
    summary: 'The file as it was published',
    right: 'definition:read',
    answers: {
      200: { description: 'The file', media: ['application/yaml'] },
      304: { description: 'The caller has it already' },
    },
    handle: showSource,
  },
  {
    id: 'showDiagram',
    method: 'GET',
    path: '/v1/workflows/{workflow}/versions/{version}/diagram',
    summary: 'A version as a picture',
    right: 'definition:read',
    query: { format: { description: 'svg unless it says mermaid', schema: { enum: ['svg', 'mermaid'] } } },
    answers: {
      200: { description: 'The picture', media: ['image/svg+xml', 'text/plain'] },
      304: { description: 'The caller has it already' },
    },
    handle: showDiagram,
  },
];
