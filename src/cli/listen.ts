import type { ApiServer } from '../api/server.ts';
import { UsageError } from './report-error.ts';

/** How long calls that are under way may take when a server is told to stop, milliseconds. */
export const GRACE_MS = 10_000;
const PORT_MAX = 65_535;
/** More calls a second than any process answers. */
const RATE_MAX = 1_000_000;

/** A port as it was given; 0 = any that is free. @throws UsageError. */
export function readPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= PORT_MAX) return port;
  throw new UsageError(`--port is a whole number from 0 to ${PORT_MAX}`);
}

/** Calls a second as they were given. @throws UsageError. */
export function readRate(what: 'reads' | 'writes', text: string): number {
  const rate = Number(text);
  if (/^\d{1,7}$/.test(text) && rate >= 1 && rate <= RATE_MAX) return rate;
  throw new UsageError(`--${what}-per-second is a whole number from 1 to ${RATE_MAX}`);
}

/** @returns the address of a server that listens. @throws UsageError for an address that is not there or is taken: a slip of the caller's, no fault of Pawl. */
export async function listenAt(server: ApiServer, host: string, port: number): Promise<string> {
  try {
    return await server.listen(host, port);
  } catch (error) {
    const code = error instanceof Error ? String(Reflect.get(error, 'code')) : '';
    if (!/^E[A-Z]+$/.test(code)) throw error;
    throw new UsageError(`it cannot listen there (${code}): name another --port or --host`);
  }
}
