import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createApp } from '../../src/app/create-app.ts';
import { numbersFor } from '../../src/model/numbers.ts';
import type { Store } from '../../src/ports/store.ts';
import type { SecretValues } from '../../src/telemetry/logger.ts';

/** The file that stands for stderr. */
const log = vi.hoisted(() => ({ fd: 0 }));
vi.mock('../../src/telemetry/logger.ts', async (original) => {
  const real = await original<typeof import('../../src/telemetry/logger.ts')>();
  return {
    ...real,
    createLogger: (level: 'warn', _fd?: number, values?: SecretValues) => real.createLogger(level, log.fd, values),
  };
});

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-app-'));
  log.fd = openSync(join(folder, 'log'), 'a');
});
afterAll(() => {
  closeSync(log.fd);
  rmSync(folder, { recursive: true });
});

describe('the log of an app', () => {
  it('P12 holds no secret of its environment, also not one that was rotated meanwhile', async () => {
    // P12: "No secret in any row, log, error or page: proved by planted canaries."
    const env: Record<string, string> = { PAWL_SECRET_PSP_TOKEN: 'canary-one-1', OTHER: 'no-secret' };
    const store = { parts: 1 } as unknown as Store;
    const config = {
      databaseUrl: null,
      dataDir: '/nowhere',
      functions: [],
      catalogues: [],
      principals: {},
      numbers: numbersFor(9_000),
    };
    const app = await createApp({ config, env, store });
    app.engine.logger.warn({ message: 'refused: Bearer canary-one-1, OTHER no-secret' }, 'run.broken');
    env['PAWL_SECRET_PSP_TOKEN'] = 'canary-two-2';
    app.engine.logger.warn({ message: 'refused: Bearer canary-two-2' }, 'run.broken');
    const text = readFileSync(join(folder, 'log'), 'utf8');
    expect(text).not.toContain('canary');
    expect(
      text
        .split('\n')
        .slice(0, 2)
        .map((line) => (JSON.parse(line) as { message: string }).message),
    ).toEqual(['refused: Bearer [secret], OTHER no-secret', 'refused: Bearer [secret]']);
  });
});
