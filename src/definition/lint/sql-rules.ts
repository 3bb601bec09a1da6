import type { SqlTemplate } from '../../model/action-contract.ts';
import type { ActionContract } from '../../model/definition.ts';
import { readStatement } from '../../model/sql-statement.ts';
import { suggest } from '../suggest.ts';
import type { LintContext } from './lint-context.ts';

/** Keys of an action that speak of a provider, and why a statement has none. */
const PROVIDER_KEYS = {
  auth: 'a statement runs in the database of the engine, as the role of the configuration',
  idempotency: 'a statement is committed together with the run: exactly once, whatever happens',
  settlesWithin: 'a statement has settled when its transaction ends',
  reconcile: 'a statement is in the database or it is not: there is nobody to ask',
} as const;

/** Keys of a call that speak of what may have happened. */
const DOUBT_KEYS = ['onUnknown', 'review'] as const;
/** What an answer of the database cannot mean. */
const NO_MEANING: ReadonlySet<string> = new Set(['unknown', 'pending', 'absent', 'throttled']);
/** Failures that no statement has. */
const NO_FAILURE: ReadonlySet<string> = new Set(['unknown', 'throttled']);
/** Longest time for which a statement may hold its connection and the row of its run, milliseconds. */
const TIMEOUT_MS_MAX = 60_000;

/** A statement is one statement, gets what it names, and says nothing that only a provider could mean (E13). */
export function lintStatements(context: LintContext): void {
  for (const action of context.definition.actions) {
    if (action.transport.kind === 'sql') lintStatement(context, action, action.transport);
    else if (context.map.has(`${action.pointer}/expectRows`))
      reportMeaningless(context, `${action.pointer}/expectRows`, 'only a statement (sql) touches rows');
  }
  for (const { step } of context.graph.steps) {
    if (step.verb !== 'call' || context.action(step.action)?.transport.kind !== 'sql') continue;
    for (const key of DOUBT_KEYS)
      reportWhereWritten(context, `${step.pointer}/${key}`, 'there is never a doubt about a statement');
    lintTime(context, `${step.pointer}/timeout`, step.timeoutMs);
    lintRetryOn(context, `${step.pointer}/retry`, step.retry);
  }
}

function lintStatement(context: LintContext, action: ActionContract, { statement }: SqlTemplate): void {
  const { pointer } = action;
  const { fault, names } = readStatement(statement);
  if (fault !== null) {
    context.report({
      code: 'PAWL-290',
      pointer: `${pointer}/sql`,
      message: `this is no statement of an action: ${fault}`,
      help: 'write one SELECT, INSERT, UPDATE, DELETE or MERGE; what changes the schema or ends a transaction belongs to a migration',
    });
  }
  lintNames(context, action, names);
  for (const [key, why] of Object.entries(PROVIDER_KEYS)) reportWhereWritten(context, `${pointer}/${key}`, why);
  if (action.effect === 'read')
    reportMeaningless(
      context,
      `${pointer}/effect`,
      'a statement is committed with the run, also one that only looks: it is a write',
    );
  for (const [index, { is }] of action.outcome.entries())
    if (NO_MEANING.has(is))
      reportMeaningless(
        context,
        `${pointer}/outcome/${index}/is`,
        'what a statement did is kept (confirmed) or taken back (rejected, unavailable)',
      );
  lintTime(context, `${pointer}/timeout`, action.timeoutMs);
  lintRetryOn(context, `${pointer}/retry`, action.retry);
}

/** The names that `with` must have, where the schema of `with` says which there are. */
function lintNames({ report }: LintContext, { input, pointer }: ActionContract, names: readonly string[]): void {
  const properties = typeof input === 'object' ? input['properties'] : undefined;
  if (typeof properties !== 'object' || properties === null) return;
  const known = Object.keys(properties);
  for (const name of new Set(names)) {
    if (known.includes(name)) continue;
    report({
      code: 'PAWL-291',
      pointer: `${pointer}/sql`,
      message: `":${name}" is no property of "input"`,
      help: suggest(name, known) ?? `declare it: properties: { ${name}: { type: string } }`,
    });
  }
}

function lintRetryOn(context: LintContext, pointer: string, retry: ActionContract['retry'] | null): void {
  for (const [index, word] of (retry?.on ?? []).entries())
    if (NO_FAILURE.has(word) && context.map.has(`${pointer}/on/${index}`))
      reportMeaningless(
        context,
        `${pointer}/on/${index}`,
        `no statement fails as "${word}": unavailable is what may pass`,
      );
}

function lintTime({ report }: LintContext, pointer: string, timeoutMs: number | null): void {
  if (timeoutMs === null || timeoutMs <= TIMEOUT_MS_MAX) return;
  report({
    code: 'PAWL-293',
    pointer,
    message: 'a statement holds its connection and its run until it ends: longer than 1m is too long',
    help: 'split it into statements that take less, or do it outside of the run',
  });
}

function reportWhereWritten(context: LintContext, pointer: string, why: string): void {
  if (context.map.has(pointer)) reportMeaningless(context, pointer, why);
}

function reportMeaningless({ report, map }: LintContext, pointer: string, why: string): void {
  const key = pointer.slice(pointer.lastIndexOf('/') + 1);
  const isKey = !/^(\d+|is)$/.test(key);
  report({
    code: 'PAWL-292',
    pointer,
    ...(isKey && map.has(pointer) ? { at: 'key' as const } : {}),
    message: isKey ? `"${key}" means nothing here: ${why}` : why,
    help: isKey ? `remove "${key}"` : 'take another word',
  });
}
