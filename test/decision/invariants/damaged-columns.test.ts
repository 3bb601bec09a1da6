import { describe, expect, it } from 'vitest';
import { findFaults } from '../../../src/decision/invariants/find-faults.ts';
import type { CheckedRun } from '../../../src/decision/invariants/opened-run.ts';
import type { Approval } from '../../../src/model/approval.ts';
import { sha256 } from '../../../src/model/hash.ts';
import type { RunIdentity } from '../../../src/model/run.ts';
import { checkedRun, withEffects } from '../support/checked-run.ts';
import {
  allowed,
  asking,
  done,
  doubting,
  isOf,
  isUndo,
  sleeping,
  stopped,
  undone,
  withApproval,
  withHead,
  withInbox,
  withTimers,
} from '../support/checked-stories.ts';
import { Play, T0, workflow } from '../support/play.ts';

const DAY_MS = 86_400_000;

/** What is found, one line each. */
function told(run: CheckedRun): readonly string[] {
  return findFaults(run, T0).map(({ check, row, what }) => `${check}: ${row.replace(/ [0-9a-f]{64}$/, '')}: ${what}`);
}

const telling = (): CheckedRun =>
  checkedRun(new Play(workflow('  - { id: tell, publish: order.held, data: { n: 1 } }')).drive());

/** Asks as its input says, which never changes, and after what was done. */
const FIXED = workflow(
  "  - { id: a, call: do.a }\n  - { id: ok, approve: 'pay ${ steps.a.output.id }?', from: ['=input.boss'], quorum: 2, denials: 2, except: ['user:eve'] }",
  'input: { type: object, required: [boss], properties: { boss: { type: string } } }',
);
const fixed = (): CheckedRun => checkedRun(new Play(FIXED, { input: { boss: 'role:desk' } }).drive());

const withAct = (run: CheckedRun, patch: Partial<CheckedRun['audit'][number]>): CheckedRun => ({
  ...run,
  audit: run.audit.map((act) => ({ ...act, ...patch })),
});
const withMessage = (run: CheckedRun, patch: Partial<CheckedRun['outbox'][number]>): CheckedRun => ({
  ...run,
  outbox: run.outbox.map((message) => ({ ...message, ...patch })),
});

const LOCK = { name: 'till', limit: 1 };
/** A run that holds its lock, with another place than it took. */
const holding = (
  patch: Partial<NonNullable<CheckedRun['place']>>,
  lock: RunIdentity['lock'] | null = LOCK,
): CheckedRun => {
  const run = sleeping();
  const { runId, part: runPart, startedAtMs } = run.run;
  const place = { runId, runPart, limit: 1, startedAtMs, slot: 0, grantedAtMs: T0, name: 'till', ...patch };
  return { ...run, run: lock === null ? run.run : { ...run.run, lock: lock ?? LOCK }, place };
};

describe('findFaults', () => {
  it('finds nothing in stories whose columns are whole', () => {
    for (const run of [done(), undone(), doubting(), stopped(), asking(), allowed(), telling(), fixed(), holding({})])
      expect(told(run)).toEqual([]);
  });

  it.each<[string, string, () => CheckedRun]>([
    // The ledger.
    [
      'E09 another output',
      'settlement: effect a: its output or failure is not what journal 2 tells of it',
      () => withEffects(done(), isOf('a'), { output: { id: 'forged' } }),
    ],
    [
      'E09 another code',
      'settlement: effect b: its output or failure is not what journal',
      () => withEffects(undone(), isOf('b'), { code: 'forged' }),
    ],
    [
      'E10 another time of settling',
      'receipt-row: effect a: the row says otherwise than its receipt: settledAtMs',
      () => withEffects(done(), isOf('a'), { settledAtMs: T0 + DAY_MS }),
    ],
    [
      'E10 another code of an undo',
      'receipt-row: effect undo of a: the row says otherwise than its receipt: code',
      () => withEffects(undone(), isUndo, { code: 'x' }),
    ],
    [
      'E02 another action',
      'effect-origin: effect a: its action and contract are not those of its request',
      () => withEffects(done(), isOf('a'), { action: 'do.b' }),
    ],
    [
      'E02 a pivot that its step is not',
      'effect-origin: effect a: it is a pivot, and its step none',
      () => withEffects(done(), isOf('a'), { pivot: true }),
    ],
    [
      'E06 a first sending after the last',
      'effect-state: effect a: it says that it was first sent after it was sent, or was in doubt',
      () => withEffects(doubting(), isOf('a'), { firstRequestedAtMs: T0 + 3 * DAY_MS }),
    ],
    [
      'E06 a first sending after the doubt',
      'effect-state: effect a: it says that it was first sent after it was sent, or was in doubt',
      () =>
        withEffects(doubting(), isOf('a'), {
          attempt: 2,
          firstRequestedAtMs: T0 + DAY_MS,
          requestedAtMs: T0 + 2 * DAY_MS,
        }),
    ],
    // Times.
    [
      'V06 a timer of another time',
      'timer: timer w:wait: the event of its firing is of another time',
      () => withTimers(sleeping(), { dueAtMs: T0 + 300 * DAY_MS }),
    ],
    [
      'V06 a timer that fires something else',
      'timer: timer w:wait: the event of its firing is not the one that was hashed',
      () => ({ ...sleeping(), timers: sleeping().timers.map((timer) => ({ ...timer, payloadHash: 'x' })) }),
    ],
    [
      'A06 an expiry at another time than its timer',
      'approval: approval ok: it expires at another time than its timer',
      () => withApproval(asking(), { expiresAtMs: T0 + 300 * DAY_MS }),
    ],
    // Approvals.
    [
      'A04 an approval that authorizes nothing that was shown',
      'approval: approval ok: what it authorizes is not what was shown',
      () => withApproval(asking(), { authorizes: [] }),
    ],
    [
      'A04 an approval that authorizes bytes that were not shown',
      'approval: approval ok: what it authorizes is not what was shown',
      () => {
        const [shown] = asking().approvals[0]?.authorizes ?? [];
        const request = '{';
        const authorizes = shown === undefined ? [] : [{ ...shown, request, requestHash: sha256(request) }];
        return withApproval(asking(), { authorizes });
      },
    ],
    [
      'A04 an approval that authorizes under another hash',
      'approval: approval ok: what it authorizes is not what was shown',
      () => {
        const [shown] = asking().approvals[0]?.authorizes ?? [];
        return withApproval(asking(), { authorizes: shown === undefined ? [] : [{ ...shown, requestHash: 'x' }] });
      },
    ],
    [
      'A04 an effect that may be sent without its approval',
      'approval: effect pay: it may be sent, and ok never approved it',
      () => withEffects(asking(), isOf('pay'), { state: 'AUTHORIZED' }),
    ],
    ...(
      [
        ['another title', { title: 'pay 1?' }, 'its title'],
        ['others who are asked', { from: ['user:mallory'] }, 'who is asked'],
        ['others who must not decide', { except: [] }, 'who must not decide it'],
        ['a lower quorum', { quorum: 1 }, 'its quorum'],
        ['more denials', { denials: 9 }, 'its number of denials'],
      ] as const
    ).map(([what, patch, named]): [string, string, () => CheckedRun] => [
      `A02 an approval with ${what}`,
      `approval: approval ok: ${named} is not as the workflow says`,
      () => withApproval(what === 'another title' ? asking() : fixed(), patch as Partial<Approval>),
    ]),
    [
      'A02 a vote with other roles',
      'vote: vote ok ann: no event in the inbox brought it',
      () => {
        const run = asking();
        const votes = run.approvals.flatMap((approval) => approval.votes.map((vote) => ({ ...vote, roles: [] })));
        return withApproval(run, { votes });
      },
    ],
    // Acts of people.
    [
      'A05 an order without its act',
      'it was applied, and no act of its person says so',
      () => ({ ...stopped(), audit: [] }),
    ],
    [
      'A05 an act of somebody else',
      'audit: act 1: its content does not match its integrity',
      () => withAct(stopped(), { actor: 'mallory' }),
    ],
    [
      'A05 an act under another link',
      'audit: act 1: it is not linked to the act before it',
      () => withAct(stopped(), { previous: 'x' }),
    ],
    [
      'A05 an act behind one that is missing',
      'audit: act 2: an act is missing before this one',
      () => withAct(stopped(), { auditNo: 2 }),
    ],
    // What an ended run says.
    [
      'R25 another output',
      'ended: head: its output is not that of its end',
      () => withHead(done(), { output: { forged: 1 } }),
    ],
    [
      'R25 another failure',
      'ended: head: its failure is not what its end and its ledger say',
      () => withHead(undone(), { failure: { code: 'forged', standing: [] } }),
    ],
    [
      'R25 another time of end',
      'status: head: it says that it ended at another time than its journal',
      () => withHead(done(), { endedAtMs: T0 + 9 * DAY_MS }),
    ],
    // Messages and events.
    [
      'V09 a message that is told nobody outside',
      'it is told inside, and its topic is event',
      () => withMessage(telling(), { outward: false }),
    ],
    [
      'V09 a message with the body of another',
      'its body is of another message',
      () => withMessage(telling(), { body: '{}' }),
    ],
    [
      'V09 a message whose body is no JSON',
      'its body is of another message',
      () => withMessage(telling(), { body: '{' }),
    ],
    [
      'V11 an event of the house that moved the run and was refused',
      'its sender was told refused',
      () => {
        const run = checkedRun(listened());
        const journal = run.journal.map((row) => ({ ...row, event: { ...row.event, type: 'lock' } }));
        return withInbox({ ...run, journal }, { outcome: 'refused' });
      },
    ],
    // Locks.
    [
      'QUEUED a place with another lock',
      'lock: lock till: the place of the run is of another lock, limit or start',
      () => holding({ name: 'other' }),
    ],
    [
      'QUEUED a place with another limit',
      'lock: lock till: the place of the run is of another lock, limit or start',
      () => holding({ limit: 9 }),
    ],
    [
      'QUEUED a place with another turn',
      'lock: lock till: the place of the run is of another lock, limit or start',
      () => holding({ startedAtMs: T0 - DAY_MS }),
    ],
    [
      'QUEUED a place of a run that names no lock',
      'lock: lock till: the run has a place with it and names no lock',
      () => holding({}, null),
    ],
  ])('%s is named', (_what, expected, damaged) => {
    expect(told(damaged()).join('\n')).toContain(expected);
  });

  it('says nothing of who decides where that hangs on what was done before', () => {
    expect(told(withApproval(fixed(), { title: 'anything' }))).toEqual([]);
  });

  it('says nothing of what the workflow says where its version is not there', () => {
    expect(told({ ...withApproval(fixed(), { quorum: 1 }), program: null })).toEqual([
      'pin: version story@1: what is stored of it is not what its digest says',
    ]);
  });
});

/** A run that a signal has moved. */
function listened(): Play {
  const play = new Play(workflow('  - { id: e, await: go }\n  - { id: w, wait: 1h }', 'events: { go: {} }'));
  play.signal('go', null, { id: 'g1' });
  return play;
}
