import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { RunId } from '../model/ids.ts';
import type { RunCommit } from '../model/run-commit.ts';
import type { RunIdentity } from '../model/run.ts';
import { displayRunId } from '../model/run-id.ts';
import { isEnd } from '../model/statuses.ts';
import type { ActionAdapter } from '../ports/action-adapter.ts';
import type { Store } from '../ports/store.ts';

/** Spans for whoever has set up an SDK of OpenTelemetry in this process; without one all of it comes to nothing. */
export interface Tracing {
  /** A store whose commits are spans, and the life of a run that ends here is one. */
  overStore(store: Store): Store;
  /** An adapter whose sendings are spans; who is called hears of them, and without an SDK of the trace that the run began in. */
  overActions(actions: ActionAdapter): ActionAdapter;
}

const PARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Where the spans of a run hang. */
function contextOf(traceparent: string | undefined): Context {
  const [, traceId, spanId, flags] = PARENT.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
  });
}

/** A span as the next one hears of it; null where nobody records. */
function parentOf(span: Span): string | null {
  const of = span.spanContext();
  if (!isSpanContextValid(of) || !span.isRecording()) return null;
  return `00-${of.traceId}-${of.spanId}-${of.traceFlags.toString(16).padStart(2, '0')}`;
}

/** When a run began, by its id: a UUIDv7. Epoch milliseconds. */
function bornAtMs(runId: RunId): number {
  return Number.parseInt(runId.replaceAll('-', '').slice(0, 12), 16);
}

async function within<T>(span: Span, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    // The words of an error could hold anything.
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

function tracer() {
  return trace.getTracer('pawl');
}

/** The traces of runs that are in this process's hands. */
class Parents {
  readonly #known = new Map<RunId, string>();

  know({ runId, traceparent }: RunIdentity): void {
    if (traceparent !== undefined) this.#known.set(runId, traceparent);
  }

  /** A commit was applied: what has ended is one span, what was given back is forgotten. */
  heard({ runId, head, transitions, lease }: RunCommit): void {
    if (head !== null && transitions.length > 0 && isEnd(head.status)) {
      const attributes = { 'pawl.run': displayRunId(runId), 'pawl.status': head.status };
      const startTime = bornAtMs(runId);
      tracer()
        .startSpan('pawl.run', { attributes, startTime }, contextOf(this.#known.get(runId)))
        .end();
    }
    if (lease.kind === 'release') this.#known.delete(runId);
  }
}

function storeOver(store: Store, parents: Parents): Store {
  return {
    ...store,
    start: async (part, starts) => {
      for (const { run, lease } of starts) if (lease.kind === 'keep') parents.know(run);
      return store.start(part, starts);
    },
    claim: async (part, workerId, limit) => {
      const claimed = await store.claim(part, workerId, limit);
      for (const { run } of claimed) parents.know(run.run);
      return claimed;
    },
    claimRun: async (part, runId, workerId) => {
      const claimed = await store.claimRun(part, runId, workerId);
      if (claimed !== null) parents.know(claimed.run.run);
      return claimed;
    },
    commit: async (part, workerId, commits) => {
      const attributes = { 'pawl.part': part, 'pawl.members': commits.length };
      const span = tracer().startSpan('pawl.commit', { kind: SpanKind.CLIENT, attributes }, ROOT_CONTEXT);
      const answers = await within(span, () => store.commit(part, workerId, commits));
      for (const [index, commit] of commits.entries()) if (answers[index]?.kind === 'applied') parents.heard(commit);
      return answers;
    },
  };
}

function actionsOver(actions: ActionAdapter): ActionAdapter {
  return {
    query: (...asked) => actions.query(...asked),
    read: (...asked) => actions.read(...asked),
    token: (...asked) => actions.token(...asked),
    forgetToken: (...asked) => actions.forgetToken(...asked),
    missing: (functions) => actions.missing(functions),
    send: async (order, secrets, gate, signal) => {
      const { run, effect, attempt } = order;
      const attributes: Attributes = {
        'pawl.run': displayRunId(run.runId),
        'pawl.step': effect.step,
        'pawl.action': effect.action,
        'pawl.effect': effect.key,
        'pawl.attempt': attempt,
      };
      const at = contextOf(run.traceparent);
      const span = tracer().startSpan('pawl.effect', { kind: SpanKind.CLIENT, attributes }, at);
      const parent = parentOf(span);
      const told = parent === null ? order : { ...order, run: { ...run, traceparent: parent } };
      return within(span, async () => {
        const report = await context.with(trace.setSpan(at, span), () => actions.send(told, secrets, gate, signal));
        span.setAttribute('pawl.report', report.kind);
        return report;
      });
    },
  };
}

/** Spans of one process. */
export function createTracing(): Tracing {
  const parents = new Parents();
  return { overStore: (store) => storeOver(store, parents), overActions: actionsOver };
}
