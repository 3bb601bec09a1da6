import type { RunId } from '../../model/ids.ts';
import type { RunCommit } from '../../model/run-commit.ts';
import type { ClaimedRun, Store } from '../../ports/store.ts';
import type { Owner, World } from '../simulator/world.ts';
import type { Director } from './director.ts';

/** The wires between a process of the lab and the database. */
export interface LabWires {
  readonly world: World;
  readonly owner: Owner;
  readonly director: Director;
  /** Kills the owner, now. */
  kill(): void;
}

/** One way, milliseconds. */
const WAY_MS = 1;

/** Says that hints come through, and gives none: due work is looked for once a second, which costs less than four times. */
const HEARS: Store['listen'] = () => Promise.resolve({ hears: () => true, end: () => Promise.resolve() });

/** Whether the owner dies before what it asked for is executed, after it, or not at all. */
type Death = 'before' | 'after' | null;

/**
 * A store as one process of the lab sees it: every call takes its time, is executed even when its caller has died
 * meanwhile, and is where the caller dies when the director says so.
 */
export function createCrashingStore(inner: Store, wires: LabWires): Store {
  const { world, owner, director } = wires;

  const deathBy = (name: string | symbol, args: readonly unknown[]): Death => {
    if (name !== 'commit') return null;
    const fate = director.commitFate(args[2] as readonly RunCommit[]);
    if (fate === null) return null;
    return fate.isApplied ? 'after' : 'before';
  };

  const travel = (death: Death, execute: () => Promise<unknown>): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (death === 'before') {
        wires.kill();
        return;
      }
      world.after(WAY_MS, null, () => {
        const answer = execute();
        if (death === 'after') wires.kill();
        answer.then(
          (value) => world.after(WAY_MS, owner, () => resolve(value)),
          (error: unknown) => world.after(WAY_MS, owner, () => reject(error as Error)),
        );
      });
    });

  /** It dies where the commit that keeps the statement would be executed, or was: both are one transaction (E13). */
  const act: NonNullable<Store['act']> = async (ask, conclude) => {
    let death: Death = null;
    const answer = await inner.act?.(ask, (report) => {
      const commit = conclude(report);
      death = commit === null ? null : deathBy('commit', [ask.part, ask.workerId, [commit]]);
      return death === 'before' ? null : commit;
    });
    if (death !== null) wires.kill();
    return answer ?? { kind: 'undone' };
  };

  return new Proxy(inner, {
    get: (target, name) => {
      if (name === 'listen') return HEARS;
      if (name === 'act') return (...args: Parameters<typeof act>) => travel(null, () => act(...args));
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]): Promise<unknown> => {
        const answer = await travel(deathBy(name, args), () => Reflect.apply(value, target, args) as Promise<unknown>);
        if (name !== 'claim' || !director.claimDies(runsOf(answer))) return answer;
        wires.kill();
        return new Promise(() => undefined);
      };
    },
  });
}

function runsOf(answer: unknown): readonly RunId[] {
  return (answer as readonly ClaimedRun[]).map(({ run }) => run.run.runId);
}
