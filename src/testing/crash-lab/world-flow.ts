import { dependenciesOf, expressionsOf } from '../../definition/dependencies.ts';
import type { CallStep, Expression, Template } from '../../model/definition.ts';
import type { Lab } from './lab.ts';

/** What a value comes from: from the world alone, which another run finds the same, or from what a run is. */
interface Source {
  readonly isRead: boolean;
  readonly isOwn: boolean;
}

const NOTHING: Source = { isRead: false, isOwn: false };
const OWN: Source = { isRead: false, isOwn: true };
/** Roots that are the same for every run of a workflow. */
const SAME: ReadonlySet<string> = new Set(['constants', 'secrets']);

function both(sources: readonly Source[]): Source {
  return { isRead: sources.some(({ isRead }) => isRead), isOwn: sources.some(({ isOwn }) => isOwn) };
}

function expressionsIn(template: Template | null): readonly Expression[] {
  return template === null ? [] : expressionsOf(template);
}

/** Follows values back to what they were computed from. */
class Tracer {
  readonly #lab: Lab;
  /** Vars that are being followed. */
  readonly #seen = new Set<string>();

  constructor(lab: Lab) {
    this.#lab = lab;
  }

  of(step: string, expressions: readonly Expression[]): Source {
    return both(expressions.flatMap(dependenciesOf).map((path) => this.#ofPath(step, path)));
  }

  #ofPath(step: string, [root = '', name = '']: readonly string[]): Source {
    if (SAME.has(root)) return NOTHING;
    if (root === 'steps') return this.#ofStep(name);
    if (root === 'vars') return this.#ofVar(name);
    return this.#ofItem(step, root);
  }

  /** What a read has found is the world's, if it does not ask for what is the run's own. */
  #ofStep(name: string): Source {
    const step = this.#lab.compiled.steps.get(name);
    if (step?.verb !== 'call' || this.#lab.compiled.action(step.action).effect !== 'read') return OWN;
    return { ...this.of(name, expressionsIn(step.with)), isRead: true };
  }

  #ofVar(name: string): Source {
    if (this.#seen.has(name)) return NOTHING;
    this.#seen.add(name);
    const { compiled, definition } = this.#lab;
    const handlers = [...(definition.on ?? []), ...[...compiled.steps.values()].flatMap(({ on }) => on)];
    if (handlers.some(({ set }) => set.some(([field]) => field === name))) return OWN;
    const sets = [...compiled.steps.values()].flatMap((step) =>
      step.verb === 'set' ? step.set.map(([field, value]) => ({ id: step.id, field, value })) : [],
    );
    return both(sets.filter(({ field }) => field === name).map(({ id, value }) => this.of(id, expressionsIn(value))));
  }

  #ofItem(step: string, root: string): Source {
    const maps = this.#lab.compiled.place(step).parents.flatMap((id) => {
      const group = this.#lab.compiled.step(id);
      return group.verb === 'map' ? [group] : [];
    });
    const map = maps.find(({ as }) => as === root || `${as}Index` === root);
    return map === undefined ? OWN : this.of(map.id, [map.items]);
  }
}

/** Whether what a call asks for is what a read has found in the world, and nothing of it what its run is. */
export function asksForTheWorlds(lab: Lab, { id, with: value }: CallStep): boolean {
  const { isRead, isOwn } = new Tracer(lab).of(id, expressionsIn(value));
  return isRead && !isOwn;
}
