import { userInfo } from 'node:os';
import { RefusedError } from '../model/errors.ts';
import type { Config, Environment } from './config.ts';

/** Who acts, and with which roles; recorded with what they do. */
export interface Principal {
  readonly name: string;
  readonly roles: readonly string[];
  /** How it is known who they are; locally the word of the caller is taken. */
  readonly authentication: 'local';
}

/** What can be a name: it stands in sources of events and in lists. */
export const NAME = /^[^\s:,]{1,128}$/;

/** The roles that a configuration gives a name; none unless it does. */
export function rolesOf({ principals }: Pick<Config, 'principals'>, name: string): readonly string[] {
  return Object.hasOwn(principals, name) ? (principals[name] ?? []) : [];
}

function osUser(): string | null {
  try {
    return userInfo().username;
  } catch {
    // A uid without a passwd entry has no name.
    return null;
  }
}

/**
 * Who acts here: `--by NAME`, else `PAWL_AS`, else the OS user; the roles are those that `principals` gives the name.
 * @throws PAWL_CONFIG_INVALID when there is no name, or it is not one.
 */
export function resolvePrincipal(config: Pick<Config, 'principals'>, env: Environment, by: string | null): Principal {
  const name = by ?? (env['PAWL_AS'] || null) ?? osUser();
  if (name === null)
    throw new RefusedError('PAWL_CONFIG_INVALID', 'this process has no user name: say --by NAME or set PAWL_AS');
  if (!NAME.test(name))
    throw new RefusedError(
      'PAWL_CONFIG_INVALID',
      `${JSON.stringify(name)} is not a name: no blanks, colons or commas, at most 128 characters`,
    );
  return { name, roles: rolesOf(config, name), authentication: 'local' };
}
