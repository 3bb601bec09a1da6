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
  const { pid, startedAt } = await identify(process.pid);
  await writeFile(file, `${pid} ${startedAt ?? ''}\n`);
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
    const [pid = '', startedAt = ''] = text.trim().split(' ');
    if (await isSameProcess({ pid: Number(pid), startedAt: startedAt === '' ? null : startedAt })) living += 1;
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
 * A small shell that lives as long as the server: when for the linger time no client's process lives and nobody pinned
 * the server, it asks the postmaster for a fast stop. So a client that was killed does not leave a server behind.
 */
const WATCHER = `
pid_file=$1 server=$2 clients=$3 linger=$4 idle=0
while sleep 1; do
  [ "$(head -n 1 "$pid_file" 2>/dev/null)" = "$server" ] || exit 0
  living=
  for file in "$clients"/*; do
    case $file in */${PIN}) living=1 ;; esac
    [ -f "$file" ] && read -r pid rest < "$file" && kill -0 "$pid" 2>/dev/null && living=1
  done
  if [ -n "$living" ]; then idle=0; else idle=$((idle + 1)); fi
  [ "$idle" -le "$linger" ] && continue
  { [ ! -d /proc/self ] || grep -q postgres "/proc/$server/cmdline" 2>/dev/null; } && kill -INT "$server"
  exit 0
done`;

/** Who was killed while writing it leaves half a file: then the watcher is not known, and a second one does no harm. */
async function readWatcher(file: string): Promise<(ProcessIdentity & { readonly serverPid: number }) | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as ProcessIdentity & { readonly serverPid: number };
  } catch {
    return null;
  }
}

async function watcherLives(file: string, serverPid: number): Promise<boolean> {
  const known = await readWatcher(file);
  return known !== null && known.serverPid === serverPid && (await isSameProcess(known));
}

/** Starts the watcher of a server unless it has one. */
export async function ensureWatcher(home: DatabaseHome, serverPid: number, lingerMs: number): Promise<void> {
  const file = join(home.controlDir, 'watcher');
  if (await watcherLives(file, serverPid)) return;
  const args = [
    '-c',
    WATCHER,
    'pawl-watcher',
    join(home.dataPath, 'postmaster.pid'),
    String(serverPid),
    clientsDir(home),
  ];
  const watcher = spawn('/bin/sh', [...args, String(Math.ceil(lingerMs / 1_000))], {
    detached: true,
    stdio: 'ignore',
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
  });
  watcher.on('error', () => undefined);
  watcher.unref();
  if (watcher.pid !== undefined) await writeFile(file, JSON.stringify({ ...(await identify(watcher.pid)), serverPid }));
}

/** Gives this process's hand back; its watcher stops the server when nobody comes within the linger time. */
export async function leaveClient(file: string): Promise<void> {
  await rm(file, { force: true });
}
