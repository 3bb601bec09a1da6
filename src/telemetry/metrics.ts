import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { EffectChange, RunCommit } from '../model/run-commit.ts';
import { isEnd } from '../model/statuses.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Store } from '../ports/store.ts';
import { createStoredGauges, type GaugedStore } from './stored-gauges.ts';

/** Bounds of a commit's duration, seconds: from a local database to one that is in trouble. */
const COMMIT_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** Bounds of how late something that was due is found, seconds. */
const LATE_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 5, 15, 60, 300, 3_600];
/** Bounds of the members of a batch; 200 is the most that travel together. */
const BATCH_MEMBERS = [1, 2, 5, 10, 20, 50, 100, 200];

/** What a process has done, for Prometheus: counted here alone, since it began; and what is stored. */
export interface Metrics {
  /** A store that counts what is done through it. */
  overStore(store: Store): Store;
  /** A logger that counts what is said by it. */
  overLogger(logger: Logger): Logger;
  /**
   * All of it as Prometheus reads it, with what the store holds now of a tenant; where that cannot be read, `pawl_stored_up` is 0 and
   * the rest is whole.
   */
  expose(store: GaugedStore, tenant: string): Promise<string>;
}

function instruments(registry: Registry) {
  const registers = [registry];
  return {
    started: new Counter({ name: 'pawl_runs_started_total', help: 'Runs that this process has started.', registers }),
    ended: new Counter({
      name: 'pawl_runs_ended_total',
      help: 'Ends that this process has committed; one that is compensated later ends twice.',
      labelNames: ['status'],
      registers,
    }),
    transitions: new Counter({ name: 'pawl_transitions_total', help: 'Transitions that were committed.', registers }),
    effects: new Counter({
      name: 'pawl_effect_moves_total',
      help: 'Moves of effects, by the state that they came to.',
      labelNames: ['state'],
      registers,
    }),
    answers: new Counter({
      name: 'pawl_commit_answers_total',
      help: 'Members of commits, by what the store answered.',
      labelNames: ['kind'],
      registers,
    }),
    commitSeconds: new Histogram({
      name: 'pawl_commit_seconds',
      help: 'How long a statement that commits took, until its answer.',
      buckets: COMMIT_SECONDS,
      registers,
    }),
    batch: new Histogram({
      name: 'pawl_commit_batch_size',
      help: 'Members of one statement that commits.',
      buckets: BATCH_MEMBERS,
      registers,
    }),
    late: new Histogram({
      name: 'pawl_due_late_seconds',
      help: 'How late the oldest timer or wake-up that was due was found, by the clock of the database.',
      buckets: LATE_SECONDS,
      registers,
    }),
    fired: new Counter({ name: 'pawl_timers_fired_total', help: 'Timers that this process has fired.', registers }),
    takenOver: new Counter({
      name: 'pawl_runs_taken_over_total',
      help: 'Runs of dead workers that this process has freed.',
      registers,
    }),
    circuit: new Gauge({
      name: 'pawl_circuit_open',
      help: '1 while nothing is sent to a host that was unavailable again and again.',
      labelNames: ['host'],
      registers,
    }),
    logged: new Counter({
      name: 'pawl_log_events_total',
      help: 'Warnings and errors that were logged, by their event.',
      labelNames: ['event'],
      registers,
    }),
  };
}

type Instruments = ReturnType<typeof instruments>;

function countEffects({ effects }: Instruments, changes: readonly EffectChange[]): void {
  for (const { expect, effect } of changes) if (expect?.state !== effect.state) effects.inc({ state: effect.state });
}

function countCommit(counted: Instruments, { transitions, head, effects }: RunCommit): void {
  counted.transitions.inc(transitions.length);
  countEffects(counted, effects);
  if (head !== null && transitions.length > 0 && isEnd(head.status)) counted.ended.inc({ status: head.status });
}

function commitOver(counted: Instruments, store: Store): Store['commit'] {
  return async (part, workerId, commits) => {
    counted.batch.observe(commits.length);
    const done = counted.commitSeconds.startTimer();
    const answers = await store.commit(part, workerId, commits).finally(done);
    for (const [index, { kind }] of answers.entries()) {
      counted.answers.inc({ kind });
      const commit = commits[index];
      if (kind === 'applied' && commit !== undefined) countCommit(counted, commit);
    }
    return answers;
  };
}

function startOver(counted: Instruments, store: Store): Store['start'] {
  return async (part, starts) => {
    const answers = await store.start(part, starts);
    for (const [index, { created }] of answers.entries()) {
      const start = starts[index];
      if (!created || start === undefined) continue;
      counted.started.inc();
      counted.transitions.inc(start.transitions.length);
      countEffects(counted, start.effects);
    }
    return answers;
  };
}

/** A statement commits its run by itself (E13). */
function actOver(counted: Instruments, act: NonNullable<Store['act']>): NonNullable<Store['act']> {
  return async (ask, conclude) => {
    let concluded: RunCommit | null = null;
    const answer = await act(ask, (report) => {
      concluded = conclude(report);
      return concluded;
    });
    if (answer.kind === 'applied' && concluded !== null) countCommit(counted, concluded);
    return answer;
  };
}

function storeOver(counted: Instruments, store: Store): Store {
  return {
    ...store,
    start: startOver(counted, store),
    commit: commitOver(counted, store),
    ...(store.act === undefined ? {} : { act: actOver(counted, store.act.bind(store)) }),
    sweep: async (part, limit) => {
      const swept = await store.sweep(part, limit);
      counted.takenOver.inc(swept.length);
      return swept;
    },
    fireTimers: async (part, limit) => {
      const fired = await store.fireTimers(part, limit);
      counted.fired.inc(fired);
      return fired;
    },
    nextDueMs: async (part) => {
      const due = await store.nextDueMs(part);
      if (due.dueAtMs !== null && due.dueAtMs <= due.nowMs) counted.late.observe((due.nowMs - due.dueAtMs) / 1_000);
      return due;
    },
  };
}

function loggerOver({ circuit, logged }: Instruments, under: Logger): Logger {
  return {
    info: (facts, event) => {
      if (event === 'circuit.closed') circuit.remove({ host: String(facts['host']) });
      under.info(facts, event);
    },
    warn: (facts, event) => {
      if (event === 'circuit.opened') circuit.set({ host: String(facts['host']) }, 1);
      logged.inc({ event });
      under.warn(facts, event);
    },
    error: (facts, event) => {
      logged.inc({ event });
      under.error(facts, event);
    },
  };
}

/** Metrics of one process, all at nothing. */
export function createMetrics(clock: Clock): Metrics {
  const registry = new Registry();
  const counted = instruments(registry);
  const stored = createStoredGauges(registry, clock);
  return {
    overStore: (store) => storeOver(counted, store),
    overLogger: (logger) => loggerOver(counted, logger),
    expose: async (store, tenant) => {
      await stored.refresh(store, tenant);
      return registry.metrics();
    },
  };
}
