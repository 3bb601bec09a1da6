import { ROUTES } from '../../../src/api/routes.ts';
import type { ApiHouse, Told } from './api-house.ts';

/** Answers that go on until somebody closes them. */
const ENDLESS = 'watchRuns';

/** Asks every route that reads, by the table. @param names what stands for the names in its paths. @param queries by the name of a route. */
export async function everyGet(
  house: ApiHouse,
  names: Readonly<Record<string, string>>,
  queries: Readonly<Record<string, string>> = {},
): Promise<ReadonlyMap<string, Told>> {
  const told = new Map<string, Told>();
  for (const { id, method, path } of ROUTES) {
    if (method !== 'GET' || id === ENDLESS) continue;
    const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(names[name] ?? 'unknown'));
    told.set(id, await house.get(`${url}${queries[id] ?? ''}`));
  }
  return told;
}
