import { digestsOf } from '../definition/digest.ts';
import { compileMachine, type CompiledMachine } from '../machine/compile.ts';
import { catalogueOfStored } from '../model/catalogue-name.ts';
import { InvariantError, RefusedError } from '../model/errors.ts';
import type { ActionContract, Transport } from '../model/definition.ts';
import type { Deprecation } from '../model/deprecation.ts';
import type { Digest } from '../model/ids.ts';
import type { Json } from '../model/json.ts';
import type { Machine } from '../model/machine.ts';
import type { Store, StoredVersion } from '../ports/store.ts';

/** A published version, compiled once per process: what its runs are decided with for life. */
export interface LoadedVersion {
  readonly stored: StoredVersion;
  readonly compiled: CompiledMachine;
  /** Functions (`name@contract`) that its actions name. */
  readonly functions: readonly string[];
}

/** Versions by digest. */
export interface VersionCache {
  /** @returns null when no version has that digest. @throws PAWL_INVARIANT when what is stored has another digest. */
  byDigest(digest: Digest): Promise<LoadedVersion | null>;
  /** The same for those who go on without it. @returns null also when what is stored has another digest. */
  readable(digest: Digest): Promise<LoadedVersion | null>;
  /** Takes in a version that was just read or published. */
  adopt(stored: StoredVersion): LoadedVersion;
  /**
   * @param version null = the highest published one, asked of the store each time (those who ask at once ask together).
   * @returns null when there is none. @throws PAWL_VERSION_DAMAGED when what is stored has another digest.
   */
  find(tenant: string, workflow: string, version: number | null): Promise<LoadedVersion | null>;
  /** Versions of a workflow on which nothing new starts, asked of the store each time (those who ask at once ask together). */
  deprecations(tenant: string, workflow: string): Promise<readonly Deprecation[]>;
}

function functionOf(transport: Transport): readonly string[] {
  return transport.kind === 'function' ? [transport.name] : [];
}

function functionsOf(actions: readonly ActionContract[]): readonly string[] {
  const names = actions.flatMap((action) => [
    ...functionOf(action.transport),
    ...(action.reconcile === null ? [] : functionOf(action.reconcile.transport)),
  ]);
  return [...new Set(names)];
}

/** The machine of a stored text, with the digest that it has; null where it is none: somebody has damaged the row. */
function parseMachine(text: string): { readonly machine: Machine; readonly digest: Digest } | null {
  try {
    const machine = JSON.parse(text) as Json as unknown as Machine;
    return { machine, digest: digestsOf(machine).digest };
  } catch {
    return null;
  }
}

/** The stored machine is trusted after its digest: it was written by publish and never changes. */
function readMachine(stored: StoredVersion): Machine {
  const found = parseMachine(stored.machine);
  if (found?.digest === stored.digest) return found.machine;
  throw new InvariantError('a stored version does not have its digest', {
    workflow: stored.workflow,
    version: stored.version,
    stored: stored.digest,
    computed: found?.digest ?? null,
  });
}

/**
 * One compilation per digest and process; what is published never changes, so nothing is ever dropped.
 * @param known what is compiled already; caches over several stores of one process can share it.
 */
export function createVersionCache(store: Store, known = new Map<Digest, LoadedVersion>()): VersionCache {
  const asking = new Map<string, Promise<LoadedVersion | null>>();
  const askingWhich = new Map<string, Promise<readonly Deprecation[]>>();
  const numbered = new Map<string, LoadedVersion>();

  const ask = async (tenant: string, workflow: string, version: number | null): Promise<LoadedVersion | null> => {
    const stored = catalogueOfStored(workflow) === null ? await store.findVersion(tenant, workflow, version) : null;
    return stored === null ? null : undamaged(stored);
  };

  /** Nothing new begins on it; its runs say for themselves that they are parked. */
  const undamaged = (stored: StoredVersion): LoadedVersion => {
    try {
      return adopt(stored);
    } catch (error) {
      if (!(error instanceof InvariantError)) throw error;
      const name = `${stored.workflow}@${stored.version}`;
      const message = `the stored version ${name} is damaged: it is not what was published under its digest; publish its source as the next version`;
      throw new RefusedError('PAWL_VERSION_DAMAGED', message, error.details, error);
    }
  };

  const adopt = (stored: StoredVersion): LoadedVersion => {
    const cached = known.get(stored.digest);
    if (cached !== undefined) return cached;
    const machine = readMachine(stored);
    const loaded = { stored, compiled: compileMachine(machine), functions: functionsOf(machine.definition.actions) };
    known.set(stored.digest, loaded);
    numbered.set(JSON.stringify([stored.tenant, stored.workflow, stored.version]), loaded);
    return loaded;
  };
  const byDigest = async (digest: Digest): Promise<LoadedVersion | null> => {
    const cached = known.get(digest);
    if (cached !== undefined) return cached;
    const stored = await store.loadVersion(digest);
    return stored === null ? null : adopt(stored);
  };
  return {
    adopt,
    byDigest,
    readable: async (digest) => {
      try {
        return await byDigest(digest);
      } catch (error) {
        if (error instanceof InvariantError) return null;
        throw error;
      }
    },
    deprecations: (tenant, workflow) => {
      const name = JSON.stringify([tenant, workflow]);
      const open = askingWhich.get(name);
      if (open !== undefined) return open;
      const asked = store.deprecations(tenant, workflow).finally(() => askingWhich.delete(name));
      askingWhich.set(name, asked);
      return asked;
    },
    find: (tenant, workflow, version) => {
      const name = JSON.stringify([tenant, workflow, version]);
      const cached = numbered.get(name);
      if (cached !== undefined) return Promise.resolve(cached);
      const open = asking.get(name);
      if (open !== undefined) return open;
      const asked = ask(tenant, workflow, version).finally(() => asking.delete(name));
      asking.set(name, asked);
      return asked;
    },
  };
}
