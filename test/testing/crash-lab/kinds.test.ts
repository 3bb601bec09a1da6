import { describe, expect, it } from 'vitest';
import { findStories } from '../../../src/testing/crash-lab/find-stories.ts';
import { findWarnings } from '../../../src/testing/crash-lab/find-warnings.ts';
import { tryEvents } from '../../../src/testing/crash-lab/event-troubles.ts';
import { type Reliance, Tally } from '../../../src/testing/crash-lab/lab-report.ts';
import { listCases } from '../../../src/testing/crash-lab/list-cases.ts';
import { runCrashLab } from '../../../src/testing/crash-lab/run-crash-lab.ts';
import { NO_SCENARIO } from '../../../src/testing/crash-lab/scenario-file.ts';
import { HEARD, KINDS } from './kinds-of-unsafety.ts';
import { FILE, opened, shown, tried } from './lab-support.ts';
import { WORKFLOWS } from './unsafe-workflows.ts';

/** Where one provider is not there, another is asked. */
const FALLBACK = `pawl: 1
workflow: fallback
version: 1
timeout: 1d
actions:
  a.charge: { http: { method: POST, url: 'http://127.0.0.1:1/a' }, idempotency: { header: Key, remembers: 24h }, compensate: none }
  b.charge: { http: { method: POST, url: 'http://127.0.0.1:1/b' }, idempotency: { header: Key, remembers: 24h }, compensate: none }
  goods.ship: { http: { method: POST, url: 'http://127.0.0.1:1/ship' }, idempotency: { header: Key, remembers: 24h }, compensate: none }
steps:
  - id: pay
    call: a.charge
    retry: { attempts: 3, delay: 1s }
    catch: [{ on: [unavailable], do: [{ id: other, call: b.charge }] }]
  - { id: ship, call: goods.ship, pivot: true }
`;

/** A refund by hand, and the undo that comes by itself. */
const BY_HAND = `pawl: 1
workflow: by-hand
version: 1
timeout: 1d
actions:
  a.charge:
    http: { method: POST, url: 'http://127.0.0.1:1/a' }
    idempotency: { header: Key, remembers: 24h }
    output: { type: object, required: [id], properties: { id: { type: string } } }
    compensate: { call: a.refund, with: { id: =effect.output.id } }
  a.refund: { http: { method: POST, url: 'http://127.0.0.1:1/r' }, idempotency: { header: Key, remembers: 24h }, compensate: none }
  goods.ship: { http: { method: POST, url: 'http://127.0.0.1:1/ship' }, idempotency: { header: Key, remembers: 24h }, compensate: none }
steps:
  - { id: pay, call: a.charge }
  - id: ship
    call: goods.ship
    catch: [{ on: [rejected], do: [{ id: back, call: a.refund, with: { id: =steps.pay.output.id } }], then: raise }]
`;

describe('each kind of unsafety is found and named, and its safe twin is clean', () => {
  it.each(Object.entries(KINDS))(
    '%s',
    async (_kind, { unsafe, safe, label, way, finds, mend }) => {
      const { findings } = await tried(await opened(unsafe), label, way);
      expect(shown(findings)).toContain(finds);
      expect(findings.find(({ boundary, kind }) => `${boundary}: ${kind}` === finds)?.mend).toContain(mend);
      const twin = await tried(await opened(safe), label, way);
      expect(twin.findings).toEqual([]);
    },
    60_000,
  );

  it('a provider that is away is told of where that alone leads on, and what comes then is crashed too', async () => {
    const lab = await opened(FALLBACK);
    const { told, unreached } = await findStories(lab);
    expect(told.map(({ story }) => story.name)).toEqual([
      'as it should be',
      'ship declined',
      'pay declined',
      'pay away',
    ]);
    expect(unreached).toEqual([]);
    const effects = listCases(lab, told).map(({ target }) => target.effect);
    expect(effects).toEqual(expect.arrayContaining(['pay (away)', 'other']));
    const endless = await opened(FALLBACK.replace('attempts: 3', 'attempts: forever'));
    expect((await findStories(endless)).unreached).toEqual(['other']);
  });

  it('what is asked for twice in one run, to the byte, is a warning: an undo beside one that is made by hand', async () => {
    const lab = await opened(BY_HAND);
    const { told } = await findStories(lab);
    const asked = findWarnings(lab, told).filter(({ message }) => message.includes('to the byte'));
    expect(asked.map(({ effect, story, message }) => [effect, story, message])).toEqual([
      ['undo pay', 'ship declined', 'it asks for the same as back, to the byte, and both are done'],
    ]);
    const once = await opened(
      BY_HAND.replace('do: [{ id: back, call: a.refund, with: { id: =steps.pay.output.id } }], ', ''),
    );
    expect(
      findWarnings(once, (await findStories(once)).told).filter(({ message }) => message.includes('byte')),
    ).toEqual([]);
  });

  it('a read by a method that does something happens again, one that only asks does not', async () => {
    const deleting = WORKFLOWS.reading.replace('method: POST', 'method: DELETE');
    const { findings } = await tried(await opened(deleting), 'pay', /./);
    expect(shown(findings)).toEqual(['done: double']);
    expect((await tried(await opened(WORKFLOWS.reading), 'pay', /./)).plays).toBe(0);
  });

  it.each([
    ['computed of what another run may have', '${ input.account }', true],
    ["the effect's own", '${ effect.key }', false],
    ['a secret, which is no key', '${ secrets.token }', false],
  ])('another run comes first where a header that is called like a key is %s', async (_what, value, comes) => {
    const headers = `pay', headers: { Transaction-Key: '${value}' }`;
    const text = `${WORKFLOWS.keyed.replace("pay'", headers)}secrets: [token]\n`;
    const lab = await opened(text);
    const { told } = await findStories(lab);
    expect(listCases(lab, told).map(({ withNeighbour }) => withNeighbour)).toEqual([comes, comes]);
  });

  it.each([
    ['a field of its body', ['with: {', 'with: { dedupKey: =input.account, '], true],
    ['a parameter of its address', ["pay'", "pay', query: { nonce: '${ with.account }' }"], true],
    ['no field that only speaks of another act', ['with: {', 'with: { transactionId: =input.account, '], false],
  ] as const)('another run comes first where %s is called like a key', async (_what, [before, after], comes) => {
    const lab = await opened(WORKFLOWS.keyed.replace(before, after));
    const { told } = await findStories(lab);
    expect(listCases(lab, told).map(({ withNeighbour }) => withNeighbour)).toEqual([comes, comes]);
  });

  it.each([
    ['--lie open', null, ['open']],
    ['a scenario that says open: shown', 'lookup: { bank.pay: { open: shown } }', []],
  ] as const)('with %s a lookup that finds every row takes a pending one for done', async (_way, scenario, lies) => {
    const { findings } = await tried(await opened(WORKFLOWS.lookup, scenario, lies), 'pay', /row in the lookup/);
    expect(findings.map(({ message }) => message)).toContainEqual(expect.stringContaining('"pending" for done'));
  });
});

describe('a doubt that is asked about for a day', () => {
  it('is no silent stop although it is not played to its end', async () => {
    const never = WORKFLOWS.lookup.replace('absent: final', 'absent: never');
    const { findings, plays } = await tried(await opened(never), 'pay', /lost, the connection broke/);
    expect([findings, plays]).toEqual([[], 1]);
  }, 60_000);
});

/** How a payment ends when nothing goes wrong, whether its yes is read, and what could not be played. */
async function calmly(text: string, scenario: string | null = null) {
  const { told, problems } = await findStories(await opened(text, scenario));
  return [told[0]?.calm.status, told[0]?.calm.misread.size, problems.length];
}

describe('a table that knows only one status of a yes', () => {
  it.each([200, 201])('%s: that is what its provider answers', async (status) => {
    const text = WORKFLOWS.misread.replace(/response\.body\.error == "\w+"/, `response.status != ${status}`);
    expect(await calmly(text)).toEqual(['COMPLETED', 0, 0]);
  });
});

describe('an outcome that reads what a yes need not carry', () => {
  it('is found and named at the first answer, and one that asks by has(…) is not', async () => {
    const { findings, problems } = await runCrashLab({
      text: WORKFLOWS.misread,
      file: FILE,
      scenario: NO_SCENARIO,
      lies: [],
    });
    expect([shown(findings), problems]).toEqual([['answered: loss'], []]);
    expect(findings[0]?.message).toContain('`error` is missing');
    expect(findings[0]?.mend).toContain('has(…)');
    const guarded = `'has(response.body.error) && response.body.error == "declined"'`;
    const twin = WORKFLOWS.misread.replace('response.body.error == "declined"', guarded);
    expect(await calmly(twin)).toEqual(['COMPLETED', 0, 0]);
  });

  it('is no fault where only the provider can tell what a yes carries: a scenario says it', async () => {
    const bySum = 'response.body.sum > 0, is: confirmed';
    const text = WORKFLOWS.misread.replace('response.body.error == "declined", is: rejected', bySum);
    expect(await calmly(text)).toEqual(['RUNNING', 0, 1]);
    expect(await calmly(text, 'answers: { bank.pay: { id: a, sum: 1 } }')).toEqual(['COMPLETED', 0, 0]);
  });
});

describe('the run beside the one that is played', () => {
  const unkeyed = (text: string): string => text.replace('key: input.no\n', '');
  const lost = /the connection broke/;

  it('of a workflow without a key differs in the object of its calls, else in what is called like a number', async () => {
    const byNo = WORKFLOWS.lookup.replace('key=${ effect.key }', 'no=${ with.no }');
    expect((await tried(await opened(unkeyed(byNo)), 'pay', lost)).findings).toEqual([]);
    const object = byNo.replace('call: bank.pay,', "call: bank.pay, object: 'account/${ input.account }',");
    const byAccount = object.replace('no=${ with.no }', 'account=${ with.account }');
    expect((await tried(await opened(unkeyed(byAccount)), 'pay', lost)).findings).toEqual([]);
    expect(shown((await tried(await opened(unkeyed(object)), 'pay', lost)).findings)).toEqual(['sent: loss']);
  });
});

/** What its events have shown: findings, and words of the sender that it depends on. */
async function heard(text: string, scenario: string | null = null) {
  const lab = await opened(text, scenario);
  const { told } = await findStories(lab);
  const [first] = told;
  if (first === undefined) throw new Error('no story was told');
  const targets = listCases(lab, [first]).map(({ target }) => target);
  const tally = new Tally(targets);
  const relies: readonly Reliance[] = await tryEvents({ lab, told: first, targets, tally });
  return { found: tally.findings().map(({ effect, kind }) => `${effect}: ${kind}`), relies };
}

describe('a sender that repeats one event under a new id', () => {
  it('is found where the run acts twice on it, and not where it waits for what grows', async () => {
    expect((await heard(HEARD.loop)).found).toContain('ship#2: double');
    expect(await heard(HEARD.growing)).toEqual({ found: [], relies: [] });
  });

  it('is not found where doing it again changes nothing', async () => {
    const natural = HEARD.loop.replace('{ header: Idempotency-Key, remembers: 24h }', 'natural');
    expect((await heard(natural)).found).toEqual([]);
  });

  it('is a promise that the run depends on where two waits take one event', async () => {
    const { found, relies } = await heard(HEARD.steps);
    expect(found).toEqual([]);
    expect(relies).toMatchObject([{ effect: 'ship', promise: 'who sends paid gives what is sent again the same id' }]);
  });

  it('is played as a scenario says it, by the ids that it gives', async () => {
    const twice = (ids: string): string =>
      `events: [{ name: paid, data: { no: a, at: 1 }, at: 10s, id: x }, { name: paid, data: { no: a, at: 1 }, at: 1m, id: ${ids} }]`;
    expect((await heard(HEARD.loop, twice('y'))).found).toEqual(['ship#2: double']);
    expect((await heard(HEARD.loop, twice('x'))).found).toEqual([]);
  });
});

describe('an event about something else', () => {
  it('is found where the wait says no match, or one that another run has, too', async () => {
    expect((await heard(HEARD.unmatched)).found).toEqual(['ship: stray']);
    expect((await heard(HEARD.shared)).found).toEqual(['ship: stray']);
    expect((await heard(HEARD.matched)).found).toEqual([]);
  });
});

describe('what the author may not have meant', () => {
  const SHIPS = "http: { method: POST, url: 'http://post.example/ship' }";
  const keyed = 'idempotency: { header: Idempotency-Key, remembers: 24h }';
  const shipping = (pay: string, then: string): string =>
    WORKFLOWS.keyed
      .replace(
        'steps:',
        ['  post.ship:', SHIPS, keyed, 'compensate: none', 'steps:'].join('\n    ').replace(/ +steps/, 'steps'),
      )
      .replace(
        'account: =input.account } }',
        `account: =input.account }${pay} }\n  - { id: ship, call: post.ship${then} }`,
      );
  const warned = async (text: string): Promise<readonly string[]> => {
    const lab = await opened(text);
    const { told } = await findStories(lab);
    return findWarnings(lab, told).map(
      ({ effect, action, story, message }) => `${effect} (${action}), ${story}: ${message}`,
    );
  };

  it('what nothing undoes stands when a later step fails, but where that is the last or handled', async () => {
    expect(await warned(shipping('', ''))).toEqual([
      'pay (bank.pay), ship declined: it stands although the run is FAILED: by `compensate: none` nothing undoes it',
    ]);
    expect(await warned(WORKFLOWS.keyed)).toEqual([]);
    expect(await warned(shipping('', ', catch: [{ on: [rejected], next: end }]'))).toEqual([]);
  });

  it('what is refused behind the pivot holds the run, but where that is handled', async () => {
    expect(await warned(shipping(', pivot: true', ''))).toEqual([
      'ship (post.ship), ship declined: refused behind the pivot pay it holds the run until a person decides; what stands: pay',
    ]);
    expect(await warned(shipping(', pivot: true', ', catch: [{ on: [rejected], next: end }]'))).toEqual([]);
  });
});

const DECIDED = (more: string, act = 'call: do.a, with: { n: 1 }'): string => `pawl: 1
workflow: decided
version: 1
timeout: 9d
actions:
  do.a: { http: { method: POST, url: 'http://p/a' }, idempotency: { header: K, remembers: 24h }, timeout: 2s, settlesWithin: 3s, compensate: none }
steps:
  - { id: ok, approve: 'Go on?', from: ['role:desk'], expires: 1h${more} }
  - { id: act, ${act} }
`;

it('what is done after a no as after a yes is a warning, what a no keeps from happening is none', async () => {
  const warned = async (text: string): Promise<readonly string[]> => {
    const lab = await opened(text);
    return findWarnings(lab, (await findStories(lab)).told).map(({ effect, message }) => `${effect}: ${message}`);
  };
  const goesOn = ', catch: [{ on: [denied, expired], then: continue }]';
  expect(await warned(DECIDED(goesOn))).toEqual(['act: it happens although ok is denied, as if it were approved']);
  expect(await warned(DECIDED(''))).toEqual([]);
  expect(await warned(DECIDED(goesOn, "when: 'steps.ok.code == null', call: do.a"))).toEqual([]);
  const both = DECIDED(goesOn).replace(/steps:[\s\S]*/, (steps) =>
    steps
      .replace('steps:', 'steps:\n  - id: both\n    parallel:')
      .replace(/ {2}- ({ id: ok.*)/, '      one: [$1]')
      .replace(/ {2}- ({ id: act.*)/, '      other: [$1]'),
  );
  expect(await warned(both)).toEqual([]);
});

it('a lab in which no act is come to says so, and is not clean', async () => {
  const text = DECIDED('', 'call: do.a, with: { n: =steps.act.attempts }').replace(/.*approve.*\n/, '');
  const report = await runCrashLab({ text, file: FILE, scenario: NO_SCENARIO, lies: [] });
  expect(report.problems).toEqual([
    expect.stringContaining('no story comes to an act (as it should be: FAILED (expression))'),
  ]);
});
