import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Attributes, type Context, ROOT_CONTEXT, type Span, type SpanOptions, trace } from '@opentelemetry/api';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ActionAdapter } from '../../src/ports/action-adapter.ts';
import { createTracing } from '../../src/telemetry/tracing.ts';
import { type ApiHouse, openApiHouse } from '../api/support/api-house.ts';
import { publishAll } from '../api/support/workflows.ts';

const TRACE_ID = 'a'.repeat(32);
const PARENT = `00-${TRACE_ID}-${'b'.repeat(16)}-01`;

interface Recorded {
  readonly name: string;
  readonly attributes: Attributes;
  readonly parent: string | undefined;
  readonly startTime: unknown;
  ended: number;
  code?: number;
}

/** What an SDK would be told. */
function recordSpans(): readonly Recorded[] {
  const spans: Recorded[] = [];
  const startSpan = (name: string, options: SpanOptions = {}, at: Context = ROOT_CONTEXT): Span => {
    const parent = trace.getSpanContext(at);
    const recorded: Recorded = {
      name,
      attributes: { ...options.attributes },
      parent: parent?.spanId,
      startTime: options.startTime,
      ended: 0,
    };
    spans.push(recorded);
    const spanId = String(spans.length).padStart(16, '0');
    return {
      spanContext: () => ({ traceId: parent?.traceId ?? 'c'.repeat(32), spanId, traceFlags: 1 }),
      isRecording: () => true,
      setAttribute: (key: string, value: string) => {
        recorded.attributes[key] = value;
      },
      setStatus: ({ code }: { code: number }) => {
        recorded.code = code;
      },
      end: () => {
        recorded.ended += 1;
      },
    } as unknown as Span;
  };
  trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan, startActiveSpan: () => undefined as never }) });
  return spans;
}

let house: ApiHouse;
let provider: Server;
/** `traceparent` of each call that came. */
const heard: (string | string[] | undefined)[] = [];
beforeAll(async () => {
  provider = createServer((request, response) => {
    heard.push(request.headers['traceparent']);
    request.resume().on('end', () => response.end('{"id":"x-1"}'));
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const { port } = provider.address() as AddressInfo;
  house = await openApiHouse({ worker: true });
  await publishAll(house, [
    [
      'pawl: 1',
      'workflow: traced',
      'version: 1',
      'key: input.id',
      'input: { type: object, required: [id], properties: { id: { type: string } } }',
      'timeout: 2h',
      'actions:',
      `  shop.send: { http: { method: POST, url: 'http://127.0.0.1:${port}/send' }, idempotency: { header: Idempotency-Key, remembers: 24h }, compensate: none }`,
      'steps:',
      '  - { id: send, call: shop.send, with: { order: =input.id } }',
      '',
    ].join('\n'),
  ]);
});
afterEach(() => {
  trace.disable();
  heard.splice(0);
});
afterAll(async () => {
  await house.close();
  provider.close();
});

async function run(id: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const told = await house.post('/v1/runs?wait=60s', { workflow: 'traced', input: { id } }, { headers });
  expect(told.json<{ status: string }>().status).toBe('COMPLETED');
}

describe('the trace of a run', () => {
  it('is stored with it and told to whoever is called; one that cannot be read is as none', async () => {
    await run('t-1', { traceparent: PARENT });
    expect((await house.app.find('t-1')).traceparent).toBe(PARENT);
    for (const [at, traceparent] of ['nonsense', `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`].entries())
      await run(`t-none-${at}`, { traceparent });
    expect((await house.app.find('t-none-0')).traceparent).toBeUndefined();
    expect(heard).toEqual([PARENT, undefined, undefined]);
  });

  it('has a span of the run and of each sending, and who is called is told that one; commits have theirs', async () => {
    const spans = recordSpans();
    await run('t-2', { traceparent: PARENT });
    const named = (name: string): readonly Recorded[] => spans.filter((span) => span.name === name);
    const [effect] = named('pawl.effect');
    expect(effect).toMatchObject({
      parent: 'b'.repeat(16),
      attributes: { 'pawl.step': 'send', 'pawl.action': 'shop.send', 'pawl.attempt': 1, 'pawl.report': 'answered' },
    });
    const spanId = String(spans.indexOf(effect as Recorded) + 1).padStart(16, '0');
    expect(heard).toEqual([`00-${TRACE_ID}-${spanId}-01`]);
    const { startedAtMs } = await house.app.find('t-2');
    const [life] = named('pawl.run');
    expect(life).toMatchObject({ parent: 'b'.repeat(16), attributes: { 'pawl.status': 'COMPLETED' } });
    expect(Math.abs(Number(life?.startTime) - startedAtMs)).toBeLessThan(60_000);
    expect(named('pawl.commit').length).toBeGreaterThan(0);
    expect(spans.filter(({ ended }) => ended !== 1)).toEqual([]);
  });

  it('P12 a span of what threw says that it did, and none of its words', async () => {
    // P12: "No secret in any row, log, error or page: proved by planted canaries."
    const spans = recordSpans();
    const send: ActionAdapter['send'] = () => Promise.reject(new Error('geheim'));
    const actions = createTracing().overActions({ send } as ActionAdapter);
    const order = { run: { runId: '01890000-0000-7000-8000-000000000000' }, effect: {}, attempt: 1 } as never;
    await expect(actions.send(order, {}, () => true, new AbortController().signal)).rejects.toThrow('geheim');
    expect(spans).toMatchObject([{ name: 'pawl.effect', code: 2, ended: 1 }]);
    expect(JSON.stringify(spans)).not.toContain('geheim');
  });
});
