import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { createActionAdapter } from '../../actions/create-action-adapter.ts';
import { loadConfig } from '../../app/config.ts';
import { createApp } from '../../app/create-app.ts';
import { hostEnvironment } from '../../app/host.ts';
import { createSystemClock } from '../../app/system-clock.ts';
import type { ActionAdapter } from '../../ports/action-adapter.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Store } from '../../ports/store.ts';
import { openPostgresStore } from '../../store/postgres/postgres-store.ts';
import type { WorkerNews } from './worker-news.ts';

/*
 * A worker as a process of its own, like `pawl worker`, that tells on stdout, line by line, what a test wants to know of
 * it: sendings under way, answers to its commits, what it logs. It ends with the process that started it.
 */

function tell(news: WorkerNews): void {
  process.stdout.write(`${JSON.stringify(news)}\n`);
}

/** A logger whose events are news. */
function telling(): Logger {
  const say: Logger['info'] = (facts, event) => {
    const count = typeof facts['count'] === 'number' ? facts['count'] : 1;
    const words = event.startsWith('run.') || event === 'loop.fault' ? JSON.stringify(facts) : '';
    tell({ kind: 'log', event, count, words });
  };
  return { info: () => undefined, warn: say, error: say };
}

function tellingStore(store: Store): Store {
  return {
    ...store,
    commit: async (part, workerId, commits) => {
      const answers = await store.commit(part, workerId, commits);
      for (const { kind } of answers) if (kind !== 'applied') tell({ kind: 'answer', answer: kind });
      return answers;
    },
  };
}

function tellingActions(actions: ActionAdapter): ActionAdapter {
  let open = 0;
  const count = (by: number): void => {
    open += by;
    tell({ kind: 'open', open });
  };
  return {
    ...actions,
    send: async (order, secrets, gate, signal) => {
      count(1);
      try {
        return await actions.send(order, secrets, gate, signal);
      } finally {
        count(-1);
      }
    },
  };
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { database: { type: 'string', default: '' } } });
  const env = hostEnvironment();
  const config = loadConfig({ folder: process.cwd(), env });
  const clock = createSystemClock();
  const logger = telling();
  const store = await openPostgresStore({
    url: values.database,
    numbers: config.numbers,
    applicationName: 'pawl-chaos',
    onBroken: () => undefined,
  });
  const actions = tellingActions(createActionAdapter({ functions: new Map(), clock, logger }));
  const app = await createApp({ config, env, store: tellingStore(store), actions, logger, clock });
  await app.runWorker();
  tell({ kind: 'working' });
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  process.stdin.once('end', () => process.exit(1)).resume();
  await once(stop.signal, 'abort');
  await app.close();
  await store.close();
  process.exit(0);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
}
