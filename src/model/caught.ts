/**
 * What was caught, if it is an error of the kind that is expected here.
 * @throws the error itself when it is of another kind: a bug is never swallowed.
 */
export function caught<Expected extends Error>(
  error: unknown,
  kind: abstract new (...args: never[]) => Expected,
): Expected {
  if (error instanceof kind) return error;
  throw error;
}
