import type { Environment } from './config.ts';

/** The environment of this process; the only place that reads it. */
export function hostEnvironment(): Environment {
  return process.env;
}
