import { describe, expect, it } from 'vitest';
import { paintFor } from '../../src/cli/paint.ts';
import { type RunView, runLines } from '../../src/cli/run-lines.ts';

type Effect = RunView['effects'][number];
type Step = RunView['steps'][number];
type Waiting = RunView['waitingFor'][number];

const RUN: RunView = {
  id: 'run_0',
  key: 'O-1',
  workflow: 'order',
  version: 3,
  digest: 'd',
  tenant: 'default',
  status: 'RUNNING',
  phase: 'forward',
  revision: 4,
  startedBy: 'ana',
  startedAt: '2026-01-02T10:00:00.000Z',
  endedAt: null,
  lock: null,
  input: {},
  output: null,
  failure: null,
  waitingFor: [],
  order: null,
  pastOrders: [],
  steps: [],
  effects: [],
  approvals: [],
  incidents: [],
  messages: [],
};

const step = (id: string, set: Partial<Step> = {}): Step => ({
  id,
  verb: 'call',
  status: 'completed',
  parent: null,
  attempts: 1,
  code: null,
  output: null,
  at: null,
  ...set,
});

const effect = (at: string, set: Partial<Effect> = {}): Effect => ({
  key: `key-${at}`,
  step: at,
  action: `shop.${at}`,
  state: 'CONFIRMED',
  attempt: 1,
  sent: 1,
  unsent: 0,
  code: null,
  doubt: null,
  pivot: false,
  request: {},
  requestHash: 'h',
  output: null,
  externalId: null,
  receiptNo: null,
  observedBy: null,
  compensates: null,
  requestedAt: null,
  notBefore: null,
  unknownSince: null,
  resends: 0,
  queries: 0,
  lastError: null,
  ...set,
});

const waiting = (kind: Waiting['kind'], set: Partial<Waiting> = {}): Waiting => ({
  kind,
  step: 'pay',
  since: null,
  until: null,
  by: [],
  progress: null,
  command: null,
  ...set,
});

/** The lines between the head and the status line. */
const lines = (set: Partial<RunView>): readonly string[] => runLines({ ...RUN, ...set }, paintFor(false)).slice(1, -1);
const statusLine = (set: Partial<RunView>): string => runLines({ ...RUN, ...set }, paintFor(false)).at(-1) ?? '';

describe('the steps of a run', () => {
  it.each<readonly [status: Step['status'], mark: string]>([
    ['pending', '·'],
    ['active', '▶'],
    ['held', '⏸'],
    ['completed', '✔'],
    ['skipped', '–'],
    ['failed', '✘'],
  ])('that are %s have their mark and say so', (status, mark) => {
    expect(lines({ steps: [step('a', { status, verb: 'set' })] })).toEqual([
      `  ${mark} a                  set  ${status}`,
    ]);
  });

  it('of a branch are set in under it, and are not shown before it is entered', () => {
    const steps = [
      step('ship', { verb: 'choose' }),
      step('truck', { verb: 'set', parent: 'ship' }),
      step('van', { verb: 'set', parent: 'ship', status: 'pending' }),
    ];
    expect(lines({ steps })).toEqual([
      '  ✔ ship               choose  completed',
      '    ✔ truck              set  completed',
    ]);
  });

  it('that a terminated run left have the mark of what their effect came to', () => {
    const left = (id: string, parent: string | null = null) => step(id, { status: 'pending', parent });
    const effects = [
      effect('a'),
      effect('b', { state: 'FAILED' }),
      effect('c', { state: 'CANCELLED' }),
      effect('d', { observedBy: 'person' }),
      effect('e', { state: 'ABSENT' }),
    ];
    const steps = [left('a'), left('b'), left('c'), left('d', 'a'), left('e'), left('f')];
    expect(lines({ steps, effects }).map((line) => line.trim()[0])).toEqual(['✔', '✘', '·', '☑', '✘', '·']);
  });

  it('say how often was sent, what was asked, the receipt, and who told', () => {
    const effects = [
      effect('pay', {
        sent: 3,
        unsent: 1,
        resends: 2,
        queries: 4,
        receiptNo: 7,
        externalId: 'p-1',
        observedBy: 'person',
      }),
    ];
    expect(lines({ steps: [step('pay')], effects })).toEqual([
      '  ☑ pay                shop.pay  CONFIRMED  p-1  attempt 3, 1 not sent, 2 resent, asked 4x, receipt #7, told by a person',
    ]);
  });

  it('say how long one attempt with one answer took, never less than nothing', () => {
    const took = (at: string): readonly string[] =>
      lines({ steps: [step('pay', { at })], effects: [effect('pay', { requestedAt: '2026-01-02T10:00:01.000Z' })] });
    expect(took('2026-01-02T10:00:03.500Z')[0]).toContain('2.5 s');
    expect(took('2026-01-02T10:00:00.000Z')[0]).toContain('0 ms');
  });

  it('in doubt are marked so and say why', () => {
    const effects = [effect('pay', { state: 'UNKNOWN', code: 'timeout', lastError: 'nobody answered' })];
    expect(lines({ steps: [step('pay', { status: 'active' })], effects })).toEqual([
      '  ? pay                shop.pay  UNKNOWN  (timeout)',
      '  ! pay: nobody answered',
    ]);
  });

  it('are followed by what was undone, each by how it went', () => {
    const undo = (state: string, set: Partial<Effect> = {}): Effect =>
      effect('pay', { state, compensates: 'k', ...set });
    const marks = lines({
      effects: [undo('CONFIRMED'), undo('FAILED'), undo('REQUESTED'), undo('CONFIRMED', { observedBy: 'person' })],
    });
    expect(marks.map((line) => line.trim().split(/ +/).join(' '))).toEqual([
      '↩ pay shop.pay CONFIRMED',
      '↩ pay shop.pay FAILED',
      '↩ pay shop.pay REQUESTED',
      '↶ pay shop.pay CONFIRMED told by a person',
    ]);
  });
});

describe('the states of a machine', () => {
  it('are told before its steps, where it rests in any', () => {
    expect(lines({ states: ['left:busy', 'right'], steps: [] })).toEqual(['  ◆ in left:busy, right']);
    expect(lines({ states: [], steps: [] })).toEqual([]);
  });
});

describe('what keeps a run', () => {
  const until = '2026-01-03T00:00:00.000Z';
  it.each<readonly [waiting: Waiting, words: string]>([
    [
      waiting('approval', { by: ['role:a', 'user:b'], until }),
      'waits for an approval at pay by role:a, user:b, until 2026-01-03 00:00:00 UTC',
    ],
    [
      waiting('approval', { by: ['role:a'], progress: '1 of 2 approve, needs 1 more', until }),
      'waits for an approval at pay: 1 of 2 approve, needs 1 more of role:a, until 2026-01-03 00:00:00 UTC',
    ],
    [waiting('event', { by: ['paid'] }), 'waits for the event paid at pay'],
    [waiting('timer', { until }), 'waits at pay, until 2026-01-03 00:00:00 UTC'],
    [waiting('person', { by: ['role:operator'] }), 'waits for a person at pay: role:operator'],
    [waiting('worker', { step: null }), 'waits for a worker'],
    [waiting('answer'), "waits for the provider's answer at pay"],
    [
      waiting('decision', { step: null, since: until, by: ['its holder'], progress: 'terminate by ana' }),
      'terminate by ana is stored since 2026-01-03 00:00:00 UTC: its holder decides it',
    ],
    [waiting('retry', { until }), 'tries again at pay: at 2026-01-03 00:00:00 UTC'],
    [waiting('resend'), 'in doubt at pay: the same request is sent again next'],
    [waiting('query', { until }), 'in doubt at pay: the provider is asked at 2026-01-03 00:00:00 UTC'],
  ])('%# is told in a sentence', (one, words) => {
    expect(lines({ waitingFor: [one] })).toEqual([`  … ${words}`]);
  });

  it('comes with the command that moves it, where there is one', () => {
    expect(lines({ waitingFor: [waiting('person', { by: ['x'], command: 'pawl resolve' })] })[1]).toBe(
      '      pawl resolve',
    );
  });

  it('is a person’s order, too: accepted or recorded, and what it waits for', () => {
    const order = { act: 'cancel', by: 'ana', reason: 'why', at: null, waitsFor: [] } as const;
    expect(lines({ order: { ...order, state: 'accepted' } })).toEqual(['  ■ cancel accepted by ana (why)']);
    expect(lines({ order: { ...order, state: 'accepted', at: until, waitsFor: ['a', 'b'] } })).toEqual([
      '  ■ cancel accepted 2026-01-03 00:00:00 UTC by ana (why), waits for a, b to be decided',
    ]);
    expect(lines({ order: { ...order, state: 'recorded', waitsFor: ['pay'] } })[0]).toContain(
      '(why): applies if pay did not happen, lapses if it did',
    );
  });
});

describe('an order that a run does not follow any more', () => {
  it.each([
    ['pivot', 'lapsed: the point of no return was confirmed'],
    ['terminated', 'lapsed: the run was terminated'],
    ['followed', 'another order followed'],
  ] as const)('is told with what became of it: %s', (end, words) => {
    const at = '2026-01-03T00:00:00.000Z';
    const past = { act: 'cancel', by: 'ana', reason: 'why', at, end, endedAt: '2026-01-03T01:00:00.000Z' } as const;
    expect(lines({ pastOrders: [past] })).toEqual([
      `  □ cancel 2026-01-03 00:00:00 UTC by ana (why): ${words} 2026-01-03 01:00:00 UTC`,
    ]);
  });
});

describe('the end of a run', () => {
  it('says the failure with its step, where there is one, and nothing for what is none', () => {
    expect(lines({ failure: { code: 'sold-out', step: 'pay', message: 'none left' } })).toEqual([
      '  ! sold-out at pay: none left',
    ]);
    expect(lines({ failure: { code: 'sold-out' } })).toEqual(['  ! sold-out: ']);
    expect(lines({ failure: { code: 7 } })).toEqual([]);
    expect(lines({ failure: 'odd' })).toEqual([]);
  });

  it('says what its finally failed with beside its end', () => {
    expect(lines({ finallyFailed: { code: 'declined', step: 'tell', message: 'no such box' } })).toEqual([
      '  ! finally failed: declined at tell: no such box',
    ]);
  });

  it('counts effects by state, and undos by what they are for', () => {
    const effects = [
      effect('a'),
      effect('b', { state: 'UNKNOWN' }),
      effect('a', { state: 'FAILED', compensates: 'a' }),
      effect('a', { compensates: 'a' }),
      effect('b', { state: 'FAILED', compensates: 'b' }),
    ];
    const endedAt = '2026-01-02T10:00:02.000Z';
    expect(statusLine({ status: 'COMPENSATED', endedAt, effects })).toBe(
      'COMPENSATED after 2.0 s  5 effects: 2 confirmed, 2 failed, 1 unknown, 1 of 2 undone',
    );
    const open = [
      effect('c', { state: 'ABSENT' }),
      effect('d', { state: 'REQUESTED' }),
      effect('e', { state: 'ABSENT' }),
    ];
    expect(statusLine({ effects: open })).toBe(
      'RUNNING  3 effects: 0 confirmed, 0 failed, 0 unknown, 1 requested, 2 absent',
    );
    expect(statusLine({ status: 'COMPLETED' })).toBe('COMPLETED  0 effects: 0 confirmed, 0 failed, 0 unknown');
    expect(statusLine({ status: 'HELD' })).toMatch(/^HELD {2}/);
  });
});
