import { invariant } from './errors.ts';

/**
 * The element of a list at an index that was computed to be inside it.
 * @throws PAWL_INVARIANT when there is none.
 */
export function elementAt<Element>(list: ArrayLike<Element>, index: number): Element {
  const element = list[index];
  invariant(element !== undefined, 'an index beyond its list', { index, length: list.length });
  return element;
}
