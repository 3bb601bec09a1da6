import type { Scope, Site } from '../definition/evaluator.ts';
import { flowScope, stepScope, stepSite } from '../machine/scope.ts';
import type { Frame } from '../model/effect.ts';
import type { RunData } from '../model/run.ts';
import type { Draft } from './draft.ts';
import { framesOf } from './frames.ts';

/** Where an expression stands and what it sees. */
export interface ScopeAt {
  readonly site: Site;
  readonly scope: Scope;
}

/** The scope of a step's own expressions, or of the document's (`step` null), on the data given. */
export function scopeAt(draft: Draft, step: string | null, data: RunData): ScopeAt {
  const { compiled } = draft.ctx;
  const { run } = draft.base;
  if (step === null) return { site: { kind: 'flow' }, scope: flowScope(compiled, run, data) };
  return { site: stepSite(compiled, step), scope: stepScope(compiled, { run, data, step }) };
}

/** The frames of a step in its present visit (E01). */
export function framesAt(draft: Draft, step: string, data: RunData): readonly Frame[] {
  return framesOf(draft.ctx.compiled.place(step).lists, data);
}

/**
 * The frames that a later step will have, seen from one that runs now: lists around both are in their present visit, a
 * list that is still to be entered begins with visit 0.
 */
export function framesAhead(draft: Draft, from: string, step: string, data: RunData): readonly Frame[] {
  const { compiled } = draft.ctx;
  const around = new Set(compiled.place(from).lists);
  const present = <Count>(counts: Readonly<Record<string, Count>>): Readonly<Record<string, Count>> =>
    Object.fromEntries(Object.entries(counts).filter(([list]) => around.has(list)));
  const { visits, turns = {}, items = {}, lanes = {} } = data;
  const counts = { visits: present(visits), turns: present(turns), items: present(items), lanes: present(lanes) };
  return framesOf(compiled.place(step).lists, counts);
}
