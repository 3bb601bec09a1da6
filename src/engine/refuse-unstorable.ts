import { RefusedError } from '../model/errors.ts';
import { findUnstorable } from '../model/storable.ts';

/**
 * Refuses at the edge what JSON or the database cannot hold (rule P11), before anything is stored.
 * @param what what it is, for the message.
 * @throws PAWL_VALUE_NOT_STORABLE with the pointer.
 */
export function refuseUnstorable(what: string, value: unknown): void {
  const unstorable = findUnstorable(value);
  if (unstorable === null) return;
  const at = unstorable.pointer === '' ? '' : `${unstorable.pointer} `;
  throw new RefusedError('PAWL_VALUE_NOT_STORABLE', `${what} cannot be stored: ${at}${unstorable.reason}`, {
    ...unstorable,
  });
}
