import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ActionFunction, FunctionRegistry } from '../actions/action-function.ts';
import { RefusedError } from '../model/errors.ts';

/** Where function modules come from. */
export interface FunctionSources {
  /** Paths as the configuration names them. */
  readonly paths: readonly string[];
  /** The folder that relative paths start from. */
  readonly folder: string;
  /** Node's version, for modules in TypeScript. */
  readonly nodeVersion?: string;
}

const FUNCTION_NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,127}@[1-9][0-9]{0,8}$/;
/** The first Node that runs TypeScript files by itself. */
const TYPESCRIPT_SINCE: readonly [number, number] = [22, 18];

/** A refusal that names the module. */
function refuse(path: string, message: string, cause?: unknown): RefusedError {
  return new RefusedError('PAWL_CONFIG_INVALID', `functions: ${path}: ${message}`, { path }, cause);
}

/** Whether this Node runs TypeScript files. */
function runsTypeScript(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [sinceMajor, sinceMinor] = TYPESCRIPT_SINCE;
  return major > sinceMajor || (major === sinceMajor && minor >= sinceMinor);
}

/** Refuses files that this Node cannot load, before it says so in words that nobody understands. */
function checkKind(path: string, nodeVersion: string): void {
  const kind = extname(path);
  if (kind === '.js' || kind === '.mjs') return;
  if (kind !== '.ts') throw refuse(path, 'a module ends in .js or .mjs (or .ts on Node 22.18 and later)');
  if (runsTypeScript(nodeVersion)) return;
  throw refuse(
    path,
    `a .ts module needs Node 22.18 or later, this is ${nodeVersion}: compile it to .mjs and name that file`,
  );
}

/** Whether a value is a registered function. */
function isActionFunction(value: unknown): value is ActionFunction {
  if (typeof value !== 'object' || value === null) return false;
  const reconcile: unknown = Reflect.get(value, 'reconcile');
  return (
    typeof Reflect.get(value, 'send') === 'function' && (reconcile === undefined || typeof reconcile === 'function')
  );
}

/** Loads one module's `functions`. */
async function loadModule(path: string, folder: string): Promise<Readonly<Record<string, unknown>>> {
  const url = pathToFileURL(resolve(folder, path)).href;
  let loaded: { readonly functions?: unknown };
  try {
    loaded = (await import(url)) as { readonly functions?: unknown };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw refuse(path, `${resolve(folder, path)} cannot be loaded: ${why}`, error);
  }
  const { functions } = loaded;
  if (typeof functions !== 'object' || functions === null) {
    throw refuse(path, "the module exports no `functions`: write `export const functions = { 'name@1': { send } }`");
  }
  return functions as Readonly<Record<string, unknown>>;
}

/**
 * Loads the function modules that the configuration names.
 * @returns the functions by `name@contract`.
 * @throws PAWL_CONFIG_INVALID naming the module: another kind of file, TypeScript on an older Node, a module that
 * cannot be loaded, a name that is not `name@contract`, an entry without `send`, one name twice.
 */
export async function loadFunctions({
  paths,
  folder,
  nodeVersion = process.versions.node,
}: FunctionSources): Promise<FunctionRegistry> {
  const registry = new Map<string, ActionFunction>();
  for (const path of paths) {
    checkKind(path, nodeVersion);
    for (const [name, entry] of Object.entries(await loadModule(path, folder))) {
      if (!FUNCTION_NAME.test(name)) throw refuse(path, `"${name}" is not a name with a contract, like 'charge@1'`);
      if (!isActionFunction(entry)) throw refuse(path, `"${name}" needs { send, reconcile? }, both functions`);
      if (registry.has(name)) throw refuse(path, `"${name}" is registered twice`);
      registry.set(name, entry);
    }
  }
  return registry;
}
