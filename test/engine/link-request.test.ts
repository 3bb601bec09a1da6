import { describe, expect, it } from 'vitest';
import { createLinks } from '../../src/app/links.ts';
import { proposeEffect } from '../../src/decision/propose-effect.ts';
import { linkRequest } from '../../src/engine/link-request.ts';
import type { Effect, EffectRequest } from '../../src/model/effect.ts';
import type { RunId } from '../../src/model/ids.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { awaitLink, linkPlaceholder } from '../../src/model/link.ts';
import type { QueryOrder, SendOrder } from '../../src/ports/action-adapter.ts';
import type { Links } from '../../src/ports/links.ts';
import { answered } from '../../src/testing/simulator/answered.ts';
import { BEGIN_MS, openSmallHouse, type SmallHouse } from './support/small-house.ts';

const RUN = '0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b' as RunId;
const [PAY, OTHER] = [awaitLink('pay', []), awaitLink('other', [])];
const AT = 'https://x.example/v1/links/';
const plain: Links = {
  address: (_run, name) => ({ kind: 'address', url: AT + name, token: name }),
  read: () => null,
};

function rowOf(request: Partial<EffectRequest>): { readonly effect: Effect; readonly request: EffectRequest } {
  const whole = {
    action: 'a',
    contract: 1,
    method: 'POST',
    url: 'https://p.example/',
    headers: {},
    function: null,
    with: null,
    body: null,
    ...request,
  };
  const effect = proposeEffect({
    ingredients: { kind: 'forward', tenant: 't', reach: 'run', address: [], object: 'o', intent: 'i', generation: 0 },
    step: 'a',
    frames: [],
    request: whole,
    pivot: false,
    state: 'AUTHORIZED',
    approvalId: null,
    compensates: null,
  });
  return { effect, request: whole };
}

function leaving(request: Partial<EffectRequest>, links: Links | undefined = plain) {
  return linkRequest(links === undefined ? {} : { links }, { runId: RUN, nowMs: 0, ...rowOf(request) });
}

describe('a request that names waits', () => {
  it('leaves with their addresses wherever something stood for them, as data of a URL too', () => {
    const blank = linkPlaceholder(PAY);
    const body = { deep: [{ to: blank, text: `see ${blank}, or ${blank}?x=1` }], n: 1, none: null };
    const url = `https://p.example/ask?back=${encodeURIComponent(blank)}`;
    const left = leaving({ links: [PAY], with: { to: blank }, body, url, headers: { 'x-back': blank } });
    expect(left).toMatchObject({
      kind: 'linked',
      tokens: [PAY],
      request: {
        with: { to: AT + PAY },
        body: { deep: [{ to: AT + PAY, text: `see ${AT}${PAY}, or ${AT}${PAY}?x=1` }], n: 1, none: null },
        url: `https://p.example/ask?back=${encodeURIComponent(AT + PAY)}`,
        headers: { 'x-back': AT + PAY },
      },
    });
  });

  it('P12 leaves what only looks like one as it is: nobody gets an address by writing its placeholder', () => {
    // P12: "No secret in any row, log, error or page: proved by planted canaries."
    const body = { note: linkPlaceholder(OTHER) };
    expect(leaving({ links: [PAY], body })).toMatchObject({ request: { body } });
    expect(leaving({ body })).toMatchObject({ request: { body }, tokens: [] });
  });

  it('does not leave where no address can be made, and says what is missing where', () => {
    const missing = {
      kind: 'missing',
      reason: expect.stringContaining('pawl.config.yaml (links: { url: …, secret: … })'),
    };
    expect(linkRequest({}, { runId: RUN, nowMs: 0, ...rowOf({ links: [PAY] }) })).toEqual(missing);
    expect(linkRequest({}, { runId: RUN, nowMs: 0, ...rowOf({}) })).toMatchObject({ kind: 'linked' });
  });
});

const FILE = (action: string, more = ''): string => `pawl: 1
workflow: linked
version: 1
timeout: 9d
events: { paid: {} }
actions:
  do.ask:
    ${action}
    idempotency: { remembers: 24h }
    settlesWithin: 1m
    compensate: none
${more}steps:
  - { id: ask, call: do.ask, with: { to: =links.pay } }
  - { id: pay, await: paid }
`;
const BY_FUNCTION = FILE('function: ask@1');
const lost = { kind: 'broken', byteWritten: true, reason: 'the answer was lost' } as const;

/** Links of a deployment whose secrets can be given later. */
function deployment(env: Readonly<Record<string, string>>, previous?: { secret: string; untilMs: number }): Links {
  const secrets = {
    read: (name: string) => env[name] ?? null,
    placeOf: (name: string) => `PAWL_SECRET_${name.toUpperCase()}`,
  };
  const config = { url: 'https://x.example', secret: 'key', ...(previous === undefined ? {} : { previous }) };
  return createLinks({ config, secrets, tenant: 'default' });
}

const toOf = ({ request }: SendOrder | QueryOrder): string => String((request.with as JsonObject)['to']);

async function passes(house: SmallHouse, ms: number): Promise<void> {
  const untilMs = house.world.nowMs() + ms;
  await house.world.run(() => house.world.nowMs() >= untilMs, untilMs);
}

describe('a call that sends a link', () => {
  it('E06 is sent again with the same bytes also where another secret signs by then, and asks with them', async () => {
    // E06: "resend with the same bytes while the key is remembered"
    const house = openSmallHouse();
    const sent: string[] = [];
    const send = (order: SendOrder) => {
      sent.push(toOf(order));
      return sent.length < 3 ? lost : answered(null, { id: 'x', echo: toOf(order) });
    };
    const links = deployment({ key: 'new secret', old: 'old secret' }, { secret: 'old', untilMs: BEGIN_MS + 1_500 });
    const { verbs } = house.process({ works: true, outside: { send }, links });
    const id = await house.begin(verbs, BY_FUNCTION);
    await house.until(() => sent.length === 3);
    await passes(house, 1_000);
    expect(new Set(sent).size).toBe(1);
    expect(sent[0]).toMatch(/^https:\/\/x\.example\/v1\/links\/[0-9a-f]{32}\.pay\./);
    const view = await house.settled(verbs.show(id));
    expect(view.effects[0]).toMatchObject({ state: 'CONFIRMED', request: { to: linkPlaceholder(PAY) } });
    expect(JSON.stringify(view)).not.toContain(sent[0]?.slice(-43));
  });

  it('P12 is not sent where the secret is missing: the run is HELD, says so, and goes on once it is there', async () => {
    // P12: "No secret in any row, log, error or page: proved by planted canaries."
    const house = openSmallHouse();
    const env: Record<string, string> = {};
    const sent: string[] = [];
    const send = (order: SendOrder) => {
      sent.push(toOf(order));
      return answered(null, { id: 'x' });
    };
    const { verbs } = house.process({ works: true, outside: { send }, links: deployment(env) });
    const id = await house.begin(verbs, BY_FUNCTION);
    await passes(house, 10_000);
    const held = await house.settled(verbs.show(id));
    expect([held.status, sent]).toEqual(['HELD', []]);
    expect(held.incidents[0]?.message).toContain('links are signed with it, it is read from PAWL_SECRET_KEY');
    env['key'] = 'a secret';
    await house.settled(verbs.retry(id, 'ask', { by: 'op', reason: 'it is there' }));
    await house.until(() => sent.length === 1);
  });

  it('is published and started only where addresses can be made, and says what is missing where', async () => {
    const house = openSmallHouse();
    const { verbs: without } = house.process({ works: false, links: null });
    const publish = house.settled(without.publish({ text: BY_FUNCTION, file: 'x.yaml', by: 'ana' }));
    await expect(publish).rejects.toMatchObject({
      code: 'PAWL_LINKS_OFF',
      message: expect.stringMatching(/linked sends the address of "pay" \(links\.pay\), and links are not set up here/),
    });
    const { verbs } = house.process({ works: false });
    await house.settled(verbs.publish({ text: BY_FUNCTION, file: 'x.yaml', by: 'ana' }));
    const ask = { workflow: 'linked', version: 1, input: {}, by: 'ana' };
    await expect(house.settled(without.start(ask))).rejects.toMatchObject({ code: 'PAWL_LINKS_OFF' });
    expect((await house.settled(verbs.start(ask))).created).toBe(true);
  });

  it('P12 asks its provider with the address, and keeps nothing of it', async () => {
    // P12: "No secret in any row, log, error or page: proved by planted canaries."
    const house = openSmallHouse();
    const asked: string[] = [];
    const query = (order: QueryOrder) => {
      asked.push(toOf(order));
      return {
        kind: 'declared',
        outcome: 'confirmed',
        code: null,
        afterMs: null,
        data: { told: toOf(order) },
      } as const;
    };
    const { verbs } = house.process({
      works: true,
      outside: { send: () => lost, query },
      links: deployment({ key: 'k' }),
    });
    const action = 'function: ask@1\n    reconcile: { function: ask@1, absent: final, every: 1s }';
    const text = FILE(action).replace('call: do.ask,', 'call: do.ask, onUnknown: reconcile,');
    const id = await house.begin(verbs, text);
    await house.until(() => asked.length > 0);
    await passes(house, 1_000);
    const view = await house.settled(verbs.show(id));
    expect(asked[0]).toContain('https://x.example/v1/links/');
    expect(view.effects[0]).toMatchObject({ state: 'CONFIRMED' });
    expect(JSON.stringify(view)).not.toContain(asked[0]?.slice(-43));
  });

  it('E03 is handed out with the address, only where it can be made, and what comes back holds none', async () => {
    // E03: "REQUESTED (attempt, fence, `sendBy`) is committed before the first byte leaves."
    const house = openSmallHouse();
    const { verbs } = house.process({ works: false, links: deployment({ key: 'k' }) });
    const without = house.process({ works: false, links: null });
    const id = await house.begin(verbs, FILE('worker: desk'));
    const ask = { queue: 'desk', limit: 1, leaseMs: 60_000, waitMs: 0, by: 'w' };
    expect(await house.settled(without.verbs.pullAttempts(ask))).toEqual([]);
    expect(without.logged).toContainEqual({ event: 'link.missing', facts: expect.objectContaining({ runId: id }) });
    await passes(house, 10_000);
    const [attempt] = await house.settled(verbs.pullAttempts(ask));
    const to = String((attempt?.request as JsonObject | undefined)?.['to']);
    expect(to).toContain('https://x.example/v1/links/');
    const said = { outcome: 'confirmed', output: { told: to } as Json, code: null, afterMs: null, by: 'w' } as const;
    const handOut = attempt?.handOut ?? '';
    await expect(house.settled(without.verbs.settleHandOut({ handOut, ...said }))).rejects.toMatchObject({
      code: 'PAWL_LINKS_OFF',
    });
    await house.settled(verbs.settleHandOut({ handOut, ...said }));
    const view = await house.settled(verbs.show(id));
    expect(view.effects[0]).toMatchObject({ state: 'CONFIRMED' });
    expect(JSON.stringify(view)).not.toContain(to.slice(-43));
  });
});
