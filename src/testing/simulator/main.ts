import { parseArgs } from 'node:util';
import { type Figures, noFigures } from './scene.ts';
import { shrink, type Shrunk } from './shrink.ts';
import { simulate, type SimulationResult, wholeSeed } from './simulate.ts';

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

/** The first failing seed, for programs. */
function sayFirst(seeds: number, { seed, violations }: SimulationResult): void {
  say(JSON.stringify({ seeds, seed, rules: [...new Set(violations.map(({ rule }) => rule))] }));
}

/** What is to be played. */
interface Stretch {
  readonly count: number;
  readonly from: number;
  /** End at the first failing seed, with one line of JSON about it. */
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

/** How far a stretch has come. */
class Tally {
  readonly figures = noFigures();
  readonly startedMs = performance.now();
  seeds = 0;
  bad = 0;
  #toldMs = this.startedMs;

  add({ figures, violations }: SimulationResult): void {
    this.seeds += 1;
    addFigures(this.figures, figures);
    if (violations.length > 0) this.bad += 1;
  }

  /** Says where it is, once in a while. */
  progress(): void {
    if (performance.now() - this.#toldMs < PROGRESS_MS) return;
    this.#toldMs = performance.now();
    say(`… ${this.line()}`);
  }

  line(): string {
    const seconds = (performance.now() - this.startedMs) / 1_000;
    const { crashes, fenced, stale, busy, lost, reviews } = this.figures;
    return (
      `${this.seeds} seeds, ${(this.seeds / seconds).toFixed(1)} seeds/s, crashes ${crashes}, fenced ${fenced}, ` +
      `stale ${stale}, busy ${busy}, answers lost ${lost}, reviews ${reviews}, violations ${this.bad}`
    );
  }
}

/** Plays until the first seed that breaks a promise. @returns whether one did. */
async function playToFirst({ count, from }: Stretch): Promise<boolean> {
  for (let seed = from; seed < from + count; seed += 1) {
    const result = await simulate(wholeSeed(seed));
    if (result.violations.length === 0) continue;
    sayFirst(seed - from + 1, result);
    return true;
  }
  return false;
}

/** Plays them all and tells the first that fail. @returns whether one did. */
async function playAll({ count, from }: Stretch): Promise<boolean> {
  const tally = new Tally();
  for (let seed = from; seed < from + count; seed += 1) {
    const ask = wholeSeed(seed);
    const result = await simulate(ask);
    tally.add(result);
    if (result.violations.length > 0 && tally.bad <= TOLD_MAX) await tell({ ask, result });
    tally.progress();
  }
  say(tally.line());
  return tally.bad > 0;
}

/** `npm run sim -- --seeds N --from S`: plays seeds, says what they went through, ends with 1 if a promise broke. */
const stretch = readStretch();
const broke = stretch.first ? await playToFirst(stretch) : await playAll(stretch);
process.exitCode = broke ? 1 : 0;
