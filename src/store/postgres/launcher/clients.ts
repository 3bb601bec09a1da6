import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseHome } from './database-home.ts';
import { identify, isSameProcess, type ProcessIdentity } from './process-identity.ts';

const PIN = 'pinned';

function clientsDir(home: DatabaseHome): string {
  return join(home.controlDir, 'clients');
}

/** Notes that this process uses the server. @returns the file that says so. */
export async function registerClient(home: DatabaseHome): Promise<string> {
  await mkdir(clientsDir(home), { recursive: true, mode: 0o700 });
  const file = join(clientsDir(home), `${process.pid}-${randomBytes(4).toString('hex')}`);
  await writeFile(file, JSON.stringify(await identify(process.pid)));
  return file;
}

/** How many living processes use the server; files of dead ones are removed on the way. */
export async function countClients(home: DatabaseHome): Promise<number> {
  let living = 0;
  for (const name of await readdir(clientsDir(home)).catch((): string[] => [])) {
    if (name === PIN) continue;
    const file = join(clientsDir(home), name);
    const text = await readFile(file, 'utf8').catch(() => '');
    if (text === '') continue;
    if (await isSameProcess(JSON.parse(text) as ProcessIdentity)) living += 1;
    else await rm(file, { force: true });
  }
  return living;
}

/** Whether the server is kept up without clients. */
export async function isPinned(home: DatabaseHome): Promise<boolean> {
  return (await readdir(clientsDir(home)).catch((): string[] => [])).includes(PIN);
}

/** Keeps the server up until `unpin`. */
export async function pin(home: DatabaseHome): Promise<void> {
  await mkdir(clientsDir(home), { recursive: true, mode: 0o700 });
  await writeFile(join(clientsDir(home), PIN), '');
}

/** Lets the server go with its last client again. */
export async function unpin(home: DatabaseHome): Promise<void> {
  await rm(join(clientsDir(home), PIN), { force: true });
}

/**
 * What outlives the last client for the linger time: looks once more whether somebody came, then asks the postmaster
 * for a fast stop. Plain text, because it runs as `node -e` from sources and from the built package alike.
 */
const STOPPER = `
const { readdirSync, readFileSync } = require('node:fs');
const [linger, clients, pidFile] = process.argv.slice(1);
const alive = (pid) => { try { process.kill(pid, 0); return true; } catch (e) { return e.code === 'EPERM'; } };
setTimeout(() => {
  try {
    for (const name of readdirSync(clients)) {
      if (name === '${PIN}') return;
      const text = readFileSync(clients + '/' + name, 'utf8');
      if (text === '' || alive(JSON.parse(text).pid)) return;
    }
    process.kill(Number(readFileSync(pidFile, 'utf8').split('\\n')[0]), 'SIGINT');
  } catch (error) { if (error.code !== 'ENOENT' && error.code !== 'ESRCH') throw error; }
}, Number(linger));
`;

/**
 * Gives this process's hand back; the last one leaves a small process behind that stops the server after `lingerMs`
 * unless somebody came meanwhile.
 */
export async function leaveClient(home: DatabaseHome, file: string, lingerMs: number): Promise<void> {
  await rm(file, { force: true });
  if ((await countClients(home)) > 0 || (await isPinned(home))) return;
  const args = ['-e', STOPPER, String(lingerMs), clientsDir(home), join(home.dataPath, 'postmaster.pid')];
  spawn(process.execPath, args, { detached: true, stdio: 'ignore', cwd: '/', env: {} }).unref();
}
