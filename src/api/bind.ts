import { RefusedError } from '../model/errors.ts';

/** Addresses that only this machine reaches. */
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|localhost|::1|\[::1\])$/;

/** How callers are known. `none`: whoever reaches the server is its own user. */
export type Authentication = 'keys' | 'none';

/** Whether only this machine reaches an address. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/** Refuses to answer strangers: without keys nobody but this machine is let in (S07). @throws PAWL_CONFIG_INVALID. */
export function checkBind(host: string, authentication: Authentication): void {
  if (authentication === 'keys' || isLoopback(host)) return;
  throw new RefusedError(
    'PAWL_CONFIG_INVALID',
    `${host} can be reached by others, and without keys everybody may do everything: leave --no-auth out, or listen on 127.0.0.1`,
    { host },
  );
}

/**
 * Whether a request was meant for this machine. Without keys a page of a stranger must not be let in through a name of its own
 * that it has made point here.
 */
export function isMeantForLoopback(hostHeader: string | undefined): boolean {
  return hostHeader !== undefined && isLoopback(hostHeader.replace(/:\d{1,5}$/, ''));
}
