import type { SqlTemplate } from '../model/action-contract.ts';
import type { AttemptReport, Outcome } from '../model/outcome.ts';
import { BLANK } from './blank-outcome.ts';
import { isObject } from './pick-output.ts';
import { resultBytesOf } from './redact.ts';

/** What the database took back has not happened, whatever the reason. */
export function undone({ code, reason, passing, data }: Extract<AttemptReport, { kind: 'undone' }>): Outcome {
  const kind = passing ? 'unavailable' : 'rejected';
  return { ...BLANK, kind, code, message: reason, output: data, resultBase64: resultBytesOf(data) };
}

/**
 * What a statement came to (E13). It is committed only as confirmed, and taken back as anything else: so there is no doubt
 * about it, and an answer that cannot be read or stored, or that the action does not want, is a refusal.
 */
export function judgeStatement({ expectRows }: SqlTemplate, outcome: Outcome): Outcome {
  if (outcome.kind === 'confirmed') return expectedRows(outcome, expectRows);
  const isKnown = outcome.kind === 'rejected' || outcome.kind === 'unavailable';
  return isKnown ? outcome : { ...outcome, kind: 'rejected' };
}

function expectedRows(outcome: Outcome, expectRows: number | null): Outcome {
  const rowCount = isObject(outcome.output) ? outcome.output['rowCount'] : undefined;
  if (expectRows === null || rowCount === expectRows) return outcome;
  const message = `${String(rowCount)} rows, and ${expectRows} are expected: it was taken back`;
  return { ...outcome, kind: 'rejected', class: 'no-rows', code: 'no-rows', message, externalId: null };
}
