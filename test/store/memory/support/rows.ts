import type { Approval } from '../../../../src/model/approval.ts';
import type { Effect } from '../../../../src/model/effect.ts';
import { sha256 } from '../../../../src/model/hash.ts';
import type { Json } from '../../../../src/model/json.ts';
import type { EffectChange, HeadChange, InboxAnswer, RunCommit, Transition } from '../../../../src/model/run-commit.ts';
import { EFFECT_STATES, RUN_STATUSES } from '../../../../src/model/statuses.ts';
import type { RunDump } from '../../../../src/store/memory/dump.ts';
import {
  changing,
  effectOf,
  headAt,
  inserting,
  receiptOf,
  transitionAt,
} from '../../../../src/testing/store-conformance/rows.ts';
import type { Choices } from './choices.ts';
import type { World } from './world.ts';

/** Values whose key order, signs and characters a store could lose. */
const VALUES: readonly Json[] = [
  null,
  { z: 1, a: [2, { y: null, b: '' }] },
  -0,
  'plain',
  JSON.parse('{"__proto__": 1, "10": "ten", "9": "nine", "\\u0000": "\\ud800"}') as Json,
  [0.1, 1e21, '😀\uffee'],
];
const PHASES = ['forward', 'settling', 'compensating', 'finally', 'ended'] as const;
const NUL = 'a\u0000b';

/** Any of the values. */
export function anyValue(choices: Choices): Json {
  return choices.pick(VALUES);
}

/** Values that canonical JSON takes: no half characters. */
export function anyCanonical(choices: Choices): Json {
  return choices.pick(VALUES.filter((_, index) => index !== 4));
}

/** A head, mostly of a living run. */
export function anyHead(choices: Choices, revision: number): HeadChange {
  const ended = choices.onceIn(6);
  return headAt(revision, {
    status: choices.pick(choices.onceIn(3) ? RUN_STATUSES : ['RUNNING', 'WAITING']),
    phase: choices.pick(PHASES),
    needs: choices.pick([[], ['approval:decision'], ['incident:"x"', 'é']]),
    endedAtMs: ended ? 1_700_000_000_000 + revision : null,
    output: ended ? anyValue(choices) : undefined,
    failure: choices.onceIn(8) ? anyValue(choices) : undefined,
  });
}

/** A journal row; now and then one that no store can take. */
export function anyTransition(choices: Choices, revision: number): Transition {
  const damage = choices.below(24);
  return transitionAt(damage === 23 ? Math.max(0, revision - 2) : revision, {
    event: {
      type: damage === 22 ? NUL : 'effect.settled',
      id: `event-${revision}`,
      step: choices.pick(['pay', null]),
      detail: anyValue(choices),
    },
    delta: anyValue(choices),
    commands: choices.onceIn(2) ? [anyValue(choices)] : [],
  });
}

function anyNewEffect(choices: Choices, run: string): Effect {
  const name = `${run} ${choices.below(3)}`;
  const request = JSON.stringify({ name, body: choices.below(2) });
  return effectOf(name, {
    request,
    // A damaged row is taken, and found when it is read.
    requestHash: choices.onceIn(40) ? sha256('other') : sha256(request),
    state: choices.pick(['AUTHORIZED', 'PROPOSED', 'REQUESTED']),
    attempt: choices.below(2),
    pivot: choices.onceIn(4),
    frames: choices.onceIn(3) ? [['v', 1]] : [],
    notBeforeMs: choices.onceIn(3) ? 1_800_000_000_123 : null,
  });
}

function anyMove(choices: Choices, stored: Effect): EffectChange {
  const change = changing(stored, {
    state: choices.pick(EFFECT_STATES),
    attempt: stored.attempt + choices.below(2),
    request: 'only the first request counts',
    output: choices.onceIn(3) ? anyValue(choices) : undefined,
    code: choices.pick([null, 'card-declined', 'send-paused']),
    doubt: choices.pick([null, 'resend', 'query', 'review', 'event']),
    settledAtMs: choices.onceIn(2) ? 1_800_000_000_500 : null,
    lastError: choices.pick([null, '"\\\n']),
  });
  if (!choices.onceIn(6)) return change;
  return { ...change, expect: { state: choices.pick(EFFECT_STATES), attempt: choices.below(3) } };
}

/** Changes of ledger rows, each of another row. */
export function anyEffects(choices: Choices, rows: RunDump | null, run: string): EffectChange[] {
  const moves = choices.some(rows?.effects ?? []).map((effect) => anyMove(choices, effect));
  const added = choices.onceIn(2) ? [inserting(anyNewEffect(choices, run))] : [];
  const moved = new Set(moves.map(({ effect }) => effect.key));
  return [...moves, ...added.filter(({ effect }) => !moved.has(effect.key))];
}

/** Timers due about now. */
export function anyTimers(choices: Choices, world: World) {
  return choices.some(['a', 'b', 'ü']).map((name) => ({
    name,
    dueAtMs: world.nowMs + choices.pick([0, 1, 500, 1_000, -5]),
    generation: 1 + choices.below(2),
  }));
}

/** An approval, or another state of it. */
export function anyApproval(choices: Choices): Approval {
  return {
    approvalId: choices.pick(['refund', 'ship']),
    step: 'refund',
    state: choices.pick(['open', 'approved', 'denied', 'expired', 'held', 'cancelled']),
    title: 'Refund?',
    subject: { subject: anyCanonical(choices), effects: [] },
    subjectHash: sha256('subject'),
    authorizes: [],
    from: choices.pick([['role:support'], []]),
    quorum: 1 + choices.below(2),
    denials: 1,
    except: ['user:anna'],
    askedAtMs: 1_700_000_000_000 + choices.below(2),
    expiresAtMs: choices.pick([null, 1_900_000_000_000]),
    onExpire: choices.pick(['hold', 'deny', 'approve']),
    votes: [],
    decidedAtMs: choices.pick([null, 1_800_000_000_001]),
  };
}

function anyVote(choices: Choices): RunCommit['votes'][number] {
  return {
    approvalId: choices.pick(['refund', 'ship']),
    vote: {
      principal: choices.pick(['user:bea', 'user:carl', 'user:dora']),
      decision: choices.pick(['approve', 'deny']),
      subjectHash: sha256('subject'),
      roles: choices.pick([['support'], []]),
      comment: choices.pick([null, 'ok']),
      atMs: 1_700_000_000_000 + choices.below(3),
      ...choices.pick([{}, { form: null }, { form: { amount: 5 } }]),
    },
  };
}

function anyAnswers(choices: Choices, rows: RunDump | null): InboxAnswer[] {
  const known = (rows?.inbox ?? []).map(({ source, eventId }) => ({ source, eventId }));
  return choices.some([...known, { source: 'signal:shop', eventId: 'never came' }]).map((address) => {
    const consumed = !choices.onceIn(4);
    return {
      ...address,
      outcome: consumed ? choices.pick(['applied', 'refused', 'ended']) : 'kept',
      code: choices.pick([null, 'PAWL_EVENT_REFUSED']),
      detail: anyValue(choices),
      consumed,
    };
  });
}

/** What few commits bring. */
export function anyRareRows(choices: Choices, rows: RunDump | null, world: World): Partial<RunCommit> {
  if (!choices.onceIn(2)) return {};
  const effect = rows?.effects[0] ?? effectOf('nothing');
  const runId = world.newRunId();
  return {
    approvals: choices.onceIn(3) ? [anyApproval(choices)] : [],
    votes: choices.onceIn(3) ? [anyVote(choices)] : [],
    inbox: anyAnswers(choices, rows),
    observations: choices.onceIn(3) ? [anyObservation(choices, { part: world.part, runId })] : [],
    audit: choices.onceIn(4)
      ? [
          {
            actor: 'user:anna',
            act: 'retry',
            target: 'pay',
            reason: null,
            detail: anyValue(choices),
            atMs: world.nowMs,
          },
        ]
      : [],
    receipts: choices.onceIn(3)
      ? [
          receiptOf((rows?.receipts.length ?? 0) + choices.pick([1, 1, 1, 0]), effect, {
            evidence: anyCanonical(choices),
            externalId: choices.pick([null, 'ch_1']),
          }),
        ]
      : [],
  };
}

/** Knowledge from outside the guard. */
export function anyObservation(choices: Choices, at: Pick<RunCommit['observations'][number], 'part' | 'runId'>) {
  const name = choices.pick(['x', 'y']);
  const source = choices.pick(['webhook', 'late-answer']);
  // Named after its effect, as the order of observations does not look at that.
  return {
    ...at,
    effectKey: effectOf(name).key,
    source,
    sourceId: `${name}-${choices.below(2)}`,
    detail: anyValue(choices),
  };
}
