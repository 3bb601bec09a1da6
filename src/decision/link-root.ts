import type { Scope } from '../definition/evaluator.ts';
import { dependenciesOf, expressionsOf } from '../definition/dependencies.ts';
import { copySeenFrom } from '../machine/lane-steps.ts';
import { withRoot } from '../machine/scope.ts';
import type { CallStep, Template } from '../model/definition.ts';
import type { EffectRequest } from '../model/effect.ts';
import { invariant } from '../model/errors.ts';
import type { LinkName } from '../model/ids.ts';
import { approvalLink, awaitLink, linkPlaceholder } from '../model/link.ts';
import type { RunData } from '../model/run.ts';
import { approvalIdOf } from './approval-id.ts';
import type { Draft } from './draft.ts';
import { framesAhead } from './step-scope.ts';

/** Templates live as long as their version, so each is read once. */
const known = new WeakMap<Template, readonly string[]>();

/** Ids of the steps to which a template reads links, sorted, each once. */
export function linksIn(template: Template | null): readonly string[] {
  if (template === null) return [];
  const found = known.get(template) ?? readLinks(template);
  known.set(template, found);
  return found;
}

function readLinks(template: Template): readonly string[] {
  const paths = expressionsOf(template).flatMap((expression) => dependenciesOf(expression));
  return [...new Set(paths.filter(([root]) => root === 'links').flatMap((path) => path.slice(1, 2)))].sort();
}

/** The waits to which a call sends links, by the ids of their steps, as they will be in the present repetition. */
function targetsOf(draft: Draft, step: CallStep, data: RunData): readonly (readonly [string, LinkName])[] {
  return linksIn(step.with).map((id) => {
    const { compiled } = draft.ctx;
    const target = compiled.step(copySeenFrom(step.id, id, compiled.lanesAround(id).length));
    const frames = framesAhead(draft, step.id, target.id, data);
    invariant(target.verb === 'await' || target.verb === 'approve', 'a link leads to a step that waits', { id });
    const name = target.verb === 'await' ? awaitLink(id, frames) : approvalLink(id, approvalIdOf(id, frames));
    return [id, name] as const;
  });
}

/** The scope of a call's `with`: what stands for each address that it reads. */
export function withLinks(draft: Draft, step: CallStep, at: { readonly scope: Scope; readonly data: RunData }): Scope {
  const targets = targetsOf(draft, step, at.data);
  if (targets.length === 0) return at.scope;
  const links = targets.map(([id, name]) => [id, linkPlaceholder(name)] as const);
  return withRoot(at.scope, 'links', Object.fromEntries(links));
}

/** Which addresses are to be put into a call's request; nothing where it reads none, so that no other hash changes. */
export function linksOf(draft: Draft, step: CallStep, data: RunData): Pick<EffectRequest, 'links'> {
  const names = targetsOf(draft, step, data).map(([, name]) => name);
  return names.length === 0 ? {} : { links: names };
}

/** An undo may tell its provider what the act told: `effect.input` holds what stands for the same addresses. */
export function inheritedLinks({ links }: EffectRequest): Pick<EffectRequest, 'links'> {
  return links === undefined ? {} : { links };
}
