import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { numbersFor } from '../../src/model/numbers.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { createRandom } from '../../src/testing/random.ts';
import { createTestDatabase, runSql } from '../support/postgres.ts';
import { faultsOf, type StatementFault } from './support/crash-store.ts';
import { type Break, type Played, playStory } from './support/play-story.ts';
import { createRealWorld } from './support/real-world.ts';
import { STORIES, type Story } from './support/stories.ts';

/** Database and processes live this much faster than the machine, so that a lease of 9 s costs a good second. */
const SPEED = 8;
const LEASE_MS = 9_000;
/** Plays under way at a time. */
const ABREAST = 4;

/** The database's clock, from now on `SPEED` times as fast. */
const FASTER = `CREATE OR REPLACE FUNCTION stepped_clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
  AS $$ SELECT '%'::timestamptz + (pg_catalog.clock_timestamp() - '%'::timestamptz) * ${SPEED} $$`;

async function playOnPostgres(story: Story, fault: Break | null): Promise<Played> {
  const url = await createTestDatabase({ parts: 1 });
  await runSql(url, FASTER.replaceAll('%', new Date().toISOString()));
  const numbers = numbersFor(LEASE_MS);
  const statements = story.text.includes('sql:') ? { statements: await prepareTables(url) } : {};
  const store = await openPostgresStore({ url, numbers, applicationName: 'pawl-crash', hintsUrl: null, ...statements });
  const world = createRealWorld(createRandom(1), SPEED);
  const written = 'statements' in statements ? () => rowsOf(url) : () => Promise.resolve([]);
  return playStory({ world, store, leaseMs: LEASE_MS, written }, story, fault);
}

/** Makes what the statements of a story write to, and the role that may. */
async function prepareTables(url: string): Promise<{ readonly role: string }> {
  const role = `s_${randomBytes(6).toString('hex')}`;
  await runSql(url, `CREATE ROLE ${role} NOLOGIN`);
  await runSql(url, 'CREATE TABLE public.taken (no text)');
  await runSql(url, 'CREATE TABLE public.given (no text)');
  await runSql(url, `GRANT INSERT ON public.taken, public.given TO ${role}`);
  return { role };
}

async function rowsOf(url: string): Promise<readonly string[]> {
  const rows = await runSql(
    url,
    "SELECT 'books.take ' || json_build_object('no', no) AS line FROM public.taken UNION ALL SELECT 'books.give ' || json_build_object('no', no) FROM public.given",
  );
  return rows.map(({ line }) => String(line));
}

/** Statements that write and are there in every play, each once with one of its faults, in turn. */
function sample(statements: readonly string[]): readonly Break[] {
  const breaks: Break[] = [];
  for (const verb of ['start', 'claim', 'commit', 'commit', 'commit', 'deliverAndClaim', 'fireTimers', 'act']) {
    const faults: readonly StatementFault[] = faultsOf(verb);
    const nth = breaks.filter(({ at }) => statements[at - 1] === verb).length;
    const places = statements.flatMap((other, index) => (other === verb ? [index + 1] : []));
    const at = places[nth];
    const fault = faults[breaks.length % faults.length];
    if (at !== undefined && fault !== undefined) breaks.push({ at, fault });
  }
  return breaks;
}

async function abreast<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const lane = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await act(item);
  };
  await Promise.all(Array.from({ length: ABREAST }, lane));
}

describe('stories on PostgreSQL, with statements broken', () => {
  it.each(STORIES)(
    '$name: the same ledger and the same book on a real database',
    async (story) => {
      const { told, statements } = await playOnPostgres(story, null);
      expect(told).toMatchObject({ status: story.ends, faults: [] });
      const allowed = [told];
      if (story.undone !== null) allowed.push((await playOnPostgres({ ...story, scripts: story.undone }, null)).told);
      const breaks = sample(statements);
      await abreast(breaks, async (broken) => {
        const played = await playOnPostgres(story, broken);
        expect(played.told, `${broken.fault} at statement ${broken.at}`).toBeOneOf(allowed);
      });
      expect(breaks.length).toBeGreaterThan(2);
      console.info(`${story.name}: ${breaks.map(({ at, fault }) => `${fault} at ${at}`).join(', ')}`);
    },
    120_000,
  );
});
