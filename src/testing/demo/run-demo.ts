import type { Environment } from '../../app/config.ts';
import { compareBook, type RunView } from './compare-book.ts';
import { type DemoApi, openDemoApi } from './demo-api.ts';
import { type DemoHouse, openDemoHouse } from './demo-house.ts';
import { comparisonLines } from './print-comparison.ts';
import { playScenario, SCENARIOS } from './scenarios.ts';

const MARKS: Readonly<Record<string, string>> = {
  CONFIRMED: '✔',
  FAILED: '✘',
  UNKNOWN: '?',
  CANCELLED: '–',
  ABSENT: '–',
};

/**
 * Plays every story over the API with real processes, then lays the ledger beside the provider's own book.
 * @returns true when every story ended as it must, the book equals the ledger and all receipts verify.
 */
export async function runDemo(env: Environment, say: (line: string) => void): Promise<boolean> {
  say(
    'starting: a provider with a book of its own, a PostgreSQL that starts itself, a worker, a server (each a process)',
  );
  const house = await openDemoHouse(env);
  try {
    return await playAll(house, say);
  } finally {
    await house.close();
  }
}

async function playAll(house: DemoHouse, say: (line: string) => void): Promise<boolean> {
  let worker = await house.startWorker();
  const api = await openDemoApi(house);
  say(`the API is at ${api.url}/v1: whatever is published, started, decided and shown here goes through it`);
  for (const { text } of house.workflows) await api.demo.publishWorkflow({ body: text });
  let isGood = true;
  const runs: RunView[] = [];
  for (const [index, scenario] of SCENARIOS.entries()) {
    say(`\n${index + 1}. ${scenario.title}`);
    const played = await playScenario(scenario, { house, api, worker, say: (line) => say(`     ${line}`) });
    worker = played.worker;
    runs.push(played.run);
    tell(played.run, say);
    if (played.run.status === scenario.ends) continue;
    isGood = false;
    say(`   ✘ expected ${scenario.ends}`);
  }
  return (await compareAll({ house, api }, runs, say)) && isGood;
}

function tell(run: RunView, say: (line: string) => void): void {
  for (const effect of run.effects) {
    const doubt =
      effect.resends > 0
        ? `  was in doubt, settled by sending the same key again`
        : effect.queries > 0
          ? '  was in doubt, settled by asking'
          : '';
    say(
      `   ${effect.compensates === null ? (MARKS[effect.state] ?? '·') : '↩'} ${effect.step.padEnd(11)} ${effect.action.padEnd(23)} ${effect.state.padEnd(10)} ${effect.externalId ?? ''}${doubt}`,
    );
  }
  say(`   ${run.status}  ${run.id}`);
}

interface Played {
  readonly house: DemoHouse;
  readonly api: DemoApi;
}

async function compareAll(
  { house, api }: Played,
  runs: readonly RunView[],
  say: (line: string) => void,
): Promise<boolean> {
  const comparison = compareBook(runs, await house.book());
  say("\nThe ledger beside the provider's book:");
  for (const line of comparisonLines(comparison)) say(line);
  let receipts = 0;
  let faults = 0;
  for (const { id: run, effects } of runs)
    for (const { key: effect } of effects) {
      const { data } = await api.demo.showEffect({ params: { run, effect } });
      receipts += data.receipts.length;
      faults += data.faults.length + data.receipts.filter(({ verified }) => !verified).length;
    }
  say(
    `\n${receipts} receipts verified, ${faults} faults; ${comparison.rows.length} effects, ${comparison.isEqual ? 'each in the book exactly as the ledger says' : 'NOT as the book says'}`,
  );
  return comparison.isEqual && faults === 0;
}
