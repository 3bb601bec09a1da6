import { describe, expect, it } from 'vitest';
import type { Draft } from '../../src/decision/draft.ts';
import { handleCommand } from '../../src/decision/handle-command.ts';
import { judgeAttempt } from '../../src/decision/judge-outcome.ts';
import { judgeQuery } from '../../src/decision/judge-query.ts';
import { renderRequest } from '../../src/decision/render-request.ts';
import { renderSecretHeaders } from '../../src/decision/secret-headers.ts';
import { settleAttempt } from '../../src/decision/settle-effect.ts';
import { settlePerson } from '../../src/decision/settle-person.ts';
import { settleQuery } from '../../src/decision/settle-query.ts';
import {
  contract,
  evaluatorFor,
  HOUR,
  outcome,
  policy,
  RECONCILE,
  requested,
  settling,
  T0,
} from './ledger-fixtures.ts';
import { Play, workflow } from './support/play.ts';

const OTHER = { kind: 'other', type: 'other' } as never;
const ASKED = contract({ reconcile: RECONCILE });
const UNKNOWN = { ...requested(), state: 'UNKNOWN', unknownSinceMs: T0 } as const;
const STORY = workflow('  - { id: w, wait: 1h }');
const judging = (report: unknown) =>
  ({
    report,
    contract: ASKED,
    effect: UNKNOWN,
    evaluator: evaluatorFor(ASKED),
    scope: {},
    with: {},
    nowMs: T0,
  }) as never;

describe('a kind that nobody knows', () => {
  it.each<[string, () => unknown]>([
    ['an input', () => new Play(STORY).decide([OTHER])],
    ['an event of the inbox', () => new Play(STORY).act(OTHER)],
    ['a command', () => handleCommand({} as Draft, { command: OTHER, data: {} as never })],
    ['the outcome of an attempt', () => settleAttempt(settling(requested()), outcome('other' as never))],
    ['the outcome of a query', () => settleQuery(settling(UNKNOWN), outcome('other' as never))],
    [
      'the word of a person',
      () =>
        settlePerson(
          settling(UNKNOWN, {
            policy: policy({ review: { from: [], options: ['other' as never] } }),
            nowMs: T0 + HOUR,
          }),
          {
            as: 'other' as never,
            evidence: 'seen',
            output: null,
            by: 'ana',
          },
        ),
    ],
    ['a report of an attempt', () => judgeAttempt(judging(OTHER))],
    ['a report of a query', () => judgeQuery(judging(OTHER))],
    [
      'an outcome that a function declares',
      () => judgeQuery(judging({ kind: 'declared', outcome: 'other', data: {} })),
    ],
    [
      'a transport',
      () => renderRequest(evaluatorFor(ASKED), contract({ transport: OTHER }), { with: {}, key: null, scope: {} }),
    ],
    ['an auth', () => renderSecretHeaders(evaluatorFor(ASKED), contract({ auth: OTHER }), 'send', {})],
  ])('is an invariant that stops the run loudly: %s', (_name, act) => {
    expect(act).toThrow(expect.objectContaining({ code: 'PAWL_INVARIANT' }));
  });
});
