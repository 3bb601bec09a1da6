import { StoreError } from '../../model/errors.ts';
import type { CommitAnswer } from '../../model/run-commit.ts';
import type { Store } from '../../ports/store.ts';
import { lostAnswer } from '../store-verbs.ts';
import { createAdmission, type DatabaseHost } from './database-host.ts';
import type { FaultPlan } from './fault-plan.ts';
import type { Owner, World } from './world.ts';

/** The wires between a simulated process and the database. */
export interface StoreWires {
  readonly world: World;
  readonly owner: Owner;
  readonly plan: FaultPlan;
  /** Left out: the database is always the same. */
  readonly host?: DatabaseHost;
  /** Told of each answer of a commit's member. */
  onCommit(answer: CommitAnswer): void;
}

function unreachable(): Error {
  return new StoreError('PAWL_STORE_UNAVAILABLE', 'the simulated database cannot be reached');
}

/** Serialization failures and deadlocks: a commit tells them member by member, everything else as a fault that passes. */
function contended(verb: string, args: readonly unknown[]): readonly CommitAnswer[] {
  if (verb !== 'commit') throw new StoreError('PAWL_STORE_FAILED', 'the simulated database did nothing (40001)');
  const [, , commits] = args as Parameters<Store['commit']>;
  return commits.map(() => ({ kind: 'busy' }));
}

/** A call as its caller makes it. */
interface Call {
  readonly verb: string;
  readonly args: readonly unknown[];
  execute(): Promise<unknown>;
}

/** One call on its way; what it asks for is executed by the database even when its caller has died meanwhile. */
function travel(wires: StoreWires, { verb, args, execute }: Call): Promise<unknown> {
  const { world, owner, plan } = wires;
  const fate = plan.callFate();
  return new Promise((resolve, reject) => {
    switch (fate.kind) {
      case 'before':
        world.after(fate.afterMs, owner, () => reject(unreachable()));
        return;
      case 'refused':
        world.after(fate.afterMs, owner, () => {
          Promise.resolve()
            .then(() => contended(verb, args))
            .then(resolve, reject);
        });
        return;
      case 'lost':
        world.after(fate.thereMs, null, () => void execute().catch(() => undefined));
        world.after(fate.brokenAfterMs, owner, () => reject(lostAnswer(verb)));
        return;
      case 'answered':
        world.after(fate.thereMs, null, () => {
          execute().then(
            (answer) => world.after(fate.backMs, owner, () => resolve(answer)),
            (error: unknown) => world.after(fate.backMs, owner, () => reject(error as Error)),
          );
        });
    }
  });
}

/**
 * What the database does with a call that arrives: nothing, when it came for one that is not there any more.
 * @param execute what the store does.
 */
function arriving(wires: StoreWires, verb: string, execute: () => Promise<unknown>): () => Promise<unknown> {
  const era = wires.host?.era();
  return () => (wires.host?.era() === era ? execute() : Promise.reject(lostAnswer(verb)));
}

/** A store as one process sees it: through wires that delay, break before and after, and outlive their caller. */
export function createFaultyStore(inner: Store, wires: StoreWires): Store {
  const { host } = wires;
  const admission = host === undefined ? null : createAdmission(host);
  return new Proxy(inner, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const verb = String(name);
      return async (...args: unknown[]): Promise<unknown> => {
        if (admission?.admits(verb) === false) throw unreachable();
        const execute = (): Promise<unknown> => Reflect.apply(value, target, args) as Promise<unknown>;
        const era = host?.era() ?? 0;
        const answer = await travel(wires, { verb, args, execute: arriving(wires, verb, execute) });
        if (verb === 'witness' && args[0] === 'worker') admission?.saw(era);
        if (verb === 'commit') for (const member of answer as readonly CommitAnswer[]) wires.onCommit(member);
        return answer;
      };
    },
  });
}
