import { describe, expect, it } from 'vitest';
import { runTests, type TestReport } from '../../../src/testing/scenario/run-tests.ts';
import { PAY } from './support/pay-workflow.ts';

/** Plays scenarios of the payment. */
function play(scenarios: string, { crash = false, workflow = PAY } = {}): Promise<TestReport> {
  const files: Readonly<Record<string, string>> = {
    'pay.test.yaml': `scenarios:\n${scenarios.replace(/^/gm, '  ')}`,
    'pay.pawl.yaml': workflow,
  };
  return runTests({ files: ['pay.test.yaml'], crash, read: (file) => files[file] ?? '' });
}

/** Everything that was wrong, as texts; the empty list says that nothing was. */
async function wrongIn(scenarios: string, options?: Parameters<typeof play>[1]): Promise<readonly string[]> {
  const { files, ok } = await play(scenarios, options);
  const told = files.flatMap(({ result, problems, unreadable }) => [
    ...(unreadable === null ? [] : [unreadable]),
    ...problems.map(({ message }) => message),
    ...(result?.scenarios ?? []).flatMap((scenario) => [
      ...scenario.misses.map(({ what, expected, got }) => `${what}: expected ${expected}, got ${got}`),
      ...scenario.problems,
      ...(scenario.crashed?.misses ?? []).map(
        ({ words, misses }) => `${words}: ${misses.map(({ got }) => got).join()}`,
      ),
    ]),
  ]);
  expect(ok).toBe(told.length === 0);
  return told;
}

/** The payment behind an approval by so many, which as many must deny. */
const asked = (quorum: number): string => `pawl: 1
workflow: pay
version: 1
timeout: 9d
actions:
  bank.pay: { http: { method: POST, url: 'http://127.0.0.1:1/pay' }, idempotency: natural, compensate: none }
steps:
  - { id: ok, approve: Pay?, from: ['role:desk'], quorum: ${quorum}, expires: 1d, onExpire: hold }
  - { id: pay, call: bank.pay, authorizedBy: ok }
`;

/** One scenario. */
const one = (expectation: string, ...parts: readonly string[]): string =>
  ['- name: one', '  input: { id: P-1 }', ...parts.map((part) => `  ${part}`), `  expect: { ${expectation} }`, ''].join(
    '\n',
  );

describe('a scenario', () => {
  it.each([
    ['goes on by itself when its time has come', "effects: 'hold, pay', status: COMPLETED, at: { pay: 10s, end: 10s }"],
    [
      'is sent an event in time',
      "effects: 'hold, tell', status: COMPLETED, outcome: called-off, wholeOutput: { off: true }, at: { tell: 4s }",
      'events: [{ at: 4s, signal: calledOff }]',
    ],
    [
      'is sent an event too late, which its sender is told',
      "effects: 'hold, pay', status: COMPLETED",
      'events: [{ at: 11s, signal: calledOff, answer: ended }]',
    ],
    ['is asked once for each thing', "status: COMPLETED, effects: 'hold, pay', calls: { stock.hold: 1, mail.send: 0 }"],
    [
      'is told what nobody knows',
      "effects: 'stock.hold, bank.pay', status: NEEDS PERSON, incidents: [unknown pay], open: pay, steps: [hold, window, pay]",
      'provider: { bank.pay: lost-done }',
    ],
    [
      'is decided by a person',
      "effects: 'stock.hold, bank.pay', status: COMPLETED, output: { payment: B-1 }",
      'provider: { bank.pay: lost-done }',
      'events: [{ at: 1h, resolve: pay, as: confirmed, evidence: seen, output: { id: B-1 }, roles: [operator] }]',
    ],
    [
      'is answered as it is given, by status and body',
      "effects: 'hold, pay', status: COMPLETED, output: { payment: B-7 }",
      'provider: { bank.pay: { answer: { id: B-7 } }, stock.hold: [{ body: { id: H-9 } }] }',
    ],
    [
      'is told that what it says twice is known',
      "effects: 'hold, tell', status: COMPLETED",
      'events: [{ at: 4s, signal: calledOff, id: a, answer: applied }, { at: 5s, signal: calledOff, id: a, answer: duplicate }]',
    ],
    [
      'is held with a message',
      "effects: hold, status: NEEDS PERSON, incidents: ['compensation hold: the undo of step hold was refused (http-402): 0 of 1 undone, 1 needs a person']",
      'provider: { bank.pay: declined, stock.free: declined }',
    ],
    [
      'is refused with what is given',
      "effects: '-', status: FAILED, failure: conflict",
      'provider: { stock.hold: [{ status: 409, body: { why: taken } }] }',
    ],
    [
      'is cancelled, and undone',
      "effects: 'stock.hold, stock.free', status: CANCELLED",
      'events: [{ at: 5s, cancel: changed my mind, by: ana }]',
    ],
    [
      'is stopped without undo',
      'effects: stock.hold, status: TERMINATED',
      'events: [{ at: 5s, terminate: stop it, by: ana }]',
    ],
    [
      'is compensated by order when it is over',
      "effects: 'stock.hold, mail.send, stock.free', status: COMPENSATED",
      'events: [{ at: 4s, signal: calledOff }, { at: 1h, compensate: it was wrong, by: ana }]',
    ],
    [
      'is started again with the same key: once with the same input, once with another',
      "effects: 'hold, pay', status: COMPLETED",
      'events: [{ at: 1s, start: again, answer: same }, { at: 2s, start: again, input: { id: P-1, again: true }, answer: PAWL_RUN_KEY_CONFLICT }]',
    ],
    [
      'waits while nobody is there, and goes on',
      "effects: 'hold, tell', status: COMPLETED, at: { tell: 20s }",
      'events: [{ at: 1s, worker: down }, { at: 4s, signal: calledOff }, { at: 20s, worker: up }]',
    ],
    ['is looked at before its end', 'effects: hold, status: WAITING, open: []', 'until: 5s'],
    [
      'fails and gives back what it had',
      "effects: 'hold, undo hold', status: COMPENSATED, failure: http-402",
      'provider: { bank.pay: declined }',
    ],
  ])('%s', async (_what, expectation = '', ...parts) => {
    expect(await wrongIn(one(expectation, ...parts))).toEqual([]);
  });

  it('needs a person at once where a provider cannot be asked what happened', async () => {
    const reconcile =
      "reconcile: { http: { method: GET, url: 'http://127.0.0.1:4171/pay' }, found: 'true', giveUp: 24h }";
    const workflow = PAY.replace('    idempotency: none\n', `$&    ${reconcile}\n`);
    const blind = 'provider: { bank.pay: { script: lost-done, lookup: no } }';
    const scenario = one("effects: 'hold, pay', status: NEEDS PERSON, incidents: [unknown pay]", blind);
    expect(await wrongIn(scenario, { workflow })).toEqual([]);
  });

  it('is held against what it has published, event by event', async () => {
    const news = '  - { id: news, publish: paid, key: input.id, data: { id: =input.id } }\n';
    const workflow = PAY.replace('steps:\n', `$&${news}`);
    const said = (published: string) =>
      wrongIn(one(`status: COMPLETED, published: { paid: ${published} }`), { workflow });
    expect(await said('[{ type: paid, subject: P-1, key: P-1, data: { id: P-1 } }]')).toEqual([]);
    expect(await said('[]')).toEqual([
      expect.stringMatching(/^published: expected \[\], got \[\{"data":\{"id":"P-1"\}/),
    ]);
    expect(await said('[{ data: { id: P-2 } }]')).toEqual([expect.stringMatching(/^published: /)]);
  });

  it('may vote without saying for what, which is refused where two are asked for', async () => {
    const ask = (id: string): string => `[{ id: ${id}, approve: 'Go on?', from: ['role:boss'], expires: 1h }]`;
    const both = `  - { id: fork, parallel: { a: ${ask('askA')}, b: ${ask('askB')} } }\n`;
    const steps = (lines: string): string => PAY.replace('steps:\n', `$&${lines}`);
    const vote = (at: string, more: string): string => `{ at: ${at}, approve: any, by: ana, roles: [boss]${more} }`;
    const refused = `events: [${vote('1s', ', answer: PAWL_RUN_AMBIGUOUS')}]`;
    expect(await wrongIn(one('status: WAITING', refused, 'until: 2s'), { workflow: steps(both) })).toEqual([]);
    const only = `  - { id: ask, approve: 'Go on?', from: ['role:boss'], expires: 1h }\n`;
    expect(await wrongIn(one('status: COMPLETED', `events: [${vote('1s', '')}]`), { workflow: steps(only) })).toEqual(
      [],
    );
  });

  it('takes what is said for one moment in the order of the file', async () => {
    const voted = (word: string, by: string, answer: string): string =>
      `    - { at: 1h, ${word}: ok, by: ${by}, roles: [desk], answer: ${answer} }`;
    for (const [first, second] of [
      ['approve', 'deny'],
      ['deny', 'approve'],
    ] as const) {
      const told = await wrongIn(
        [
          '- name: one',
          '  events:',
          ...['ana', 'ben', 'cleo', 'dan'].flatMap((by) => [voted(first, by, 'applied'), voted(second, by, 'voted')]),
          '  expect: { effects: "-", status: WAITING }',
          '  until: 2h',
          '',
        ].join('\n'),
        { workflow: asked(9).replace('quorum: 9', 'quorum: 9, denials: 9') },
      );
      expect(told).toEqual([]);
    }
  });

  it('A05 whoever voted too late is heard when a person has asked again, and may say it twice', async () => {
    // A05: "The same vote again: 200 with the first; another vote of the same person, or a vote after the decision: 409 with it."
    const voted = (at: string, by: string, answer: string): string =>
      `    - { at: ${at}, approve: ok, by: ${by}, roles: [desk], answer: ${answer} }`;
    const told = await wrongIn(
      [
        '- name: one',
        '  events:',
        voted('1h', 'zoe', 'applied'),
        voted('30h', 'kai', 'expired'),
        voted('31h', 'kai', 'duplicate'),
        '    - { at: 40h, retry: ok }',
        voted('41h', 'zoe', 'duplicate'),
        voted('42h', 'kai', 'applied'),
        '  expect: { effects: bank.pay, status: COMPLETED }',
        '',
      ].join('\n'),
      { workflow: asked(2) },
    );
    expect(told).toEqual([]);
  });

  it('that is refused at the start has no effects', async () => {
    const scenario =
      '- { name: one, input: {}, expect: { effects: "-", status: REJECTED AT START, failure: PAWL_INPUT_INVALID } }\n';
    expect(await wrongIn(scenario)).toEqual([]);
  });

  it.each([
    ['effects', "effects: 'hold, tell', status: COMPLETED", 'effects: expected hold, tell, got hold, bank.pay'],
    ['status', 'status: FAILED or WAITING', 'status: expected FAILED or WAITING, got COMPLETED'],
    ['outcome', 'status: COMPLETED, outcome: off', 'outcome: expected off, got none'],
    ['failure', 'status: COMPLETED, failure: rejected', 'failure: expected rejected, got none'],
    [
      'output',
      'status: COMPLETED, output: { payment: x }',
      'output: expected {"payment":"x"}, got {"payment":"bank-pay-1"}',
    ],
    ['wholeOutput', 'status: COMPLETED, wholeOutput: {}', 'wholeOutput: expected {}, got {"payment":"bank-pay-1"}'],
    ['steps', 'status: COMPLETED, steps: [hold]', 'steps: expected hold, got hold, window, pay'],
    ['incidents', 'status: COMPLETED, incidents: [unknown pay]', 'incidents: expected unknown pay, got -'],
    ['open', 'status: COMPLETED, open: pay', 'open: expected pay, got -'],
    ['calls', 'status: COMPLETED, calls: { bank.pay: 2 }', 'calls: expected 2, got 1'],
    [
      'failure as a map',
      'status: COMPLETED, failure: { code: rejected }',
      'failure: expected {"code":"rejected"}, got null',
    ],
    ['sent', 'status: COMPLETED, sent: { bank.pay: [{ id: x }] }', 'sent: expected [{"id":"x"}], got [{"id":"P-1"}]'],
    ['waits', 'status: COMPLETED, waits: { bank.pay: [1s to 2s] }', 'waits: expected 1s to 2s, got none'],
    ['at too early', 'status: COMPLETED, at: { pay: 12s }', /^at: expected 12s, got 10s\d*(ms)?$/],
    ['at too late', 'status: COMPLETED, at: { pay: 7s }', /^at: expected 7s, got 10s\d*(ms)?$/],
    ['at never', 'status: COMPLETED, at: { tell: 7s }', 'at: expected 7s, got -'],
  ])('tells expected beside got: %s', async (_what, expectation, told) => {
    const wrong = await wrongIn(one(expectation));
    expect(wrong).toEqual([typeof told === 'string' ? told : expect.stringMatching(told)]);
  });

  it('tells an event that was not taken', async () => {
    const events = 'events: [{ at: 11s, signal: calledOff }]';
    expect(await wrongIn(one('status: COMPLETED', events))).toEqual(['answer: expected to be taken, got ended']);
  });
});

describe('a scenario with crashes', () => {
  it('comes to the same wherever the worker dies, or leaves to a person what nobody can know', async () => {
    const report = await play(
      [
        one("effects: 'hold, pay', status: COMPLETED"),
        one(
          "effects: 'hold, tell', status: COMPLETED, outcome: called-off",
          'events: [{ at: 4s, signal: calledOff }]',
        ).replace('one', 'two'),
      ].join(''),
      { crash: true },
    );
    expect(report).toMatchObject({ ok: true, passed: 2, failed: 0 });
    expect(report.crashes).toBeGreaterThan(15);
  });

  it.each([
    [
      'is decided by a person, who may not know better than the provider',
      "effects: 'hold, pay', status: COMPLETED, output: { payment: B-1 }",
      'provider: { bank.pay: lost-done }',
      'events: [{ at: 1h, resolve: pay, as: confirmed, evidence: seen, output: { id: B-1 }, roles: [operator], answer: applied }]',
    ],
    [
      'is compensated by an order that is said twice',
      "effects: 'hold, tell, undo hold', status: COMPENSATED",
      'events: [{ at: 4s, signal: calledOff }, { at: 1h, compensate: it was wrong, by: ana, answer: applied }]',
    ],
    [
      'waits for every run that was started on the way',
      "effects: 'hold x2, pay x2', status: COMPLETED",
      'events: [{ at: 10s, start: again, input: { id: P-2 }, answer: started }]',
    ],
  ])(
    '%s',
    async (_what, expectation = '', ...parts) => {
      expect(await wrongIn(one(expectation, ...parts), { crash: true })).toEqual([]);
    },
    60_000,
  );

  it('a read that is asked again because nobody stored its answer is answered the same', async () => {
    const read = "  shop.price: { effect: read, http: { method: GET, url: 'http://127.0.0.1:4171/price' } }\n";
    const workflow = PAY.replace('actions:\n', `$&${read}`)
      .replace('steps:\n', '$&  - { id: price, call: shop.price }\n')
      .replace('payment: =steps.pay.output.id', '$&, price: =steps.price.output.price');
    const prices = 'provider: { shop.price: [503, { body: { price: 1 } }, { body: { price: 2 } }] }';
    const scenario = one("effects: 'hold, pay', status: COMPLETED, output: { price: 1 }", prices);
    expect(await wrongIn(scenario, { crash: true, workflow })).toEqual([]);
  }, 60_000);

  it('a vote that is said again because nobody heard of the first is none for the next approval of its step', async () => {
    const loop =
      "  - { id: ask, approve: 'Go on?', from: ['role:boss'] }\n" +
      "  - { id: again, choose: [{ when: input.id == 'P-1', next: ask }, { else: [] }], maxJumps: 1 }\n";
    const votes = (...times: readonly string[]): string =>
      `events: [${times.map((at) => `{ at: ${at}, approve: ask, by: ana, roles: [boss], answer: applied }`).join(', ')}]`;
    const workflow = PAY.replace('steps:\n', `$&${loop}`);
    const asked = one("status: WAITING, effects: '-'", votes('1s'), 'until: 1h');
    expect(await wrongIn(asked, { crash: true, workflow })).toEqual([]);
    const twice = one("status: FAILED, effects: '-', failure: limit", votes('1s', '1h'));
    expect(await wrongIn(twice, { crash: true, workflow })).toEqual([]);
  }, 60_000);

  it('of what one effect does again and again the first two times and the last two are played', async () => {
    const workflow = PAY.replace('call: stock.hold, ', 'call: stock.hold, retry: { attempts: 9, delay: 1s }, ');
    const played = async (times: number): Promise<number> => {
      const scenario = one(
        "effects: 'hold, pay', status: COMPLETED",
        `provider: { stock.hold: 503 x${times} then ok }`,
      );
      const { crashes, failed } = await play(scenario, { crash: true, workflow });
      expect(failed).toBe(0);
      return crashes;
    };
    expect(await played(8)).toBe(await played(4));
  }, 60_000);

  it('is told where a provider does not keep its word', async () => {
    const ignored = 'provider: { stock.hold: { key: ignored } }';
    const wrong = await wrongIn(one("effects: 'hold, pay', status: COMPLETED", ignored), { crash: true });
    expect(wrong).toContainEqual('after hold was sent: hold x3, pay');
  });

  it('may come to something else with a crash where it says so, and to nothing else', async () => {
    const ignored = 'provider: { stock.hold: { key: ignored } }';
    const crashed = (...effects: readonly string[]): string =>
      `crashed: [${effects.map((text) => `{ effects: '${text}', status: COMPLETED }`).join(', ')}]`;
    const other = one("effects: 'hold, pay', status: COMPLETED", ignored, crashed('hold x2, pay', 'hold x3, pay'));
    expect(await wrongIn(other, { crash: true })).toEqual([]);
    const answered = one(
      "effects: 'hold, pay', status: COMPLETED",
      ignored,
      'events: [{ at: 11s, signal: calledOff, answer: applied }]',
      crashed('hold, pay', 'hold x2, pay', 'hold x3, pay'),
    );
    expect(await wrongIn(answered, { crash: true })).toEqual(['answer: expected applied, got ended']);
    const less = one("effects: 'hold, pay', status: COMPLETED", ignored, crashed('hold x2, pay'));
    expect(await wrongIn(less, { crash: true })).toContainEqual('after hold was sent: hold x3, pay');
    const calm = one("effects: 'hold, pay', status: CANCELLED", crashed('hold, pay'));
    expect(await wrongIn(calm)).toEqual(['status: expected CANCELLED, got COMPLETED']);
  }, 60_000);

  it('has answers that take their time, and are lost where they take longer than the call waits', async () => {
    const takes = (time: string): string => `provider: { stock.hold: { takes: ${time} } }`;
    expect(await wrongIn(one("status: COMPLETED, effects: 'hold, pay', at: { end: 11s }", takes('1s')))).toEqual([]);
    const late = one('status: WAITING, open: hold, effects: hold', takes('3s'), 'until: 1m');
    expect(await wrongIn(late)).toEqual([]);
  });
});

describe('coverage', () => {
  it('names what no scenario has been to', async () => {
    const { coverage } = await play(one('status: COMPLETED'));
    expect(coverage).toEqual([
      {
        workflow: 'pay',
        version: 1,
        kinds: [
          { kind: 'steps', total: 5, missed: ['tell', 'off'] },
          { kind: 'jumps', total: 0, missed: [] },
          { kind: 'compensations', total: 1, missed: ['hold'] },
          { kind: 'catches', total: 1, missed: [] },
        ],
      },
    ]);
  });
});
