import { parseArgs } from 'node:util';
import { hostEnvironment } from '../../app/host.ts';
import { runChaos } from './run-chaos.ts';

/*
 * npm run chaos -- --minutes 10 --seed 7             everything at once
 * npm run chaos -- --kills 1000 --inflight 16        SIGKILL again and again, with so many payments in flight
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    seed: { type: 'string' },
    kills: { type: 'string' },
    inflight: { type: 'string', default: '16' },
  },
});
const ask = {
  seed: values.seed === undefined ? Date.now() % 1_000_000 : Number(values.seed),
  minutes: Number(values.minutes),
  kills: values.kills === undefined ? null : Number(values.kills),
  inflight: Number(values.inflight),
};
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const isGood = await runChaos(hostEnvironment(), ask, say, stop.signal);
// Whoever still waits for the house, after it was left early, waits for nothing.
process.exit(isGood ? 0 : 1);
