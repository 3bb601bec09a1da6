import { describe, expect, it } from 'vitest';
import { attemptWords } from '../../src/engine/attempt-words.ts';
import type { Effect } from '../../src/model/effect.ts';
import type { Json } from '../../src/model/json.ts';
import { answered } from '../../src/testing/simulator/answered.ts';
import { openSmallHouse, type Outside, type SmallHouse } from './support/small-house.ts';

const ASKING = (quorum: number): string => `pawl: 1
workflow: asking
version: 1
timeout: 2h
steps:
  - { id: ok, approve: 'Go on?', from: ['role:boss'], quorum: ${quorum}, denials: 2, expires: 1h }
`;

const MATCHING = `pawl: 1
workflow: matching
version: 1
timeout: 2h
input: { type: object, required: [order], properties: { order: { type: string } } }
events:
  paid:
    schema: { type: object, properties: { order: { type: string }, amount: { type: integer } }, required: [amount] }
    by: event.data.order
  other: { schema: { type: object } }
steps:
  - { id: pay, await: paid, match: =input.order, where: event.data.amount > 5, from: [psp], timeout: 1h }
  - { id: rest, wait: 1h }
`;

const CALLING = (idempotency: string): string => `pawl: 1
workflow: calling
version: 1
timeout: 2h
actions:
  charge:
    http: { method: POST, url: 'http://shop.test/charge' }
    idempotency: ${idempotency}
    reconcile: { http: { method: GET, url: 'http://shop.test/charge' }, found: response.status == 200, absent: final, every: 1m }
    settlesWithin: 1s
    compensate: none
steps:
  - { id: pay, call: charge, retry: { attempts: 3, delay: 60s } }
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
async function waiting(
  text: string,
  act: (house: SmallHouse, run: string, verbs: Verbs) => Promise<unknown>,
  { outside = {}, input = {} }: { outside?: Outside; input?: Json } = {},
) {
  const house = openSmallHouse();
  const { verbs } = house.process({ works: true, outside });
  const run = await house.begin(verbs, text, input);
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

it('what did not leave is told as it is, and no attempt is named that never was', () => {
  const row = (more: object): Effect =>
    ({ state: 'AUTHORIZED', code: 'http-503', lastError: 'busy', countedAttempts: 2, resends: 0, ...more }) as Effect;
  expect(attemptWords(null, row({}))).toBe('attempt 2 met http-503: busy');
  expect(attemptWords(null, row({ code: 'circuit-open', lastError: 'not sent: no way' }))).toBe('not sent: no way');
  expect(attemptWords(null, row({ countedAttempts: 0 }))).toBe('busy');
  expect(attemptWords(null, row({ countedAttempts: 0, lastError: null }))).toBeNull();
});

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

  it('is an event with the value that `match` waits for: the command has it, and is taken', async () => {
    const input = { order: "e'1" };
    const { waitingFor, reasons } = await waiting(MATCHING, nothing, { input });
    const terms = `event.data.order == "e'1" && event.data.amount > 5, source psp`;
    expect(waitingFor[0]?.progress).toBe(terms);
    expect(waitingFor[0]?.command).toMatch(/paid '\{"amount": <integer>, "order": "e'\\''1"\}'$/);
    expect(reasons[0]?.text).toBe(`waits for an event at pay with ${terms}`);
    const plain = MATCHING.replace('by: event.data.order', "by: 'string(event.data.amount)'");
    const computed = await waiting(plain, nothing, { input: { order: '7' } });
    expect(computed.waitingFor[0]).toMatchObject({
      progress: 'string(event.data.amount) == "7" && event.data.amount > 5, source psp',
      command: expect.stringMatching(/paid '\{"amount": <integer>\}'$/) as string,
    });
  });

  it('V11 is told to the sender of an event that nothing takes now', async () => {
    // V11: "The sender is told what became of it: applied, kept, duplicate, stale, refused, already-decided, ended, unmatched."
    let sent: readonly unknown[] = [];
    const send = async (house: SmallHouse, run: string, verbs: Verbs): Promise<void> => {
      const signal = (name: string, data: Json) =>
        house.settled(verbs.signal(run, { name, data, source: 'psp', eventId: null, by: 'ana', waitMs: 2_000 }));
      const early = [await signal('paid', { order: '<text>', amount: 9 }), await signal('other', {})];
      const taken = await signal('paid', { order: 'e1', amount: 9 });
      sent = [...early, taken, await signal('other', {})];
    };
    await waiting(MATCHING, send, { input: { order: 'e1' } });
    const waits = 'pay waits for paid with event.data.order == "e1" && event.data.amount > 5, source psp';
    expect(sent).toMatchObject([
      {
        outcome: 'kept',
        detail: { message: `kept; nothing waits for paid with event.data.order == "<text>" now: ${waits}` },
      },
      { outcome: 'kept', detail: { message: `kept; nothing waits for other now: ${waits}` } },
      { outcome: 'applied' },
      { outcome: 'kept', detail: null },
    ]);
  });

  it.each([
    [
      'a refusal for now',
      '{ header: Idempotency-Key, remembers: 24h }',
      answered(503, {}),
      'retry',
      'attempt 1 of 3 met http-503: answered with status 503: http-503',
    ],
    [
      'no connection',
      'none',
      { kind: 'broken', byteWritten: false, reason: 'ECONNREFUSED' } as const,
      'retry',
      'attempt 1 of 3 met unreachable: not reached: ECONNREFUSED',
    ],
    [
      'no answer',
      '{ header: Idempotency-Key, remembers: 24h }',
      { kind: 'broken', byteWritten: true, reason: 'reset' } as const,
      'resend',
      'attempt 1 met no-answer: no answer came: reset',
    ],
    [
      'no answer, and none to a question',
      'none',
      { kind: 'broken', byteWritten: true, reason: 'reset' } as const,
      'query',
      /^asked 1x, last heard: /,
    ],
  ] as const)(
    'is after %s the next attempt, of which the last is told',
    async (_, idempotency, report, kind, progress) => {
      const outside = { send: () => report, query: () => answered(500, {}) };
      const { waitingFor, reasons } = await waiting(CALLING(idempotency), nothing, { outside });
      expect(waitingFor).toMatchObject([{ kind, step: 'pay', progress: expect.stringMatching(progress) as string }]);
      expect(reasons[0]?.text.endsWith(`; ${String(waitingFor[0]?.progress)}`)).toBe(true);
    },
  );
});
