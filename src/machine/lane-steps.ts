import type { MapStep, Step, WorkflowDefinition } from '../model/definition.ts';
import type { Machine } from '../model/machine.ts';
import { invariant } from '../model/errors.ts';
import { allSteps, bodyLists, everyStep, hasLanes } from '../model/step-lists.ts';
import { bodyListId, isLaneList } from './outline.ts';

/**
 * The author's id of a step: that of the first lane; what leaves a machine is named by it. The list of a lane gives that of its
 * map.
 */
export function authorOf(id: string): string;
export function authorOf(id: string | null): string | null;
export function authorOf(id: string | null): string | null {
  return id === null ? null : (/^[^@$]+/.exec(id)?.[0] ?? id);
}

/** The state of the first lane that stands for a state in any: what a person is told of. */
export function authorStateOf(state: string): string {
  return state.replace(/@[\d-]+/g, '').replace(/\$b_\d+\$item/g, '$b_0$item');
}

/** Whether a state, a list or a step is of another lane than the first: pictures show the first alone. */
export function isCopy(id: string): boolean {
  return id.includes('@') || /\$b_[1-9]\d*\$item/.test(id);
}

/** How many lanes a map of a machine has. */
export function laneCount({ lanes = [] }: MapStep): number {
  return lanes.length + 1;
}

/** The steps of a lane. @throws PAWL_INVARIANT for a list that is no lane of the step. */
export function laneSteps(step: Step, list: string): readonly Step[] {
  const found = bodyLists(step).find(({ name }) => bodyListId(step.id, name) === list);
  invariant(found !== undefined, 'no such lane', { step: step.id, list });
  return found.steps;
}

/** Every step of a machine with its copies; of one that was made before there were lanes, the author's. */
export function stepsWithLanes({ definition, places }: Machine): readonly Step[] {
  const isWithLanes = places.some(([, { lists }]) => lists.some(isLaneList));
  return everyStep(isWithLanes ? withLanes(definition) : definition);
}

/**
 * The definition with the steps of each lane. A step is told apart by its id everywhere in a machine, so each lane has copies
 * under ids of their own: `charge` in the first, `charge@3` in the fourth, `charge@0-3` in the fourth lane of a map in the first
 * lane of another one. Expressions are shared: what `steps.charge` means is a matter of where it is asked (`scope.ts`).
 */
export function withLanes(definition: WorkflowDefinition): WorkflowDefinition {
  if (!everyStep(definition).some(hasLanes)) return definition;
  const copier = new Copier(depthsOf(everyStep(definition)));
  const { steps, finally: last } = definition;
  const around = { ...definition, steps: copier.list(steps, []) };
  return last === undefined ? around : { ...around, finally: copier.list(last, []) };
}

/** How many maps with lanes are around each step. */
function depthsOf(steps: readonly Step[]): ReadonlyMap<string, number> {
  const depths = new Map<string, number>(steps.map(({ id }) => [id, 0]));
  for (const map of steps.filter(hasLanes))
    for (const { id } of allSteps(map.steps)) depths.set(id, (depths.get(id) ?? 0) + 1);
  return depths;
}

/** Numbers of lanes, of the outermost map first. */
type Path = readonly number[];

/** The id of a step's copy in some lanes. */
function copyIn(path: Path, id: string): string {
  const depth = path.findLastIndex((lane) => lane !== 0) + 1;
  return depth === 0 ? id : `${id}@${path.slice(0, depth).join('-')}`;
}

/**
 * A step as another one means it that names it: its copy in the lanes around both.
 * @param id as its author named it. @param depth how many lanes are around it, all of them around `from` too.
 */
export function copySeenFrom(from: string, id: string, depth: number): string {
  const path = /@([\d-]+)$/.exec(from)?.[1]?.split('-').map(Number) ?? [];
  return copyIn(path.slice(0, depth), id);
}

class Copier {
  readonly #depths: ReadonlyMap<string, number>;

  constructor(depths: ReadonlyMap<string, number>) {
    this.#depths = depths;
  }

  list(steps: readonly Step[], path: Path): readonly Step[] {
    return steps.map((step) => this.#body(this.#plain(step, path), path));
  }

  /** An id as it is seen from a lane; `end` and what stands in no lane is as it is. */
  #id(id: string, path: Path): string {
    return copyIn(path.slice(0, this.#depths.get(id) ?? 0), id);
  }

  #next<Way extends { readonly next: string | null }>(way: Way, path: Path): Way {
    return way.next === null ? way : { ...way, next: this.#id(way.next, path) };
  }

  /** What every verb may say. */
  #plain(step: Step, path: Path): Step {
    return {
      ...this.#next(step, path),
      id: this.#id(step.id, path),
      on: step.on.map((handler) => this.#next(handler, path)),
      catch: step.catch.map((clause) => ({ ...this.#next(clause, path), do: this.list(clause.do, path) })),
    };
  }

  #body(step: Step, path: Path): Step {
    switch (step.verb) {
      case 'choose': {
        const branches = step.branches.map((branch) => {
          const { steps } = this.#next(branch, path);
          return { ...this.#next(branch, path), steps: steps === null ? null : this.list(steps, path) };
        });
        return { ...step, branches };
      }
      case 'parallel':
        return { ...step, branches: step.branches.map((one) => ({ ...one, steps: this.list(one.steps, path) })) };
      case 'scope':
      case 'repeat':
        return { ...step, steps: this.list(step.steps, path) };
      case 'map':
        return this.#map(step, path);
      case 'undo':
        return { ...step, undo: step.undo.map((id) => this.#id(id, path)) };
      case 'call':
        return step.authorizedBy === null ? step : { ...step, authorizedBy: this.#id(step.authorizedBy, path) };
      default:
        return step;
    }
  }

  #map(map: MapStep, path: Path): MapStep {
    if (map.concurrency === 1) return { ...map, steps: this.list(map.steps, path) };
    const lane = (number: number): readonly Step[] => this.list(map.steps, [...path, number]);
    const lanes = Array.from({ length: map.concurrency - 1 }, (_, index) => lane(index + 1));
    return { ...map, steps: lane(0), lanes };
  }
}
