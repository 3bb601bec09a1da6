import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pass } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createActionAdapter } from '../../actions/create-action-adapter.ts';
import { loadConfig } from '../../app/config.ts';
import { type App, createApp } from '../../app/create-app.ts';
import { hostEnvironment } from '../../app/host.ts';
import { createSystemClock } from '../../app/system-clock.ts';
import { PawlError } from '../../model/errors.ts';
import { displayRunId } from '../../model/run-id.ts';
import type { ActionAdapter } from '../../ports/action-adapter.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Store } from '../../ports/store.ts';
import { openPostgresStore } from '../../store/postgres/postgres-store.ts';
import type { Payment, WorkerNews } from './worker-news.ts';

/*
 * A worker as a process of its own, like `pawl worker`, that tells on stdout, line by line, what a test wants to know of
 * it: sendings under way, answers to its commits, what it logs. What it reads on stdin, line by line, it starts, as a
 * program does that has a worker in it. It ends with the process that started it.
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

/** @param answerMs how long the answer to a first sending is on its way, beside what the provider takes. */
function tellingActions(actions: ActionAdapter, answerMs: number): ActionAdapter {
  return {
    ...actions,
    send: async (order, secrets, gate, signal) => {
      const effect = order.effect.key;
      const tellingGate = (): boolean => {
        const isOpen = gate();
        if (isOpen) tell({ kind: 'sent', effect, run: displayRunId(order.run.runId) });
        return isOpen;
      };
      const report = await actions.send(order, secrets, tellingGate, signal);
      if (order.attempt === 1) await pass(answerMs);
      tell({ kind: 'answered', effect });
      return report;
    },
  };
}

/** Starts what it is told to; what the database does not take now is started by whoever asked. */
async function startPayment(app: App, line: string): Promise<void> {
  const { workflow, no } = JSON.parse(line) as Payment;
  try {
    const { run } = await app.start({ workflow, version: 1, input: { no }, by: 'chaos' });
    tell({ kind: 'started', no, run: displayRunId(run.runId) });
  } catch (error) {
    if (!(error instanceof PawlError)) throw error;
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      database: { type: 'string', default: '' },
      'answer-ms': { type: 'string', default: '0' },
    },
  });
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
  const adapter = createActionAdapter({ functions: new Map(), clock, logger });
  const actions = tellingActions(adapter, Number(values['answer-ms']));
  const app = await createApp({ config, env, store: tellingStore(store), actions, logger, clock });
  await app.runWorker();
  tell({ kind: 'working' });
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  const orders = createInterface({ input: process.stdin });
  orders.on('line', (line) => void startPayment(app, line));
  orders.once('close', () => process.exit(1));
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
