import { createDoors } from '../../app/doors.ts';
import { createVerbs, type Verbs } from '../../app/verbs.ts';
import type { Engine } from '../../engine/engine.ts';
import type { VersionCache } from '../../engine/version-cache.ts';
import type { LogEvent } from '../../model/log-events.ts';
import type { Numbers } from '../../model/numbers.ts';
import type { ActionAdapter } from '../../ports/action-adapter.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Links } from '../../ports/links.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Publisher } from '../../ports/publisher.ts';
import type { Secrets } from '../../ports/secrets.ts';
import type { Store } from '../../ports/store.ts';
import { STABLE_LINKS } from '../stable-links.ts';
import { createSimulatedClock } from './simulated-clock.ts';
import type { Owner, World } from './world.ts';

/** A process of the simulated world: the real engine and worker over simulated ports. */
export interface SimulatedProcess extends Owner {
  readonly name: string;
  readonly verbs: Verbs;
  /** SIGKILL: nothing of it happens any more; what it has sent goes on by itself. */
  kill(): void;
  /** SIGSTOP for that long, milliseconds: its clock runs on. */
  pause(ms: number): void;
  /** SIGTERM: finishes or releases what it holds, then dies. */
  terminate(graceMs: number): void;
}

/** What a process is made of. */
export interface ProcessSetup {
  readonly world: World;
  readonly name: string;
  readonly numbers: Numbers;
  readonly ids: Ids;
  readonly versions: VersionCache;
  /** Left out: there are none. */
  readonly secrets?: Secrets;
  /** Left out: addresses that are the same in every play; null = none can be made. */
  readonly links?: Links | null;
  /** Left out: nobody is told what is published. */
  publisherFor?(owner: Owner): Publisher;
  readonly hasWorker: boolean;
  /** Told when it ends, whatever ended it. */
  onDeath(): void;
  storeFor(owner: Owner): Store;
  actionsFor(owner: Owner): ActionAdapter;
  /** Told of everything that the process logs. */
  onLog(process: string, event: LogEvent, facts: Readonly<Record<string, unknown>>, owner: Owner): void;
}

/** The life of a process, as its owner of events. */
class Life implements Owner {
  private readonly world: World;
  private alive = true;
  private pausedMs = 0;
  private readonly onDeath: () => void;

  constructor(world: World, onDeath: () => void) {
    this.world = world;
    this.onDeath = onDeath;
  }

  isAlive(): boolean {
    return this.alive;
  }

  pausedUntilMs(): number {
    return this.pausedMs;
  }

  kill(): void {
    if (!this.alive) return;
    this.alive = false;
    this.onDeath();
  }

  pause(ms: number): void {
    this.pausedMs = Math.max(this.pausedMs, this.world.nowMs() + ms);
  }
}

const NO_SECRETS: Secrets = { read: () => null, placeOf: (secret) => secret };

function loggerOf(setup: ProcessSetup, owner: Owner): Logger {
  const tell = (facts: Readonly<Record<string, unknown>>, event: LogEvent): void =>
    setup.onLog(setup.name, event, facts, owner);
  return { info: tell, warn: tell, error: tell };
}

/** Starts a process; its worker takes its seats as soon as the database answers. */
export function startSimulatedProcess(setup: ProcessSetup): SimulatedProcess {
  const { world, name, numbers, ids, versions } = setup;
  const life = new Life(world, setup.onDeath);
  const engine: Engine = {
    store: setup.storeFor(life),
    actions: setup.actionsFor(life),
    secrets: setup.secrets ?? NO_SECRETS,
    ...(setup.links === null ? {} : { links: setup.links ?? STABLE_LINKS }),
    ...(setup.publisherFor === undefined ? {} : { publisher: setup.publisherFor(life) }),
    clock: createSimulatedClock(world, life),
    ids,
    logger: loggerOf(setup, life),
    numbers,
    versions,
    tenant: 'default',
  };
  const doors = createDoors(engine);
  /** A process whose worker cannot start dies, as a real one does; somebody starts another. */
  if (setup.hasWorker) doors.openWorker().catch(() => life.kill());
  return {
    name,
    verbs: createVerbs(engine, doors.doorOf),
    isAlive: () => life.isAlive(),
    pausedUntilMs: () => life.pausedUntilMs(),
    kill: () => life.kill(),
    pause: (ms) => life.pause(ms),
    terminate: (graceMs) => {
      doors.close(graceMs).then(
        () => life.kill(),
        () => life.kill(),
      );
    },
  };
}
