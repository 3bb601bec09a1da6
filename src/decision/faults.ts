import { PawlError } from '../model/errors.ts';

/** Whether an error says that something written by an author could not be computed: a failure of its step, not a bug of ours. */
export function isExpressionFault(error: unknown): error is PawlError {
  return error instanceof PawlError && error.code === 'PAWL_EXPRESSION_FAULT';
}
