import { readFileSync } from 'node:fs';
import { parse as parseYaml } from 'yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSystemClock } from '../../src/app/system-clock.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import type { Logger } from '../../src/ports/logger.ts';
import type { Store } from '../../src/ports/store.ts';
import { type ApiHouse, openApiHouse } from '../api/support/api-house.ts';
import { ORDER, publishAll } from '../api/support/workflows.ts';

/** An exposition as `name{labels}` -> value, and the type of each name. */
function parse(text: string): {
  readonly values: ReadonlyMap<string, number>;
  readonly types: ReadonlyMap<string, string>;
} {
  const values = new Map<string, number>();
  const types = new Map<string, string>();
  for (const line of text.trim().split('\n')) {
    const [, named, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (named !== undefined && type !== undefined) types.set(named, type);
    if (line === '' || line.startsWith('#')) continue;
    const [, name, value] = /^([a-z_]+(?:\{(?:[a-z]+="[^"\n]*",?)+\})?) (\S+)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new Error(`no line of an exposition: ${line}`);
    values.set(name, Number(value));
  }
  return { values, types };
}

let house: ApiHouse;
beforeAll(async () => {
  house = await openApiHouse({ worker: true });
  await publishAll(house, [ORDER]);
});
afterAll(() => house.close());

describe('GET /metrics', () => {
  it('counts what the process has done, in a form that can be read', async () => {
    const told = await house.post('/v1/runs?wait=60s', { workflow: 'order', input: { id: 'm-1' } });
    expect(told.json<{ status: string }>().status).toBe('COMPLETED');
    const { status, text, headers } = await house.get('/metrics', { as: 'viewer' });
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    const { values } = parse(text);
    expect(values.get('pawl_stored_up')).toBe(1);
    expect(values.get('pawl_runs_started_total')).toBe(1);
    expect(values.get('pawl_runs_ended_total{status="COMPLETED"}')).toBe(1);
    for (const state of ['REQUESTED', 'CONFIRMED'])
      expect(values.get(`pawl_effect_moves_total{state="${state}"}`), state).toBe(2);
    const { journal } = await house.app.history('m-1');
    expect(values.get('pawl_transitions_total')).toBe(journal.length);
    const commits = values.get('pawl_commit_seconds_count') ?? 0;
    expect(commits).toBeGreaterThan(0);
    expect(values.get('pawl_commit_batch_size_sum')).toBeGreaterThanOrEqual(commits);
    expect(values.get('pawl_commit_answers_total{kind="applied"}')).toBeGreaterThanOrEqual(commits);
  });

  it('S12 is not for a key that is narrowed to some workflows', async () => {
    const as = await house.key(['admin'], { scopes: [{ right: '*', workflows: 'order' }] });
    expect((await house.get('/metrics', { as })).status).toBe(403);
  });

  it('has what docs/reference/metrics.md lists, and no more', async () => {
    const page = readFileSync(new URL('../../docs/reference/metrics.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| `(pawl_\w+)` \| (\w+) \|/gm)].map(([, name = '', type = '']) => [name, type]);
    const { types } = parse((await house.get('/metrics')).text);
    expect(rows.sort()).toEqual([...types].sort());
  });

  it('docs/reference/prometheus-rules.yml names only metrics that there are, and each alert says what to do', async () => {
    const text = readFileSync(new URL('../../docs/reference/prometheus-rules.yml', import.meta.url), 'utf8');
    const { groups } = parseYaml(text) as { groups: { rules: Record<string, unknown>[] }[] };
    const rules = groups.flatMap((group) => group.rules);
    const { types } = parse((await house.get('/metrics')).text);
    const known = [...types].flatMap(([name, type]) =>
      type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name],
    );
    const named = rules.map(({ expr }) => String(expr).match(/\bpawl_\w+/g) ?? []);
    expect(named.flat().filter((name) => !known.includes(name))).toEqual([]);
    expect(named.filter((names) => names.length === 0)).toEqual([]);
    for (const rule of rules)
      expect(rule, String(rule['alert'])).toMatchObject({
        alert: expect.stringMatching(/^Pawl[A-Z]/),
        annotations: { summary: expect.any(String), description: expect.stringContaining('pawl ') },
      });
  });
});

describe('metrics', () => {
  const answering = (answers: Partial<Store>): Store => ({ parts: 2, ...answers }) as Store;
  const silent: Logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const queues: Store['queues'] = async (part) => [{ part, queue: 'gpu', offered: 2, sinceMs: null, askedAtMs: null }];

  const gauges: Store['gauges'] = async () => [];
  const clock = createSystemClock();

  it('count what was found late, fired and taken over', async () => {
    const metrics = createMetrics(clock);
    let dueAtMs: number | null = 10_000;
    const store = metrics.overStore(
      answering({
        nextDueMs: async () => ({ dueAtMs, nowMs: 12_000 }),
        fireTimers: async () => 3,
        sweep: async () => ['a', 'b'] as never,
      }),
    );
    await store.nextDueMs(0);
    for (const next of [null, 12_001]) {
      dueAtMs = next;
      await store.nextDueMs(0);
    }
    await store.fireTimers(0, 10);
    await store.sweep(0, 10);
    const { values } = parse(await metrics.expose({ parts: 2, queues, gauges }, 'default'));
    expect(values.get('pawl_due_late_seconds_count')).toBe(1);
    expect(values.get('pawl_due_late_seconds_sum')).toBe(2);
    expect(values.get('pawl_timers_fired_total')).toBe(3);
    expect(values.get('pawl_runs_taken_over_total')).toBe(2);
    expect(values.get('pawl_queue_offers{queue="gpu"}')).toBe(4);
  });

  it('say which hosts nothing is sent to, and what was warned of', async () => {
    const metrics = createMetrics(clock);
    const logger = metrics.overLogger(silent);
    for (const host of ['a:1', 'b:2']) logger.warn({ host }, 'circuit.opened');
    logger.info({ host: 'a:1' }, 'circuit.closed');
    logger.error({}, 'seat.lost');
    const { values } = parse(await metrics.expose({ parts: 1, queues: async () => [], gauges }, 'default'));
    expect(values.get('pawl_circuit_open{host="a:1"}')).toBeUndefined();
    expect(values.get('pawl_circuit_open{host="b:2"}')).toBe(1);
    expect(values.get('pawl_log_events_total{event="circuit.opened"}')).toBe(2);
    expect(values.get('pawl_log_events_total{event="seat.lost"}')).toBe(1);
  });

  it('count a statement that has committed its run, and nothing that was refused', async () => {
    const metrics = createMetrics(clock);
    const commit = { transitions: [{}, {}], head: null, effects: [] } as never;
    let kind: 'applied' | 'busy' = 'busy';
    const store = metrics.overStore(
      answering({
        act: async (_ask, conclude) => {
          conclude({} as never);
          return { kind, revision: 1, atMs: 0 } as never;
        },
        commit: async () => [{ kind: 'busy' }],
      }),
    );
    await store.act?.({} as never, () => commit);
    await store.commit(0, 'w' as never, [commit]);
    kind = 'applied';
    await store.act?.({} as never, () => commit);
    const { values } = parse(await metrics.expose({ parts: 1, queues, gauges }, 'default'));
    expect(values.get('pawl_transitions_total')).toBe(2);
    expect(values.get('pawl_commit_answers_total{kind="busy"}')).toBe(1);
  });
});
