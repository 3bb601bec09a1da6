import { beforeAll, describe, expect, it } from 'vitest';
import { createApp, type App } from '../../../src/app/create-app.ts';
import { findFaults } from '../../../src/decision/invariants/find-faults.ts';
import type { CheckedRun } from '../../../src/decision/invariants/opened-run.ts';
import { compileMachine } from '../../../src/machine/compile.ts';
import type { Effect } from '../../../src/model/effect.ts';
import type { Machine } from '../../../src/model/machine.ts';
import { openMemoryStore } from '../../../src/store/memory/memory-store.ts';
import { recordsOf } from '../../../src/store/memory/records.ts';
import { everyKind } from '../../engine/support/every-kind.ts';
import { type House, keepingLogger, testConfig } from '../../engine/support/house.ts';
import { watchStore } from '../../engine/support/watched-store.ts';

const LEASE_MS = 9_000;
const runs = new Map<string, CheckedRun>();

/** The runs of `everyKind`, on a memory store: no database, the same rows. */
beforeAll(async () => {
  const store = openMemoryStore({ clock: { nowMs: () => Date.now() }, parts: 4, leaseMs: LEASE_MS });
  let apps: App[] = [];
  const process: House['process'] = async ({ functions = {} } = {}) => {
    const watched = watchStore(store);
    const logger = keepingLogger();
    const entries = new Map(Object.entries(functions));
    const app = await createApp({ config: testConfig(), env: {}, store: watched.store, functions: entries, logger });
    apps.push(app);
    const kill = (): void => {
      watched.hooks = { around: () => new Promise(() => undefined) };
      apps = apps.filter((other) => other !== app);
    };
    return { app, watched, logger, kill };
  };
  const rest = async (): Promise<void> => {
    for (const app of apps.splice(0)) await app.close(500);
  };
  await everyKind({ process, rest });
  const dump = store.dump();
  for (const records of recordsOf(dump)) {
    const version = dump.versions.find(({ digest }) => digest === records.run.digest);
    const program = version === undefined ? null : compileMachine(JSON.parse(version.machine) as Machine);
    runs.set(records.run.key, { ...records, program });
  }
}, 60_000);

function runOf(key: string): CheckedRun {
  const run = runs.get(key);
  if (run === undefined) throw new Error(`there is no run ${key}`);
  return run;
}

/** The checks that name something in a run, as it is or damaged. */
function namedIn(run: CheckedRun, nowMs = Date.now()): readonly string[] {
  return [...new Set(findFaults(run, nowMs).map(({ check }) => check))];
}

/** A run with its effects of one step changed, undo rows left as they are. */
function withEffect(run: CheckedRun, step: string, change: Partial<Effect>): CheckedRun {
  const isIt = (effect: Effect): boolean => effect.step === step && effect.compensates === null;
  return { ...run, effects: run.effects.map((effect) => (isIt(effect) ? { ...effect, ...change } : effect)) };
}

describe('findFaults', () => {
  it('finds nothing in runs of every kind', () => {
    expect(runs.size).toBe(13);
    for (const [key, run] of runs) expect([key, namedIn(run)]).toEqual([key, []]);
  });

  it('E01 a key that is not that of its ingredients', () => {
    // E01: "The row keeps its ingredients; an invariant recomputes every key."
    const run = runOf('done');
    const [charge] = run.effects.filter(({ step }) => step === 'charge');
    const ingredients = { ...charge?.ingredients, generation: 1 } as Effect['ingredients'];
    expect(namedIn(withEffect(run, 'charge', { ingredients }))).toEqual(['effect-key']);
  });

  it('E02 a request that is not the one that was hashed', () => {
    // E02: "`requestHash = sha256(JCS(request after templates, without secrets))`."
    expect(namedIn(withEffect(runOf('done'), 'charge', { request: '{}' }))).toEqual(['request-hash']);
  });

  it('E09 an effect that settles twice, though its step was entered once', () => {
    // E09: "An effect moves its run once: inbox id `<effectKey>:settled`"
    const run = runOf('done');
    const [first, second] = run.journal.filter(({ event }) => event.type === 'effect');
    const journal = run.journal.map((row) => (row === second && first ? { ...row, event: first.event } : row));
    expect(namedIn({ ...run, journal })).toEqual(['settlement']);
  });

  it('E10 a receipt whose content was changed', () => {
    // E10: "`pawl receipt verify` recomputes offline; one flipped byte is found."
    const run = runOf('done');
    const receipts = run.receipts.map((receipt, at) => (at === 1 ? { ...receipt, resultBase64: 'AAAA' } : receipt));
    expect(namedIn({ ...run, receipts })).toEqual(['receipt-chain']);
  });

  it('P01 a transition that is missing', () => {
    // P01: "One transition, one transaction; nothing outside happens before commit."
    const run = runOf('done');
    expect(namedIn({ ...run, journal: run.journal.filter(({ revision }) => revision !== 2) })).toEqual(['journal']);
  });

  it('P08 a state hash that is not that of the stored snapshot', () => {
    // P08: "Replaying a stored journal through the kernel gives the stored values and commands"
    const run = runOf('done');
    expect(namedIn({ ...run, journal: run.journal.map((row) => ({ ...row, stateHash: 'x' })) })).toEqual([
      'state-hash',
    ]);
  });

  it('P17 an event in the journal that was never stored', () => {
    // P17: "Every event from outside is stored in the inbox with a wake-up"
    expect(namedIn({ ...runOf('stopped'), inbox: [] })).toEqual(['arrival']);
  });

  it('R25 a status that end and ledger do not give', () => {
    // R25: "A checker recomputes it offline."
    const run = runOf('done');
    expect(namedIn({ ...run, head: { ...run.head, status: 'FAILED' } })).toEqual(['status']);
  });

  it('R13 an undo of what was never done', () => {
    // R13: "Two workers, a crash loop, a double call: one row, at most one effect."
    expect(namedIn(withEffect(runOf('undone'), 'charge', { state: 'FAILED' }))).toContain('compensation');
  });

  it('R18 what a terminated run leaves unknown and does not tell', () => {
    // R18: "Terminate-without-undo is a separate audited verb."
    const run = runOf('stopped');
    expect(namedIn({ ...run, head: { ...run.head, failure: null } })).toEqual(['ended']);
  });

  it('V06 a wait without its timer, and a timer that has fired already', () => {
    // V06: "Never early, at most once"
    const run = runOf('sleeps');
    expect(namedIn({ ...run, timers: run.timers.filter(({ name }) => name !== 'pause:wait') })).toEqual([
      'timer-missing',
    ]);
    const timers = run.timers.map((timer) => ({ ...timer, generation: 7 }));
    expect(namedIn({ ...run, timers })).toEqual(['timer']);
  });

  it('P03 a lease whose worker has long been gone', () => {
    // P03: "The sweep starts from leases whose seat is expired or missing."
    expect(namedIn(runOf('held'), Date.now() + 3_600_000)).toEqual(['lease']);
  });

  it('W01 an effect to be sent, an undecided event and a run that waits for nobody, without a wake-up', () => {
    // W01: "Deliver = one statement in the run's part: inbox row, then `ready` upsert"
    expect(namedIn({ ...runOf('fresh'), wakeUp: null })).toEqual(['wake-up']);
    const listens = runOf('listens');
    const [asked] = runOf('asks').inbox.filter(({ eventId }) => eventId === 'n-1');
    const undecided = [{ ...asked, outcome: null, consumed: false }] as unknown as CheckedRun['inbox'];
    expect(namedIn({ ...listens, inbox: undecided })).toEqual(['wake-up']);
    expect(namedIn({ ...listens, wakeUp: null })).toEqual([]);
    expect(namedIn({ ...runOf('asks'), approvals: [] })).toContain('wake-up');
  });

  it('A02 a vote that no event brought, A04 a request that nobody approved', () => {
    // A02: "A vote is an append-only row, one per person, with the roles held when it arrived."
    const run = runOf('asks');
    const forged = run.approvals.map((one) => ({
      ...one,
      votes: one.votes.map((vote) => ({ ...vote, principal: 'mallory' })),
    }));
    expect(namedIn({ ...run, approvals: forged })).toEqual(['vote']);
    expect(namedIn(withEffect(runOf('approved'), 'pay', { approvalId: null }))).toEqual(['receipt-row', 'approval']);
  });
});
