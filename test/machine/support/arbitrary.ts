import { fc } from '../../support/fast-check.ts';
import { restingStates } from '../../../src/machine/position.ts';
import type {
  CatchClause,
  ChooseBranch,
  Handler,
  Join,
  Step,
  StepBase,
  WorkflowDefinition,
} from '../../../src/model/definition.ts';
import type { KernelEvent } from '../../../src/model/kernel.ts';
import type { FailureClass } from '../../../src/model/statuses.ts';
import {
  approve,
  awaiting,
  branch,
  call,
  cel,
  choose,
  clause,
  end,
  expr,
  fail,
  handler,
  literal,
  map,
  parallel,
  publish,
  repeat,
  scope,
  set,
  undo,
  wait,
  workflow,
} from './definitions.ts';
import { type Driver, eventView, failure } from './driver.ts';

/** Choices read from a tape of numbers: an empty tape makes the simplest thing, and fast-check shrinks towards it. */
export class Tape {
  private readonly numbers: readonly number[];
  private at = 0;

  constructor(numbers: readonly number[]) {
    this.numbers = numbers;
  }

  below(bound: number): number {
    const drawn = this.numbers[this.at] ?? 0;
    this.at += 1;
    return drawn % bound;
  }

  chance(percent: number): boolean {
    return this.below(100) >= 100 - percent;
  }

  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.below(items.length)] ?? items[0];
  }

  get isEmpty(): boolean {
    return this.at >= this.numbers.length;
  }
}

export const tapes: fc.Arbitrary<Tape> = fc
  .array(fc.nat(9_999), { maxLength: 120 })
  .map((numbers) => new Tape(numbers));

/** Names that every object has, and ones that sort unlike they stand: all are identifiers of the language. */
const NAMES = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', 'z9', 'a1', 'b2', 'isPrototypeOf'] as const;

const VERBS = [
  'call',
  'set',
  'wait',
  'choose',
  'await',
  'approve',
  'fail',
  'end',
  'scope',
  'repeat',
  'map',
  'undo',
  'parallel',
  'publish',
] as const;
const GUARDS = ['true', 'false', 'vars.n > 2', 'vars.n < 3', 'input.flag', 'input.gone'] as const;

/** A random definition of what validation lets pass: every `next` reachable, ways back bounded, ids unique. */
export function definitionFrom(tape: Tape): WorkflowDefinition {
  const plan = planList(tape, { depth: 0, ids: 0 });
  const steps = plan.steps.map((step, index) => build(tape, { step, lists: [plan.steps], above: [index] }));
  return workflow(steps, {
    vars: [['n', { type: 'integer', default: 0 }]],
    output: tape.chance(50) ? expr('vars.n') : null,
    onFailure: tape.chance(20) ? 'hold' : 'compensate',
  });
}

interface Planned {
  readonly id: string;
  readonly verb: Step['verb'];
  readonly branches: readonly (readonly Planned[])[];
  readonly catches: readonly (readonly Planned[])[];
}

function planList(tape: Tape, at: { depth: number; ids: number }): { steps: readonly Planned[]; ids: number } {
  let { ids } = at;
  const steps: Planned[] = [];
  const size = 1 + tape.below(at.depth === 0 ? 5 : 3);
  for (let count = 0; count < size; count += 1) {
    const drawn = tape.pick(VERBS);
    const id = NAMES[ids] ?? `s${ids}`;
    ids += 1;
    const lists = (many: number): (readonly Planned[])[] =>
      Array.from({ length: many }, () => {
        if (at.depth >= 3 || tape.isEmpty) return [];
        const inner = planList(tape, { depth: at.depth + 1, ids });
        ids = inner.ids;
        return inner.steps;
      });
    const branches =
      drawn === 'choose' || drawn === 'parallel'
        ? lists(1 + tape.below(3))
        : drawn === 'scope' || drawn === 'repeat' || drawn === 'map'
          ? lists(1)
          : [];
    // Groups but a choose have something in each of their lists.
    const isEmpty = drawn !== 'choose' && branches.some((list) => list.length === 0);
    const verb = isEmpty ? 'call' : drawn;
    steps.push({
      id,
      verb,
      branches: isEmpty ? [] : branches,
      catches: lists(tape.chance(25) ? 1 + tape.below(2) : 0),
    });
  }
  return { steps, ids };
}

interface Site {
  readonly step: Planned;
  /** Lists around, innermost first, and the position in each of the step or of what holds it. */
  readonly lists: readonly (readonly Planned[])[];
  readonly above: readonly number[];
  /** In a branch of a parallel step: nothing in it leads out, and the run does not end there. */
  readonly inBranch?: boolean;
}

function build(tape: Tape, site: Site): Step {
  const { step } = site;
  const maxJumps = 1 + tape.below(2);
  const common: Partial<StepBase> = {
    when: tape.chance(25) ? cel(tape.pick(GUARDS)) : null,
    next: tape.chance(25) ? nextOf(tape, site) : null,
    maxJumps,
    on: Array.from({ length: tape.chance(25) ? 1 + tape.below(2) : 0 }, () => handlerOf(tape, site)),
    catch: step.catches.map((steps) => clauseOf(tape, site, steps)),
  };
  switch (step.verb) {
    case 'call':
      return call(step.id, common);
    case 'set':
      return set(step.id, [['n', tape.pick([literal(1), expr('vars.n + 1'), expr('input.gone')])]], common);
    case 'wait':
      return wait(step.id, common);
    case 'await':
      return awaiting(step.id, 'changed', common);
    case 'approve':
      return approve(step.id, common);
    case 'publish':
      return publish(step.id, 'changed', common);
    case 'fail':
      return fail(step.id, tape.pick([literal('lost'), expr('input.gone')]), common);
    case 'end':
      if (site.inBranch === true) return wait(step.id, common);
      return end(step.id, tape.pick(['done', 'cancelled', 'as'] as const), {
        ...common,
        output: tape.pick([null, literal(1), expr('input.gone')]),
      });
    case 'scope':
      return scope(step.id, inner(tape, site, step.branches[0] ?? []), {
        ...common,
        timeoutMs: tape.chance(50) ? 1_000 : null,
        output: tape.chance(30) ? expr('vars.n') : null,
      });
    case 'repeat': {
      const asked = tape.pick(GUARDS);
      return repeat(step.id, inner(tape, site, step.branches[0] ?? []), {
        ...common,
        max: 1 + tape.below(3),
        timeoutMs: tape.chance(50) ? 1_000 : null,
        ...(tape.chance(50) ? { while: cel(asked) } : { until: cel(asked) }),
      });
    }
    case 'map':
      return map(step.id, within(tape, step.branches[0] ?? []), {
        ...common,
        items: cel(tape.pick(['[1, 2]', '[]', '[3]', 'input.gone', '[4, 4]'])),
        join: tape.pick<Join>([{ kind: 'all' }, { kind: 'any' }, { kind: 'count', count: literal(1) }]),
        ...(tape.chance(50) ? { tolerate: { kind: 'count' as const, of: tape.below(2) } } : {}),
        losers: tape.pick(['undo', 'keep']),
        siblings: tape.pick(['drain', 'finish']),
        timeoutMs: tape.chance(50) ? 1_000 : null,
      });
    case 'parallel': {
      const lists = step.branches.map((steps, index) => {
        return [`b${index}`, within(tape, steps)] as const;
      });
      const count = tape.pick([literal(1), literal(2), literal(0), expr('vars.n'), expr('input.gone')]);
      return parallel(step.id, Object.fromEntries(lists), {
        ...common,
        timeoutMs: tape.chance(50) ? 1_000 : null,
        join: tape.pick<Join>([{ kind: 'all' }, { kind: 'any' }, { kind: 'count', count }]),
        siblings: tape.pick(['drain', 'cancel', 'finish'] as const),
      });
    }
    case 'undo':
      return undo(step.id, [site.lists[0]?.[0]?.id ?? step.id], common);
    case 'choose':
      return choose(
        step.id,
        step.branches.map((steps, index) =>
          branchOf(tape, site, { steps, isLast: index === step.branches.length - 1 }),
        ),
        { ...common, output: tape.chance(30) ? expr('vars.n') : null },
      );
  }
}

/** What is in a branch or an item stays in it. */
function within(tape: Tape, steps: readonly Planned[]): readonly Step[] {
  return steps.map((one, at) => build(tape, { step: one, lists: [steps], above: [at], inBranch: true }));
}

function inner(tape: Tape, site: Site, steps: readonly Planned[]): readonly Step[] {
  return steps.map((step, index) =>
    build(tape, { ...site, step, lists: [steps, ...site.lists], above: [index, ...site.above] }),
  );
}

function branchOf(tape: Tape, site: Site, at: { steps: readonly Planned[]; isLast: boolean }): ChooseBranch {
  const when = at.isLast && tape.chance(60) ? null : tape.pick(GUARDS);
  if (at.steps.length === 0 && tape.chance(50)) return branch(when, null, nextOf(tape, site));
  return branch(when, inner(tape, site, at.steps));
}

function clauseOf(tape: Tape, site: Site, steps: readonly Planned[]): CatchClause {
  const on = tape.pick<readonly string[]>([['any'], ['lost'], ['expression'], ['limit', 'lost']]);
  const next = tape.chance(30) ? nextOf(tape, site) : null;
  const when = tape.chance(25)
    ? cel(tape.pick(['true', 'false', 'failure.code == "lost"', 'failure.data.gone'] as const))
    : null;
  return clause(on, {
    when,
    next,
    leads: tape.pick(['continue', site.inBranch === true ? 'raise' : 'end', 'raise'] as const),
    do: inner(tape, site, steps),
    ...(tape.chance(30) ? { undo: true as const } : {}),
  });
}

function handlerOf(tape: Tape, site: Site): Handler {
  const values = tape.pick([literal(2), expr('event.data.n'), expr('event.data.gone')]);
  const next = tape.chance(40) ? nextOf(tape, site) : null;
  const leads =
    next === null
      ? site.inBranch === true
        ? tape.pick([null, 'fail'] as const)
        : tape.pick([null, 'end', 'cancel', 'fail'] as const)
      : null;
  return handler('changed', { set: tape.chance(50) ? [['n', values]] : [], next, leads });
}

function nextOf(tape: Tape, site: Site): string {
  const list = tape.pick(site.lists as [readonly Planned[], ...(readonly Planned[])[]]);
  return tape.chance(15) && site.inBranch !== true ? 'end' : (list[tape.below(list.length)]?.id ?? 'end');
}

/** A parallel step whose branches have been told to stop, and one of them has not heard it yet. */
function stoppedAt(run: Driver): string | null {
  const told = run.commands.flatMap((command) => (command.type === 'branches.stop' ? [command.step] : []));
  return told.at(-1) ?? null;
}

/** An event that may come at a run's place; mostly one that is taken. */
export function eventFrom(tape: Tape, run: Driver): KernelEvent {
  const leaves = restingStates(run.compiled, run.value) ?? [];
  const state = leaves[tape.below(Math.max(1, leaves.length))];
  const step = state?.step ?? [...run.compiled.steps.keys()][0] ?? '';
  const ending = {
    kind: tape.pick(['cancelled', 'failed', 'ordered', 'terminated'] as const),
    as: null,
    output: null,
    failure: null,
  };
  const atMs = run.nowMs;
  const told = stoppedAt(run);
  // The decision answers at once: nothing comes in between.
  if (told !== null) return { type: 'branches.stopped', step: told, open: tape.chance(50) ? [step] : [], atMs };
  const hold = tape.chance(20);
  if (tape.chance(4)) return { type: 'run.stopped', ending, atMs };
  switch (state?.id) {
    case '$settling':
      return { type: 'run.settled', atMs };
    case '$compensating':
      return { type: 'run.undone', atMs };
    case '$ended':
    case '$completed':
      return { type: 'run.reopened', ending, atMs };
    case '$outputHeld':
      return { type: 'step.retried', step: '$output', atMs };
    default:
      break;
  }
  const timed = state?.edges.filter((edge) => edge.event === 'group.expired') ?? [];
  if (timed.length > 0 && tape.chance(25)) {
    const groups = run.compiled.place(step).parents.filter((id) => run.compiled.step(id).timeoutMs !== null);
    const group = groups[tape.below(Math.max(1, groups.length))] ?? step;
    return { type: 'group.expired', step: group, open: tape.chance(50) ? [step] : [], atMs };
  }
  if (state?.role === 'undoing' || state?.id.includes('$undone') === true) return { type: 'group.undone', step, atMs };
  if (state?.role === 'held') return { type: 'step.retried', step, atMs };
  const taken = state?.edges.filter((edge) => edge.event === 'handler.taken') ?? [];
  if (taken.length > 0 && tape.chance(30)) {
    const owners = [step, ...run.compiled.place(step).parents].filter((id) => run.compiled.step(id).on.length > 0);
    const owner = owners[tape.below(Math.max(1, owners.length))] ?? step;
    const index = tape.below(Math.max(1, run.compiled.step(owner).on.length));
    return {
      type: 'handler.taken',
      step: owner,
      handler: index,
      event: eventView('changed', { n: tape.below(5) }),
      open: tape.chance(50),
      atMs,
      hold,
    };
  }
  const type = run.compiled.step(step).verb === 'call' ? 'effect.settled' : 'step.settled';
  if (tape.chance(35)) {
    const reason = failure(tape.pick(['lost', 'other'] as const), {
      step,
      class: tape.pick<FailureClass>(['rejected', 'cancelled', 'timeout']),
      data: {},
    });
    return { type, step, outcome: { ok: false, failure: reason, attempts: 1 }, atMs, hold };
  }
  return { type, step, outcome: { ok: true, output: { n: tape.below(9) }, attempts: 1 }, atMs, hold };
}
