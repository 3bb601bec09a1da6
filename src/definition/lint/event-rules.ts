import type { CallStep, Handler, Template } from '../../model/definition.ts';
import { elementAt } from '../../model/element-at.ts';
import { expressionsIn } from './expressions-of.ts';
import type { FlowGraph, PlacedStep } from './flow-graph.ts';
import type { LintContext } from './lint-context.ts';
import { readsOf } from './reads.ts';

/** Of a var the call that sends it on the way from one of these nodes; undefined where none does. */
type FindSender = (name: string, from: readonly number[]) => CallStep | undefined;

/**
 * Events overtake each other: where one writes a var over what another has written, the older one may be the last, and a call
 * sends what is no longer true. `sequence` lets it be stale. An event that a step is left by comes once.
 */
export function lintOvertaken(context: LintContext): void {
  const { definition, graph } = context;
  const find = createFindSender(graph);
  const lintAll = (on: readonly Handler[], from: readonly number[]): void => {
    for (const handler of on) lintHandler(context, handler, (name) => find(name, from));
  };
  if (definition.on !== undefined) lintAll(definition.on, [graph.start]);
  const next = neighbours(graph, 'to');
  for (const { step, index } of graph.steps) if (step.on.length > 0) lintAll(step.on, elementAt(next, index));
}

/** The nodes before or after each node. */
function neighbours(graph: FlowGraph, side: 'from' | 'to'): readonly (readonly number[])[] {
  const found: number[][] = Array.from({ length: graph.nodeCount }, () => []);
  for (const edge of graph.edges) elementAt(found, edge[side === 'to' ? 'from' : 'to']).push(edge[side]);
  return found;
}

/** Each call and each edge is looked at once for a var, however many handlers set it. */
function createFindSender(graph: FlowGraph): FindSender {
  const senders = sendersIn(graph);
  const before = neighbours(graph, 'from');
  const known = new Map<string, ReadonlyMap<number, CallStep>>();
  return (name, from) => {
    const leading = known.get(name) ?? leadingTo(before, senders.get(name) ?? []);
    known.set(name, leading);
    return from.map((node) => leading.get(node)).find((call) => call !== undefined);
  };
}

type Sender = PlacedStep & { readonly step: CallStep };

/** The calls that send each var. */
function sendersIn({ steps }: FlowGraph): ReadonlyMap<string, readonly Sender[]> {
  const found = new Map<string, Sender[]>();
  for (const placed of steps) {
    const { step } = placed;
    if (step.verb !== 'call') continue;
    const reads = [step.with, step.object, step.intent].flatMap(pathsIn);
    const sent = new Set(reads.flatMap(([root, name]) => (root === 'vars' && name !== undefined ? [name] : [])));
    for (const name of sent) {
      const calls = found.get(name) ?? [];
      calls.push({ ...placed, step });
      found.set(name, calls);
    }
  }
  return found;
}

/** Every node that control can go from to one of these calls, with the call. */
function leadingTo(before: readonly (readonly number[])[], calls: readonly Sender[]): ReadonlyMap<number, CallStep> {
  const found = new Map(calls.map(({ index, step }) => [index, step] as const));
  const queue = [...found];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const [node, call] = next;
    for (const earlier of elementAt(before, node)) {
      if (found.has(earlier)) continue;
      found.set(earlier, call);
      queue.push([earlier, call]);
    }
  }
  return found;
}

function lintHandler(
  { definition, report }: LintContext,
  handler: Handler,
  find: (name: string) => CallStep | undefined,
): void {
  const { event, where, set, next, then, pointer } = handler;
  if (next !== null || then !== null) return;
  const declared = definition.events.find(({ name }) => name === event);
  if (declared === undefined || declared.sequence !== undefined) return;
  const asked = where === null ? [] : readsOf(where).map(({ path }) => path);
  // What compares with what came before sees by itself that it is late.
  if (set.some(([name]) => asked.some(([root, asks]) => root === 'vars' && asks === name))) return;
  for (const [name, value] of set) {
    const call = find(name);
    if (call === undefined || !reads(value, 'event', 'data') || reads(value, 'vars', name)) continue;
    report({
      code: 'PAWL-362',
      severity: 'warning',
      pointer: `${pointer}/set/${name}`,
      at: 'key',
      message: `an older "${event}" that comes last is what "${call.id}" sends: nothing tells the order of its events`,
      help: `let it carry a number that grows, and say so: "events: { ${event}: { sequence: event.data.… } }"`,
    });
  }
}

function pathsIn(template: Template | null): readonly (readonly string[])[] {
  return expressionsIn(template).flatMap((expression) => readsOf(expression).map(({ path }) => path));
}

function reads(template: Template | null, root: string, name: string): boolean {
  return pathsIn(template).some((path) => path[0] === root && path[1] === name);
}
