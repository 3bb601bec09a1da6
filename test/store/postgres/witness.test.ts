import type { ClientBase } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAdmission } from '../../../src/store/postgres/admission.ts';
import type { Connections } from '../../../src/store/postgres/connections.ts';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.ts';
import { NOW } from '../../../src/store/postgres/sql/load.ts';
import { WITNESS, WITNESS_READ } from '../../../src/store/postgres/sql/witness.ts';
import { openTestStore, runSql, type TestStore } from '../../support/postgres.ts';

let opened: TestStore;
beforeAll(async () => {
  opened = await openTestStore();
});
afterAll(() => opened.close());

/** A connection that answers what its server says of itself. */
function clientOf(timeline: number, readOnly = false): ClientBase {
  const rows = [{ system_identifier: '7', timeline, read_only: readOnly }];
  return { query: () => Promise.resolve({ rows }) } as unknown as ClientBase;
}

describe('which database this is', () => {
  it('P14 another timeline or system identifier than the one last seen opens recovery mode for everybody, until an operator ends it', async () => {
    // P14: "A changed timeline or system identifier opens recovery mode: nothing but effects with a remembered key is sent until an operator has reconciled the window."
    const { store, url } = opened;
    const { identity } = await store.witness('worker');
    const was = { systemIdentifier: '42', timeline: identity.timeline };
    await runSql(url, "UPDATE pawl.witness SET system_identifier = '42'");
    const { recovery } = await store.witness('worker');
    expect(recovery).toMatchObject({ was });
    expect(recovery?.lastSeenMs).toBeLessThanOrEqual(recovery?.sinceMs ?? 0);
    await runSql(url, 'UPDATE pawl.witness SET timeline = timeline + 1');
    expect(await (await opened.again()).witness('worker')).toEqual({ identity, recovery, window: null });
    expect(await store.endRecovery({ tenant: 'default', by: 'ana', reason: 'compared with the bank' })).toBe(true);
    const window = { lastSeenMs: recovery?.lastSeenMs, sinceMs: recovery?.sinceMs };
    expect(await store.witness('worker')).toEqual({ identity, recovery: null, window });
    expect(await runSql(url, 'SELECT reconciled_by, reconciled_reason FROM pawl.witness')).toEqual([
      { reconciled_by: 'ana', reconciled_reason: 'compared with the bank' },
    ]);
    await runSql(url, 'UPDATE pawl.witness SET timeline = timeline + 1');
    expect((await store.witness('worker')).recovery).toMatchObject({
      was: { ...identity, timeline: identity.timeline + 1 },
    });
    await store.endRecovery({ tenant: 'default', by: 'ana', reason: 'again' });
  });

  it('P14 once a connection has met another database nothing but the witness travels, until a worker has asked it', async () => {
    // P14: "A changed timeline or system identifier opens recovery mode: nothing but effects with a remembered key is sent until an operator has reconciled the window."
    const admission = createAdmission();
    const witness = (timeline: number) => [
      { system_identifier: '7', timeline, recovery_since: null, window_until: null },
    ];
    let timeline = 1;
    const inner = { run: async () => witness(timeline), close: async () => undefined } as unknown as Connections;
    const { run } = admission.over(inner);
    await admission.admit(clientOf(1));
    await run(WITNESS_READ, []);
    await admission.admit(clientOf(3));
    await run(NOW, []);
    await admission.admit(clientOf(1));
    await run(WITNESS, []);
    await admission.admit(clientOf(1));
    await run(NOW, []);
    timeline = 2;
    await admission.admit(clientOf(2));
    await expect(run(NOW, [])).rejects.toMatchObject({ code: 'PAWL_STORE_UNAVAILABLE' });
    await run(WITNESS_READ, []);
    await expect(run(NOW, [])).rejects.toMatchObject({ code: 'PAWL_STORE_UNAVAILABLE' });
    await run(WITNESS, []);
    await expect(run(NOW, [])).resolves.toBeDefined();
    await expect(admission.admit(clientOf(2, true))).rejects.toMatchObject({ code: 'PAWL_STORE_UNAVAILABLE' });
  });

  it('P14 a server that takes no writes is refused at the start and by each new connection', async () => {
    // P14: "A changed timeline or system identifier opens recovery mode …"
    const { url } = opened;
    // Behind a pooler the server's connections are not the store's: there the witness notices, with the next heartbeat.
    const store = await opened.again({ pooler: 'none' });
    await store.nowMs();
    const name = new URL(url).pathname.slice(1);
    await runSql(url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    try {
      await expect(openPostgresStore({ url })).rejects.toMatchObject({
        code: 'PAWL_STORE_UNAVAILABLE',
        message: expect.stringContaining('takes no writes'),
      });
      await runSql(
        url,
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      );
      const said = async (): Promise<string> => store.nowMs().then(String, (error: Error) => error.message);
      await expect.poll(said, { timeout: 10_000 }).toContain('takes no writes');
    } finally {
      const writable = new URL(url);
      writable.searchParams.set('options', '-c default_transaction_read_only=off');
      await runSql(writable.toString(), `ALTER DATABASE ${name} RESET default_transaction_read_only`);
    }
    await expect.poll(() => store.nowMs(), { timeout: 10_000 }).toBeGreaterThan(0);
  });
});
