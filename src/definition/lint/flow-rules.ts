import type { Compensation, Handler, Step } from '../../model/definition.ts';
import { parentPointer, type SourceMap } from '../source-map.ts';
import { suggest } from '../suggest.ts';
import { reachableFrom } from './completed-before.ts';
import { isInBranch, parallelAround, partOf } from './branch-rules.ts';
import type { PlacedStep } from './flow-graph.ts';
import type { LintContext } from './lint-context.ts';

/** Two steps of one id: the second would silently be unreachable by name. */
export function lintDuplicateIds({ graph, map, report }: LintContext): void {
  for (const placed of graph.steps) {
    const first = graph.byId.get(placed.step.id);
    if (first === undefined || first === placed) continue;
    const { line, column } = map.valueRange(`${first.step.pointer}/id`);
    report({
      code: 'PAWL-201',
      pointer: ownPlace(map, `${placed.step.pointer}/id`, `${first.step.pointer}/id`),
      message: `"${placed.step.id}" is the id of two steps; the first is at line ${line}, column ${column}`,
      help: 'rename one: ids are unique in the file, because effect keys and expressions name steps by id',
      related: [{ message: `"${placed.step.id}" is first written here`, pointer: `${first.step.pointer}/id` }],
    });
  }
}

/** Where a node stands that is not the place of another one: what an alias repeats stands at the alias. */
function ownPlace(map: SourceMap, pointer: string, other: string): string {
  const [here, there] = [map.valueRange(pointer), map.valueRange(other)];
  if (here.line !== there.line || here.column !== there.column) return pointer;
  return ownPlace(map, parentPointer(pointer), parentPointer(other));
}

interface Jump {
  readonly owner: PlacedStep;
  readonly next: string;
  readonly pointer: string;
  /** Lists that it may name, innermost first: its own (a catch or branch speaks from the list of its step) and enclosing ones. */
}

function jumpsOf(placed: PlacedStep): readonly Jump[] {
  const { step } = placed;
  const jumps: Jump[] = [];
  const add = (next: string | null, pointer: string): void => {
    if (next !== null) jumps.push({ owner: placed, next, pointer: `${pointer}/next` });
  };
  add(step.next, step.pointer);
  for (const clause of step.catch) add(clause.next, clause.pointer);
  for (const handler of step.on) add(handler.next, handler.pointer);
  if (step.verb === 'choose') for (const branch of step.branches) add(branch.next, branch.pointer);
  return jumps;
}

/** `next` names a step of its own or an enclosing list, or `end`; a way back says how often it may be taken. */
export function lintJumps(context: LintContext): void {
  for (const placed of context.graph.steps) {
    const targets = jumpsOf(placed).map((jump) => ({ jump, target: lintTarget(context, jump) }));
    const back = targets.filter(({ target }) => target !== 'end' && target !== null && target.index <= placed.index);
    if (placed.step.maxJumps === null) for (const { jump } of back) reportCycle(context, jump);
    // A next that leads nowhere may have been meant to lead back: its own problem says enough.
    const isLost = targets.some(({ target }) => target === null);
    if (placed.step.maxJumps !== null && back.length === 0 && !isLost) reportNoWayBack(context, placed.step);
  }
}

function reportNoWayBack({ report }: LintContext, step: Step): void {
  report({
    code: 'PAWL-208',
    pointer: `${step.pointer}/maxJumps`,
    at: 'key',
    message: `step "${step.id}" has maxJumps, and no next of it leads back`,
    help: 'remove it, or name the step to go back to',
  });
}

function reportCycle({ report }: LintContext, jump: Jump): void {
  report({
    code: 'PAWL-206',
    pointer: jump.pointer,
    message: `"next: ${jump.next}" goes back, and nothing says how often`,
    help: `add "maxJumps: n" to step "${jump.owner.step.id}"; the jump after the last is failure "limit"`,
  });
}

function lintTarget({ graph, report }: LintContext, jump: Jump): PlacedStep | 'end' | null {
  const parallel = parallelAround(jump.owner);
  if (jump.next === 'end') {
    if (parallel !== null) reportWayOut({ report }, jump, parallel);
    return 'end';
  }
  const target = graph.byId.get(jump.next) ?? null;
  if (target === null) {
    const near = suggest(jump.next, [...graph.byId.keys(), 'end']);
    report({
      code: 'PAWL-202',
      pointer: jump.pointer,
      message: `there is no step "${jump.next}"`,
      help: near ?? 'name a step of this list, of an enclosing one, or end',
    });
    return null;
  }
  if (mayName(jump.owner, target)) return target;
  if (parallel !== null && isAround(target, parallel)) {
    reportWayOut({ report }, jump, parallel);
    return null;
  }
  report({
    code: 'PAWL-203',
    pointer: jump.pointer,
    message: `step "${jump.next}" is inside another list`,
    help: 'next leads to a step of its own or an enclosing list, or to end: never into a list',
  });
  return null;
}

function reportWayOut({ report }: Pick<LintContext, 'report'>, jump: Jump, parallel: PlacedStep): void {
  report({
    code: 'PAWL-203',
    pointer: jump.pointer,
    message: `"next: ${jump.next}" leads out of ${partOf(parallel)} of "${parallel.step.id}", while others are under way`,
    help: `name a step of its own list; what comes after all of them follows "${parallel.step.id}"`,
  });
}

/** Whether a step stands in a list around a parallel step. */
function isAround(target: PlacedStep, parallel: PlacedStep): boolean {
  for (let at: PlacedStep | null = parallel; at !== null; at = at.parent)
    if (at.siblings === target.siblings) return true;
  return false;
}

function mayName(owner: PlacedStep, target: PlacedStep): boolean {
  for (let at: PlacedStep | null = owner; at !== null; at = isInBranch(at) ? null : at.parent)
    if (at.siblings === target.siblings) return true;
  return false;
}

/** Every step can be reached, and from every step an end can be. */
export function lintReach({ graph, completed, report }: LintContext): void {
  const leads = reachableFrom(
    graph,
    [graph.end, graph.over, graph.raised, ...graph.steps.filter(({ step }) => isEndLike(step)).map((p) => p.index)],
    'backward',
  );
  const isDead = (index: number): boolean => !completed.isReachable(index);
  const isStuck = (index: number): boolean => !isDead(index) && !leads.has(index);
  // The first step of a stretch is told; those behind it would be noise.
  for (const placed of graph.steps) {
    if (isHead(placed, isDead)) reportUnreachable(placed);
    if (isHead(placed, isStuck)) {
      report({
        code: 'PAWL-205',
        pointer: placed.step.pointer,
        message: `from step "${placed.step.id}" no end can be reached`,
        help: 'give one step on every way a next that leads to an end',
      });
    }
  }
  function isHead(placed: PlacedStep, belongs: (index: number) => boolean): boolean {
    const before = placed.siblings[placed.position - 1];
    const around = before === undefined ? placed.parent : graph.byId.get(before.id);
    return belongs(placed.index) && !(around && belongs(around.index));
  }
  function reportUnreachable(placed: PlacedStep): void {
    report({
      code: 'PAWL-204',
      pointer: placed.step.pointer,
      message: `step "${placed.step.id}" can never be reached`,
      help: 'the step before it always leaves by next, fail or end; let some next lead here, or remove it',
    });
  }
}

function isEndLike(step: Step): boolean {
  return step.verb === 'fail' || step.verb === 'end';
}

/** What an `undo` and an `after` name is a step. */
export function lintUndos(context: LintContext): void {
  for (const { step } of context.graph.steps) {
    if (step.verb === 'undo') lintUndone(context, step.undo, `${step.pointer}/undo`);
    if (step.verb === 'call') lintAfter(context, step.compensate);
  }
  for (const action of context.definition.actions) lintAfter(context, action.compensate);
}

function lintAfter(context: LintContext, compensation: Compensation | null): void {
  if (compensation?.kind === 'call') lintUndone(context, compensation.after ?? [], `${compensation.pointer}/after`);
}

function lintUndone({ graph, report }: LintContext, ids: readonly string[], pointer: string): void {
  for (const [index, id] of ids.entries()) {
    if (graph.byId.has(id)) continue;
    report({
      code: 'PAWL-212',
      pointer: `${pointer}/${index}`,
      message: `there is no step "${id}" to undo`,
      help: suggest(id, [...graph.byId.keys()]) ?? 'name a step of this file',
    });
  }
}

/** Events, actions and variables are declared before they are used. */
export function lintNames(context: LintContext): void {
  const events = context.definition.events.map((event) => event.name);
  const vars = new Set(context.definition.vars.map(([name]) => name));
  for (const { step } of context.graph.steps) {
    if (step.verb === 'await') lintEvent(context, step.event, `${step.pointer}/await`, events);
    lintHandlers(step.on);
    if (step.verb === 'set') for (const [name] of step.set) lintVar(context, name, `${step.pointer}/set/${name}`, vars);
  }
  lintHandlers(context.definition.on ?? []);
  function lintHandlers(handlers: readonly Handler[]): void {
    for (const handler of handlers) {
      lintEvent(context, handler.event, `${handler.pointer}/event`, events);
      for (const [name] of handler.set) lintVar(context, name, `${handler.pointer}/set/${name}`, vars);
    }
  }
}

function lintEvent({ report }: LintContext, name: string, pointer: string, events: readonly string[]): void {
  if (events.includes(name)) return;
  report({
    code: 'PAWL-209',
    pointer,
    message: `event "${name}" is not declared`,
    help: suggest(name, events) ?? `declare it: "events: { ${name}: { schema: … } }"`,
  });
}

function lintVar({ report }: LintContext, name: string, pointer: string, vars: ReadonlySet<string>): void {
  if (vars.has(name)) return;
  report({
    code: 'PAWL-210',
    pointer,
    at: 'key',
    message: `"${name}" is not among vars`,
    help:
      suggest(name, [...vars]) ??
      `declare it with its type and first value: "vars: { ${name}: { type: …, default: … } }"`,
  });
}
