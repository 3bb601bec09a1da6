import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Environment, loadConfig } from '../../app/config.ts';
import { type App, createApp } from '../../app/create-app.ts';
import { manageDatabase } from '../../app/manage-database.ts';
import { InvariantError } from '../../model/errors.ts';
import type { Json } from '../../model/json.ts';
import type { BookEntry } from '../provider/book.ts';
import type { ScriptTexts } from '../provider/script.ts';
import { createLogger } from '../../telemetry/logger.ts';
import { type DemoProcess, type StartedProcess, startProcess } from './demo-process.ts';

/** Everything that the demo runs with: real processes, a provider with its own book, and a hand on Pawl. */
export interface DemoHouse {
  readonly folder: string;
  readonly providerUrl: string;
  /** The files of the stories, which call that provider. */
  readonly workflows: readonly { readonly file: string; readonly text: string }[];
  /** Pawl in the demo's own process, without a worker. */
  readonly app: App;
  /** Starts `pawl worker` as a process of its own. */
  startWorker(): Promise<DemoProcess>;
  /** Starts `pawl server` as a process of its own. @returns its address. */
  startServer(): Promise<string>;
  /** Starts `pawl run` of a published workflow as a process of its own. */
  startRun(workflow: string, input: Json): Promise<DemoProcess>;
  setScript(script: ScriptTexts): Promise<void>;
  /** What really happened, from the provider's book. */
  book(): Promise<readonly BookEntry[]>;
  close(): Promise<void>;
}

/** The provider that the workflows of this repository name. */
const PROVIDER_IN_FILES = 'http://127.0.0.1:4171';
const WORKFLOWS = ['order-fulfilment', 'agent-refund', 'parcel-return'];
const LEASE_MS = 1_500;

const CONFIG = `principals:
  demo: [order-desk]
  ana: [refund-approver, order-desk]
  olga: [payments-ops]
leaseMs: ${LEASE_MS}
`;
const PROVIDER_OPTIONS = { lost: 'silence', records: { '/charges/ch_1': { id: 'ch_1', refundable: 9000 } } };

/**
 * Builds the house in a folder of its own: provider, database, nothing published yet. Closing it stops every process that
 * it started and leaves nothing behind.
 */
export async function openDemoHouse(hostEnv: Environment): Promise<DemoHouse> {
  const folder = await mkdtemp(path.join(tmpdir(), 'pawl-demo-'));
  // As root the database runs as another user, who must be able to get here: else its data would lie elsewhere.
  await chmod(folder, 0o755);
  const env: Environment = { ...hostEnv, PAWL_SECRET_PSP_TOKEN: 'demo-token', PAWL_AS: 'demo', NO_COLOR: '1' };
  await writeFile(path.join(folder, 'pawl.config.yaml'), CONFIG);
  const provider = await startProcess({
    entry: 'testing/provider-main.js',
    args: [
      '--book',
      path.join(folder, 'book.jsonl'),
      '--options',
      JSON.stringify(PROVIDER_OPTIONS),
      '--until-stdin-ends',
    ],
    folder,
    env,
    ready: { on: 'stdout', text: '"url"' },
  });
  const providerUrl = (JSON.parse(provider.line) as { readonly url: string }).url;
  const app = await createApp({ config: loadConfig({ folder, env }), env, logger: createLogger('error') });
  const started: DemoProcess[] = [];
  const startCli = async (args: readonly string[], says: string | null): Promise<StartedProcess> => {
    const ready = says === null ? null : ({ on: 'stderr', text: says } as const);
    const made = await startProcess({ entry: 'cli/main.js', args, folder, env, ready });
    started.push(made.process);
    return made;
  };
  return {
    folder,
    providerUrl,
    workflows: await readWorkflows(providerUrl),
    app,
    startWorker: async () => (await startCli(['worker'], 'working')).process,
    startServer: async () => {
      const { line } = await startCli(['server', '--port', '0'], 'the API is at');
      return /http:\S+(?=\/v1)/.exec(line)?.[0] ?? line;
    },
    startRun: async (workflow, input) =>
      (await startCli(['run', workflow, '--input', JSON.stringify(input)], null)).process,
    setScript: async (script) => void (await callProvider(providerUrl, 'PUT', 'script', script)),
    book: async () =>
      ((await callProvider(providerUrl, 'GET', 'book')) as unknown as { readonly effects: readonly BookEntry[] })
        .effects,
    async close() {
      await Promise.all(started.map((process) => process.stop()));
      await app.close();
      await manageDatabase(app.config, env).stop();
      await provider.process.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The files of the stories, which call a provider. */
async function readWorkflows(providerUrl: string): Promise<DemoHouse['workflows']> {
  const read = async (name: string): Promise<DemoHouse['workflows'][number]> => {
    const file = `${name}.pawl.yaml`;
    const text = await readFile(fileURLToPath(new URL(`../../../workflows/${file}`, import.meta.url)), 'utf8');
    return { file, text: text.replaceAll(PROVIDER_IN_FILES, providerUrl) };
  };
  return Promise.all(WORKFLOWS.map(read));
}

/** One call of the provider's own door. */
function callProvider(url: string, method: string, verb: string, body?: Json): Promise<Json> {
  return new Promise((resolve, reject) => {
    const call = request(
      `${url}/_provider/${verb}`,
      { method, headers: { 'content-type': 'application/json' } },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        answer.once('end', () => {
          if ((answer.statusCode ?? 500) < 300) resolve(text === '' ? null : (JSON.parse(text) as Json));
          else reject(new InvariantError(`the provider refused ${verb}: ${text}`));
        });
      },
    );
    call.once('error', reject);
    call.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
