import { expect, it } from 'vitest';
import { openSmallHouse } from './support/small-house.ts';

const AGREED = `pawl: 1
workflow: agreed
version: 1
timeout: 2h
actions:
  pay: { function: pay@1, idempotency: natural, compensate: { call: refund, with: { of: =effect.output.id }, approve: { title: 'Refund \${ effect.output.id }?', from: ['role:boss'], quorum: 2, expires: 1h } } }
  refund: { function: refund@1, idempotency: natural, compensate: none }
steps:
  - { id: first, call: pay }
  - { id: second, call: pay }
`;

it('R23 an undo that people must agree to is shown before it is ordered, and asked for where people look', async () => {
  // R23: "A compensation with its own `approve` waits PROPOSED, holds no worker; expiry or denial means HELD, never skipped."
  const house = openSmallHouse();
  const { verbs } = house.process({ works: true });
  const run = await house.begin(verbs, AGREED);
  const is = (status: string) => house.until(() => [...house.store.peek().runs.values()][0]?.head.status === status);
  await is('COMPLETED');
  const preview = await house.settled(verbs.previewCompensation(run));
  const approve = { title: 'Refund x-1?', from: ['role:boss'], except: ['starter'], quorum: 2, denials: 1 };
  expect(preview.undo).toMatchObject([
    { step: 'second', approve },
    { step: 'first', approve },
  ]);
  await house.settled(verbs.compensate(run, { by: 'ana', reason: 'wrong', eventId: 'e1' }, preview.planHash));
  await house.until(() => [...(house.store.peek().runs.values().next().value?.head.needs ?? [])].length > 0);
  const view = await house.settled(verbs.show(run));
  expect([view.status, view.waitingFor]).toMatchObject([
    'COMPENSATING',
    [
      {
        kind: 'approval',
        step: 'second',
        by: ['role:boss'],
        progress: 'its undo, 0 of 2 approve, needs 2 more',
        command: `pawl approve ${view.id} 'undo:second'`,
      },
    ],
  ]);
  expect(view.approvals).toMatchObject([
    {
      id: 'undo:second',
      title: 'Refund x-1?',
      subject: {
        subject: { undoes: 'second', action: 'pay' },
        effects: [{ action: 'refund', request: { with: { of: 'x-1' } } }],
      },
    },
  ]);
  const { reasons } = await house.settled(verbs.why(run));
  expect(reasons[0]?.text).toBe('waits for an approval of second: its undo, 0 of 2 approve, needs 2 more');
  const needs = await house.settled(verbs.needs({ workflow: null, statuses: null, q: null, limit: 9 }));
  expect(needs).toMatchObject([
    { kind: 'approval', step: 'second', message: 'Refund x-1?', acts: ['approve', 'deny'] },
  ]);
  for (const [at, step] of ['second', 'undo:first'].entries()) {
    await house.until(() => [...house.store.peek().runs.values()][0]?.approvals.size === at + 1);
    for (const principal of ['bo', 'cy']) {
      const vote = { approval: step, decision: 'approve', subjectHash: null, comment: null } as const;
      const told = await house.settled(verbs.vote(run, { ...vote, principal, roles: ['boss'] }));
      expect(told.outcome).toBe('applied');
    }
  }
  await is('COMPENSATED');
});

const ITEMS = `pawl: 1
workflow: items
version: 1
timeout: 2h
actions:
  hold: { function: pay@1, idempotency: natural, compensate: { call: free } }
  free: { function: refund@1, idempotency: natural, compensate: none }
  tell: { function: pay@1, idempotency: natural, compensate: none }
  mark: { function: pay@1, idempotency: natural }
steps:
  - id: each
    map: '["seat-1", "seat-2"]'
    as: seat
    key: seat
    concurrency: 1
    steps:
      - { id: held, call: hold }
      - { id: told, call: tell }
  - { id: last, call: hold, pivot: true }
  - { id: noted, call: mark }
finally:
  - { id: over, call: hold, compensate: none }
`;

it('R09 what is shown before an undo names the item of each act, and of those that stand says why', async () => {
  // R09: "Map: each item with a confirmed effect is compensated once, by item key, seeing its own request and receipt;"
  const house = openSmallHouse();
  const { verbs } = house.process({ works: true });
  const run = await house.begin(verbs, ITEMS);
  await house.until(() => [...house.store.peek().runs.values()][0]?.head.status === 'COMPLETED');
  const { undo, standing } = await house.settled(verbs.previewCompensation(run));
  const places = (rows: readonly { step: string; item?: string }[]) => rows.map(({ step, item }) => [step, item]);
  expect(undo.map(({ round }) => round)).toEqual([1, 2, 3]);
  expect(places(undo)).toEqual([
    ['last', undefined],
    ['held', 'seat-2'],
    ['held', 'seat-1'],
  ]);
  const stays = standing.map(({ step, item, why }) => `${step} ${item ?? '-'} ${why}`);
  expect(stays.toSorted()).toEqual(['noted - undeclared', 'over - finally', 'told seat-1 none', 'told seat-2 none']);
});
