import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/api/api-error.ts';
import { problemAnswer } from '../../src/api/problem-json.ts';
import { Pulse } from '../../src/api/pulse.ts';
import { placeIn, readPlace, writePlace } from '../../src/api/stream-place.ts';
import { STREAMS_MAX, STREAMS_OF_ONE_MAX, Streams } from '../../src/api/streams.ts';
import { type Telling, tellChanges } from '../../src/api/tell-changes.ts';
import type { RunId } from '../../src/model/ids.ts';
import type { RunChange } from '../../src/model/run-change.ts';
import type { ChangeStore } from '../../src/ports/change-store.ts';
import type { Clock } from '../../src/ports/clock.ts';

const runAt = (position: number): RunId => `01890000-0000-7000-8000-${String(position).padStart(12, '0')}` as RunId;

/** A store of one part whose changes are a list, and which counts how often it is read. */
class ScriptedStore {
  readonly parts = 1;
  readonly list: RunChange[] = [];
  reads = 0;
  keptFrom = 0;
  history = 'here/1';

  write(): void {
    const position = this.list.length + 1;
    const run = { runId: runAt(position), key: `k-${position}`, workflow: 'sleep', version: 1 };
    this.list.push({ position, ...run, revision: 1, status: 'WAITING', effects: [], atMs: 0 });
  }

  readonly changes: ChangeStore['changes'] = async (_tenant, _part, after, limit) => {
    this.reads += 1;
    const horizon = this.list.length + 1;
    const behind = after === null ? [] : this.list.filter(({ position }) => position >= after.position);
    const changes = behind.filter(({ runId }) => runId > (after?.runId ?? '')).slice(0, limit);
    const next = changes.length < limit ? horizon : (changes.at(-1)?.position ?? 0) + 1;
    return { changes, next, horizon, keptFrom: this.keptFrom, history: this.history };
  };
}

/** Time that passes only while somebody sleeps. */
function leapingClock(): Clock & { now: number } {
  const clock = {
    now: 0,
    monotonicMs: () => clock.now,
    sleep: async (ms: number) => {
      clock.now += ms;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
  return clock;
}

function telling(store: ScriptedStore, change: Partial<Telling> = {}): Telling & { readonly leave: () => void } {
  const clock = leapingClock();
  const leaving = new AbortController();
  return {
    store,
    tenant: 'default',
    clock,
    pulse: new Pulse({ store, tenant: 'default', clock }),
    lastEventId: null,
    runs: null,
    workflow: null,
    admit: async () => ({ name: 'ana', keyId: null, roles: ['viewer'], scopes: [], held: [] }),
    leaving: leaving.signal,
    leave: () => leaving.abort(),
    ...change,
  };
}

const idOf = (text: unknown): string => /^id: (.*)$/m.exec(String(text))?.[1] ?? '';

describe('a stream', () => {
  it('reads on only when what it has read was taken', async () => {
    const store = new ScriptedStore();
    const first = telling(store);
    const hello = tellChanges(first);
    const after = idOf((await hello.next()).value);
    first.leave();
    await hello.next();
    for (let count = 0; count < 250; count += 1) store.write();
    const ask = telling(store, {
      lastEventId: after,
      pulse: { beats: 0, watch: () => () => undefined } as unknown as Pulse,
    });
    const stream = tellChanges(ask);
    await stream.next();
    const before = store.reads;
    for (let count = 0; count < 100; count += 1) await stream.next();
    expect(store.reads - before).toBe(1);
    await stream.next();
    expect(store.reads - before).toBe(2);
    ask.leave();
    await stream.return(undefined);
  });

  it('shows every 15 seconds that it lives, and how far it is', async () => {
    const store = new ScriptedStore();
    const ask = telling(store);
    const stream = tellChanges(ask);
    const hello = (await stream.next()).value;
    const beat = (await stream.next()).value ?? '';
    expect(beat).toMatch(/^: beat\nid: \S+\n\n$/);
    expect(ask.clock.monotonicMs()).toBeGreaterThanOrEqual(15_000);
    expect(ask.clock.monotonicMs()).toBeLessThan(20_000);
    expect(idOf(beat)).toBe(idOf(hello));
    store.write();
    expect((await stream.next()).value).toContain('event: run\n');
    ask.leave();
    expect((await stream.next()).done).toBe(true);
  });

  it('does not read while nothing changes: one looks for all', async () => {
    const store = new ScriptedStore();
    const looks = new Pulse({ store, tenant: 'default', clock: leapingClock() });
    const ask = telling(store, {
      pulse: {
        watch: () => () => undefined,
        beats: 1,
        after: (...of: Parameters<Pulse['after']>) => looks.after(...of),
      } as unknown as Pulse,
    });
    const stream = tellChanges(ask);
    await stream.next();
    const beat = stream.next();
    ask.leave();
    await beat;
    // Where it stands, and once what there is.
    expect(store.reads).toBe(2);
  });

  it('looks anew when the database is another than before', async () => {
    const store = new ScriptedStore();
    const ask = telling(store);
    const stream = tellChanges(ask);
    await stream.next();
    store.history = 'here/2';
    store.write();
    const resync = (await stream.next()).value ?? '';
    expect(resync).toContain('event: resync\n');
    store.write();
    expect((await stream.next()).value).toContain('"key":"k-2"');
    ask.leave();
    await stream.next();
  });

  it('ends with what the asking throws, once the key counts no more', async () => {
    const store = new ScriptedStore();
    let asked = 0;
    const ask = telling(store, {
      admit: async () => {
        asked += 1;
        if (asked > 2) throw new ApiError('PAWL_API_UNAUTHENTICATED', 'no more');
        return { name: 'ana', keyId: null, roles: ['viewer'], scopes: [], held: [] };
      },
    });
    const stream = tellChanges(ask);
    await stream.next();
    await expect(stream.next()).rejects.toMatchObject({ code: 'PAWL_API_UNAUTHENTICATED' });
    // Asked with the opening, and every half second from then on.
    expect(ask.clock.monotonicMs()).toBeLessThan(2_500);
  });
});

describe('the place of a stream', () => {
  const now = { history: 'db/1', parts: [5, 7], within: null };

  it('is what was written, also between two runs of one position', () => {
    const place = { history: 'db/1', parts: [3, 7], within: { part: 0, runId: runAt(4) } };
    for (const one of [now, place]) expect(readPlace(now, writePlace(one))).toEqual(one);
    expect([placeIn(place, 0), placeIn(place, 1)]).toEqual([
      { position: 3, runId: runAt(4) },
      { position: 7, runId: null },
    ]);
  });

  it('is none of another database, of other parts, or in a part that is not there', () => {
    const { parts } = now;
    const others = [
      { ...now, history: 'db/2' },
      { ...now, parts: [5] },
      { ...now, within: { part: 2, runId: runAt(1) } },
    ];
    for (const other of others) expect(readPlace(now, writePlace(other))).toBeNull();
    for (const text of ['', 'x', writePlace({ ...now, parts: [...parts, 1] })]) expect(readPlace(now, text)).toBeNull();
  });
});

describe('open streams', () => {
  const refusal = (act: () => void): unknown => {
    try {
      act();
    } catch (error) {
      return problemAnswer(error, { requestId: 'r', path: '/v1/stream' });
    }
    return null;
  };

  it('S57 are bounded for each principal, and for all together; one that is closed makes room', () => {
    const streams = new Streams();
    const mine = Array.from({ length: STREAMS_OF_ONE_MAX }, () => new AbortController());
    for (const { signal } of mine) streams.take('ana', signal);
    const more = new AbortController();
    expect(refusal(() => streams.take('ana', more.signal))).toMatchObject({
      status: 429,
      headers: { 'retry-after': '1' },
    });
    const others = Array.from({ length: STREAMS_MAX - STREAMS_OF_ONE_MAX }, () => new AbortController());
    for (const [at, { signal }] of others.entries()) streams.take(`p-${at}`, signal);
    expect(refusal(() => streams.take('kai', more.signal))).toMatchObject({ status: 503 });
    mine[0]?.abort();
    expect(refusal(() => streams.take('ana', more.signal))).toBeNull();
    others[0]?.abort();
    expect(refusal(() => streams.take('kai', more.signal))).toBeNull();
  });
});
