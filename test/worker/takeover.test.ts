import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Delivered } from '../../src/engine/deliver-event.ts';
import type { RunCommit } from '../../src/model/run-commit.ts';
import type { ClaimedRun, StartRequest } from '../../src/ports/store.ts';
import { begin, type House, openHouse, type Process, untilRun, untilStatus } from '../engine/support/house.ts';
import type { StoreVerb } from '../engine/support/watched-store.ts';
import { sagaOf } from '../engine/support/workflows.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterEach(() => house.rest());
afterAll(() => house.close());

const ALL = { workflow: null, statuses: null, needsHuman: false, q: null, limit: 50 };
const SHORT = { leaseMs: 1_500, sendWithinMs: 1_000, sendMarginMs: 50 };

/** Whether a commit settles an attempt of this step: the moment after the answer and before the record. */
function settles(verb: StoreVerb, args: readonly unknown[], step: string): boolean {
  if (verb !== 'commit') return false;
  return (args[2] as readonly RunCommit[]).some((commit) =>
    commit.effects.some(({ expect: before, effect }) => effect.step === step && before?.state === 'REQUESTED'),
  );
}

/** Dies just before it records what came of the step. @returns resolves when it is dead. */
function killWhenSettling(process: Process, step: string): Promise<void> {
  return new Promise((dead) => {
    process.watched.hooks = {
      around: (verb, args, run) => {
        if (!settles(verb, args, step)) return run();
        process.kill();
        dead();
        return new Promise(() => undefined);
      },
    };
  });
}

describe('takeover', () => {
  it('E03 a worker dies between answer and record: the next one finds REQUESTED, doubts it, and it happened once', async () => {
    // E03: "REQUESTED without outcome is UNKNOWN to every other holder."
    const dying = await house.process({ numbers: SHORT });
    await dying.app.runWorker();
    const dead = killWhenSettling(dying, 'charge');
    const run = await begin(dying, sagaOf(house.provider.url, ['reserve', 'charge', 'ship']));
    await dead;
    expect(house.happened()).toEqual(['reserve', 'charge']);
    const other = await house.process({ numbers: SHORT });
    await other.app.runWorker();
    const view = await untilStatus(other, run, 'COMPLETED');
    expect(house.happened()).toEqual(['reserve', 'charge', 'ship']);
    expect(view.effects[1]).toMatchObject({ step: 'charge', state: 'CONFIRMED', attempt: 2 });
    expect((await other.app.verify(run)).faults).toEqual([]);
  });

  it('E08 a worker that slept through its lease is refused, files what it knows, and works on under a new name', async () => {
    // E08: "Late answers (fenced worker, webhook, second query) are stored as observations, never overwrite."
    const asleep = await house.process({ numbers: SHORT });
    await asleep.app.runWorker();
    let wake: () => void = () => undefined;
    const sleeping = new Promise<void>((resolve) => {
      wake = resolve;
    });
    let frozen = false;
    const fellAsleep = new Promise<void>((asleepNow) => {
      asleep.watched.hooks = {
        around: async (verb, args, run) => {
          if (settles(verb, args, 'charge')) {
            frozen = true;
            asleepNow();
          }
          if (frozen) await sleeping;
          return run();
        },
      };
    });
    const run = await begin(asleep, sagaOf(house.provider.url, ['reserve', 'charge']));
    await fellAsleep;
    const other = await house.process({ numbers: SHORT });
    await other.app.runWorker();
    const view = await untilStatus(other, run, 'COMPLETED');
    frozen = false;
    wake();
    const key = view.effects[1]?.key;
    const { runId, part } = await other.app.find(run);
    let observed = await house.store.observations(part, runId);
    for (; observed.length === 0; observed = await house.store.observations(part, runId)) await other.watched.next();
    expect(observed).toMatchObject([{ effectKey: key, source: 'late-answer', detail: { kind: 'confirmed' } }]);
    expect(house.happened()).toEqual(['reserve', 'charge']);
    expect((await other.app.show(run)).revision).toBe(view.revision);
    await other.app.close(500);
    const again = await begin(asleep, sagaOf(house.provider.url, ['reserve']));
    await untilStatus(asleep, again, 'COMPLETED');
    expect(asleep.logger.lines.some((line) => line.event === 'seat.lost')).toBe(true);
  });

  it('E08 what a fenced worker files wakes a run that has ended on the word that it never happened, and holds it for a person', async () => {
    // E08: "a proof against a row assumed absent or failed raises an incident and proposes a compensation that needs a person."
    const asleep = await house.process({ numbers: SHORT });
    await asleep.app.runWorker();
    let wake: () => void = () => undefined;
    const sleeping = new Promise<void>((resolve) => {
      wake = resolve;
    });
    let frozen = false;
    asleep.watched.hooks = {
      around: async (verb, args, run) => {
        frozen ||= settles(verb, args, 'charge');
        if (frozen) await sleeping;
        return run();
      },
    };
    const text = sagaOf(house.provider.url, ['reserve', 'charge']).replace(
      'call: shop.charge,',
      'call: shop.charge, onUnknown: review,',
    );
    const run = await begin(asleep, text);
    const other = await house.process({ numbers: SHORT });
    await other.app.runWorker();
    await untilStatus(other, run, 'HELD');
    const says = (as: 'rejected' | 'confirmed'): Promise<Delivered> =>
      other.app.resolve(run, {
        effect: 'charge',
        as,
        evidence: 'the desk of the provider',
        output: undefined,
        by: 'ana',
        roles: ['operator'],
      });
    let said = await says('rejected');
    for (; said.code === 'quarantine'; said = await says('rejected')) await other.watched.next();
    const ended = await untilStatus(other, run, 'COMPENSATED');
    frozen = false;
    wake();
    const held = await untilStatus(other, run, 'HELD');
    expect(held).toMatchObject({ revision: ended.revision, endedAt: ended.endedAt, phase: 'ended' });
    expect(held.incidents).toMatchObject([
      { kind: 'late-proof', step: 'charge', from: ['role:operator'], acts: ['confirmed', 'rejected'] },
    ]);
    expect((await other.app.list({ ...ALL, needsHuman: true, q: run })).length).toBe(1);
    expect(await says('rejected')).toMatchObject({ outcome: 'applied' });
    expect((await other.app.show(run)).status).toBe('COMPENSATED');
  });

  it('P16 a claim whose answer was lost is given back by the heartbeat, not kept from everybody', async () => {
    // P16: "A process owns exactly the runs it holds in memory: with each heartbeat it disowns (fence + 1, wake-up, lease deleted) every lease in its name …"
    const process = await house.process({ numbers: { ...SHORT, statementTimeoutMs: 200 } });
    let lose = true;
    process.watched.hooks = {
      around: async (verb, _args, run) => {
        const result = await run();
        if (verb !== 'claim' || !lose || (result as readonly ClaimedRun[]).length === 0) return result;
        lose = false;
        throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
      },
    };
    const run = await begin(process, sagaOf(house.provider.url, ['reserve']));
    await process.app.runWorker();
    await untilStatus(process, run, 'COMPLETED');
    expect(lose).toBe(false);
    expect(process.watched.calls.some((call) => call.verb === 'disown' && (call.result as number) === 1)).toBe(true);
    expect(house.happened()).toEqual(['reserve']);
  });

  it('P07 a run that does not fit this process is parked with the field named, and goes on where it fits', async () => {
    // P07: "The pin (digest, kernel, key algorithm, schemas, function contracts) is checked at load; mismatch: parked with the field named."
    const older = await house.process({ numbers: SHORT });
    older.watched.hooks = {
      around: async (verb, args, run) => {
        // What the older process takes for another kernel's is stored as it was.
        const members = verb === 'commit' ? (args[2] as { head: { snapshot: string } | null }[]) : [];
        for (const { head } of members)
          if (head !== null) head.snapshot = head.snapshot.replace('xstate@9.9.9', 'xstate@5.33.3');
        const result = await run();
        if (verb !== 'claim') return result;
        return (result as readonly ClaimedRun[]).map((claim) => ({
          ...claim,
          run: { ...claim.run, snapshot: claim.run.snapshot.replace('xstate@5.33.3', 'xstate@9.9.9') },
        }));
      },
    };
    const run = await begin(older, sagaOf(house.provider.url, ['reserve']));
    const worker = await older.app.runWorker();
    const view = await untilStatus(older, run, 'HELD');
    expect(view.incidents).toMatchObject([{ kind: 'pin', acts: ['retry'] }]);
    expect(older.logger.lines).toContainEqual(
      expect.objectContaining({
        event: 'run.set-aside',
        facts: expect.objectContaining({ why: 'pin', field: 'kernel' }),
      }),
    );
    expect(
      (await older.app.list({ workflow: null, statuses: null, needsHuman: true, q: view.key, limit: 5 }))[0]?.needs,
    ).toEqual(['incident:pin']);
    await worker.stop(500);
    const fitting = await house.process({ numbers: SHORT });
    await fitting.app.runWorker();
    await expect(
      fitting.app.retry(run, 'pin', { by: 'ana', reason: 'a process that fits runs now' }),
    ).resolves.toMatchObject({ outcome: 'applied' });
    await untilStatus(fitting, run, 'COMPLETED');
    expect(house.happened()).toEqual(['reserve']);
  });

  it('P06 poison: a run that kills its worker each time is parked after three crashes alone, healthy runs complete', async () => {
    // P06: "only crashes while it is held alone count towards the three that park it (`poison`)."
    const processes: Process[] = [];
    let crashes = 0;
    const died: (() => void)[] = [];
    const spawn = async (): Promise<Process> => {
      const process: Process = await house.process({
        numbers: SHORT,
        functions: {
          'deadly@1': {
            send: () => {
              crashes += 1;
              processes.at(-1)?.kill();
              died.shift()?.();
              return new Promise(() => undefined);
            },
          },
          'healthy@1': { send: () => Promise.resolve({ ok: true }) },
        },
      });
      processes.push(process);
      return process;
    };
    const textOf = (name: string) =>
      `pawl: 1\nworkflow: saga\nversion: 1\ntimeout: 1h\nevents: { note: {} }\nactions:\n  ${name}: { function: ${name}@1, idempotency: { remembers: 24h }, settlesWithin: 1s, compensate: none }\nsteps:\n  - { id: one, call: ${name} }\n`;
    const starter = await spawn();
    const deadly = await begin(starter, textOf('deadly'));
    const healthy = await Promise.all([begin(starter, textOf('healthy')), begin(starter, textOf('healthy'))]);
    for (let round = 0; round < 4; round += 1) {
      const process = await spawn();
      const death = new Promise<void>((resolve) => died.push(resolve));
      await process.app.runWorker();
      await death;
    }
    const last = await spawn();
    await last.app.runWorker();
    const view = await untilStatus(last, deadly, 'HELD');
    expect(view.incidents).toMatchObject([{ kind: 'poison' }]);
    for (const run of healthy) await untilStatus(last, run, 'COMPLETED');
    expect(crashes).toBe(4);
    await expect(
      last.app.signal(deadly, { name: 'note', data: {}, source: 'shop', eventId: 'n', by: 'ana', waitMs: 0 }),
    ).resolves.toMatchObject({ outcome: 'pending' });
    await expect(last.app.terminate(deadly, { by: 'ana', reason: 'it kills' })).resolves.toMatchObject({
      outcome: 'applied',
    });
    await untilStatus(last, deadly, 'TERMINATED');
    expect(crashes).toBe(4);
  }, 60_000);
});

describe('stopping', () => {
  const slow = (finish: Promise<void>, calls: string[]) => ({
    'slow@1': {
      send: async ({ signal }: { readonly signal: AbortSignal }) => {
        calls.push('sent');
        await Promise.race([finish, new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))]);
        if (signal.aborted) throw new Error('aborted');
        return { ok: true };
      },
    },
  });
  const text =
    'pawl: 1\nworkflow: saga\nversion: 1\ntimeout: 1h\nactions:\n  slow: { function: slow@1, idempotency: { remembers: 24h }, timeout: 30s, compensate: none }\nsteps:\n  - { id: one, call: slow }\n  - { id: two, call: slow }\n';

  async function inFlight(finish: Promise<void>): Promise<{ process: Process; run: string; calls: string[] }> {
    const calls: string[] = [];
    const process = await house.process({ functions: slow(finish, calls) });
    await process.app.runWorker();
    const run = await begin(process, text);
    await untilRun(process, run, (view) => view.effects[0]?.state === 'REQUESTED' && calls.length >= 1);
    return { process, run, calls };
  }

  it('P05 finish: within the grace the step in flight is finished, nothing new is sent, and the run is released', async () => {
    // P05: "SIGTERM: finish or release within the grace."
    let finish: () => void = () => undefined;
    const { process, run, calls } = await inFlight(
      new Promise((resolve) => {
        finish = resolve;
      }),
    );
    const worker = await process.app.runWorker();
    const seats = (await house.store.workers()).length;
    const stopped = worker.stop(5_000);
    finish();
    await stopped;
    const view = await process.app.show(run);
    expect(view.effects.map((effect) => [effect.step, effect.state])).toEqual([
      ['one', 'CONFIRMED'],
      ['two', 'AUTHORIZED'],
    ]);
    expect(calls).toEqual(['sent']);
    expect(worker.heldCount()).toBe(0);
    expect(await house.store.workers()).toHaveLength(seats - house.store.parts);
    expect((await house.store.nextDueMs((await process.app.find(run)).part)).dueAtMs).not.toBe(null);
  });

  it('P05 release: what cannot finish is released with its attempt recorded, and the next worker goes on at once', async () => {
    // P05: "SIGTERM: finish or release within the grace."
    const { process, run } = await inFlight(new Promise(() => undefined));
    const worker = await process.app.runWorker();
    await worker.stop(1_100);
    const view = await process.app.show(run);
    expect(view.effects[0]).toMatchObject({ step: 'one', state: 'UNKNOWN', attempt: 1, doubt: 'resend' });
    expect(await house.store.holder((await process.app.find(run)).part, (await process.app.find(run)).runId)).toBe(
      null,
    );
    const next = await house.process({ functions: { 'slow@1': { send: () => Promise.resolve({ ok: true }) } } });
    await next.app.runWorker();
    await untilStatus(next, run, 'COMPLETED');
  });

  it('P05 a second stop waits for the same end, and a stopped process still decides what needs no sending', async () => {
    // P05: "A run that should have moved and has no holder is alarmed by any living process."
    const { process } = await inFlight(new Promise(() => undefined));
    const worker = await process.app.runWorker();
    await Promise.all([worker.stop(1_100), worker.stop(1_100)]);
    const run = await begin(
      process,
      "pawl: 1\nworkflow: saga\nversion: 1\ntimeout: 1h\nsteps:\n  - { id: decision, approve: 'Well?', from: ['role:approver'], expires: 1h }\n",
    );
    await expect(
      process.app.vote(run, {
        approval: null,
        decision: 'approve',
        subjectHash: null,
        principal: 'ana',
        roles: ['approver'],
        comment: null,
      }),
    ).resolves.toMatchObject({ outcome: 'applied' });
  });
});

describe('lost answers', () => {
  for (const side of ['before', 'after'] as const) {
    for (const nth of [0, 1, 2, 3]) {
      it(`P04 the answer of write ${nth} is lost ${side} it was executed: each effect once, nothing stuck`, async () => {
        // P04: "An answer lost at COMMIT: drop the connection, read back (revision, fence, journal)."
        const { UnknownOutcomeError } = await import('../../src/model/errors.ts');
        const process = await house.process();
        let write = 0;
        process.watched.hooks = {
          around: async (verb, args, run) => {
            const isMine =
              (verb === 'commit' || verb === 'start') &&
              (args.at(-1) as readonly (RunCommit | StartRequest)[]).length > 0;
            if (!isMine || write++ !== nth) return run();
            if (side === 'after') await run();
            throw new UnknownOutcomeError('PAWL_STORE_ANSWER_LOST', 'reset');
          },
        };
        await process.app.runWorker();
        const run = await begin(process, sagaOf(house.provider.url, ['reserve', 'charge', 'ship']));
        const view = await untilStatus(process, run, 'COMPLETED');
        expect(house.happened()).toEqual(['reserve', 'charge', 'ship']);
        expect(view.effects.map((effect) => effect.attempt)).toEqual([1, 1, 1]);
        expect(view.revision).toBe(4);
        expect(write).toBeGreaterThan(nth);
      });
    }
  }
});
