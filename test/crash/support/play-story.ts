import type { RunView } from '../../../src/engine/run-view.ts';
import { publishVersion } from '../../../src/engine/publish-version.ts';
import { createVersionCache, type LoadedVersion } from '../../../src/engine/version-cache.ts';
import { PawlError } from '../../../src/model/errors.ts';
import type { Digest } from '../../../src/model/ids.ts';
import { numbersFor } from '../../../src/model/numbers.ts';
import { isEnd } from '../../../src/model/statuses.ts';
import type { Store, StoredVersion } from '../../../src/ports/store.ts';
import { openMemoryStore } from '../../../src/store/memory/memory-store.ts';
import { wordFor } from '../../../src/testing/provider/script.ts';
import { providerOf } from '../../../src/testing/simulator/action-classes.ts';
import type { FaultPlan } from '../../../src/testing/simulator/fault-plan.ts';
import { createFleet, type Fleet } from '../../../src/testing/simulator/fleet.ts';
import { createSimulatedActions } from '../../../src/testing/simulator/simulated-actions.ts';
import { createSimulatedIds } from '../../../src/testing/simulator/simulated-ids.ts';
import { type SimulatedProcess, startSimulatedProcess } from '../../../src/testing/simulator/simulated-process.ts';
import { createSimulatedProvider, type SimulatedProvider } from '../../../src/testing/simulator/simulated-provider.ts';
import type { World } from '../../../src/testing/simulator/world.ts';
import { answerReviews } from '../../../src/testing/truthful-operator.ts';
import { breakStatement, isCrash, type StatementFault } from './crash-store.ts';
import type { Story } from './stories.ts';

/** Where a story is played. */
export interface Stage {
  readonly world: World;
  readonly store: Store;
  readonly leaseMs: number;
  /** What statements have left in the database, in order (E13). */
  written(): Promise<readonly string[]>;
}

/** A fault, and the statement that meets it, counted in each of the first processes. */
export interface Break {
  readonly at: number;
  readonly fault: StatementFault;
}

/** What a story came to. */
export interface Played {
  /** Ledger, receipts and book in words that do not depend on ids or on how often something was sent. */
  readonly told: Told;
  /** The verbs of the first process's statements, in order, until the run had ended. */
  readonly statements: readonly string[];
  /** Processes that there were. */
  readonly processes: number;
}

/** What must be the same however often the processes died. */
export interface Told {
  readonly status: string;
  readonly output: string;
  readonly effects: readonly string[];
  readonly receipts: readonly string[];
  readonly book: readonly string[];
  readonly faults: readonly string[];
}

/** The network is never at fault here. */
const CALM: FaultPlan = {
  callFate: () => ({ kind: 'answered', thereMs: 0, backMs: 0 }),
  wireFate: () => ({ kind: 'answered', thereMs: 1, backMs: 1 }),
  isDoubled: () => false,
  comes: () => false,
  heal: () => undefined,
  isHealed: () => true,
};

const WITHIN_MS = 10 * 60_000;
const ATTEND_MS = 400;
/** Between two looks of a person at a run that is held; what was sent may still take effect for longer. */
const REVIEW_MS = 2_500;
/** How long the processes that come after the end are watched for something that they should not do. */
const AFTERWARDS_MS = 1_600;
/** A process that met its fault once may be followed by one that meets it too; the third has none. */
const BROKEN_PROCESSES = 2;

const prepared = new Map<string, StoredVersion>();
const compiled = new Map<Digest, LoadedVersion>();

/** A story's version, made once: what it becomes depends on nothing else. */
async function versionOf({ name, text }: Story): Promise<StoredVersion> {
  const known = prepared.get(name);
  if (known !== undefined) return known;
  const store = openMemoryStore({ clock: { nowMs: () => 0 }, parts: 1, leaseMs: 1 });
  const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const publisher = { store, versions: createVersionCache(store, compiled), logger, tenant: 'default' };
  const { version } = await publishVersion(publisher, { text, file: `${name}.pawl.yaml`, by: 'author' });
  prepared.set(name, version);
  return version;
}

/** One play: everything that has to be at hand. */
class Play {
  readonly stage: Stage;
  readonly story: Story;
  readonly fault: Break | null;
  readonly provider: SimulatedProvider;
  readonly fleet: Fleet;
  readonly statements: string[] = [];
  processes = 0;
  private ended = false;
  private readonly book = {
    entriesOf: (key: string) => this.provider.entriesOf(key),
    wasDeclined: (key: string) => this.provider.book.calls.some((call) => call.key === key && call.status === 402),
  };
  private readonly calls = new Map<string, number>();

  constructor(stage: Stage, story: Story, fault: Break | null) {
    this.stage = stage;
    this.story = story;
    this.fault = fault;
    const { world } = stage;
    const classOf = (operation: string) => providerOf(story.kinds[operation] ?? 'none');
    this.provider = createSimulatedProvider({
      world,
      classOf,
      choose: ({ operation }) => {
        const call = this.calls.get(operation) ?? 0;
        this.calls.set(operation, call + 1);
        return wordFor(story.scripts[operation], call);
      },
    });
    this.fleet = createFleet(world, 1, { start: (_, onDeath) => this.startProcess(onDeath), isGone: () => false });
  }

  /** A fault that kills comes twice, one that a process lives through only in the first. */
  private breakOf(no: number): number | null {
    if (this.fault === null || this.ended) return null;
    return no <= (isCrash(this.fault.fault) ? BROKEN_PROCESSES : 1) ? this.fault.at : null;
  }

  private startProcess(onDeath: () => void): SimulatedProcess {
    const { world, store, leaseMs } = this.stage;
    this.processes += 1;
    const no = this.processes;
    const process: SimulatedProcess = startSimulatedProcess({
      world,
      name: `process-${no}`,
      numbers: numbersFor(leaseMs),
      ids: createSimulatedIds(world.random, no),
      versions: createVersionCache(store, compiled),
      hasWorker: true,
      onDeath,
      storeFor: (owner) =>
        breakStatement(store, {
          at: this.breakOf(no),
          fault: this.fault?.fault ?? 'crash before',
          life: { isAlive: () => owner.isAlive(), kill: () => process.kill() },
          onStatement: (verb) => {
            if (no === 1 && !this.ended) this.statements.push(verb);
          },
        }),
      actionsFor: (owner) =>
        createSimulatedActions({
          world,
          owner,
          plan: CALM,
          provider: this.provider,
          classOf: (operation) => providerOf(this.story.kinds[operation] ?? 'none'),
          onByte: () => undefined,
        }),
      onLog: () => undefined,
    });
    return process;
  }

  /** Lets the world go on until a promise is kept. */
  async within<T>(doing: Promise<T>): Promise<T> {
    const { world } = this.stage;
    let isOver = false;
    const over = (): void => {
      isOver = true;
    };
    doing.then(over, over);
    if (await world.run(() => isOver, world.nowMs() + WITHIN_MS)) return doing;
    throw new Error(`${this.story.name}: nobody answered`);
  }

  async pause(ms: number): Promise<void> {
    await this.within(new Promise<void>((resolve) => void this.stage.world.after(ms, null, resolve)));
  }

  async ask<T>(act: (verbs: SimulatedProcess['verbs']) => Promise<T>): Promise<T> {
    const answer = await this.within(this.fleet.ask(act));
    if (answer instanceof PawlError) throw answer;
    return answer;
  }

  /** People and senders do what they have to, until the run has ended. */
  async untilEnd(run: string): Promise<RunView> {
    const { world } = this.stage;
    const untilMs = world.nowMs() + WITHIN_MS;
    for (;;) {
      const view = await this.ask((verbs) => verbs.show(run));
      if (isEnd(view.status)) {
        this.ended = true;
        return view;
      }
      if (world.nowMs() > untilMs)
        throw new Error(`${this.story.name} is still ${view.status}: ${JSON.stringify(view.waitingFor)}`);
      await this.within(this.story.attend(this.fleet.ask, view));
      if (view.status === 'HELD') {
        await this.ask((verbs) => answerReviews({ verbs, ...this.book }));
        await this.pause(REVIEW_MS);
      } else await this.pause(ATTEND_MS);
    }
  }

  /** The process dies and another one comes, which finds nothing to do. */
  async resume(): Promise<void> {
    for (const process of this.fleet.alive()) process.kill();
    await this.ask((verbs) => verbs.list({ workflow: null, statuses: null, needsHuman: false, q: null, limit: 1 }));
    await this.pause(AFTERWARDS_MS);
  }
}

/** Texts in which keys and ids, which are new in each run, are called by their steps. */
function namer(view: RunView): (value: unknown) => string {
  const names = new Map(
    view.effects.map(({ key, step, compensates }) => [key, compensates === null ? step : `↩${step}`]),
  );
  return (value) => {
    let text = JSON.stringify(value ?? null);
    for (const [key, name] of names) text = text.replaceAll(key, `<${name}>`);
    return text;
  };
}

/** What happened, in order; a natural act counts once, however often it was done, and its last answer is as good as any. */
function tellBook({ story, provider }: Play, name: (value: unknown) => string): readonly string[] {
  const lines = provider.book.entries.map(({ operation, id, effect, request }) =>
    name({ operation, id, effect, request }),
  );
  return [...new Set(lines.map((line) => namelessly(story, line)))];
}

/** Without the numbers of natural acts. */
function namelessly({ kinds }: Story, text: string): string {
  const natural = Object.keys(kinds).filter((operation) => kinds[operation] === 'natural');
  return natural.reduce(
    (told, operation) => told.replaceAll(new RegExp(`"${operation}-\\d+"`, 'g'), `"${operation}"`),
    text,
  );
}

async function tell(play: Play, run: string): Promise<Told> {
  const view = await play.ask((verbs) => verbs.show(run));
  const { receipts, faults } = await play.ask((verbs) => verbs.verify(run));
  const named = namer(view);
  const name = (value: unknown): string => namelessly(play.story, named(value));
  return {
    status: view.status,
    output: name(view.output),
    effects: view.effects.map(({ key, action, state, request, output, externalId, compensates }) =>
      name({ key, action, state, request, compensates, ...(state === 'CONFIRMED' ? { output, externalId } : {}) }),
    ),
    receipts: receipts.map(({ effectKey, outcome, externalId }) => name({ effectKey, outcome, externalId })),
    book: [...tellBook(play, named), ...(await play.stage.written())],
    faults: faults.map((fault) => name(fault)),
  };
}

async function finish(play: Play): Promise<void> {
  const { stage } = play;
  for (const process of play.fleet.alive()) process.kill();
  await stage.store.close();
}

/**
 * Plays a story to its end, breaking one statement, then has two more processes come one after the other.
 * @param fault null = nothing is broken.
 */
export async function playStory(stage: Stage, story: Story, fault: Break | null): Promise<Played> {
  await stage.store.publish(await versionOf(story));
  const play = new Play(stage, story, fault);
  try {
    const { run } = await play.ask((verbs) =>
      verbs.start({ workflow: story.name, version: 1, input: { no: 'O-1' }, by: 'starter' }),
    );
    await play.untilEnd(run.runId);
    await play.resume();
    await play.resume();
    return { told: await tell(play, run.runId), statements: play.statements, processes: play.processes };
  } finally {
    await finish(play);
  }
}
