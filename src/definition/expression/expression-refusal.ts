/** A value that an own function does not take; becomes an `ExpressionFault` with a caret at the call. Its text never holds a value. */
export class ExpressionRefusal extends Error {}

/**
 * Ends an own function.
 * @throws ExpressionRefusal always.
 */
export function refuse(message: string): never {
  throw new ExpressionRefusal(message);
}
