import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { serverAccount } from '../../src/store/postgres/launcher/account.ts';
import { answersAt } from '../../src/store/postgres/launcher/server-process.ts';

/** A pooler in transaction mode before a server. */
export interface Pooler {
  /** The same database as behind the given address, over the pooler. */
  over(url: string): string;
  /** Ends it; its clients are cut off. */
  close(): Promise<void>;
}

/** Where Debian puts it, and where others may have it; not always on PATH. */
const PLACES = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'];
const PORT = 6_432;
const READY_WITHIN_MS = 20_000;
/** It ends when the pipe to this process closes, however that ends. */
const BOUND = '"$@" & pooler=$!; read -r _; kill -TERM "$pooler"; wait "$pooler"';

/** The program of the pooler; null where there is none. */
export function findPgbouncer(): string | null {
  for (const place of PLACES) {
    try {
      accessSync(place, constants.X_OK);
      return place;
    } catch {
      // The next place.
    }
  }
  return null;
}

function configOf(folder: string, server: URL): string {
  return [
    '[databases]',
    `* = host=${server.searchParams.get('host') ?? ''} port=${server.searchParams.get('port') ?? ''}`,
    '[pgbouncer]',
    // Nothing listens beyond a socket of its own.
    'listen_addr =',
    `listen_port = ${PORT}`,
    `unix_socket_dir = ${folder}`,
    'auth_type = trust',
    `auth_file = ${join(folder, 'users')}`,
    'pool_mode = transaction',
    'max_client_conn = 1000',
    'default_pool_size = 8',
    // Every test has a database of its own: its connections must not stay after it.
    'server_idle_timeout = 5',
    'server_lifetime = 600',
    '',
  ].join('\n');
}

async function untilReady(url: string, child: ChildProcess, said: () => string): Promise<void> {
  const untilMs = performance.now() + READY_WITHIN_MS;
  while (!(await answersAt(url))) {
    if (child.exitCode !== null || performance.now() > untilMs)
      throw new Error(`pgbouncer did not start: ${said().slice(-1_000)}`);
    await pass(50);
  }
}

/**
 * Starts pgbouncer in transaction mode before a server that listens on a socket, as the server's own user.
 * @param url of the server.
 */
export async function startPgbouncer(program: string, url: string): Promise<Pooler> {
  const account = await serverAccount(process.getuid?.());
  const folder = await mkdtemp(join(tmpdir(), 'pawl-pooler-'));
  const config = join(folder, 'pgbouncer.ini');
  await writeFile(config, configOf(folder, new URL(url)));
  await writeFile(join(folder, 'users'), '"pawl" ""\n');
  await chmod(folder, 0o700);
  if (account !== null) await chown(folder, account.uid, account.gid);
  const as = account === null ? {} : { uid: account.uid, gid: account.gid };
  const child = spawn('/bin/sh', ['-c', BOUND, 'sh', program, config], {
    cwd: folder,
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'ignore', 'pipe'],
    ...as,
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4_000);
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const over = (direct: string): string => {
    const pooled = new URL(direct);
    pooled.searchParams.set('host', folder);
    pooled.searchParams.set('port', String(PORT));
    return pooled.toString();
  };
  const close = async (): Promise<void> => {
    child.stdin.end();
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await untilReady(over(url), child, () => said);
  } catch (error) {
    await close();
    throw error;
  }
  return { over, close };
}
