import { describe, expect, it } from 'vitest';
import type { ExplainedApproval, ExplainedEffect } from '../../src/app/explain/explain-workflow.ts';
import { explainWorkflow } from '../../src/app/explain/explain-workflow.ts';
import { explanationLines } from '../../src/cli/tell-explanation.ts';
import { validateWorkflow } from '../../src/definition/validate-workflow.ts';

const REMEMBERED = 'idempotency: { header: Idempotency-Key, remembers: 10s }';

function file(steps: readonly string[], action = REMEMBERED, head: readonly string[] = []): string {
  const contract = (name: string, undo: string): string =>
    `  ${name}: { http: { method: POST, url: 'http://x/' }, settlesWithin: 1s, timeout: 1s, ${action}, compensate: ${undo} }`;
  const read = "  shop.look: { effect: read, http: { method: GET, url: 'http://x/' } }";
  const actions = [contract('shop.do', '{ call: shop.undo }'), contract('shop.undo', 'none'), read];
  return ['pawl: 1', 'workflow: w', 'version: 1', ...head, 'actions:', ...actions, 'steps:', ...steps, ''].join('\n');
}

function explain(text: string) {
  const { definition, problems, map } = validateWorkflow(text, 'w.yaml');
  if (definition === null) throw new Error(JSON.stringify(problems.map(({ message }) => message)));
  return explainWorkflow(definition, map);
}

function effect(text: string, id = 'a'): ExplainedEffect {
  const part = explain(text).parts.find(({ step }) => step === id);
  if (part?.kind !== 'effect') throw new Error(`no effect ${id}`);
  return part;
}

const later = (text: string, id = 'a'): readonly string[] =>
  effect(text, id).later.map(({ step, causes, then }) => `${step} ${causes.join('+')} ${then}`);

const RECONCILE =
  "reconcile: { http: { method: GET, url: 'http://x/' }, found: 'true', absent: final, every: 5s, giveUp: 1m }";

it('says for which items an effect is done, and how many of them are under way at once', () => {
  const text = file([
    '  - id: m',
    "    map: '[1]'",
    '    key: string(item)',
    '    catch: [{ on: [any], do: [{ id: c, call: shop.do }] }]',
    '    steps:',
    "      - { id: n, map: '[1]', as: one, key: string(one), concurrency: 1, steps: [{ id: a, call: shop.do }] }",
  ]);
  expect(effect(text).maps).toEqual([
    { step: 'm', atOnce: 10 },
    { step: 'n', atOnce: 1 },
  ]);
  expect(effect(text, 'c').maps).toBeUndefined();
  expect(explanationLines(explain(text))).toContain(
    '    for each     item of m (10 at once), each item of n (one after the other)',
  );
});

it('says whose addresses an effect sends', () => {
  const text = file(
    [
      '  - { id: a, call: shop.do, with: { to: =links.pay } }',
      '  - { id: pay, await: paid }',
      '  - { id: b, call: shop.do }',
    ],
    REMEMBERED,
    ['events: { paid: {} }'],
  );
  expect([effect(text).links, effect(text, 'b').links]).toEqual([['pay'], undefined]);
  expect(explanationLines(explain(text))).toContain(
    '    sends        the signed address of pay, which is good as long as pay waits; it is put in at each sending',
  );
});

it('E13 says that no answer of a statement is lost, and asks no person for it', () => {
  // E13: "a transaction of their own with the run's commit"
  const put = '  t.put: { sql: "UPDATE t SET n = 2", compensate: none }';
  const take = '  t.take: { sql: "UPDATE t SET n = 1", compensate: { call: t.put } }';
  const text = [
    'pawl: 1',
    'workflow: w',
    'version: 1',
    'actions:',
    put,
    take,
    'steps:',
    '  - { id: a, call: t.take }',
    '',
  ];
  const lines = explanationLines(explain(text.join('\n'))).join('\n');
  expect(lines).toContain('    sent         once\n    answer lost  never: it is committed with the run\n');
  expect(lines).not.toContain('says what happened');
});

it('E11 says with whom an act is shared, and of others nothing', () => {
  // E11: "only the owner sends; its settlement is told to all users"
  const shared = (reach: string) =>
    file([
      `  - { id: a, call: shop.do, reach: ${reach}, object: house, intent: greet }`,
      '  - { id: b, call: shop.do }',
    ]);
  expect([effect(shared('workflow')).sharedWith, effect(shared('workflow'), 'b').sharedWith]).toEqual([
    'workflow',
    null,
  ]);
  const lines = (reach: string): string => explanationLines(explain(shared(reach))).join('\n');
  expect(lines('workflow').match(/shared {7}by all runs of this workflow with/g)).toHaveLength(1);
  expect(lines('global').match(/shared {7}by all runs with/g)).toHaveLength(1);
});

it('says who must agree to an undo before it is sent', () => {
  const asking = '{ call: shop.undo, approve: { title: Undo, from: [role:a, role:b], quorum: 2, expires: 2d } }';
  const text = file([`  - { id: a, call: shop.do, compensate: ${asking} }`]);
  expect(effect(text).undo).toMatchObject({ approve: { from: ['role:a', 'role:b'], quorum: '2', expires: '2d' } });
  expect(explanationLines(explain(text))).toContain(
    '                 only once 2 of role:a or role:b agreed within 2d; else the run is HELD as when it is refused',
  );
  const open = explanationLines(explain(text.replace(', expires: 2d', '')));
  expect(open.join('\n')).toContain('only once 2 of role:a or role:b agreed; else');
  expect(effect(file(['  - { id: a, call: shop.do }'])).undo).toMatchObject({ approve: null });
});

describe('finally', () => {
  const text = file(
    ['  - { id: a, call: shop.do }', 'finally:', '  - { id: z, call: shop.do }', '  - { id: y, fail: { code: no } }'],
    REMEMBERED,
  );

  it('is told with its steps, and what it does is not undone, whatever fails behind it', () => {
    expect(explain(text).last).toEqual([
      { step: 'z', line: 11 },
      { step: 'y', line: 12 },
    ]);
    expect(effect(text, 'z')).toMatchObject({ undo: { kind: 'none', because: 'finally' }, later: [] });
  });

  it('undoes nothing of what was done before it', () => {
    expect(later(text)).toEqual([]);
  });
});

describe('how often an effect is sent', () => {
  it('is once with a remembered key, and then the same bytes after 1, 2 and 4 s, until 90 % of its memory', () => {
    const { sending } = effect(file(['  - { id: a, call: shop.do }']));
    expect(sending).toMatchObject({
      attempts: 1,
      trustsRefusal: true,
      repeatsAbsent: false,
      resends: { calls: 3, forMs: 7_000 },
      asks: null,
      review: { afterMs: 7_000, from: ['role:operator'], answers: ['confirmed', 'absent', 'rejected', 'keep-waiting'] },
      refusedInDoubt: 'review',
    });
  });

  it('is never again unasked without a key; then a person decides at once', () => {
    const { sending } = effect(file(['  - { id: a, call: shop.do, retry: { attempts: 3 } }'], 'idempotency: none'));
    expect(sending).toMatchObject({
      attempts: 3,
      trustsRefusal: false,
      repeatsAbsent: false,
      resends: null,
      asks: null,
      review: { afterMs: 0 },
    });
  });

  it('is asked about where it can be, and a person is needed when asking is given up', () => {
    const { sending } = effect(file(['  - { id: a, call: shop.do }'], `idempotency: none, ${RECONCILE}`));
    expect(sending).toMatchObject({
      resends: null,
      asks: { everyMs: 5_000, giveUpMs: 60_000, absentIsProof: true },
      review: { afterMs: 60_000 },
      refusedInDoubt: 'asks',
    });
  });

  it.each([
    ['reconcile', { resends: null, asks: { everyMs: 5_000 }, review: { afterMs: 60_000 } }],
    ['review', { resends: null, asks: null, review: { afterMs: 0 }, refusedInDoubt: 'review' }],
    ['resend', { resends: { calls: 3 }, asks: { everyMs: 5_000 }, review: { afterMs: 67_000 } }],
  ])('follows the word of its step: onUnknown: %s', (word, expected) => {
    const step = `  - { id: a, call: shop.do, onUnknown: ${word} }`;
    expect(effect(file([step], `${REMEMBERED}, ${RECONCILE}`)).sending).toMatchObject(expected);
  });

  it('is for ever with `forever`, and as often as fits in `within`', () => {
    const retry = (words: string): number | null =>
      effect(file([`  - { id: a, call: shop.do, retry: { ${words} } }`])).sending?.attempts ?? null;
    expect(retry('attempts: forever')).toBeNull();
    expect(retry('attempts: forever, delay: 10s, within: 35s, jitter: 0.5')).toBe(4);
    expect(retry('attempts: 3, delay: 10s, within: 35s')).toBe(3);
    expect(retry('attempts: forever, delay: 0s, within: 35s')).toBeNull();
  });

  it('names who answers a review and with what', () => {
    const review = "review: { from: ['role:ops', =run.startedBy, 'user:${ run.key }'], options: [absent] }";
    const { sending } = effect(file([`  - { id: a, call: shop.do, ${review} }`]));
    expect(sending?.review.from).toEqual(['role:ops', '${ run.startedBy }', 'user:${ run.key }']);
    expect(sending?.review.answers).toEqual(['absent']);
  });
});

describe('what undoes an effect', () => {
  it('is the step’s word before its action’s, with the retries of compensations', () => {
    const undo = effect(file(['  - { id: a, call: shop.do }'])).undo;
    expect(undo).toMatchObject({
      kind: 'call',
      action: 'shop.undo',
      onRefusal: 'hold',
      onlyByOrder: false,
      sending: { attempts: 10 },
    });
    const own = 'compensate: { call: shop.undo, onFailure: continue, retry: { attempts: 2 } }';
    expect(effect(file([`  - { id: a, call: shop.do, ${own} }`])).undo).toMatchObject({
      onRefusal: 'continue',
      sending: { attempts: 2 },
    });
    expect(effect(file(['  - { id: a, call: shop.do, compensate: none }'])).undo).toEqual({
      kind: 'none',
      because: 'said',
    });
  });

  it('is an order’s behind the pivot, and the pivot’s own', () => {
    const text = file(['  - { id: a, call: shop.do, pivot: true }', '  - { id: b, call: shop.do }']);
    expect([effect(text).undo, effect(text, 'b').undo]).toMatchObject([{ onlyByOrder: true }, { onlyByOrder: true }]);
  });
});

describe('what stands at the end if a later step fails', () => {
  it('is what nothing undoes, before the pivot; all of it, behind', () => {
    const text = file([
      '  - { id: a, call: shop.do }',
      '  - { id: n, call: shop.do, compensate: none }',
      '  - { id: p, call: shop.do, pivot: true }',
      '  - { id: z, call: shop.do, compensate: none }',
    ]);
    expect(later(text)).toEqual(['n call undone', 'p call undone', 'z call held']);
    expect(later(text, 'n')).toEqual(['p call stands', 'z call held']);
    expect(later(text, 'p')).toEqual(['z call held']);
    expect(later(text, 'z')).toEqual([]);
  });

  it('may be either where only some ways lead over the pivot', () => {
    const text = file([
      '  - { id: a, call: shop.do }',
      '  - { id: p, when: size(run.key) > 3, call: shop.do, pivot: true }',
      '  - { id: z, call: shop.do }',
    ]);
    expect(later(text)).toEqual(['p call undone', 'z call maybe-held']);
  });

  it('is held for a person under onFailure: hold, but undone after a cancel', () => {
    const steps = [
      '  - { id: a, call: shop.do }',
      '  - { id: z, fail: { code: no }, when: size(run.key) > 3 }',
      '  - { id: e, end: cancelled }',
    ];
    expect(later(file(steps, REMEMBERED, ['onFailure: hold']))).toEqual(['z fail held', 'e cancel undone']);
    expect(later(file(steps))).toEqual(['z fail undone', 'e cancel undone']);
  });

  it('follows an event that takes the step while its effect may be confirmed', () => {
    const steps = [
      '  - { id: a, call: shop.do, on: [{ event: e, next: z }] }',
      '  - { id: b, end: done }',
      '  - { id: z, call: shop.do }',
    ];
    expect(later(file(steps, REMEMBERED, ['events: { e: { schema: {} } }']))).toEqual(['z call undone']);
  });

  it('tells every way in which a step can fail, and none that a catch is sure to take', () => {
    const any = 'catch: [{ on: [any] }]';
    const text = file(
      [
        '  - { id: a, call: shop.do }',
        `  - { id: sure, call: shop.do, ${any} }`,
        '  - { id: some, call: shop.look, catch: [{ on: [rejected] }] }',
        "  - { id: ask, approve: t, from: ['role:x'], expires: 1h }",
        "  - { id: ask2, approve: t, from: ['role:x'], expires: 1h, onExpire: hold }",
        '  - { id: ev, await: e, timeout: 1h }',
        '  - { id: ev2, await: e, on: [{ event: e, then: cancel }, { event: e, then: fail }] }',
        '  - { id: pick, choose: [{ when: size(run.key) > 3, steps: [{ id: inner, call: shop.do }] }] }',
        '  - { id: either, choose: [{ when: size(run.key) > 3, steps: [] }, { else: [] }] }',
        `  - { id: around, choose: [{ else: [{ id: within, call: shop.do }] }], catch: [{ on: [any], do: [{ id: last, call: shop.look }] }] }`,
        '  - { id: put, set: { v: =run.key } }',
        '  - { id: fixed, set: { v: x } }',
        '  - { id: nap, wait: =input.t }',
        '  - { id: short, wait: 1s }',
        '  - { id: trip, scope: [{ id: leg, wait: 1s }], timeout: 1h }',
        '  - { id: free, scope: [{ id: step, wait: 1s }] }',
        '  - { id: round, repeat: 3, until: size(run.key) > 3, steps: [{ id: turn, wait: 1s }], timeout: 1h }',
        '  - { id: back, undo: [sure] }',
      ],
      REMEMBERED,
      [
        'input: { type: object, required: [t], properties: { t: { type: string } } }',
        'vars: { v: { type: string, default: a } }',
        'events: { e: { schema: {} } }',
      ],
    );
    expect(later(text)).toEqual([
      'some call undone',
      'ask denied+expired undone',
      'ask2 denied undone',
      'ev timeout undone',
      'ev2 fail undone',
      'ev2 cancel undone',
      'pick no-match undone',
      'inner call undone',
      'either expression undone',
      'last call undone',
      'put expression undone',
      'nap expression undone',
      'trip timeout undone',
      'round limit+timeout undone',
    ]);
  });
});

describe('a workflow that is explained', () => {
  it('has its effects and approvals in the order of the file with their lines; reads are none', () => {
    const text = file(
      [
        "  - { id: ask, approve: t, from: ['role:x'], quorum: 2 }",
        '  - { id: look, call: shop.look }',
        '  - { id: a, call: shop.do, authorizedBy: ask, pivot: true }',
      ],
      REMEMBERED,
      ['timeout: 1h'],
    );
    const { parts, pivots, timeoutMs, onFailure, computesOutput } = explain(text);
    expect(parts.map(({ step, line }) => [step, line])).toEqual([
      ['ask', 10],
      ['a', 12],
    ]);
    const [approval] = parts as readonly ExplainedApproval[];
    expect(approval).toMatchObject({
      kind: 'approval',
      from: ['role:x'],
      quorum: '2',
      expires: null,
      onExpire: 'deny',
    });
    expect(parts[1]).toMatchObject({ authorizedBy: 'ask', pivot: true });
    expect([pivots, timeoutMs, onFailure, computesOutput]).toEqual([
      [{ step: 'a', line: 12 }],
      3_600_000,
      'compensate',
      false,
    ]);
  });
});

describe('a long way', () => {
  const text = file([
    ...Array.from({ length: 30 }, (_, no) => `  - { id: s${no}, call: shop.do, intent: '${no}' }`),
    '  - { id: late, call: shop.do, intent: late, on: [{ event: stop, then: cancel }] }',
  ]);
  const long = text.replace('actions:', 'events: { stop: {} }\nactions:');

  it('is told by its first twenty later steps of each kind, and that there are more', () => {
    const { later: listed, more } = effect(long, 's2');
    expect(listed.map(({ step }) => step)).toEqual([...Array.from({ length: 20 }, (_, no) => `s${no + 3}`), 'late']);
    expect(more).toEqual(['undone']);
    expect(explanationLines(explain(long)).join('\n')).toContain('late (line 40: cancel), further steps: it is undone');
  });

  it('is told whole where it is no longer', () => {
    expect(effect(long, 's20')).toMatchObject({ more: [] });
    expect(effect(long, 's20').later.map(({ step }) => step)).toEqual([
      ...Array.from({ length: 9 }, (_, no) => `s${no + 21}`),
      'late',
      'late',
    ]);
  });
});
