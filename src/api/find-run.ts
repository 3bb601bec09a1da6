import { type ApiRight, reaches } from '../model/api-key.ts';
import { ConflictError, NotFoundError, PawlError } from '../model/errors.ts';
import type { RunIdentity } from '../model/run.ts';
import { ApiError } from './api-error.ts';
import { catalogueOfStored } from '../model/catalogue-name.ts';
import type { Call } from './route.ts';

/**
 * The run that a path names, if the caller may do that to it. One that the caller may not even read is told as one that is
 * not there, in the same words.
 * @throws PAWL_RUN_NOT_FOUND, PAWL_RUN_AMBIGUOUS, PAWL_API_FORBIDDEN.
 */
export async function runFor({ app, caller, params }: Call, right: ApiRight): Promise<RunIdentity> {
  const name = params['run'] ?? '';
  const run = await app.find(name).catch((error: unknown) => {
    const isAmbiguous = error instanceof PawlError && error.code === 'PAWL_RUN_AMBIGUOUS';
    // The message would name runs of any workflow.
    if (isAmbiguous) throw new ConflictError('PAWL_RUN_AMBIGUOUS', 'several runs have that key: use an id', {});
    throw error;
  });
  if (!reaches(caller, 'run:read', run.workflow))
    throw new NotFoundError('PAWL_RUN_NOT_FOUND', `there is no run ${name}`, { run: name });
  assertReaches(caller, right, run.workflow);
  return run;
}

/** @throws PAWL_API_FORBIDDEN naming the right. */
export function assertReaches(caller: Call['caller'], right: ApiRight, workflow: string): void {
  if (reaches(caller, right, workflow)) return;
  throw new ApiError('PAWL_API_FORBIDDEN', `${caller.name}'s key does not give ${right} in ${workflow}`);
}

/** The workflows to which a right of the caller reaches; undefined = all of them, whatever they are called. */
export async function readableWorkflows(
  { app, caller }: Call,
  right: ApiRight,
): Promise<readonly string[] | undefined> {
  if (caller.scopes.length === 0) return undefined;
  const names = new Set((await app.versions()).map(({ workflow }) => workflow));
  return [...names].filter((name) => catalogueOfStored(name) === null && reaches(caller, right, name));
}

/** Refuses a key whose scopes name workflows what cannot be told by workflow. @throws PAWL_API_FORBIDDEN. */
export function assertUnbound({ caller }: Call): void {
  if (caller.scopes.length === 0) return;
  throw new ApiError(
    'PAWL_API_FORBIDDEN',
    `${caller.name}'s key is bound to some workflows; this is about all of them`,
  );
}
