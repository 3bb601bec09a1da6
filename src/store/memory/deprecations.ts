import type { Deprecation, VersionName } from '../../model/deprecation.ts';
import { noteAct } from './audit.ts';
import { inOrder, rowOf } from './row.ts';
import { keyOf, type Statement } from './tables.ts';

interface Act {
  readonly by: string;
  readonly reason: string | null;
}

function note(statement: Statement, of: VersionName, { by, reason }: Act, deprecated: boolean): void {
  const { tenant, workflow: target, version } = of;
  const detail = { before: { version, deprecated: !deprecated }, after: { version, deprecated } };
  const act = deprecated ? 'version.deprecate' : 'version.restore';
  noteAct(statement, { tenant, actor: by, act, target, reason, detail });
}

/** Nothing new starts on a version. @returns false where that is so already, or where there is no such version. */
export function deprecate(
  statement: Statement,
  of: VersionName,
  { by, reason }: Pick<Deprecation, 'by' | 'reason'>,
): boolean {
  const { versions, deprecations, nowMs } = statement;
  const { tenant, workflow, version } = of;
  const key = keyOf(tenant, workflow, version);
  if (!versions.has(key) || deprecations.has(key)) return false;
  deprecations.set(key, rowOf({ tenant, workflow, version, by, reason, atMs: nowMs }));
  note(statement, of, { by, reason }, true);
  return true;
}

/** Takes a deprecation back. @returns false where there is none. */
export function restore(statement: Statement, of: VersionName, act: Act): boolean {
  if (!statement.deprecations.delete(keyOf(of.tenant, of.workflow, of.version))) return false;
  note(statement, of, act, false);
  return true;
}

/** Those of a tenant, or of one workflow. */
export function listDeprecations(
  { deprecations }: Statement,
  tenant: string,
  workflow: string | null,
): readonly Deprecation[] {
  const found = [...deprecations.values()].filter(
    (row) => row.tenant === tenant && (workflow ?? row.workflow) === row.workflow,
  );
  return inOrder(found, (row) => [row.workflow, row.version]);
}
