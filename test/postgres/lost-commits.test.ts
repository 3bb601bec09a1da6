import { execFile } from 'node:child_process';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RECOVERY_LOOK_MS } from '../../src/engine/recovery.ts';
import type { RunView } from '../../src/engine/run-view.ts';
import { httpAction } from '../engine/support/workflows.ts';
import { runSql } from '../support/postgres.ts';
import { STEP_CLOCK } from '../support/stepped-clock.ts';
import { type OwnServer, openOwnServer } from './support/own-server.ts';
import { openSagaHouse, type SagaHouse, WITHIN_MS } from './support/saga-house.ts';

/** Several wait for each other. */
const TEST_MS = 4 * WITHIN_MS;
/** A heartbeat every 1.5 s asks whether the database is still the one it was. */
const LEASE_MS = 9_000;
const OPERATOR = { by: 'ana', reason: 'compared with the bank' };

let server: OwnServer;
let house: SagaHouse;
beforeAll(async () => {
  server = await openOwnServer();
  house = await openSagaHouse({ store: { url: server.url }, workers: null });
}, WITHIN_MS);
afterAll(async () => {
  await house.close();
  await server.close();
});

/** Pays once it is told to, to a provider that remembers the key or does not. */
function payment(name: string, keys: string): string {
  const action = httpAction(house.provider.url, name, ['compensate: none']).replace(/idempotency: .*/, keys);
  return `pawl: 1\nworkflow: ${name}\nversion: 1\ntimeout: 1h\nevents: { go: { schema: { type: object } } }\nactions:\n${action}\nsteps:\n  - { id: go, await: go }\n  - { id: pay, call: shop.${name} }\n`;
}

const KEYED = 'idempotency: { header: Idempotency-Key, remembers: 24h }';
const BLIND = 'idempotency: none';

/** The sender says it again until somebody has taken it, as senders do. */
async function tell(run: string): Promise<void> {
  const letter = { name: 'go', data: {}, source: 'shop', eventId: `go-${run}`, by: 'shop', waitMs: 0 };
  const said = (): Promise<boolean> =>
    house.app.signal(run, letter).then(
      () => true,
      () => false,
    );
  await expect.poll(said, { timeout: WITHIN_MS, interval: 50 }).toBe(true);
}

/** The server's data as they are while it stands. @returns where the copy is. */
async function copyStopped(): Promise<string> {
  await server.stop();
  const copy = `${server.dataPath}.standby`;
  await promisify(execFile)('cp', ['-a', server.dataPath, copy]);
  await server.start();
  return copy;
}

/** The server is gone; the standby, which has not heard of its last commits, takes its place. */
async function promote(standby: string): Promise<void> {
  await server.crash();
  await rename(server.dataPath, `${server.dataPath}.lost`);
  await rename(standby, server.dataPath);
  await writeFile(join(server.dataPath, 'standby.signal'), '');
  await server.start();
  await runSql(server.url, 'SELECT pg_promote()');
}

const untilAsked = (run: string): Promise<RunView> =>
  house.untilRun(run, ({ waitingFor }) => waitingFor.some(({ kind }) => kind === 'event'));
const booked = (name: string): number => house.provider.effects().filter((effect) => effect === name).length;

describe('a standby that lacks the last commits takes over', () => {
  it(
    'P14 F11 nothing is sent by itself but what the provider remembers, until an operator has reconciled; every act happened once',
    async () => {
      // P14: "A changed timeline or system identifier opens recovery mode: nothing but effects with a remembered key is sent until an operator has reconciled the window."
      const { app } = house;
      await house.worker(LEASE_MS);
      const keyed = await house.begin(payment('keyed', KEYED));
      const done = await house.begin(payment('done', BLIND));
      const due = await house.begin(payment('due', BLIND));
      for (const run of [keyed, done, due]) await untilAsked(run);
      const standby = await copyStopped();
      for (const run of [keyed, done]) await tell(run);
      for (const run of [keyed, done]) await house.untilStatus(run, 'COMPLETED');
      expect(house.logged.map(({ event }) => event)).not.toContain('recovery.opened');

      await promote(standby);
      for (const run of [keyed, done, due]) await tell(run);
      await house.untilStatus(keyed, 'COMPLETED');
      for (const run of [done, due]) {
        const { effects } = await house.untilRun(run, (view) => view.effects[0]?.code === 'forgotten');
        expect(effects[0]).toMatchObject({ state: 'UNKNOWN', sent: 0 });
        expect((await app.why(run)).reasons[0]).toMatchObject({
          kind: 'unknown',
          command: expect.stringMatching(/^pawl resolve run_\w+ pay --as confirmed/),
        });
      }
      expect((await app.engine.store.witness('reader')).recovery).not.toBeNull();
      expect(house.logged.map(({ event }) => event)).toContain('recovery.opened');
      expect([booked('keyed'), booked('done'), booked('due')]).toEqual([1, 1, 0]);

      // The bank has one of the two: the operator says so, and both go on, the other once recovery mode is over.
      await runSql(server.url, STEP_CLOCK, [2 * RECOVERY_LOOK_MS]);
      const word = {
        effect: 'pay',
        evidence: 'the statement of the bank',
        output: undefined,
        by: 'ana',
        roles: ['operator'],
      };
      await expect(app.resolve(done, { ...word, as: 'confirmed', output: { id: 'seen' } })).resolves.toMatchObject({
        outcome: 'applied',
      });
      await expect(app.resolve(due, { ...word, as: 'absent' })).resolves.toMatchObject({ outcome: 'applied' });
      await house.untilStatus(done, 'COMPLETED');
      await house.untilRun(due, (view) => view.effects[0]?.code === 'recovery');
      expect([booked('done'), booked('due')]).toEqual([1, 0]);
      expect(await app.endRecovery(OPERATOR)).toBe(true);
      await runSql(server.url, STEP_CLOCK, [2 * RECOVERY_LOOK_MS]);
      await house.untilStatus(due, 'COMPLETED');
      expect([booked('keyed'), booked('done'), booked('due')]).toEqual([1, 1, 1]);
      expect((await app.verifyStore()).faults).toEqual([]);
    },
    TEST_MS,
  );
});
