import { parseArgs } from 'node:util';
import { type Figures, noFigures } from './scene.ts';
import { shrink, type Shrunk } from './shrink.ts';
import { simulate, wholeSeed } from './simulate.ts';

/** Between two lines of progress, milliseconds. */
const PROGRESS_MS = 5_000;
/** Failing seeds that are told in full. */
const TOLD_MAX = 5;

function addFigures(sum: Figures, more: Figures): void {
  for (const name of Object.keys(sum) as (keyof Figures)[]) sum[name] += more[name];
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function tell({ ask, result }: Shrunk): Promise<void> {
  say(`seed ${result.seed} (${result.scenario}): ${result.violations.length} violations`);
  for (const { rule, runId, subject, message } of result.violations)
    say(`  ${rule}: ${subject}: ${message} (run ${runId})`);
  const small = await shrink({ ask, result });
  const without = small.ask.without.size === 0 ? 'nothing' : [...small.ask.without].join(', ');
  say(`  smallest: ${small.ask.runsMax} runs, a storm of ${small.ask.stormMs} ms, without ${without}`);
  say(`  again: npm run sim -- --seeds 1 --from ${result.seed}`);
}

function line(seeds: number, figures: Figures, bad: number, startedMs: number): string {
  const seconds = (performance.now() - startedMs) / 1_000;
  const { crashes, fenced, stale, busy, lost, reviews } = figures;
  return (
    `${seeds} seeds, ${(seeds / seconds).toFixed(1)} seeds/s, crashes ${crashes}, fenced ${fenced}, stale ${stale}, ` +
    `busy ${busy}, answers lost ${lost}, reviews ${reviews}, violations ${bad}`
  );
}

/** What is to be played. */
interface Stretch {
  readonly count: number;
  readonly from: number;
  /** End at the first failing seed. */
  readonly first: boolean;
}

function wholeNumber(text: string | undefined, otherwise: number, name: string): number {
  const value = Number(text ?? otherwise);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new RangeError(`${name} is a whole number, not ${text ?? ''}`);
}

function readStretch(): Stretch {
  const { values } = parseArgs({
    options: { seeds: { type: 'string' }, from: { type: 'string' }, first: { type: 'boolean' } },
  });
  return {
    count: wholeNumber(values.seeds, 300, '--seeds'),
    from: wholeNumber(values.from, 1, '--from'),
    first: values.first === true,
  };
}

/** `npm run sim -- --seeds N --from S`: plays seeds, says what they went through, ends with 1 if a promise broke. */
async function main(): Promise<void> {
  const { count, from, first } = readStretch();
  const figures = noFigures();
  const startedMs = performance.now();
  let bad = 0;
  let toldMs = startedMs;
  let seeds = 0;
  for (let seed = from; seed < from + count && !(first && bad > 0); seed += 1) {
    const ask = wholeSeed(seed);
    const result = await simulate(ask);
    seeds += 1;
    addFigures(figures, result.figures);
    if (result.violations.length > 0) bad += 1;
    if (result.violations.length > 0 && bad <= TOLD_MAX) await tell({ ask, result });
    if (performance.now() - toldMs > PROGRESS_MS) {
      toldMs = performance.now();
      say(`… ${line(seeds, figures, bad, startedMs)}`);
    }
  }
  say(line(seeds, figures, bad, startedMs));
  process.exitCode = bad > 0 ? 1 : 0;
}

await main();
