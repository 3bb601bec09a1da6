import type { Scope, Site } from '../definition/evaluator.ts';
import type { ActionContract, OutcomeRule, ReconcileContract } from '../model/definition.ts';
import { assertNever, invariant } from '../model/errors.ts';
import type { AttemptReport, Outcome } from '../model/outcome.ts';
import { BLANK } from './blank-outcome.ts';
import {
  confirmedWith,
  type Facts,
  type Judging,
  judgingScope,
  SECRET_MISSING,
  UNSENDABLE,
  unreadable,
} from './judge-outcome.ts';
import { matchOutcome, tryHolds } from './match-outcome.ts';
import { type Answer, type AnsweredReport, hashedBytes, readAnswer } from './read-answer.ts';
import { redactBody, resultBytesOf } from './redact.ts';

/** Statuses on which `found` is asked; any other answer is a query that failed itself. */
const FOUND_STATUSES: ReadonlySet<number> = new Set([404, 410]);

/**
 * What a query found: confirmed, rejected, pending, absent, or `unknown` (code `query-failed`, `query-unclear`,
 * `unreadable`, `unsendable`, `secret-missing`): a query that fails itself proves nothing.
 * @throws PAWL_INVARIANT when the action has no `reconcile`.
 */
export function judgeQuery(judging: Judging): Outcome {
  const { report, contract } = judging;
  const { reconcile } = contract;
  invariant(reconcile !== null, 'only an action with reconcile can be asked', { action: contract.name });
  switch (report.kind) {
    case 'unsent':
      return unasked(report);
    case 'broken':
    case 'undone':
      return failed(report.reason);
    case 'declared':
      return judgeDeclared(judging, report);
    case 'answered':
      return judgeFound(judging, reconcile, report);
    default:
      return assertNever(report);
  }
}

/** What keeps a question from being put for good, or until a person acts, has a code of its own. */
function unasked({ reason, permanent, lacks }: Extract<AttemptReport, { kind: 'unsent' }>): Outcome {
  const unsent = { ...failed(reason), sent: false };
  if (permanent === true) return { ...unsent, code: UNSENDABLE };
  return lacks === 'secret' ? { ...unsent, code: SECRET_MISSING } : unsent;
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

/** A query on its way to a verdict. */
interface Asking {
  readonly judging: Judging;
  readonly reconcile: ReconcileContract;
  readonly answer: Answer;
  readonly site: Site;
  readonly scope: Scope;
  readonly facts: Facts;
}

function judgeFound(judging: Judging, reconcile: ReconcileContract, report: AnsweredReport): Outcome {
  const { evaluator, contract } = judging;
  // `redact` points into the answer of a sending; a query's has another shape, so its output alone is redacted by it.
  const answer = readAnswer(report, { ...contract, redact: [] }, judging.nowMs);
  const site: Site = { kind: 'reconcile', action: contract.name };
  const scope = judgingScope(judging, { response: answer.response });
  const asking: Asking = { judging, reconcile, answer, site, scope, facts: factsOf(report, contract, answer) };
  const match = matchOutcome({ evaluator, rules: reconcile.outcome, site, scope });
  if (match.kind === 'fault') return unreadable(asking.facts, match.message);
  return match.kind === 'named' ? judgeNamed(asking, match.rule) : judgeByFound(asking);
}

/** What is kept of a query's answer: its bytes, or where the contract redacts, their hash and no data. */
function factsOf(report: AnsweredReport, contract: ActionContract, answer: Answer): Facts {
  const isOpen = contract.redact.length === 0;
  const resultBase64 = isOpen ? answer.resultBase64 : hashedBytes(report);
  return { ...BLANK, named: true, resultBase64, output: isOpen ? answer.body : undefined };
}

function judgeNamed(asking: Asking, rule: OutcomeRule): Outcome {
  const { is } = rule;
  const code = rule.code ?? is;
  if (is === 'confirmed') return queryOutput(asking);
  const isProof = is === 'rejected' || is === 'pending' || is === 'absent';
  return isProof ? { ...asking.facts, kind: is, code, message: `the query says ${is}` } : failed(code);
}

function judgeByFound(asking: Asking): Outcome {
  const { judging, reconcile, answer, site, scope, facts } = asking;
  if (!isLookupAnswer(answer)) return failed(answer.unreadable ?? `status ${answer.status}`);
  const { found } = reconcile;
  if (found === null) return { ...failed('no rule names this answer'), code: 'query-unclear' };
  const verdict = tryHolds(() => judging.evaluator.holds(found, site, scope));
  if (typeof verdict === 'string') return unreadable(facts, verdict);
  if (verdict) return queryOutput(asking);
  return { ...facts, kind: 'absent', code: 'absent', message: 'the query did not find it' };
}

/** Only a readable 2xx, 404 or 410 speaks of what was asked; a 401 or a 500 speaks of the query. */
function isLookupAnswer(answer: Answer): boolean {
  const { status } = answer;
  const speaks = status === null || (status >= 200 && status < 300) || FOUND_STATUSES.has(status);
  return speaks && answer.unreadable === null;
}

/** The effect's output, from the query's `output` template, else the body. */
function queryOutput(asking: Asking): Outcome {
  const { judging, reconcile, answer, site, scope, facts } = asking;
  const { evaluator, contract } = judging;
  if (answer.unreadable !== null) return unreadable(facts, answer.unreadable);
  const { output } = reconcile;
  const picked = tryHolds(() => ({
    value: output === null ? (answer.whole ?? null) : evaluator.render(output, site, scope),
  }));
  if (typeof picked === 'string') return unreadable(facts, picked);
  const redacted = redactBody(picked.value, contract.redact);
  const resultBase64 = contract.redact.length === 0 ? facts.resultBase64 : resultBytesOf(redacted.proof);
  return confirmedWith(contract, { whole: picked.value, body: redacted.value }, { ...facts, resultBase64 });
}
