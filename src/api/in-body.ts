import { PawlError } from '../model/errors.ts';
import type { Json } from '../model/json.ts';
import { ApiError, type Misplaced } from './api-error.ts';

/** Codes of refusals whose places are places of the value that was sent. */
const PLACED: readonly string[] = ['PAWL_INPUT_INVALID', 'PAWL_VALUE_NOT_STORABLE'];

function placesOf({ details, message }: PawlError): readonly Misplaced[] {
  const { problems, pointer } = details;
  if (Array.isArray(problems)) return problems as readonly Json[] as unknown as readonly Misplaced[];
  return [{ pointer: typeof pointer === 'string' ? pointer : '', message }];
}

/**
 * Has a use case that is given a part of the body speak of the whole body: its places begin with the pointer of that part.
 * @throws whatever it throws.
 */
export async function inBody<T>(pointer: string, act: Promise<T>): Promise<T> {
  try {
    return await act;
  } catch (error) {
    if (!(error instanceof PawlError) || !PLACED.includes(error.code)) throw error;
    const places = placesOf(error).map((place) => ({ ...place, pointer: `${pointer}${place.pointer}` }));
    throw new ApiError(error.code, error.message, { places }, error);
  }
}
