import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
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
import { readNews, type WorkerNews } from './worker-news.ts';

/** A place for a worker: its own wire to the database, and whoever works there now. */
export interface Place {
  readonly proxy: TcpProxy;
  worker: DemoProcess | null;
  /** Sendings under way in it, as it said before it died or last: the run of each effect. */
  open: ReadonlyMap<string, string>;
}

/** Everything that the chaos goes on in. */
export interface ChaosHouse {
  /** Pawl in this process, without a worker, on a wire of its own that nothing troubles. */
  readonly app: App;
  readonly providers: readonly Provider[];
  readonly places: readonly Place[];
  /** Sees to it that somebody works in a place. */
  fill(place: Place): Promise<void>;
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
  /** How long a worker may be silent, milliseconds. */
  readonly leaseMs: number;
  readonly workflows: (urls: ProviderUrls) => readonly ChaosWorkflow[];
  /** Fates of what workers ask the database for; null = they ask it themselves, and no wire is troubled. */
  readonly choose: FateChooser | null;
  readonly figures: Figures;
  /** How long the answer to a first sending is on its way to a worker, milliseconds. */
  readonly answerMs: number;
  /** Told what a worker has started. */
  onStarted(no: string, run: string): void;
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
  readonly plan: ChaosPlan;
  /** Of the database, without a proxy. */
  readonly url: string;
  /** Ends all workers. */
  readonly signal: AbortSignal;
}

/** @returns false when the worker did not come up. */
async function fillPlace({ folder, env, plan, url: direct, signal }: Desk, place: Place): Promise<boolean> {
  // Of this worker alone: what the one before it said last is still being read.
  const open = new Map<string, string>();
  place.open = open;
  const hear = (news: WorkerNews): void => {
    if (news.kind === 'sent') open.set(news.effect, news.run);
    if (news.kind === 'answered') open.delete(news.effect);
    if (news.kind === 'started') plan.onStarted(news.no, news.run);
    plan.figures.hear(news);
  };
  const url = plan.choose === null ? direct : `postgresql://pawl@127.0.0.1:${place.proxy.port}/pawl`;
  try {
    const { process } = await startProcess({
      entry: 'testing/chaos/worker-process.js',
      args: ['--database', url, '--answer-ms', String(plan.answerMs)],
      folder,
      env,
      ready: { on: 'stdout', text: '"working"' },
      signal,
      onLine: (line) => {
        const news = readNews(line);
        if (news !== null) hear(news);
      },
    });
    place.worker = process;
    return true;
  } catch {
    // Its wire was in trouble when it came; somebody tries again.
    return false;
  }
}

const AGAIN_MS = 200;

/** Fills places, each by one hand at a time. */
function createStaff(desk: Omit<Desk, 'signal'>): { fill(place: Place): Promise<void>; leave(): Promise<void> } {
  const filling = new Map<Place, Promise<void>>();
  const leaving = new AbortController();
  const { signal } = leaving;
  const keepFilling = async (place: Place): Promise<void> => {
    while (!signal.aborted && place.worker?.hasEnded() !== false)
      if (!(await fillPlace({ ...desk, signal }, place))) await pass(AGAIN_MS);
    filling.delete(place);
  };
  return {
    fill: (place) => {
      if (signal.aborted || place.worker?.hasEnded() === false) return Promise.resolve();
      const going = filling.get(place) ?? keepFilling(place);
      filling.set(place, going);
      return going;
    },
    leave: async () => {
      leaving.abort();
      await Promise.all(filling.values());
    },
  };
}

/** Builds the house in a folder of its own, on loopback alone. Closing it ends everything that it started. */
export async function openChaosHouse(hostEnv: Environment, plan: ChaosPlan): Promise<ChaosHouse> {
  const folder = await mkdtemp(path.join(tmpdir(), 'pawl-chaos-'));
  await chmod(folder, 0o755);
  const { DATABASE_URL: _given, PAWL_DATABASE: _other, ...rest } = hostEnv;
  const env: Environment = { ...rest, NO_COLOR: '1' };
  await writeFile(
    path.join(folder, 'pawl.config.yaml'),
    `leaseMs: ${plan.leaseMs}\nsendWithinMs: ${plan.leaseMs / 2}\n`,
  );
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
    places.push({
      proxy: await openTcpProxy(socket, plan.choose ?? (() => ({ kind: 'pass' }))),
      worker: null,
      open: new Map(),
    });
  const staff = createStaff({ folder, env, plan, url });
  return {
    app,
    providers,
    places,
    fill: staff.fill,
    book: () => bookOf(providers),
    wasDeclined: (key) => providers.some((one) => one.calls().some((call) => call.key === key && call.status === 402)),
    crashServer: async () => {
      const { pid } = await database.status();
      if (pid !== null) process.kill(pid, 'SIGQUIT');
      await database.start();
    },
    console: (sql) => runAtConsole(socket, sql),
    close: async () => {
      await staff.leave();
      await Promise.all(places.flatMap(({ worker }) => (worker === null ? [] : [worker.kill()])));
      await Promise.all(places.map(({ proxy }) => proxy.close()));
      await app.close(500);
      await database.stop();
      await Promise.all(providers.map((provider) => provider.close()));
      // Whoever watches over the server writes a last word into it.
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: AGAIN_MS });
    },
  };
}
