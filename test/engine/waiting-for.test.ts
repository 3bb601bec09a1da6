import { describe, expect, it } from 'vitest';
import { openSmallHouse, type SmallHouse } from './support/small-house.ts';

const ASKING = (quorum: number): string => `pawl: 1
workflow: asking
version: 1
timeout: 2h
steps:
  - { id: ok, approve: 'Go on?', from: ['role:boss'], quorum: ${quorum}, denials: 2, expires: 1h }
`;

const LISTENING = `pawl: 1
workflow: listening
version: 1
timeout: 2h
events:
  paid: { schema: { type: object, required: [amount, by], properties: { amount: { type: integer }, by: { const: "o'k" } } } }
steps:
  - { id: pay, await: paid, timeout: 1h }
`;

/** A run that waits, with what it shows and why it does not move. */
async function waiting(text: string, act: (house: SmallHouse, run: string, verbs: Verbs) => Promise<unknown>) {
  const house = openSmallHouse();
  const { verbs } = house.process({ works: true });
  const run = await house.begin(verbs, text);
  await house.until(() => [...house.store.peek().runs.values()].every(({ head }) => head.status === 'WAITING'));
  await act(house, run, verbs);
  const { waitingFor } = await house.settled(verbs.show(run));
  const { reasons } = await house.settled(verbs.why(run));
  return { waitingFor, reasons };
}

type Verbs = ReturnType<SmallHouse['process']>['verbs'];
const vote = (principal: string, decision: 'approve' | 'deny') => (house: SmallHouse, run: string, verbs: Verbs) =>
  house.settled(
    verbs.vote(run, { approval: null, decision, subjectHash: null, principal, roles: ['boss'], comment: null }),
  );
const nothing = () => Promise.resolve();

describe('what a run waits for', () => {
  it('is a number of votes, of which it is told how many were cast and how many are needed', async () => {
    const two = await waiting(ASKING(2), vote('ana', 'approve'));
    expect(two.waitingFor).toMatchObject([
      { kind: 'approval', by: ['role:boss'], progress: '1 of 2 approve, needs 1 more' },
    ]);
    expect(two.reasons[0]?.text).toBe('waits for an approval of ok: 1 of 2 approve, needs 1 more');
    const denied = await waiting(ASKING(1), vote('ana', 'deny'));
    expect(denied.waitingFor).toMatchObject([{ progress: '0 of 1 approve, 1 of 2 deny, needs 1 more' }]);
    expect((await waiting(ASKING(2), nothing)).waitingFor).toMatchObject([
      { progress: '0 of 2 approve, needs 2 more' },
    ]);
    const one = await waiting(ASKING(1), nothing);
    expect(one.waitingFor).toMatchObject([{ progress: null }]);
    expect(one.reasons[0]?.text).toBe('waits for an approval of ok');
  });

  it('is an event, whose command has what its schema asks for, as one argument of a shell', async () => {
    const { waitingFor } = await waiting(LISTENING, nothing);
    expect(waitingFor).toMatchObject([{ kind: 'event', progress: null }]);
    expect(waitingFor[0]?.command).toMatch(/^pawl signal run_\w+ paid '\{"amount": <integer>, "by": "o'\\''k"\}'$/);
  });
});
