import { type Gauge, GAUGE_COUNT_MAX, type GaugeMeasure } from '../../model/gauges.ts';
import { compareText } from './row.ts';
import type { RunRows, Statement } from './tables.ts';

/** One thing that is counted: under which label, and since when it waits. */
interface Counted {
  readonly label: string | null;
  readonly sinceMs: number | null;
}

const OPEN_STATES: readonly string[] = ['PROPOSED', 'AUTHORIZED', 'REQUESTED', 'UNKNOWN'];

function plain(label: string): Counted {
  return { label, sinceMs: null };
}

function since(sinceMs: number, label: string | null = null): Counted {
  return { label, sinceMs };
}

function tally(measure: GaugeMeasure, rows: readonly Counted[], nowMs: number): Gauge[] {
  const oldest = [...rows].sort((a, b) => (a.sinceMs ?? 0) - (b.sinceMs ?? 0)).slice(0, GAUGE_COUNT_MAX);
  const labels = [...new Set(oldest.map(({ label }) => label))].sort((a, b) => compareText(a ?? '', b ?? ''));
  return labels.map((label) => {
    const mine = oldest.filter((row) => row.label === label);
    const sinceMs = mine[0]?.sinceMs ?? null;
    return { measure, label, count: mine.length, ageMs: sinceMs === null ? null : Math.max(0, nowMs - sinceMs) };
  });
}

function waitingIn({ inbox }: RunRows): Counted[] {
  return [...inbox.values()]
    .filter(({ consumed, outcome }) => !consumed && outcome === null)
    .map(({ receivedAtMs }) => since(receivedAtMs));
}

function sendingOf({ outbox }: RunRows): Counted[] {
  return [...outbox.values()]
    .filter(({ state }) => state === 'waiting' || state === 'dead')
    .map(({ atMs, state }) => since(atMs, state));
}

/** What of a tenant is not over, counted. */
export function gaugesOf({ runs, batches, nowMs }: Statement, tenant: string): Gauge[] {
  const all = [...runs.values()].filter(({ run }) => run.tenant === tenant);
  const open = all.filter(({ head }) => head.endedAtMs === null).slice(0, GAUGE_COUNT_MAX);
  const effects = (rows: readonly RunRows[]) => rows.flatMap((row) => [...row.effects.values()]);
  const doubt = effects(all).flatMap(({ unknownSinceMs }) => (unknownSinceMs === null ? [] : [since(unknownSinceMs)]));
  const due = all.flatMap(({ timers }) => [...timers.values()]).filter(({ dueAtMs }) => dueAtMs <= nowMs);
  const working = [...batches.values()].filter(({ batch }) => batch.tenant === tenant && batch.state === 'running');
  const counted: Readonly<Record<GaugeMeasure, readonly Counted[]>> = {
    batches: working.map(() => ({ label: null, sinceMs: null })),
    doubt,
    effects: effects(open).flatMap(({ state }) => (OPEN_STATES.includes(state) ? [plain(state)] : [])),
    inbox: all.flatMap(waitingIn),
    needs: open.flatMap(({ head }) => [...new Set(head.needs)].map(plain)),
    outbox: all.flatMap(sendingOf),
    runs: open.map(({ head }) => plain(head.status)),
    timers: due.map(({ dueAtMs }) => since(dueAtMs)),
  };
  return Object.entries(counted).flatMap(([measure, rows]) => tally(measure as GaugeMeasure, rows, nowMs));
}
