import { describe, expect, it, vi } from 'vitest';
import type { ActionFunction, FunctionCall } from '../../src/actions/action-function.ts';
import { createActionAdapter } from '../../src/actions/create-action-adapter.ts';
import { declaredBy, Pending, Rejected, Throttled, Unavailable } from '../../src/actions/function-outcomes.ts';
import type { AttemptReport } from '../../src/model/outcome.ts';
import { createManualClock } from './manual-clock.ts';
import { keepingLogger, KEY, queryOrder, readOrder, sendOrder } from './orders.ts';

// A call that does not end is the fault that is looked for: it shall not cost the suite's whole patience.
vi.setConfig({ testTimeout: 8_000 });

const NEVER = new AbortController().signal;
const NAME = 'charge@1';

function adapterFor(registered: ActionFunction, clock = createManualClock()) {
  return createActionAdapter({ functions: new Map([[NAME, registered]]), clock, logger: keepingLogger() });
}

function send(run: (call: FunctionCall) => unknown, maxResponseBytes = 1_000): Promise<AttemptReport> {
  return adapterFor({ send: run }).send(sendOrder({ function: NAME, maxResponseBytes }), {}, () => true, NEVER);
}

function query(found: unknown): Promise<AttemptReport> {
  const registered = { send: () => null, reconcile: () => found } as ActionFunction;
  return adapterFor(registered).query(queryOrder({ function: NAME }), {}, NEVER);
}

describe('send', () => {
  it('is given the key, the request, the attempt and its time, and its value is the body', async () => {
    const calls: FunctionCall[] = [];
    const adapter = adapterFor({
      send: (call) => {
        calls.push(call);
        return Promise.resolve({ id: 'ch-1' });
      },
    });
    const order = sendOrder({ function: NAME, body: { amount: 5 }, attempt: 4, timeoutMs: 900 });
    const report = await adapter.send(order, {}, () => true, NEVER);
    expect(calls[0]).toMatchObject({ key: KEY, request: { amount: 5 }, attempt: 4, deadlineMs: 900 });
    expect(calls[0]?.signal).toBeInstanceOf(AbortSignal);
    expect(report).toEqual({
      kind: 'answered',
      status: null,
      headers: {},
      body: { id: 'ch-1' },
      bodyBytes: Buffer.from('{"id":"ch-1"}'),
      unreadable: null,
    });
  });

  it('a run may have many on their way under one signal: Node does not take that for a leak', async () => {
    const warnings: string[] = [];
    const note = ({ name }: Error): void => void warnings.push(name);
    process.on('warning', note);
    const over = new AbortController();
    const adapter = adapterFor({ send: () => new Promise(() => undefined) });
    const order = sendOrder({ function: NAME });
    const sent = Array.from({ length: 12 }, () => adapter.send(order, {}, () => true, over.signal));
    // A warning is told in a turn of its own.
    await new Promise((resolve) => setImmediate(resolve));
    over.abort();
    await Promise.all(sent);
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });

  it('a function without a value answers null', async () => {
    expect(await send(() => undefined)).toMatchObject({ kind: 'answered', body: null, unreadable: null });
  });

  it('leaves out fields that are undefined, as JSON does', async () => {
    expect(await send(() => ({ id: 'ch-1', note: undefined, list: [{ a: undefined }] }))).toMatchObject({
      bodyBytes: Buffer.from('{"id":"ch-1","list":[{}]}'),
      unreadable: null,
    });
    expect(await send(() => [undefined])).toMatchObject({
      body: undefined,
      unreadable: expect.stringMatching(/^not-storable: \/0 /),
    });
  });

  it('what the function does with its value later changes nothing', async () => {
    const value = { id: 'ch-1' };
    const report = await send(() => value);
    value.id = 'other';
    expect(report).toMatchObject({ body: { id: 'ch-1' } });
  });

  const declared: readonly (readonly [string, unknown, object])[] = [
    [
      'Rejected',
      new Rejected('card-declined', { hint: 1 }),
      { outcome: 'rejected', code: 'card-declined', data: { hint: 1 } },
    ],
    ['Rejected with a code that is none', new Rejected('Not A Code'), { outcome: 'rejected', code: 'rejected' }],
    [
      'Rejected with data that cannot be stored',
      new Rejected('no', 'a\0b'),
      { outcome: 'rejected', code: 'no', data: null },
    ],
    ['Unavailable', new Unavailable(), { outcome: 'unavailable', code: null }],
    ['Throttled', new Throttled(1_500), { outcome: 'throttled', afterMs: 1_500 }],
    ['Throttled without a time', new Throttled(), { outcome: 'throttled', afterMs: null }],
    ['Throttled with a time that is none', new Throttled(Number.NaN), { outcome: 'throttled', afterMs: null }],
    ['Pending', new Pending({ ticket: 'T' }), { outcome: 'pending', data: { ticket: 'T' } }],
  ];
  it.each(declared)('a thrown %s is that outcome', async (_name, thrown, expected) => {
    const report = await send(() => Promise.reject(thrown as Error));
    expect(report).toMatchObject({ kind: 'declared', ...expected });
  });

  it.each([[new TypeError('s3cr3t')], ['s3cr3t'], [null], [{ code: 's3cr3t' }]])(
    'any other throw (%o) leaves it unknown, without its words',
    async (thrown) => {
      const report = await send(() => Promise.reject(thrown as Error));
      expect(report).toMatchObject({ kind: 'broken', byteWritten: true });
      expect(JSON.stringify(report)).not.toContain('s3cr3t');
    },
  );

  it('a throw before the first promise is a throw like any other', async () => {
    const report = await send(() => {
      throw new Rejected('at-once');
    });
    expect(report).toMatchObject({ kind: 'declared', code: 'at-once' });
  });

  it("a time-out leaves it unknown and aborts the function's signal", async () => {
    const clock = createManualClock();
    const seen: AbortSignal[] = [];
    const adapter = adapterFor(
      {
        send: ({ signal }) => {
          seen.push(signal);
          return new Promise(() => undefined);
        },
      },
      clock,
    );
    const report = adapter.send(sendOrder({ function: NAME, timeoutMs: 100 }), {}, () => true, NEVER);
    while (seen.length === 0) await Promise.resolve();
    expect(seen[0]?.aborted).toBe(false);
    clock.advance(100);
    expect(await report).toEqual({ kind: 'broken', byteWritten: true, reason: 'timeout: not done within 100 ms' });
    expect(seen[0]?.aborted).toBe(true);
    expect(clock.sleepers()).toBe(0);
  });

  it('the self-fence leaves a running function unknown and never starts another', async () => {
    const fence = new AbortController();
    let started = 0;
    const adapter = adapterFor({
      send: () => {
        started += 1;
        fence.abort();
        return new Promise(() => undefined);
      },
    });
    const order = sendOrder({ function: NAME });
    expect(await adapter.send(order, {}, () => true, fence.signal)).toMatchObject({
      kind: 'broken',
      byteWritten: true,
    });
    expect(await adapter.send(order, {}, () => true, fence.signal)).toMatchObject({ kind: 'unsent' });
    expect(started).toBe(1);
  });

  it('E05: a closed gate means that the function is not called', async () => {
    // E05: "The first byte is written only if the worker's seat has `sendMarginMs` left and at most `sendWithinMs` have passed since the REQUESTED commit was …"
    let started = 0;
    const adapter = adapterFor({ send: () => (started += 1) });
    expect(await adapter.send(sendOrder({ function: NAME }), {}, () => false, NEVER)).toMatchObject({ kind: 'unsent' });
    expect(started).toBe(0);
  });

  it('E12: a value that cannot be stored is kept as bytes and is not readable', async () => {
    // E12: "An answer that breaks the output schema or cannot be read or stored is kept as bytes (bounded): UNKNOWN `unreadable`."
    const report = await send(() => ({ name: 'a\0b' }));
    expect(report).toMatchObject({
      kind: 'answered',
      body: undefined,
      unreadable: expect.stringMatching(/^not-storable: \/name /),
    });
    expect(Buffer.from(report.kind === 'answered' ? report.bodyBytes : []).toString()).toBe('{"name":"a\\u0000b"}');
  });

  it.each([[10n], [() => 1], [Object.assign({}, { at: new Map() })], [Number.NaN]])(
    'E12: %o is no JSON',
    async (value) => {
      // E12: "An answer that breaks the output schema or cannot be read or stored is kept as bytes (bounded): UNKNOWN `unreadable`."
      expect(await send(() => value)).toMatchObject({
        kind: 'answered',
        body: undefined,
        unreadable: expect.stringMatching(/^not-storable/),
      });
    },
  );

  it('E12: a value that contains itself is not readable', async () => {
    // E12: "An answer that breaks the output schema or cannot be read or stored is kept as bytes (bounded): UNKNOWN `unreadable`."
    const value: Record<string, unknown> = {};
    value['self'] = value;
    expect(await send(() => value)).toMatchObject({
      kind: 'answered',
      body: undefined,
      unreadable: expect.stringMatching(/^not-storable/),
    });
  });

  it('E12: a value beyond maxResponse is kept up to the bound', async () => {
    // E12: "An answer that breaks the output schema or cannot be read or stored is kept as bytes (bounded): UNKNOWN `unreadable`."
    const report = await send(() => 'x'.repeat(500), 100);
    expect(report).toMatchObject({ kind: 'answered', body: undefined, unreadable: 'too-large: more than 100 bytes' });
    expect(report.kind === 'answered' ? report.bodyBytes.length : 0).toBe(100);
  });

  it('a function that is not registered is not sent', async () => {
    const adapter = adapterFor({ send: () => null });
    expect(await adapter.send(sendOrder({ function: 'other@2' }), {}, () => true, NEVER)).toMatchObject({
      kind: 'unsent',
    });
    expect(adapter.missing([NAME, 'other@2'])).toEqual(['other@2']);
  });

  it('what a function logs goes under one event, with the function and the effect beside it', async () => {
    const logger = keepingLogger();
    const registered: ActionFunction = {
      send: (call) => {
        call.logger.info({ n: 1 }, 'asking');
        call.logger.warn({ n: 2, effectKey: 'forged' }, 'again');
        call.logger.error({}, 'gave up');
      },
    };
    const adapter = createActionAdapter({
      functions: new Map([[NAME, registered]]),
      clock: createManualClock(),
      logger,
    });
    await adapter.send(sendOrder({ function: NAME }), {}, () => true, NEVER);
    expect(logger.lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { event: 'function.note', n: 1, function: NAME, effectKey: KEY, note: 'asking' },
      { event: 'function.note', n: 2, function: NAME, effectKey: KEY, note: 'again' },
      { event: 'function.note', function: NAME, effectKey: KEY, note: 'gave up' },
    ]);
  });

  it('a read calls send without a key', async () => {
    const keys: string[] = [];
    const adapter = adapterFor({ send: ({ key }) => keys.push(key) });
    expect(await adapter.read(readOrder({ function: NAME }), {}, NEVER)).toMatchObject({ kind: 'answered', body: 1 });
    expect(keys).toEqual(['']);
  });
});

describe('reconcile', () => {
  it("is given the effect's key and request", async () => {
    const calls: FunctionCall[] = [];
    const adapter = adapterFor({
      send: () => null,
      reconcile: (call) => {
        calls.push(call);
        return { outcome: 'absent' };
      },
    });
    await adapter.query(queryOrder({ function: NAME, body: { amount: 5 } }), {}, NEVER);
    expect(calls[0]).toMatchObject({ key: KEY, request: { amount: 5 }, attempt: 3 });
  });

  const findings: readonly (readonly [unknown, object])[] = [
    [
      { outcome: 'confirmed', output: { id: 'ch-1' } },
      { kind: 'declared', outcome: 'confirmed', data: { id: 'ch-1' } },
    ],
    [{ outcome: 'confirmed' }, { kind: 'declared', outcome: 'confirmed', data: null }],
    [
      { outcome: 'rejected', code: 'declined' },
      { kind: 'declared', outcome: 'rejected', code: 'declined' },
    ],
    [{ outcome: 'pending' }, { kind: 'declared', outcome: 'pending' }],
    [{ outcome: 'absent' }, { kind: 'declared', outcome: 'absent' }],
    [{ outcome: 'unknown' }, { kind: 'broken', reason: 'reconcile returned no outcome' }],
    [undefined, { kind: 'broken', reason: 'reconcile returned no outcome' }],
    [
      { outcome: 'confirmed', output: 'a\0' },
      { kind: 'answered', body: undefined, unreadable: expect.stringMatching(/^not-storable/) },
    ],
  ];
  it.each(findings)('returned %o', async (found, expected) => {
    expect(await query(found)).toMatchObject(expected);
  });

  it('a throw says nothing about the effect', async () => {
    const adapter = adapterFor({ send: () => null, reconcile: () => Promise.reject(new Error('down')) });
    expect(await adapter.query(queryOrder({ function: NAME }), {}, NEVER)).toMatchObject({
      kind: 'broken',
      reason: 'threw: Error',
    });
  });

  it('a function without reconcile cannot be asked', async () => {
    const adapter = adapterFor({ send: () => null });
    expect(await adapter.query(queryOrder({ function: NAME }), {}, NEVER)).toMatchObject({
      kind: 'unsent',
      permanent: true,
    });
  });
});

describe('thrown outcomes', () => {
  it('are known by their brand, so that a second copy of the package works too', () => {
    const foreign = {
      [Symbol.for('pawl.function-outcome')]: { outcome: 'unavailable', code: null, afterMs: null, data: null },
    };
    expect(declaredBy(foreign)).toMatchObject({ outcome: 'unavailable' });
    expect(declaredBy(new Error('x'))).toBeNull();
  });
});
