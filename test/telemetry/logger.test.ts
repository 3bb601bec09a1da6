import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../../src/telemetry/logger.ts';
import type { LogLevel } from '../../src/telemetry/logger.ts';

const SECRET = 's3cr3t/42+x';

let folder = '';
let fd = 0;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-log-'));
  fd = openSync(join(folder, 'log'), 'a');
});
afterEach(() => {
  closeSync(fd);
  rmSync(folder, { recursive: true });
});

function logger(level: LogLevel = 'info') {
  return createLogger(level, fd, () => [SECRET, 'abc']);
}
function written(): string {
  return readFileSync(join(folder, 'log'), 'utf8');
}
function lines(): readonly Record<string, unknown>[] {
  return written()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('createLogger', () => {
  it('writes one JSON line per event, with its facts and an ISO time, and no host or process', () => {
    logger().info({ runId: 'r1', fence: 7 }, 'effect.attempted');
    const [line] = lines();
    expect(line).toEqual({
      level: 30,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      runId: 'r1',
      fence: 7,
      event: 'effect.attempted',
    });
  });

  it('writes from its level on', () => {
    const log = logger('warn');
    log.info({}, 'worker.started');
    log.warn({}, 'lease.swept');
    log.error({}, 'seat.lost');
    expect(lines().map((line) => line['event'])).toEqual(['lease.swept', 'seat.lost']);
  });

  it('S52 an address by which its holder may act is in no line, wherever it stands: it is known by its form', () => {
    const token = `${'0123456789abcdef'.repeat(2)}.payment.${'fedcba9876543210'.repeat(2)}.${'aB3_-'.repeat(8)}xyz`;
    const url = `https://pawl.example/v1/links/${token}`;
    logger().warn({ note: `calling ${url}?x=1`, about: { to: [url, encodeURIComponent(url)] } }, 'function.note');
    expect(written()).not.toContain(token.slice(-43));
    expect(lines()[0]).toMatchObject({ note: 'calling https://pawl.example/v1/links/[secret]?x=1' });
  });

  it('P12: a planted secret is in no line, in whatever form and wherever it stands', () => {
    // P12: "No secret in any row, log, error or page: proved by planted canaries."
    const log = logger();
    const bytes = Buffer.from(SECRET);
    log.warn({ message: `request to https://x/?token=${SECRET} failed` }, 'loop.fault');
    log.warn({ url: `https://x/?token=${encodeURIComponent(SECRET)}` }, 'loop.fault');
    log.warn({ note: `Basic ${bytes.toString('base64')} and ${bytes.toString('base64url')}` }, 'loop.fault');
    log.warn({ nested: { list: [{ deep: SECRET }], [SECRET]: 1 } }, 'loop.fault');
    log.error({ error: new Error(SECRET), cause: Object.assign(new Error('x'), { code: SECRET }) }, 'loop.fault');
    log.info({ cut: 'x'.repeat(995) + SECRET }, 'loop.fault');
    const text = written();
    for (const form of [
      SECRET,
      encodeURIComponent(SECRET),
      bytes.toString('base64').replace(/=+$/, ''),
      bytes.toString('base64url'),
      's3cr3t',
    ]) {
      expect(text).not.toContain(form);
    }
    expect(lines()).toHaveLength(6);
  });

  it('P12: payloads and what smells of a secret are never written, three levels deep', () => {
    // P12: "No secret in any row, log, error or page: proved by planted canaries."
    const facts = {
      body: 'x-1',
      request: { a: 'x-2' },
      at: { headers: { a: 'x-3' }, one: { token: 'x-4' } },
      runId: 'kept',
    };
    logger().info(facts, 'effect.attempted');
    expect(written()).not.toContain('x-');
    expect(lines()[0]).toMatchObject({
      runId: 'kept',
      body: '[redacted]',
      at: { headers: '[redacted]', one: { token: '[redacted]' } },
    });
  });

  it('leaves short values alone: they would hide half of every line', () => {
    logger().info({ runId: 'abc-1' }, 'run.let-go');
    expect(lines()[0]).toMatchObject({ runId: 'abc-1' });
  });

  it('keeps a line break in a fact inside its line', () => {
    logger().info({ step: 'a\n{"event":"forged"}' }, 'run.let-go');
    expect(lines()).toHaveLength(1);
  });

  it('cuts what is long, deep or no data', () => {
    const deep = { a: { b: { c: { d: { e: 1 } } } } };
    logger().info(
      { long: 'y'.repeat(5_000), deep, many: Array.from({ length: 500 }, () => 1), big: 10n, run: () => 1 },
      'run.let-go',
    );
    const [line] = lines();
    expect(line?.['long']).toBe(`${'y'.repeat(1_000)}…`);
    expect(line).toMatchObject({ deep: { a: { b: { c: '[deep]' } } }, big: '10', run: '[function]' });
    expect(line?.['many']).toHaveLength(100);
  });
});
