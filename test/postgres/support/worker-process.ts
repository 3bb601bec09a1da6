import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startProcess } from '../../../src/testing/demo/demo-process.ts';

/** `pawl worker` as a process of its own. */
export interface WorkerProcess {
  /** Ends it at once, as a power cut would. */
  kill(): Promise<void>;
  /** Has it finish or release what it holds. */
  stop(): Promise<void>;
  hasEnded(): boolean;
}

/** What a worker process is told. */
export interface WorkerPlan {
  readonly url: string;
  readonly leaseMs: number;
  /** An empty folder; nothing is written there. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The command as it is built; the path starts from the sources. */
const ENTRY = '../dist/cli/main.js';

/** Starts a worker process and waits until it works. It ends with this process, however that ends. */
export async function startWorkerProcess({ url, leaseMs, folder, env }: WorkerPlan): Promise<WorkerProcess> {
  if (!existsSync(fileURLToPath(new URL(`../../../src/${ENTRY}`, import.meta.url))))
    throw new Error('dist is missing: npm run build');
  const { process: started } = await startProcess({
    entry: ENTRY,
    args: ['worker'],
    folder,
    env: { PATH: process.env['PATH'], PAWL_DATABASE: url, PAWL_LEASE_MS: String(leaseMs), ...env },
    ready: { on: 'stderr', text: 'working' },
  });
  return started;
}
