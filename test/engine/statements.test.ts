import { describe, expect, it } from 'vitest';
import type { AttemptReport } from '../../src/model/outcome.ts';
import type { Store } from '../../src/ports/store.ts';
import type { StatementScript } from '../../src/store/memory/act.ts';
import { answered } from '../../src/testing/simulator/answered.ts';
import { lostAnswer } from '../../src/testing/store-verbs.ts';
import { openSmallHouse, type SmallHouse } from './support/small-house.ts';

const BOOKS = (more = '', step = ''): string => `
pawl: 1
workflow: books
version: 1
timeout: 1d
input: { type: object, properties: { n: { type: integer } } }
actions:
  stock.take:
    sql: UPDATE stock SET left = left - :n WHERE left >= :n
    expectRows: 1
    compensate: none
    input: { type: object, properties: { n: { type: integer } } }
    ${more}
steps:
  - { id: take, call: stock.take, with: { n: 2 }${step} }
output: { rows: =steps.take.output.rowCount }
`;

const rows = (rowCount: number): AttemptReport => answered(null, { rows: [], rowCount });
const undone = (code: string, passing: boolean): AttemptReport => ({
  kind: 'undone',
  code,
  reason: `${code}: it says why`,
  passing,
  data: { sqlstate: code },
});

/** A table with a count of what was kept, and a script that says what each try comes to. */
function tableOf(...reports: readonly AttemptReport[]) {
  const table = { tries: 0, kept: 0 };
  const statements: StatementScript = async () => {
    const report = reports[Math.min(table.tries, reports.length - 1)] ?? rows(1);
    table.tries += 1;
    return {
      report,
      keep: () => {
        table.kept += 1;
      },
    };
  };
  return { table, statements };
}

async function ended(house: SmallHouse, text: string, store?: Store) {
  const { verbs } = house.process({ works: true, ...(store === undefined ? {} : { store }) });
  const run = await house.begin(verbs, text);
  await house.until(() => house.store.peek().runs.get(run as never)?.head.endedAtMs !== null);
  return { verbs, view: await house.settled(verbs.show(run)) };
}

/** A store of which `act` is another; everything else is as it is. */
function withAct(inner: Store, act: Store['act']): Store {
  return new Proxy(inner, { get: (target, name) => (name === 'act' ? act : (Reflect.get(target, name) as unknown)) });
}

describe('a statement', () => {
  it('E13 is committed with its run: one transaction, and no batch', async () => {
    // E13: "`sql` actions never travel in a batch: a transaction of their own with the run's commit"
    const { table, statements } = tableOf(rows(1));
    const house = openSmallHouse({ statements });
    const { view } = await ended(house, BOOKS());
    expect(view).toMatchObject({ status: 'COMPLETED', output: { rows: 1 } });
    expect(view.effects).toMatchObject([{ state: 'CONFIRMED', attempt: 1 }]);
    expect(table).toEqual({ tries: 1, kept: 1 });
  });

  it('E13 what the database takes back is FAILED, with what it says', async () => {
    // E13: "whose exception block gives FAILED"
    const { table, statements } = tableOf(undone('sql-23505', false));
    const { view } = await ended(openSmallHouse({ statements }), BOOKS());
    expect(view).toMatchObject({ status: 'FAILED', failure: { code: 'sql-23505', message: 'sql-23505: it says why' } });
    expect(table).toEqual({ tries: 1, kept: 0 });
  });

  it('E13 other rows than are expected take it back', async () => {
    // E13: "a transaction of their own with the run's commit"
    const { table, statements } = tableOf(rows(0));
    const { view } = await ended(openSmallHouse({ statements }), BOOKS());
    expect(view).toMatchObject({ status: 'FAILED', failure: { code: 'no-rows' } });
    expect(table).toEqual({ tries: 1, kept: 0 });
  });

  it('E13 an answer that its own table refuses, or that breaks the output schema, is taken back', async () => {
    // E13: "a transaction of their own with the run's commit"
    const refused = tableOf(rows(1));
    const says = 'outcome: [{ when: response.rowCount == 1, is: rejected, code: sold-out }]';
    const { view } = await ended(openSmallHouse({ statements: refused.statements }), BOOKS(says));
    expect(view).toMatchObject({ status: 'FAILED', failure: { code: 'sold-out' } });
    const misfit = tableOf(rows(1));
    const wants = 'output: { type: object, required: [left], properties: { rowCount: { type: integer } } }';
    const { view: other } = await ended(openSmallHouse({ statements: misfit.statements }), BOOKS(wants));
    expect(other).toMatchObject({ status: 'FAILED', failure: { code: 'unreadable' } });
    expect([refused.table.kept, misfit.table.kept]).toEqual([0, 0]);
  });

  it('E13 what may pass is tried again by the policy', async () => {
    // E13: "whose exception block gives FAILED"
    const { table, statements } = tableOf(undone('sql-40p01', true), rows(1));
    const retry = ', retry: { attempts: 2, delay: 1s }';
    const { view } = await ended(openSmallHouse({ statements }), BOOKS('', retry));
    expect(view).toMatchObject({ status: 'COMPLETED' });
    expect(table).toEqual({ tries: 2, kept: 1 });
  });

  it('E13 a worker that dies before COMMIT leaves nothing behind, and another one carries it out', async () => {
    // E13: "a transaction of their own with the run's commit"
    const { table, statements } = tableOf(rows(1));
    const house = openSmallHouse({ statements });
    const dead = house.process({
      works: true,
      store: withAct(house.store, () => {
        dead.kill();
        return new Promise(() => undefined);
      }),
    });
    const run = await house.begin(dead.verbs, BOOKS());
    const { verbs } = house.process({ works: true });
    await house.until(() => house.store.peek().runs.get(run as never)?.head.endedAtMs !== null);
    const view = await house.settled(verbs.show(run));
    expect(view).toMatchObject({ status: 'COMPLETED' });
    expect(view.effects).toMatchObject([{ state: 'CONFIRMED', attempt: 2 }]);
    expect(table).toEqual({ tries: 1, kept: 1 });
  });

  it.each([
    ['done', true, 1],
    ['not done', false, 2],
  ])('P04 a COMMIT whose answer is lost and that was %s is read back: it is kept once', async (_, isDone, tries) => {
    // P04: "An answer lost at COMMIT: drop the connection, read back (revision, fence, journal). Mine: adopt the recorded row."
    const { table, statements } = tableOf(rows(1));
    const house = openSmallHouse({ statements });
    let losses = 0;
    const act: NonNullable<Store['act']> = async (ask, conclude) => {
      losses += 1;
      if (losses > 1) return house.store.act?.(ask, conclude) ?? { kind: 'busy' };
      if (isDone) await house.store.act?.(ask, conclude);
      else table.tries += conclude(rows(1)) === null ? 0 : 1;
      throw lostAnswer('act');
    };
    const { view } = await ended(house, BOOKS(), withAct(house.store, act));
    expect(view).toMatchObject({ status: 'COMPLETED' });
    expect(view.effects).toMatchObject([{ state: 'CONFIRMED', attempt: 1 }]);
    expect(table).toEqual({ tries, kept: 1 });
    // Whoever would try again does so within the second.
    await house.world.run(() => false, house.world.nowMs() + 1_000);
    expect(losses).toBe(tries);
  });

  it('E13 statements are off by default: nothing that needs them is published, and the mend is named', async () => {
    // E13: "Off by default"
    const house = openSmallHouse();
    const { verbs } = house.process({ works: true, store: withAct(house.store, undefined) });
    const publish = house.settled(verbs.publish({ text: BOOKS(), file: 'books.pawl.yaml', by: 'author' }));
    await expect(publish).rejects.toMatchObject({
      code: 'PAWL_SQL_OFF',
      message: expect.stringContaining('sql: { role:'),
    });
  });

  it('E13 a process without statements leaves them to another one', async () => {
    // E13: "Off by default"
    const { table, statements } = tableOf(rows(1));
    const house = openSmallHouse({ statements });
    const author = house.process({ works: false });
    await house.settled(author.verbs.publish({ text: BOOKS(), file: 'books.pawl.yaml', by: 'author' }));
    const { verbs } = house.process({ works: true, store: withAct(house.store, undefined) });
    const { run } = await house.settled(verbs.start({ workflow: 'books', version: 1, input: {}, by: 'starter' }));
    const stateOf = (): string | undefined =>
      [...(house.store.peek().runs.get(run.runId)?.effects.values() ?? [])][0]?.state;
    await house.until(() => stateOf() === 'AUTHORIZED');
    expect(table).toEqual({ tries: 0, kept: 0 });
  });
});
