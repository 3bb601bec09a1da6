import type { CallStep, Handler, Template } from '../../model/definition.ts';
import { reachableFrom } from './completed-before.ts';
import { expressionsIn } from './expressions-of.ts';
import type { LintContext } from './lint-context.ts';
import { readsOf } from './reads.ts';

/**
 * Events overtake each other: where one writes a var over what another has written, the older one may be the last, and a call
 * sends what is no longer true. `sequence` lets it be stale. An event that a step is left by comes once.
 */
export function lintOvertaken(context: LintContext): void {
  const { definition, graph } = context;
  const lintAll = (on: readonly Handler[], from: readonly number[]): void => {
    const later = reachableFrom(graph, from);
    const calls = graph.steps.flatMap(({ step, index }) => (step.verb === 'call' && later.has(index) ? [step] : []));
    for (const handler of on) lintHandler(context, handler, calls);
  };
  if (definition.on !== undefined) lintAll(definition.on, [graph.start]);
  for (const { step, index } of graph.steps) {
    if (step.on.length === 0) continue;
    const next = graph.edges.flatMap(({ from, to }) => (from === index ? [to] : []));
    lintAll(step.on, next);
  }
}

function lintHandler({ definition, report }: LintContext, handler: Handler, calls: readonly CallStep[]): void {
  const { event, where, set, next, then, pointer } = handler;
  const declared = definition.events.find(({ name }) => name === event);
  if (declared === undefined || declared.sequence !== undefined || next !== null || then !== null) return;
  const asked = where === null ? [] : readsOf(where).map(({ path }) => path);
  // What compares with what came before sees by itself that it is late.
  if (set.some(([name]) => asked.some(([root, asks]) => root === 'vars' && asks === name))) return;
  for (const [name, value] of set) {
    const call = calls.find((one) => sends(one, name));
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

function sends(call: CallStep, name: string): boolean {
  return [call.with, call.object, call.intent].some((template) => reads(template, 'vars', name));
}

function reads(template: Template | null, ...[root, name]: readonly [string, string]): boolean {
  return expressionsIn(template)
    .flatMap((expression) => readsOf(expression))
    .some(({ path }) => path[0] === root && path[1] === name);
}
