import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { InvariantError } from '../model/errors.ts';
import type { Picture } from '../model/picture.ts';
import { type ElkNode, toElkGraph } from './elk-graph.ts';

/** Lays out in a thread of its own: a picture of 60 states blocks a thread for over a second. elkjs is used unmodified. */
const WORKER = `
const { parentPort, workerData } = require('node:worker_threads');
const Elk = require(workerData.elk);
new Elk().layout(workerData.graph).then(
  (laidOut) => parentPort.postMessage({ laidOut }),
  (error) => parentPort.postMessage({ error: String(error && error.message || error) }),
);`;

/**
 * Decides where everything of a picture stands; deterministic for one picture.
 * @returns ELK's graph with absolute coordinates in pixels.
 * @throws PAWL_INVARIANT when the layout engine refuses the graph.
 */
export function layoutPicture(picture: Picture): Promise<ElkNode> {
  const elk = createRequire(import.meta.url).resolve('elkjs/lib/elk.bundled.js');
  const worker = new Worker(WORKER, { eval: true, workerData: { elk, graph: toElkGraph(picture) } });
  return new Promise<ElkNode>((resolve, reject) => {
    worker.once('message', (answer: { readonly laidOut: ElkNode } | { readonly error: string }) => {
      if ('laidOut' in answer) resolve(answer.laidOut);
      else reject(new InvariantError(`the layout engine refused the picture: ${answer.error}`));
    });
    worker.once('error', reject);
  }).finally(() => worker.terminate());
}
