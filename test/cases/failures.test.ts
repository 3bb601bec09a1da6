import { describe, expect, it } from 'vitest';
import { validateWorkflow } from '../../src/definition/validate-workflow.ts';
import { isEnd } from '../../src/model/statuses.ts';
import { STATEMENTS } from '../../src/store/postgres/sql/statement-list.ts';
import { Play, T0, workflow } from '../decision/support/play.ts';
import { LEASE_MS, openSmallWorld, type SmallWorld } from './support/small-world.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const TIMES = 1_000;

/** An action that settles within two minutes, by what its provider promises. */
const KINDS = [
  ['that honours keys', 'honoured', 'idempotency: { header: Idempotency-Key, remembers: 24h }'],
  [
    'that can only be asked',
    'ignored',
    `idempotency: none, reconcile: { http: { method: GET, url: 'http://provider/charge?key=\${ effect.key }' }, found: size(response.body.items) > 0, output: '\${ response.body.items[0] }', absent: final, every: 1s, giveUp: 1h }`,
  ],
  ['that can do neither', 'ignored', 'idempotency: none'],
] as const;

describe('failures that happened elsewhere', () => {
  it.each(KINDS)(
    'F7 a worker stopped between its check and the wire: a provider %s acts once',
    async (_name, keys, promise) => {
      let sent = 0;
      const small: SmallWorld = openSmallWorld({
        provider: { keys },
        // The first request lands when its sender is long taken for dead, still within what the action promises.
        wire: () => ({ kind: 'answered', thereMs: sent === 0 ? 2.5 * LEASE_MS : 1, backMs: 1 }),
        onByte: () => {
          sent += 1;
        },
      });
      const first = small.worker();
      const run = await small.begin(
        `pawl: 1\nworkflow: f7\nversion: 1\ntimeout: 10d\nactions:\n  charge: { http: { method: POST, url: 'http://provider/charge' }, ${promise}, timeout: 200s, settlesWithin: 120s, compensate: none }\nsteps:\n  - { id: charge, call: charge, with: {} }\n`,
      );
      await small.pass(SECOND_MS);
      first.pause(3 * LEASE_MS);
      small.worker();
      await small.pass(2 * LEASE_MS);
      expect(small.happened().length).toBe(keys === 'honoured' ? 1 : 0);
      await small.pass(10 * LEASE_MS);
      expect(small.happened()).toEqual(['charge']);
      expect((await small.show(run)).effects).toMatchObject([{ state: 'CONFIRMED' }]);
    },
  );

  it('F20 a database clock that steps back ten minutes loses no timer, and fences only grow', async () => {
    const small = openSmallWorld();
    const run = await small.begin(
      'pawl: 1\nworkflow: f20\nversion: 1\ntimeout: 10d\nsteps:\n  - { id: a, wait: 60s }\n  - { id: b, wait: 60s }\n',
    );
    const fences: number[] = [];
    const note = async (): Promise<void> => {
      const { fence } = (await small.history(run)).journal.at(-1) ?? { fence: 0 };
      fences.push(fence);
    };
    const first = small.worker();
    await small.pass(61 * SECOND_MS);
    await note();
    first.kill();
    small.stepClock(-10 * MINUTE_MS);
    small.worker();
    await small.pass(12 * MINUTE_MS);
    await note();
    expect((await small.show(run)).status).toBe('COMPLETED');
    expect(fences).toEqual([...fences].sort((a, b) => a - b));
    const timers = (await small.history(run)).journal.filter(({ event }) => event.type === 'timer');
    expect(timers.length).toBe(2);
  });

  it('F22 a timer and the event that it guards within a millisecond, a thousand times: one of the two, by the database', () => {
    const text = workflow(
      '  - { id: e, await: paid, timeout: 5s, catch: [{ on: [timeout], do: [{ id: off, call: do.b }], then: end }] }\n  - { id: ship, call: do.a }',
      'events: { paid: { schema: { type: object } } }',
    );
    for (let no = 0; no < TIMES; no += 1) {
      const run = new Play(text);
      const offMs = (no % 3) - 1;
      const event = run.signalRow('paid', {}, { atMs: T0 + 5_000 + offMs });
      run.sleep('6s');
      const due = run.dueTimers();
      const arrival = { type: 'inbox', event } as const;
      run.decide(no % 2 === 0 ? [...due, arrival] : [arrival, ...due]);
      run.drive();
      expect(run.happened).toEqual([offMs <= 0 ? 'do.a' : 'do.b']);
      expect(run.head().status).toBe('COMPLETED');
    }
  }, 60_000);

  it.each([['F24 a time without its zone', '', "\n  - { id: w, wait: { until: '2027-03-14T02:30:00' } }"]])(
    '%s is not in the language: it is refused with its line, never passed over',
    (_name, head, step) => {
      const { definition, problems } = validateWorkflow(
        workflow(`  - { id: a, call: do.a }${step}`, head),
        'later.pawl.yaml',
      );
      expect(definition).toBeNull();
      expect(problems.filter(({ severity }) => severity === 'error').length).toBeGreaterThan(0);
    },
  );

  it('F37 three hundred runs, half of them children of the others, over three workers that die in turn: none that has ended moves again', async () => {
    const small = openSmallWorld();
    const ended = new Map<string, string>();
    const charge =
      "pawl: 1\nworkflow: charge\nversion: 1\ntimeout: 10d\nactions:\n  charge: { http: { method: POST, url: 'http://provider/charge' }, idempotency: { header: Idempotency-Key, remembers: 24h }, settlesWithin: 4s, compensate: none }\nsteps:\n  - { id: charge, call: charge, with: {} }\n  - { id: rest, wait: 20s }\n";
    await small.during(small.desk.verbs.publish({ text: charge, file: 'charge.pawl.yaml', by: 'author' }));
    const runs = [
      await small.begin(
        'pawl: 1\nworkflow: f37\nversion: 1\ntimeout: 10d\nsteps:\n  - { id: pay, child: charge@1, compensate: none }\n',
      ),
    ];
    const ask = { workflow: 'f37', version: 1, input: {}, by: 'starter' };
    while (runs.length < 150) runs.push((await small.during(small.desk.verbs.start(ask))).run.runId);
    const workers = [small.worker(), small.worker(), small.worker()];
    const everyone = { workflow: null, statuses: null, needsHuman: false, q: null, limit: 300 };
    const look = async (): Promise<void> => {
      for (const { id, status, revision, endedAt } of await small.during(small.desk.verbs.list(everyone))) {
        const now = `${status} ${revision} ${endedAt}`;
        expect(ended.get(id) ?? now).toBe(now);
        if (isEnd(status)) ended.set(id, now);
      }
    };
    for (const worker of workers) {
      await small.pass(10 * SECOND_MS);
      worker.kill();
      small.worker();
      await look();
    }
    for (let no = 0; no < 3; no += 1) {
      await small.pass(MINUTE_MS);
      await look();
    }
    expect([ended.size, small.happened().length]).toEqual([300, 150]);
    expect([...ended.values()].filter((end) => !end.startsWith('COMPLETED '))).toEqual([]);
  }, 60_000);

  it('F43 nothing deletes what somebody may still need: leases, wake-ups, timers, seats, offers, deprecations that are taken back, pauses that have ended and what streams tell, and by pruning journal and messages', () => {
    const deletedBy = (isPrune: boolean): ReadonlySet<string | undefined> =>
      new Set(
        STATEMENTS.filter(({ name }) => (name === 'prune') === isPrune)
          .flatMap(({ text }) => [...text.matchAll(/\b(?:DELETE\s+FROM|TRUNCATE)\s+([\w.]+)/gi)])
          .map(([, table]) => table),
      );
    expect(deletedBy(false)).toEqual(
      new Set([
        'pawl.lease',
        'pawl.ready',
        'pawl.timer',
        'pawl.seat',
        'pawl.offer',
        'pawl.change',
        'pawl.deprecation',
        'pawl.pause',
      ]),
    );
    expect(deletedBy(true)).toEqual(new Set(['pawl.journal', 'pawl.outbox']));
  });

  it('F35 a cancel and the last answer at once, a thousand times: one of the two, and the one who cancels is told which', () => {
    const text = workflow('  - { id: a, call: do.a }');
    for (let no = 0; no < TIMES; no += 1) {
      const run = new Play(text);
      const answer = run.answerNext();
      expect(answer).not.toBeNull();
      const cancel = { type: 'cancel', by: 'op', reason: 'not wanted any more' } as const;
      const arrival = { type: 'inbox', event: run.row('person:op', `c${no}`, cancel) } as const;
      const both = answer === null ? [arrival] : no % 2 === 0 ? [answer, arrival] : [arrival, answer];
      const made = run.decide(both);
      run.drive();
      const [told] = made.flatMap(({ inbox }) => inbox);
      expect([run.head().status, told?.outcome]).toEqual(
        run.head().status === 'CANCELLED' ? ['CANCELLED', 'applied'] : ['COMPLETED', 'refused'],
      );
      expect(run.happened).toEqual(run.head().status === 'CANCELLED' ? ['do.a', 'undo.a'] : ['do.a']);
    }
  }, 60_000);

  it.each(['1e18', '.nan', '.inf', '-5s', '99999999999999999999d', '0x10', 'true', '1e18s'])(
    'F40 a retry delay of %s is an error of the file, not of the run',
    (delay) => {
      const errorsWith = (text: string): readonly number[] =>
        validateWorkflow(
          workflow(`  - id: a\n    call: do.a\n    retry: { attempts: 3, delay: ${text} }\n  - { id: b, call: do.b }`),
          'f40.pawl.yaml',
        ).problems.flatMap(({ severity, range }) => (severity === 'error' ? [range.line] : []));
      expect(errorsWith('10s')).toEqual([]);
      expect(errorsWith(delay)).toEqual([19]);
    },
  );
});
