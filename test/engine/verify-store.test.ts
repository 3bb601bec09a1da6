import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STORE_CHECKS, type VerifiedStore, verifyStore } from '../../src/engine/verify-store.ts';
import { runSql } from '../support/postgres.ts';
import { everyKind } from './support/every-kind.ts';
import { type House, openHouse } from './support/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
  await everyKind(house);
  // The dead worker's seat outlives this file, however slow the machine is.
  await runSql(house.url, "UPDATE pawl.seat SET lease_until = lease_until + interval '1 hour'");
}, 120_000);
afterAll(() => house.close());

/** One row that is damaged, and what names it. */
interface Damage {
  readonly check: string;
  readonly what: string;
  /** Key of the run whose row it is. */
  readonly run: string;
  readonly row: RegExp;
  /** Checks that name what follows from it. */
  readonly follows: readonly string[];
  readonly sql: string;
  readonly table: string;
}

const HEADING = /^-- ([a-z-]+): ([^|]+) \| (\w+) \| (.+?) \|(.*)$/;

function damageOf(text: string): Damage {
  const [heading = '', sql = ''] = text.split('\n');
  const [, check = '', what = '', run = '', row = '', follows = ''] = HEADING.exec(heading) ?? [];
  const table = /pawl\.(\w+)/.exec(sql)?.[1] ?? '';
  return {
    check,
    what,
    run,
    row: new RegExp(row),
    follows: follows.split(' ').filter((name) => name !== ''),
    sql,
    table,
  };
}

const DAMAGES = readFileSync(new URL('damages.sql', import.meta.url), 'utf8')
  .split('\n\n')
  .filter((text) => HEADING.test(text.split('\n')[0] ?? ''))
  .map(damageOf);

/** Damages one table as superuser, with its triggers asleep, looks, and puts it back as it was. */
async function damaged({ table, sql, run }: Damage): Promise<{ runId: string; verified: VerifiedStore }> {
  const [row] = await runSql(house.url, 'SELECT run_id::text FROM pawl.run WHERE run_key = $1', [run]);
  const runId = row?.['run_id'] as string;
  const asleep = 'SET session_replication_role = replica;';
  const before = `CREATE TABLE public.saved AS TABLE pawl.${table};`;
  const after = `DELETE FROM pawl.${table}; INSERT INTO pawl.${table} TABLE public.saved; DROP TABLE public.saved`;
  await runSql(house.url, `${asleep} ${before} ${sql.replaceAll('$run', `'${runId}'::uuid`)}`);
  try {
    const was = `TABLE pawl.${table} EXCEPT TABLE public.saved`;
    const is = `TABLE public.saved EXCEPT TABLE pawl.${table}`;
    const [rows] = await runSql(house.url, `SELECT count(*)::integer AS differ FROM ((${was}) UNION ALL (${is})) AS x`);
    expect([1, 2], 'one row differs, as it was and as it is').toContain(rows?.['differ']);
    return { runId, verified: await verifyStore(house.store) };
  } finally {
    await runSql(house.url, `${asleep} ${after}`);
  }
}

describe('verify', () => {
  it('finds nothing in a database with a run of every kind, ended, waiting, held, in flight and dead', async () => {
    const told: number[] = [];
    const { faults, checked } = await verifyStore(house.store, ({ runs }) => told.push(runs));
    expect(faults).toEqual([]);
    expect(checked.runs).toBe(13);
    expect(Math.min(...Object.values(checked))).toBeGreaterThan(4);
    expect(told.at(-1)).toBe(13);
  });

  it.each(DAMAGES.map((damage) => [damage.check, damage.what, damage] as const))('%s: %s', async (check, _, damage) => {
    const { verified, runId } = await damaged(damage);
    const found = verified.faults.map((fault) => `${fault.check} ${fault.row}: ${fault.what}`);
    const own = verified.faults.filter((fault) => fault.check === check);
    const others = verified.faults.filter((fault) => fault.check !== check && !damage.follows.includes(fault.check));
    expect(
      own.map(({ row }) => row),
      found.join('\n'),
    ).toContainEqual(expect.stringMatching(damage.row));
    expect(others).toEqual([]);
    for (const name of damage.follows) expect(verified.faults.map((fault) => fault.check)).toContain(name);
    if (check !== 'stray') expect(new Set(verified.faults.map((fault) => fault.runId))).toEqual(new Set([runId]));
  });

  it('has a damage for every check', () => {
    const names = STORE_CHECKS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect([...new Set(DAMAGES.map(({ check }) => check))].sort()).toEqual([...names].sort());
  });
});
