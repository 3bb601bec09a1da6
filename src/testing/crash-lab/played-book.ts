import { canonicalJson } from '../../model/canonical-json.ts';
import type { StoredRun } from '../../ports/store.ts';
import { type Child, doneByChildren } from './family.ts';
import { labelOf } from './lab.ts';
import type { LabProvider } from './lab-provider.ts';

/** What stands in the provider's book about a run, by label. */
export interface PlayedBook {
  /** How often each happened. */
  readonly happened: ReadonlyMap<string, number>;
  /** The place of its last time. */
  readonly lastAt: ReadonlyMap<string, number>;
  /** What another run asked for, too, to the byte and under another key. */
  readonly asOthers: ReadonlySet<string>;
}

/** What a run and its children did, and what they share with other runs. */
export function bookOf(provider: LabProvider, stored: StoredRun, children: readonly Child[]): PlayedBook {
  const paths = new Map(children.map(({ rows, path }) => [rows.run.runId, `${path} / `]));
  paths.set(stored.run.runId, '');
  const happened = new Map(doneByChildren(children));
  const lastAt = new Map<string, number>();
  const asOthers = new Set<string>();
  const others = provider.done.filter(({ run }) => !paths.has(run));
  const asked = new Set(others.map((done) => canonicalJson(provider.requestOf(done))));
  for (const [at, done] of provider.done.entries()) {
    const path = paths.get(done.run);
    if (path === undefined) continue;
    const label = `${path}${done.label}`;
    happened.set(label, (happened.get(label) ?? 0) + 1);
    lastAt.set(label, at);
    if (asked.has(canonicalJson(provider.requestOf(done)))) asOthers.add(label);
  }
  // What runs share is done by one of them for all (E11).
  for (const effect of stored.effects) {
    const label = labelOf(effect);
    if (!happened.has(label) && others.some((done) => done.effect === effect.key)) happened.set(label, 1);
  }
  return { happened, lastAt, asOthers };
}
