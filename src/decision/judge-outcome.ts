import { compileSchema } from '../definition/schema-validator.ts';
import type { Evaluator, Scope, Site } from '../definition/evaluator.ts';
import type { ActionContract } from '../model/definition.ts';
import type { Effect } from '../model/effect.ts';
import { assertNever } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import type { AttemptReport, Outcome } from '../model/outcome.ts';
import { SEND_PAUSED } from '../model/pause.ts';
import type { OutcomeKind } from '../model/statuses.ts';
import { trustsRefusal } from './doubt.ts';
import { effectView } from './effect-view.ts';
import { matchOutcome, type RuleMatch } from './match-outcome.ts';
import { externalIdOf } from './pick-output.ts';
import { judgeStatement, undone } from './judge-statement.ts';
import { BLANK } from './blank-outcome.ts';
import { type Answer, readAnswer } from './read-answer.ts';
import { redactBody, resultBytesOf } from './redact.ts';

/** What an attempt, a query or a read is judged with. */
export interface Judging {
  readonly evaluator: Evaluator;
  readonly contract: ActionContract;
  /** The ledger row; null for a read. */
  readonly effect: Effect | null;
  /** The `with` value of the call. */
  readonly with: Json;
  readonly report: AttemptReport;
  /** Roots that every expression may read (`input`, `constants`, `run`, …). */
  readonly scope: Scope;
  /** Database time. */
  readonly nowMs: number;
}

/**
 * What an attempt meant (2-language, "Default outcome table"): the action's own `outcome` first, then the table; E07 for
 * keys that nobody remembers, E12 for answers that cannot be read or break the output schema. Of a read, what is not
 * definite counts as unavailable: it may be asked again freely.
 */
export function judgeAttempt(judging: Judging): Outcome {
  const outcome = judgeReport(judging);
  if (judging.contract.transport.kind === 'sql') return judgeStatement(judging.contract.transport, outcome);
  const isRead = judging.contract.effect === 'read';
  return isRead && outcome.kind === 'unknown' && outcome.code !== 'unreadable'
    ? { ...outcome, kind: 'unavailable' }
    : outcome;
}

function judgeReport(judging: Judging): Outcome {
  const { report } = judging;
  switch (report.kind) {
    case 'unsent':
      return unsent(report);
    case 'broken':
      return report.byteWritten
        ? { ...BLANK, kind: 'unknown', code: 'no-answer', message: `no answer came: ${report.reason}` }
        : { ...BLANK, kind: 'unavailable', code: 'unreachable', message: `not reached: ${report.reason}` };
    case 'declared':
      return judgeDeclared(judging, report);
    case 'undone':
      return undone(report);
    case 'answered':
      return judgeAnswer(judging, readAnswer(report, judging.contract, judging.nowMs));
    default:
      return assertNever(report);
  }
}

/** The code of a request that no process can send: a line break in a header, an address that is none. */
export const UNSENDABLE = 'unsendable';

/** The code of a sending that did not leave because this process lacks a secret for it. */
export const SECRET_MISSING = 'secret-missing';

/** The code of a sending that did not leave because the circuit of its host is open (E14). */
export const CIRCUIT_OPEN = 'circuit-open';

/** The code of a sending that did not leave because the database may have forgotten commits (P14). */
export const IN_RECOVERY = 'recovery';

/** The code of a sending that did not leave because an earlier one may be among the commits that the database has lost (P14). */
export const FORGOTTEN = 'forgotten';

const LACKS = {
  secret: SECRET_MISSING,
  circuit: CIRCUIT_OPEN,
  recovery: IN_RECOVERY,
  word: FORGOTTEN,
  pause: SEND_PAUSED,
} as const;

const NOT_SENT = 'not-sent';

/** Whether a code tells of a sending that did not leave, so that no provider has answered. */
export function isUnsent(code: string | null): boolean {
  return code === NOT_SENT || Object.values(LACKS).some((known) => known === code);
}

/** Nothing left. What can never leave is refused for good: waiting for another try would be waiting for ever. */
export function unsent({ reason, permanent, lacks, afterMs }: Extract<AttemptReport, { kind: 'unsent' }>): Outcome {
  const code = lacks === undefined ? NOT_SENT : LACKS[lacks];
  return permanent === true
    ? { ...BLANK, kind: 'rejected', code: UNSENDABLE, message: `it cannot be sent: ${reason}`, sent: false }
    : {
        ...BLANK,
        kind: 'unavailable',
        code,
        message: `not sent: ${reason}`,
        retryAfterMs: afterMs ?? null,
        sent: false,
      };
}

function judgeDeclared(judging: Judging, report: Extract<AttemptReport, { kind: 'declared' }>): Outcome {
  const { contract } = judging;
  const redacted = redactBody(report.data, contract.redact);
  const facts = {
    ...BLANK,
    retryAfterMs: report.afterMs,
    resultBase64: resultBytesOf(redacted.proof),
    output: redacted.value,
  };
  const said = report.code ?? report.outcome;
  const match = ownVerdict(judging, { failure: { code: said, class: report.outcome, message: said } });
  if (match.kind === 'fault') return unreadable(facts, match.message);
  const named = match.kind === 'named';
  const verdict = named ? match.rule : { is: report.outcome, code: null };
  if (verdict.is === 'confirmed') {
    return confirmedWith(contract, { whole: report.data, body: redacted.value }, { ...facts, named });
  }
  const code = verdict.code ?? report.code ?? verdict.is;
  return {
    ...facts,
    kind: attemptKind(verdict.is, contract),
    code,
    message: `the ${contract.transport.kind === 'worker' ? 'worker' : 'function'} says ${report.outcome}`,
    named,
  };
}

/** An attempt cannot prove that it never happened, and nobody waits for what nobody can be asked about. */
function attemptKind(kind: OutcomeKind, contract: ActionContract): OutcomeKind {
  return kind === 'absent' || (kind === 'pending' && contract.reconcile === null) ? 'unknown' : kind;
}

function judgeAnswer(judging: Judging, answer: Answer): Outcome {
  const facts = { ...BLANK, retryAfterMs: answer.retryAfterMs, resultBase64: answer.resultBase64, output: answer.body };
  // Of a statement what it gave is the whole answer.
  const isStatement = judging.contract.transport.kind === 'sql';
  const match = ownVerdict(judging, { response: isStatement ? (answer.body ?? {}) : answer.response });
  if (match.kind === 'fault') return unreadable(facts, match.message);
  const named = match.kind === 'named';
  if (!named && answer.unreadable !== null) return unreadable(facts, whyUnreadable(answer.status, answer.unreadable));
  const says = named ? match.rule : tableVerdict(judging, answer.status);
  if (says.is === 'confirmed') return confirmedBy(judging.contract, answer, { ...facts, named });
  const code = says.code ?? says.is;
  const status = answer.status === null ? '' : ` with status ${answer.status}`;
  return { ...facts, kind: attemptKind(says.is, judging.contract), code, message: `answered${status}: ${code}`, named };
}

/** What people need to find the answer in the provider's books: its status, and what is wrong with it. */
function whyUnreadable(status: number | null, why: string): string {
  return status === null ? why : `status ${status}, ${why}`;
}

/** Asks the action's own `outcome` list. */
function ownVerdict(judging: Judging, roots: Scope): RuleMatch {
  const { evaluator, contract } = judging;
  if (contract.outcome.length === 0) return { kind: 'none' };
  const site: Site = { kind: 'outcome', action: contract.name };
  return matchOutcome({ evaluator, rules: contract.outcome, site, scope: judgingScope(judging, roots) });
}

/** The roots of `outcome` and `reconcile` expressions. */
export function judgingScope(judging: Judging, roots: Scope): Scope {
  const { scope, effect } = judging;
  return { ...scope, with: judging.with, ...(effect === null ? {} : { effect: effectView(effect) }), ...roots };
}

type Verdict = { readonly is: OutcomeKind; readonly code: string | null };

/** The default outcome table. */
function tableVerdict(judging: Judging, status: number | null): Verdict {
  const { contract } = judging;
  if (status === null) return { is: 'confirmed', code: null };
  if (status === 202) return { is: 'pending', code: contract.reconcile === null ? 'accepted' : 'pending' };
  if (status === 429 || status === 503) return refusalVerdict(judging, status);
  if (status === 408) return { is: 'unknown', code: 'http-408' };
  return statusVerdict(status);
}

/** The rest of the table, by hundreds. */
function statusVerdict(status: number): Verdict {
  if (status < 200 || status >= 500) return { is: 'unknown', code: `http-${status}` };
  if (status < 300) return { is: 'confirmed', code: null };
  if (status < 400) return { is: 'rejected', code: 'redirect' };
  return { is: 'rejected', code: status === 409 ? 'conflict' : `http-${status}` };
}

/** E07: "not now" is definite only where repeating it is safe. */
function refusalVerdict(judging: Judging, status: 429 | 503): Verdict {
  const { contract, effect, nowMs } = judging;
  const isDefinite = effect === null || trustsRefusal(contract, effect.firstRequestedAtMs, nowMs);
  const kind = status === 429 ? 'throttled' : 'unavailable';
  return { is: isDefinite ? kind : 'unknown', code: `http-${status}` };
}

/** What an outcome says beside its kind, code and message. */
export type Facts = typeof BLANK;

/** E12: what cannot be read is kept as bytes and settles nothing. */
export function unreadable(facts: Facts, why: string): Outcome {
  return {
    ...facts,
    output: undefined,
    kind: 'unknown',
    code: 'unreadable',
    message: `the answer cannot be read: ${why}`,
    named: false,
  };
}

/** A confirmed answer, if it can be read and fits the action's output schema; else UNKNOWN `unreadable` (E12). */
function confirmedBy(contract: ActionContract, answer: Answer, facts: Facts): Outcome {
  if (answer.unreadable !== null) return unreadable(facts, answer.unreadable);
  return confirmedWith(contract, { whole: answer.whole ?? null, body: answer.body ?? null }, facts);
}

/**
 * Confirmed with an output. The schema is asked about the output as it came, the redacted form is what is kept.
 */
export function confirmedWith(
  contract: ActionContract,
  output: { readonly whole: Json; readonly body: Json },
  facts: Facts,
): Outcome {
  const breach = compileSchema(contract.output)(output.whole)[0];
  if (breach) return unreadable(facts, `the output breaks its schema: ${breach.message}`);
  const { body } = output;
  return {
    ...facts,
    kind: 'confirmed',
    code: null,
    message: 'confirmed',
    output: body,
    externalId: externalIdOf(body),
  };
}
