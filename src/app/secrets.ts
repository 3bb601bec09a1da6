import type { Secrets } from '../ports/secrets.ts';

const PREFIX = 'PAWL_SECRET_';

/**
 * The environment variable that holds a secret: `pspToken` -> `PAWL_SECRET_PSP_TOKEN`.
 * @param name the name as the workflow's `secrets` list has it.
 */
export function secretVariable(name: string): string {
  const snake = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1_$2');
  return `${PREFIX}${snake.toUpperCase()}`;
}

/**
 * Every secret of an environment, whatever workflow uses it: what a log must not show (rule P12).
 * @param env as of `createSecrets`.
 */
export function listSecretValues(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const secrets = Object.entries(env).filter(([name]) => name.startsWith(PREFIX));
  return secrets.flatMap(([, value]) => (value === undefined || value === '' ? [] : [value]));
}

/**
 * Secrets from an environment, looked up at each read and never kept: a rotated value counts from the next sending on.
 * An empty value counts as missing, because an empty token is never what was meant.
 * @param env the process's environment, given by the caller so that tests give their own.
 */
export function createSecrets(env: Readonly<Record<string, string | undefined>>): Secrets {
  return {
    placeOf: secretVariable,
    read: (name) => {
      const value = env[secretVariable(name)];
      return value === undefined || value === '' ? null : value;
    },
  };
}
