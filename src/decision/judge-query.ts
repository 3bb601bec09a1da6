import type { Scope, Site } from '../definition/evaluator.ts';
import type { ReconcileContract } from '../model/definition.ts';
import { assertNever, invariant } from '../model/errors.ts';
import type { AttemptReport, Outcome } from '../model/outcome.ts';
import { BLANK, confirmedBy, confirmedWith, type Judging, judgingScope, unreadable } from './judge-outcome.ts';
import { matchOutcome, tryHolds } from './match-outcome.ts';
import { type Answer, readAnswer } from './read-answer.ts';
import { redactBody, resultBytesOf } from './redact.ts';

/** Statuses on which `found` is asked; any other answer is a query that failed itself. */
const FOUND_STATUSES: ReadonlySet<number> = new Set([404, 410]);

/**
 * What a query found: confirmed, rejected, pending, absent, or `unknown` (code `query-failed`, `query-unclear`,
 * `unreadable`): a query that fails itself proves nothing.
 * @throws PAWL_INVARIANT when the action has no `reconcile`.
 */
export function judgeQuery(judging: Judging): Outcome {
  const { report, contract } = judging;
  const { reconcile } = contract;
  invariant(reconcile !== null, 'only an action with reconcile can be asked', { action: contract.name });
  switch (report.kind) {
    case 'unsent':
    case 'broken':
      return failed(report.reason);
    case 'declared':
      return judgeDeclared(judging, report);
    case 'answered':
      return judgeFound(judging, reconcile, readAnswer(report, contract, judging.nowMs));
    default:
      return assertNever(report);
  }
}

function failed(reason: string): Outcome {
  return { ...BLANK, kind: 'unknown', code: 'query-failed', message: `the query failed: ${reason}` };
}

function judgeDeclared(judging: Judging, report: Extract<AttemptReport, { kind: 'declared' }>): Outcome {
  const { contract } = judging;
  const redacted = redactBody(report.data, contract.redact);
  const facts = { ...BLANK, resultBase64: resultBytesOf(redacted.proof), output: redacted.value, named: true };
  switch (report.outcome) {
    case 'confirmed':
      return confirmedWith(contract, { whole: report.data, body: redacted.value }, facts);
    case 'rejected':
    case 'pending':
    case 'absent':
      return {
        ...facts,
        kind: report.outcome,
        code: report.code ?? report.outcome,
        message: `the query says ${report.outcome}`,
      };
    case 'unavailable':
    case 'throttled':
    case 'unknown':
      return failed(report.code ?? report.outcome);
    default:
      return assertNever(report.outcome);
  }
}

function judgeFound(judging: Judging, reconcile: ReconcileContract, answer: Answer): Outcome {
  const { evaluator, contract } = judging;
  const facts = { ...BLANK, resultBase64: answer.resultBase64, output: answer.body, named: true };
  const site: Site = { kind: 'reconcile', action: contract.name };
  const scope = judgingScope(judging, { response: answer.response });
  const match = matchOutcome({ evaluator, rules: reconcile.outcome, site, scope });
  if (match.kind === 'fault') return unreadable(facts, match.message);
  if (match.kind === 'named') {
    const { is, code } = match.rule;
    if (is === 'confirmed') return queryOutput(judging, reconcile, answer, scope);
    const isProof = is === 'rejected' || is === 'pending' || is === 'absent';
    return isProof ? { ...facts, kind: is, code: code ?? is, message: `the query says ${is}` } : failed(code ?? is);
  }
  if (!isLookupAnswer(answer)) return failed(answer.unreadable ?? `status ${answer.status}`);
  const { found } = reconcile;
  if (found === null) return { ...failed('no rule names this answer'), code: 'query-unclear' };
  const verdict = tryHolds(() => evaluator.holds(found, site, scope));
  if (typeof verdict === 'string') return unreadable(facts, verdict);
  if (verdict) return queryOutput(judging, reconcile, answer, scope);
  return { ...facts, kind: 'absent', code: 'absent', message: 'the query did not find it' };
}

/** Only a readable 2xx, 404 or 410 speaks of what was asked; a 401 or a 500 speaks of the query. */
function isLookupAnswer(answer: Answer): boolean {
  const { status } = answer;
  const speaks = status === null || (status >= 200 && status < 300) || FOUND_STATUSES.has(status);
  return speaks && answer.unreadable === null;
}

/** The effect's output, from the query's `output` template, else the body. */
function queryOutput(judging: Judging, reconcile: ReconcileContract, answer: Answer, scope: Scope): Outcome {
  const { evaluator, contract } = judging;
  const facts = { ...BLANK, resultBase64: answer.resultBase64, named: true };
  const { output } = reconcile;
  if (output === null) return confirmedBy(contract, answer, facts);
  const site: Site = { kind: 'reconcile', action: contract.name };
  const picked = tryHolds(() => ({ value: evaluator.render(output, site, scope) }));
  if (typeof picked === 'string') return unreadable(facts, picked);
  const redacted = redactBody(picked.value, contract.redact);
  return confirmedWith(contract, { whole: picked.value, body: redacted.value }, facts);
}
