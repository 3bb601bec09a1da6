import { describe, expect, it } from 'vitest';
import type { AttemptReport } from '../../src/model/outcome.ts';
import type { TokenAnswer, TokenGrant } from '../../src/model/token-grant.ts';
import { answered } from '../../src/testing/simulator/answered.ts';
import { openSmallHouse } from './support/small-house.ts';

const WORKFLOW = [
  'pawl: 1',
  'workflow: paying',
  'version: 1',
  'timeout: 1h',
  'actions:',
  '  bank.pay:',
  "    http: { method: POST, url: 'http://bank.test/pay' }",
  '    idempotency: { header: Idempotency-Key, remembers: 24h }',
  '    auth: { oauth2: { tokenUrl: "http://bank.test/token", clientId: "pawl", clientSecret: "=constants.word", scope: pay } }',
  '    compensate: none',
  'constants: { word: open-sesame }',
  'steps:',
  '  - { id: pay, call: bank.pay }',
  '',
].join('\n');

const remembered = (token: string): TokenAnswer => ({ kind: 'token', token, isRemembered: true });
const fresh = (token: string): TokenAnswer => ({ kind: 'token', token, isRemembered: false });

/** One payment, with tokens and answers that come one after the other. */
async function pay(tokens: readonly TokenAnswer[], answers: readonly AttemptReport[]) {
  const { store, process, begin, settled, until } = openSmallHouse();
  const sent: (string | undefined)[] = [];
  const asked: TokenGrant[] = [];
  const forgotten: TokenGrant[] = [];
  const { verbs } = process({
    works: true,
    outside: {
      token: (grant) => tokens[asked.push(grant) - 1] ?? fresh('one too many'),
      forgetToken: (grant) => void forgotten.push(grant),
      send: (_order, headers) => answers[sent.push(headers['authorization']) - 1] ?? answered(500, null),
    },
  });
  const run = await begin(verbs, WORKFLOW);
  /** What the payment looks like once it stands like this. */
  const effectIn = async (...states: readonly string[]) => {
    const rows = () => [...store.peek().runs.values()].flatMap(({ effects }) => [...effects.values()]);
    await until(() => rows().some((row) => states.includes(row.state) && row.attempt > 0));
    const [effect] = (await settled(verbs.show(run))).effects;
    return effect;
  };
  return { sent, asked, forgotten, effectIn };
}

const GRANT = { tokenUrl: 'http://bank.test/token', clientId: 'pawl', clientSecret: 'open-sesame', scope: 'pay' };

describe('an action that is called with a token', () => {
  it('asks for it with the credentials of that moment, sends it, and stores nothing that tells it', async () => {
    const play = await pay([fresh('t-secret-1')], [answered(200, { id: 'p1', echo: 'Bearer t-secret-1' })]);
    expect(await play.effectIn('CONFIRMED')).toMatchObject({ output: { id: 'p1', echo: 'Bearer [secret]' } });
    expect(play.asked).toEqual([GRANT]);
    expect(play.sent).toEqual(['Bearer t-secret-1']);
  });

  it('takes a 401 to a remembered token for nothing done, forgets it, and sends with the next one', async () => {
    const play = await pay([remembered('old'), fresh('new')], [answered(401, { error: 'expired' }), answered(200, {})]);
    expect(await play.effectIn('CONFIRMED')).toMatchObject({ sent: 1, unsent: 1 });
    expect(play.sent).toEqual(['Bearer old', 'Bearer new']);
    expect(play.forgotten).toEqual([GRANT]);
  });

  it('takes a 401 to a new token for the refusal that it is', async () => {
    const play = await pay([fresh('new')], [answered(401, { error: 'unknown client' })]);
    expect(await play.effectIn('FAILED')).toMatchObject({ sent: 1 });
    expect(play.forgotten).toEqual([]);
  });

  it('sends nothing where no token is to be had, says why, and asks again in ten seconds', async () => {
    const reason = 'no token from http://bank.test/token: it answered 503';
    const play = await pay([{ kind: 'none', reason }, fresh('t1')], [answered(200, {})]);
    const effect = await play.effectIn('AUTHORIZED');
    expect(effect).toMatchObject({ sent: 0, lastError: expect.stringContaining(reason) });
    expect(Date.parse(effect?.notBefore ?? '') - Date.parse(effect?.requestedAt ?? '')).toBeGreaterThanOrEqual(10_000);
    expect(await play.effectIn('CONFIRMED')).toMatchObject({ sent: 1 });
    expect(play.sent).toEqual(['Bearer t1']);
  });
});
