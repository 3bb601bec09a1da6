import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, createApp } from '../../src/app/create-app.ts';
import { numbersFor } from '../../src/model/numbers.ts';
import { openTestStore, type TestStore } from '../support/postgres.ts';

const TEXT = `pawl: 1
workflow: letter
version: 1
timeout: 1h
key: input.id
input: { type: object, required: [id], properties: { id: { type: string } } }
steps:
  - { id: done, end: { as: told } }
`;

let folder = '';
let opened: TestStore;
const apps: App[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-broken-'));
  opened = await openTestStore();
});
afterAll(async () => {
  for (const app of apps) await app.close(500);
  await opened.close();
  rmSync(folder, { recursive: true });
});

async function appWith(functions: readonly string[]): Promise<App> {
  const config = {
    databaseUrl: null,
    dataDir: '/nowhere',
    functions,
    catalogues: [],
    principals: {},
    numbers: numbersFor(9_000),
  };
  const app = await createApp({ config, env: {}, store: opened.store });
  apps.push(app);
  return app;
}

describe('a broken function module', () => {
  it('keeps nobody from reading; who would decide is told the file and what is wrong with it', async () => {
    const sound = await appWith([]);
    await sound.publish({ text: TEXT, file: 'letter.pawl.yaml', by: 'author' });
    const { run } = await sound.start({ workflow: 'letter', version: null, input: { id: 'L1' }, by: 'starter' });
    const path = join(folder, 'broken.mjs');
    writeFileSync(path, "throw new Error('no such tariff');");
    const app = await appWith([path]);
    expect(await app.list({ workflow: null, statuses: null, needsHuman: false, q: 'L1', limit: 5 })).toHaveLength(1);
    expect((await app.show('L1')).status).toBe('COMPLETED');
    expect((await app.verify(run.runId)).faults).toEqual([]);
    const broken = {
      code: 'PAWL_CONFIG_INVALID',
      message: `functions: ${path}: ${path} cannot be loaded: no such tariff`,
    };
    const act = { by: 'ana', reason: 'test' };
    await expect(app.cancel('L1', act)).rejects.toMatchObject(broken);
    await expect(app.start({ workflow: 'letter', version: null, input: { id: 'L2' }, by: 'x' })).rejects.toMatchObject(
      broken,
    );
    await expect(app.runWorker()).rejects.toMatchObject(broken);
  });

  it('is loaded by the first verb that decides, not before', async () => {
    const path = join(folder, 'counting.mjs');
    writeFileSync(path, "export const functions = { 'f@1': { send() {} } };");
    const app = await appWith([path]);
    await app.versions();
    expect(app.engine.actions.missing(['f@1'])).toEqual(['f@1']);
    await expect(app.cancel('nobody', { by: 'ana', reason: 'test' })).rejects.toMatchObject({
      code: 'PAWL_RUN_NOT_FOUND',
    });
    expect(app.engine.actions.missing(['f@1'])).toEqual([]);
  });
});
