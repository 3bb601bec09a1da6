import { PawlError } from '../model/errors.ts';

/**
 * Computes what an author wrote. That it cannot be computed is no bug of ours.
 * @returns the value, or what `otherwise` makes of the fault's words.
 * @throws whatever is not an expression's fault.
 */
export function orFault<Value, Other>(compute: () => Value, otherwise: (message: string) => Other): Value | Other {
  try {
    return compute();
  } catch (error) {
    if (error instanceof PawlError && error.code === 'PAWL_EXPRESSION_FAULT') return otherwise(error.message);
    throw error;
  }
}
