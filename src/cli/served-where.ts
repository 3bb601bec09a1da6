import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Environment } from '../app/config.ts';
import { RefusedError } from '../model/errors.ts';

/** A server that carries verbs out, and the key that is shown to it. */
export interface NamedServer {
  readonly url: string;
  /** null = none is shown. */
  readonly key: string | null;
  /** Who was said to act; it is the key that says so. */
  readonly by: string | undefined;
}

/** What names a server. */
interface Naming {
  readonly server: string | undefined;
  readonly keyFile: string | undefined;
  readonly data: string | undefined;
  readonly by: string | undefined;
}

function refuse(message: string): never {
  throw new RefusedError('PAWL_CONFIG_INVALID', message);
}

/** The key, which is never an argument: those of all processes can be read by everybody on a machine. */
function readKeyFile(folder: string, file: string): string {
  let text: string;
  try {
    text = readFileSync(resolve(folder, file), 'utf8').trim();
  } catch {
    return refuse(`--key-file ${file}: it cannot be read`);
  }
  return /^[\x21-\x7e]{1,200}$/.test(text) ? text : refuse(`--key-file ${file}: it holds no API key, or more than one`);
}

/**
 * The server that was named: `--server`, else `PAWL_SERVER` unless `--data` names a database of one's own; null = none, and what
 * is asked is carried out here.
 * @throws PAWL_CONFIG_INVALID for a key without a server, or a file that holds none.
 */
export function serverOf(
  { env, folder }: { readonly env: Environment; readonly folder: string },
  { server, keyFile, data, by }: Naming,
): NamedServer | null {
  const url = server ?? (data === undefined ? env['PAWL_SERVER'] : undefined) ?? '';
  if (url !== '') {
    const key = keyFile === undefined ? env['PAWL_API_KEY'] || null : readKeyFile(folder, keyFile);
    return { url, key, by };
  }
  if (keyFile !== undefined) refuse('--key-file is for a server: name it by --server, or PAWL_SERVER');
  return null;
}
