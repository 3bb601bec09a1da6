import { type Client, ClientError, createClient, type Reply, type RunView as ServedRun } from '../client/index.ts';
import { parseWorkflow } from '../definition/parse-workflow.ts';
import { validateWorkflow } from '../definition/validate-workflow.ts';
import { ConflictError, DefinitionError, invariant, NotFoundError, RefusedError } from '../model/errors.ts';
import { parseRunId } from '../model/run-id.ts';
import type { Backend } from './backend.ts';
import { askServer as ask, servedError } from './served-error.ts';
import { servedBatches } from './served-batches.ts';
import { servedPauses } from './served-pauses.ts';
import { servedLists } from './served-lists.ts';
import type { NamedServer } from './served-where.ts';

type Delivered = Awaited<ReturnType<Backend['signal']>>;
type RunView = Awaited<ReturnType<Backend['show']>>;
type VoteAsk = Parameters<Backend['vote']>[1];

/** What stands for a reason where nothing is done. */
const PREVIEW = { query: { dryRun: 'true' }, body: { reason: 'preview' } } as const;

function refuse(message: string): never {
  throw new RefusedError('PAWL_CONFIG_INVALID', message);
}

/** What became of an act that was not done: here that is no error, but an answer like others. */
function refusalIn(error: unknown): Delivered | null {
  if (!(error instanceof ClientError)) return null;
  const { source, eventId, outcome, answer: code, detail, again } = error.problem?.details ?? {};
  if (typeof outcome !== 'string' || typeof eventId !== 'string') return null;
  return { source, eventId, outcome, code, detail, again } as Delivered;
}

async function deliver(call: Promise<Reply<unknown>>): Promise<Delivered> {
  try {
    return (await call).data as Delivered;
  } catch (error) {
    const refused = refusalIn(error);
    if (refused !== null) return refused;
    throw servedError(error);
  }
}

/** The server's runs are those of `schemas/run.schema.json`, as `show` has them here. */
function viewOf(run: ServedRun): RunView {
  return run as unknown as RunView;
}

/** The approval that is meant, where the caller has named none, or not what it showed. */
function meantBy({ approvals, key }: RunView, name: string | null): RunView['approvals'][number] {
  const open = approvals.filter(({ state }) => state === 'open' || state === 'held');
  const all = open.length > 0 ? open : approvals;
  const named = name === null ? all : [...approvals, ...all].filter(({ id, step }) => id === name || step === name);
  const found = named.at(-1);
  if (found === undefined)
    throw new NotFoundError(
      'PAWL_APPROVAL_NOT_FOUND',
      name === null ? `run ${key} asks for no approval` : `run ${key} has no approval ${name}`,
    );
  if (name !== null || named.length === 1) return found;
  const names = named.map(({ id }) => id);
  throw new ConflictError(
    'PAWL_RUN_AMBIGUOUS',
    `run ${key} has ${names.length} approvals; name one: ${names.join(', ')}`,
    {
      approvals: names,
    },
  );
}

/** Refuses to publish what would be another thing there: a workflow is published with its catalogues where the database is. */
function checkFile({ text, file, catalogues }: Parameters<Backend['publish']>[0]): ReturnType<typeof validateWorkflow> {
  const checked = validateWorkflow(text, file, catalogues);
  const errors = checked.problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new DefinitionError(errors);
  if (parseWorkflow(text, file, catalogues).catalogues.length === 0) return checked;
  return refuse(`${file} uses catalogues, and pawl publish of those is not answered by a server: leave --server out`);
}

/** What is read, and published. */
function reading(
  client: Client,
): Pick<Backend, 'publish' | 'publishCatalogue' | 'versions' | 'version' | 'draw' | 'drawRun'> {
  const numberOf = async (workflow: string, version: number | null): Promise<string> => {
    if (version !== null) return String(version);
    const { data } = await ask(client.listVersions({ params: { workflow } }));
    const last = data.data.at(-1);
    invariant(last !== undefined, 'a workflow is listed without a version', { workflow });
    return String(last.version);
  };
  return {
    publish: async (given) => {
      const { problems } = checkFile(given);
      const { status, data } = await ask(client.publishWorkflow({ body: given.text }), given.file);
      const { workflow, version, digest = '' } = data;
      return { created: status === 201, version: { workflow, version, digest }, warnings: problems };
    },
    publishCatalogue: () =>
      refuse('pawl publish of a catalogue is not answered by a server: leave --server (or PAWL_SERVER) out'),
    versions: async () => (await ask(client.listWorkflows())).data.data,
    version: async (workflow, version) => {
      const params = { workflow, version: await numberOf(workflow, version) };
      const { data } = await ask(client.showVersion({ params }));
      const source = (await ask(client.showSource({ params }))).data;
      return { ...data, source, publishedAtMs: Date.parse(data.publishedAt) };
    },
    draw: async (workflow, version, format) => {
      const params = { workflow, version: await numberOf(workflow, version) };
      return (await ask(client.showDiagram({ params, query: { format } }))).data;
    },
    drawRun: async (run, { format, revision }) => {
      const query = { format, ...(revision === undefined ? {} : { revision: String(revision) }) };
      return (await ask(client.showRunDiagram({ params: { run }, query }))).data;
    },
  };
}

/** How a run is looked at, and which revision of each was seen. */
interface Look {
  readonly show: Backend['show'];
  readonly seen: ReadonlyMap<string, number>;
}

function lookingBy(client: Client): Look {
  const seen = new Map<string, number>();
  const show: Backend['show'] = async (name) => {
    const run = viewOf((await ask(client.showRun({ params: { run: name } }))).data);
    seen.set(name, run.revision);
    return run;
  };
  return { show, seen };
}

/** Acts that must say for which revision of the run they are meant: for the one that this command has shown, else for the present one. */
function acts(client: Client, look: Look): Pick<Backend, 'terminate' | 'retry' | 'resolve'> {
  const tagOf = async (run: string): Promise<string> => `"${look.seen.get(run) ?? (await look.show(run)).revision}"`;
  return {
    terminate: async (run, { reason }) =>
      deliver(client.terminateRun({ params: { run }, body: { reason }, ifMatch: await tagOf(run) })),
    retry: async (run, step, { reason }) =>
      deliver(client.retryStep({ params: { run }, body: { step, reason }, ifMatch: await tagOf(run) })),
    resolve: async (run, { effect, as, evidence, output }) =>
      deliver(
        client.reviewEffect({
          params: { run, effect },
          body: { as, evidence, ...(output === undefined ? {} : { output }) },
          ifMatch: await tagOf(run),
        }),
      ),
  };
}

async function vote(client: Client, show: Backend['show'], run: string, given: VoteAsk): Promise<Delivered> {
  const { decision, comment, form } = given;
  const { approval, subjectHash } = given;
  const meant = approval === null || subjectHash === null ? meantBy(await show(run), approval) : null;
  return deliver(
    client.vote({
      params: { run, approval: approval ?? meant?.id ?? '' },
      body: {
        decision,
        subjectHash: subjectHash ?? meant?.subjectHash ?? '',
        comment,
        ...(form === undefined ? {} : { form }),
      },
    }),
  );
}

/** Events that the API takes are vouched for by whoever sends them. */
const SOURCE = 'signal';

/** The verbs carried out by a server. @throws PAWL_CONFIG_INVALID for an address that is none. */
export function openServed({ url, key, by }: NamedServer): Backend {
  const client = clientFor(url, key);
  if (by !== undefined) refuse('who acts at a server is whose key it is: leave --by (or --as) out');
  const look = lookingBy(client);
  return {
    ...reading(client),
    ...acts(client, look),
    ...servedLists(client),
    ...servedBatches(client),
    ...servedPauses(client),
    show: look.show,
    principal: () => ({ name: 'whose key it is', roles: [] }),
    pulse: () => Promise.resolve(null),
    runWorker: () => Promise.resolve(),
    start: async ({ workflow, version, input }) => {
      const body = { workflow, input, ...(version === null ? {} : { version }) };
      const { status, data } = await ask(client.startRun({ body }));
      const runId = parseRunId(data.id);
      invariant(runId !== null, 'the server has started a run without an id', { id: data.id });
      return { run: { runId, key: data.key, workflow: data.workflow, version: data.version }, created: status === 201 };
    },
    signal: (run, { name, data, source, eventId }) => {
      if (source !== SOURCE) refuse('what is sent to a server is vouched for by whose key it is: leave --source out');
      const idempotencyKey = eventId === null ? {} : { idempotencyKey: eventId };
      return deliver(client.sendEvent({ params: { run }, body: { type: name, data }, ...idempotencyKey }));
    },
    vote: (run, given) => vote(client, look.show, run, given),
    cancel: (run, { reason }) => deliver(client.cancelRun({ params: { run }, body: { reason } })),
    pause: (run, { reason }) => deliver(client.pauseRun({ params: { run }, body: { reason } })),
    resume: (run, { reason }) =>
      deliver(client.resumeRun({ params: { run }, ...(reason === null ? {} : { query: { reason } }) })),
    previewCancel: async (run) =>
      (await ask(client.cancelRun({ params: { run }, ...PREVIEW }))).data as Awaited<
        ReturnType<Backend['previewCancel']>
      >,
    compensate: (run, { reason }, planHash) =>
      deliver(client.compensateRun({ params: { run }, body: { reason, ...(planHash === null ? {} : { planHash }) } })),
    previewCompensation: async (run) =>
      (await ask(client.compensateRun({ params: { run }, ...PREVIEW }))).data as unknown as Awaited<
        ReturnType<Backend['previewCompensation']>
      >,
    orderVersion: async (workflow, version, { act, reason }) => {
      const params = { workflow, version: String(version) };
      if (act === 'deprecate') await ask(client.deprecateVersion({ params, body: { reason } }));
      else await ask(client.restoreVersion({ params, ...(reason === null ? {} : { query: { reason } }) }));
    },
    reconcile: (run, effect) => deliver(client.reconcileEffect({ params: { run, effect } })),
  };
}

function clientFor(url: string, key: string | null): Client {
  try {
    return createClient({ url, ...(key === null ? {} : { key }) });
  } catch (error) {
    return refuse(`--server (or PAWL_SERVER), and its key: ${error instanceof Error ? error.message : String(error)}`);
  }
}
