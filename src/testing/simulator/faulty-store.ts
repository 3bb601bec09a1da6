import { StoreError } from '../../model/errors.ts';
import type { CommitAnswer } from '../../model/run-commit.ts';
import type { Store } from '../../ports/store.ts';
import { lostAnswer } from '../store-verbs.ts';
import type { FaultPlan } from './fault-plan.ts';
import type { Owner, World } from './world.ts';

/** The wires between a simulated process and the database. */
export interface StoreWires {
  readonly world: World;
  readonly owner: Owner;
  readonly plan: FaultPlan;
  /** Told of each answer of a commit's member. */
  onCommit(answer: CommitAnswer): void;
}

function unreachable(): Error {
  return new StoreError('PAWL_STORE_UNAVAILABLE', 'the simulated database cannot be reached');
}

/** One call on its way; what it asks for is executed by the database even when its caller has died meanwhile. */
function travel(wires: StoreWires, verb: string, execute: () => Promise<unknown>): Promise<unknown> {
  const { world, owner, plan } = wires;
  const fate = plan.callFate();
  return new Promise((resolve, reject) => {
    switch (fate.kind) {
      case 'before':
        world.after(fate.afterMs, owner, () => reject(unreachable()));
        return;
      case 'refused':
        world.after(fate.afterMs, owner, () =>
          reject(new StoreError('PAWL_STORE_FAILED', 'the simulated database did nothing (40001)')),
        );
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

/** A store as one process sees it: through wires that delay, break before and after, and outlive their caller. */
export function createFaultyStore(inner: Store, wires: StoreWires): Store {
  return new Proxy(inner, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]): Promise<unknown> => {
        const answer = await travel(wires, String(name), () => Reflect.apply(value, target, args) as Promise<unknown>);
        if (name === 'commit') for (const member of answer as readonly CommitAnswer[]) wires.onCommit(member);
        return answer;
      };
    },
  });
}
