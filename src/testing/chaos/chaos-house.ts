import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Environment, loadConfig } from '../../app/config.ts';
import { type App, createApp } from '../../app/create-app.ts';
import { manageDatabase } from '../../app/manage-database.ts';
import { invariant } from '../../model/errors.ts';
import { createLogger } from '../../telemetry/logger.ts';
import { type DemoProcess, startProcess } from '../demo/demo-process.ts';
import { type Provider, startProvider } from '../fake-provider.ts';
import type { BookEntry } from '../provider/book.ts';
import { type ChaosWorkflow, healedScripts, type ProviderUrls } from './chaos-workflows.ts';
import type { Figures } from './figures.ts';
import { runAtConsole } from './sql-session.ts';
import { type FateChooser, openTcpProxy, type TcpProxy } from './tcp-proxy.ts';
import { readNews } from './worker-news.ts';

/** How long a worker of the chaos may be silent, milliseconds. */
export const CHAOS_LEASE_MS = 1_500;

/** A place for a worker: its own wire to the database, and whoever works there now. */
export interface Place {
  readonly no: number;
  readonly proxy: TcpProxy;
  worker: DemoProcess | null;
  /** Sendings under way in it, as it last said. */
  open: number;
}

/** Everything that the chaos goes on in. */
export interface ChaosHouse {
  /** Pawl in this process, without a worker, on a wire of its own that nothing troubles. */
  readonly app: App;
  readonly providers: readonly Provider[];
  readonly places: readonly Place[];
  /** Starts a worker in a place that is empty. @returns false when it did not come up. */
  fill(place: Place): Promise<boolean>;
  /** Everything that happened outside, by effect key. */
  book(): ReadonlyMap<string, readonly BookEntry[]>;
  wasDeclined(key: string): boolean;
  /** Stops the server as a power cut would, and has it started again. */
  crashServer(): Promise<void>;
  console(sql: string): Promise<void>;
  close(): Promise<void>;
}

/** How a house is furnished. */
export interface ChaosPlan {
  readonly workers: number;
  readonly workflows: (urls: ProviderUrls) => readonly ChaosWorkflow[];
  readonly choose: FateChooser;
  readonly figures: Figures;
}

/** What is accepted and done later is done within this time, milliseconds; every action promises 4 s. */
const LATE_MS = 900;

function bookOf(providers: readonly Provider[]): ReadonlyMap<string, readonly BookEntry[]> {
  const book = new Map<string, BookEntry[]>();
  for (const entry of providers.flatMap((provider) => provider.book())) {
    const key = entry.effect ?? '';
    book.set(key, [...(book.get(key) ?? []), entry]);
  }
  return book;
}

async function startProviders(folder: string): Promise<readonly [Provider, Provider]> {
  const open = (keys: 'honoured' | 'ignored'): Promise<Provider> =>
    startProvider({
      bookFile: path.join(folder, `book-${keys}.jsonl`),
      keys,
      lost: 'silence',
      lateMs: LATE_MS,
      script: healedScripts(),
    });
  return [await open('honoured'), await open('ignored')];
}

/** The server's socket, as its address names it. */
function socketOf(url: string): string {
  const host = new URL(url).searchParams.get('host');
  const port = new URL(url).searchParams.get('port');
  invariant(host !== null && port !== null, 'our own server listens on a socket');
  return path.join(host, `.s.PGSQL.${port}`);
}

interface Desk {
  readonly folder: string;
  readonly env: Environment;
  readonly figures: Figures;
}

async function fillPlace({ folder, env, figures }: Desk, place: Place): Promise<boolean> {
  place.open = 0;
  try {
    const { process } = await startProcess({
      entry: 'testing/chaos/worker-process.js',
      args: ['--database', `postgresql://pawl@127.0.0.1:${place.proxy.port}/pawl`],
      folder,
      env,
      ready: { on: 'stdout', text: '"working"' },
      onLine: (line) => {
        const news = readNews(line);
        if (news?.kind === 'open') place.open = news.open;
        if (news !== null) figures.hear(news);
      },
    });
    place.worker = process;
    return true;
  } catch {
    // Its wire was in trouble when it came; somebody tries again.
    return false;
  }
}

/** Builds the house in a folder of its own, on loopback alone. Closing it ends everything that it started. */
export async function openChaosHouse(hostEnv: Environment, plan: ChaosPlan): Promise<ChaosHouse> {
  const folder = await mkdtemp(path.join(tmpdir(), 'pawl-chaos-'));
  await chmod(folder, 0o755);
  const { DATABASE_URL: _given, PAWL_DATABASE: _other, ...rest } = hostEnv;
  const env: Environment = { ...rest, NO_COLOR: '1' };
  await writeFile(path.join(folder, 'pawl.config.yaml'), `leaseMs: ${CHAOS_LEASE_MS}\n`);
  const providers = await startProviders(folder);
  const [{ url: honoured }, { url: ignored }] = providers;
  const app = await createApp({ config: loadConfig({ folder, env }), env, logger: createLogger('silent') });
  for (const { name, text } of plan.workflows({ honoured, ignored }))
    await app.publish({ text, file: `${name}.pawl.yaml`, by: 'chaos' });
  const database = manageDatabase(app.config, env);
  const url = await database.url();
  invariant(url !== null, 'the database has just been opened');
  const socket = socketOf(url);
  const places: Place[] = [];
  for (let no = 1; no <= plan.workers; no += 1)
    places.push({ no, proxy: await openTcpProxy(socket, plan.choose), worker: null, open: 0 });
  const desk = { folder, env, figures: plan.figures };
  return {
    app,
    providers,
    places,
    fill: (place) => fillPlace(desk, place),
    book: () => bookOf(providers),
    wasDeclined: (key) => providers.some((one) => one.calls().some((call) => call.key === key && call.status === 402)),
    crashServer: async () => {
      const { pid } = await database.status();
      if (pid !== null) process.kill(pid, 'SIGQUIT');
      await database.start();
    },
    console: (sql) => runAtConsole(socket, sql),
    close: async () => {
      for (const { worker } of places) await worker?.kill();
      await Promise.all(places.map(({ proxy }) => proxy.close()));
      await app.close(500);
      await database.stop();
      await Promise.all(providers.map((provider) => provider.close()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
