import type { LintContext } from './lint-context.ts';

/** Longer than this nobody keeps state on purpose: twenty years, milliseconds. */
const RETENTION_MS_MAX = 20 * 365 * 86_400_000;

/** A retention is no mistake by itself; one that ends before late answers can come, or after everybody has left, hardly is meant. */
export function lintRetention({ definition, report }: LintContext): void {
  const { retentionMs, actions } = definition;
  if (retentionMs === undefined) return;
  const facts = { code: 'PAWL-370', severity: 'warning', pointer: '/retention' } as const;
  const late = actions.find((action) => action.effect === 'write' && action.settlesWithinMs > retentionMs);
  if (late !== undefined)
    report({
      ...facts,
      message: `a request of "${late.name}" may take effect when the state of its run is gone: what is heard of it then cannot be undone`,
      help: 'keep runs for longer than "settlesWithin" of every write, and as long as somebody may want one undone',
    });
  if (retentionMs > RETENTION_MS_MAX)
    report({
      ...facts,
      message: 'nobody keeps the state of a run for more than twenty years',
      help: 'look at the unit; receipts, keys and the acts of people are kept in any case',
    });
}
