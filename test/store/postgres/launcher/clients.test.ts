import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensureWatcher } from '../../../../src/store/postgres/launcher/clients.ts';
import { type DatabaseHome, makeHome } from '../../../../src/store/postgres/launcher/database-home.ts';

let dir = '';
let home: DatabaseHome;
beforeEach(async () => {
  dir = await mkdtemp('/tmp/pawl-clients-');
  home = await makeHome(join(dir, '.pawl'), null);
});
afterEach(() => rm(dir, { recursive: true, force: true }));

describe('The watcher of a server', () => {
  it.each(['', '{"pid":12,"star'])(
    'A note about it that a killed process has left half written (%j) keeps nobody from starting another',
    async (half) => {
      const file = join(home.controlDir, 'watcher');
      await writeFile(file, half);
      await ensureWatcher(home, process.pid, 0);
      expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ serverPid: process.pid });
    },
  );
});
