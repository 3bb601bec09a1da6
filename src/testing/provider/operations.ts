import { RefusedError } from '../../model/errors.ts';

/** Names of operations by `METHOD /path`, with `:name` for a segment that varies. */
export type OperationRoutes = Readonly<Record<string, string>>;

/** A declared operation. */
interface Route {
  readonly operation: string;
  readonly method: string;
  readonly segments: readonly string[];
}

/** The segments of a path, without empty ones. */
function segmentsOf(path: string): readonly string[] {
  return path.split('/').filter((segment) => segment !== '');
}

/** Reads one declaration. */
function parseRoute(operation: string, text: string): Route {
  const [method, path] = text.split(/\s+/);
  if (method === undefined || path === undefined || !path.startsWith('/')) {
    throw new RefusedError('PAWL_CONFIG_INVALID', `operation ${operation}: "${text}" is not METHOD /path`, {
      operation,
    });
  }
  return { operation, method: method.toUpperCase(), segments: segmentsOf(path) };
}

/** Whether a call is of that route. */
function isOf(route: Route, method: string, segments: readonly string[]): boolean {
  if (route.method !== method || route.segments.length !== segments.length) return false;
  return route.segments.every((segment, index) => segment.startsWith(':') || segment === segments[index]);
}

/** What a call is called, and whether a route was declared for it. */
export interface OperationName {
  readonly operation: string;
  readonly isDeclared: boolean;
}

/**
 * Names calls: a declared route's name, else the path without its first slash (`POST /charge` is `charge`).
 * @returns a function from method and path to the operation's name.
 * @throws PAWL_CONFIG_INVALID for a declaration that is not `METHOD /path`.
 */
export function nameOperations(routes: OperationRoutes): (method: string, path: string) => OperationName {
  const known = Object.entries(routes).map(([operation, text]) => parseRoute(operation, text));
  return (method, path) => {
    const segments = segmentsOf(path);
    const declared = known.find((route) => isOf(route, method, segments));
    return { operation: declared?.operation ?? segments.join('/'), isDeclared: declared !== undefined };
  };
}
