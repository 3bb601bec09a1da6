import { once } from 'node:events';
import net from 'node:net';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { numbersFor } from '../../../src/model/numbers.ts';
import type { Timer } from '../../../src/model/run.ts';
import type { Store } from '../../../src/ports/store.ts';
import { withHints } from '../../../src/store/postgres/hinted-verbs.ts';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import {
  commitOf,
  LEASE_MS,
  newRunId,
  newWorkerId,
  seated,
  signalTo,
  startFree,
  startHeld,
  startOneHeld,
} from '../../../src/testing/store-conformance/rows.ts';
import { openTestStore, runSql, type TestStore } from '../../support/postgres.ts';

let opened: TestStore;
beforeEach(async () => {
  opened = await openTestStore({ numbers: numbersFor(LEASE_MS) });
});
afterEach(() => opened.close());

/** Hears a store's hints, one after the other. */
async function hear(store: Store) {
  const heard: number[] = [];
  let ring: () => void = () => undefined;
  const hearing = await store.listen((part) => {
    heard.push(part);
    ring();
  });
  const untilHeard = async (count: number): Promise<readonly number[]> => {
    while (heard.length < count)
      await new Promise<void>((resolve) => {
        ring = resolve;
      });
    return heard.splice(0);
  };
  return { ...hearing, untilHeard };
}

const everyPart = (store: Store): number[] => Array.from({ length: store.parts }, (_, part) => part);

function timerDueAt(dueAtMs: number): Timer {
  return { name: 'pay:timeout', dueAtMs, generation: 1 };
}

async function backendsListening(url: string): Promise<number[]> {
  const rows = await runSql(
    url,
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'SELECT pg_notify(%' AND application_name = 'pawl-test'",
  );
  return rows.map((row) => row['pid'] as number);
}

describe('hints between processes', () => {
  it('W02 what one process stores is heard by another, with the part, as soon as it is there', async () => {
    // W02: "… The holder reads the wake-ups of its own leases (on NOTIFY, after each commit, at least every 100 ms) and drains the inbox between two decisions …"
    const other = await hear(await opened.again());
    expect(await other.untilHeard(opened.store.parts)).toEqual(everyPart(opened.store));
    expect(other.hears()).toBe(true);
    const [runId] = await startFree(opened.store, 1);
    expect(await other.untilHeard(1)).toEqual([0]);
    await opened.store.deliver(0, [signalTo(runId ?? newRunId(), 'e-1')]);
    expect(await other.untilHeard(1)).toEqual([0]);
    await other.end();
    expect(other.hears()).toBe(false);
  });

  it('A listening connection that breaks is dialled again, and every part is looked at for what was said meanwhile', async () => {
    const other = await hear(await opened.again());
    await other.untilHeard(opened.store.parts);
    const [pid] = await backendsListening(opened.url);
    await runSql(opened.url, 'SELECT pg_terminate_backend($1)', [pid]);
    expect(await other.untilHeard(opened.store.parts)).toEqual(everyPart(opened.store));
    expect(await backendsListening(opened.url)).not.toContain(pid);
    await startFree(opened.store, 1);
    expect(await other.untilHeard(1)).toEqual([0]);
  });

  it('A listener that reaches nobody hears nothing and ends when it is told to', async () => {
    const away = await hear(await opened.again({ hintsUrl: 'postgresql://pawl@localhost/pawl?host=/nowhere' }));
    expect(away.hears()).toBe(false);
    await away.end();
  });

  it('A listener that is still dialling, a server that says nothing, ends when it is told to', async () => {
    const mute = net.createServer().listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const { port } = mute.address() as net.AddressInfo;
    const greeted = once(mute, 'connection').then(([socket]) => once(socket as net.Socket, 'data'));
    const dialling = await hear(await opened.again({ hintsUrl: `postgresql://pawl@127.0.0.1:${port}/pawl` }));
    await greeted;
    await dialling.end();
    mute.close();
  });

  it('P13 behind a pooler, or with hints off, none is sent and none is waited for', async () => {
    // P13: "Right behind a transaction-mode pooler (no pinning, unnamed statements), without LISTEN/NOTIFY, with a pool of 2."
    const wire = new pg.Client({ connectionString: opened.url });
    const sent: (string | undefined)[] = [];
    wire.on('notification', ({ payload }) => sent.push(payload));
    await wire.connect();
    await wire.query('LISTEN pawl_hint');
    for (const off of [{ hintsUrl: null }, { pooler: 'transaction' }] as const) {
      const store = await openPostgresStore({ url: opened.url, ...off });
      const silent = await hear(store);
      await startFree(store, 1);
      expect(silent.hears()).toBe(false);
      await silent.end();
      await store.close();
    }
    await wire.query("SELECT pg_notify('pawl_hint', 'last')");
    expect(sent).toEqual(['last']);
    await wire.end();
  });
});

describe('what is worth a hint', () => {
  /** @returns how often others were told while `act` used the store's verbs. */
  async function toldBy(act: (store: Store) => Promise<unknown>): Promise<number> {
    let told = 0;
    const { store } = opened;
    await act({
      ...store,
      ...withHints(store, () => {
        told += 1;
      }),
    });
    return told;
  }

  it('a run that its starter does not keep, once it is due before others would look again', async () => {
    const nowMs = await opened.store.nowMs();
    expect(await toldBy((store) => startFree(store, 1, nowMs))).toBe(1);
    expect(await toldBy((store) => startFree(store, 1, nowMs + 60_000))).toBe(0);
    expect(await toldBy(async (store) => startOneHeld(store, newWorkerId()))).toBe(0);
  });

  it('a release that asks for a wake-up, a timer that is due soon, and neither of them when it is far away or refused', async () => {
    const { store: plain } = opened;
    const worker = await seated(plain);
    const nowMs = await plain.nowMs();
    const told = async (set: Parameters<typeof commitOf>[3], fence = 1): Promise<number> => {
      const runId = await startOneHeld(plain, worker);
      return toldBy((store) => store.commit(0, worker, [commitOf(runId, fence, 1, set)]));
    };
    expect(await told({ lease: { kind: 'release', wakeSeen: null, readyAtMs: nowMs } })).toBe(1);
    expect(await told({ lease: { kind: 'release', wakeSeen: null, readyAtMs: nowMs } }, 7)).toBe(0);
    expect(await told({ lease: { kind: 'release', wakeSeen: null, readyAtMs: null } })).toBe(0);
    expect(await told({ lease: { kind: 'release', wakeSeen: null, readyAtMs: nowMs + 60_000 } })).toBe(0);
    expect(await told({ timersSet: [timerDueAt(nowMs + 500)] })).toBe(1);
    expect(await told({ timersSet: [timerDueAt(nowMs + 60_000)] })).toBe(0);
    expect(await told({})).toBe(0);
  });

  it('an event that is new and that nobody decides here, and a timer that fired', async () => {
    const { store: plain } = opened;
    const worker = await seated(plain);
    const [held] = await startHeld(plain, worker, 1);
    const [free] = await startFree(plain, 1);
    if (held === undefined || free === undefined) throw new Error('no run');
    expect(await toldBy((store) => store.deliver(0, [signalTo(held, 'e-1')]))).toBe(1);
    expect(await toldBy((store) => store.deliver(0, [signalTo(held, 'e-1')]))).toBe(0);
    expect(await toldBy((store) => store.deliver(0, [signalTo(newRunId(), 'e-1')]))).toBe(0);
    expect(await toldBy((store) => store.deliverAndClaim(signalTo(held, 'e-2'), worker, LEASE_MS))).toBe(1);
    expect(await toldBy((store) => store.deliverAndClaim(signalTo(held, 'e-2'), worker, LEASE_MS))).toBe(0);
    expect(await toldBy((store) => store.deliverAndClaim(signalTo(newRunId(), 'e-2'), worker, LEASE_MS))).toBe(0);
    expect(await toldBy((store) => store.deliverAndClaim(signalTo(free, 'e-2'), worker, LEASE_MS))).toBe(0);
    await plain.commit(0, worker, [commitOf(held, 1, 1, { timersSet: [timerDueAt(0)] })]);
    expect(await toldBy((store) => store.fireTimers(0, 10))).toBe(1);
    expect(await toldBy((store) => store.fireTimers(0, 10))).toBe(0);
  });
});
