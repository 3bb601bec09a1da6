import { type ErrorCode, PawlError } from '../model/errors.ts';
import type { Json } from '../model/json.ts';

/** One thing that is wrong in a request: where, as a JSON pointer, and what. */
export interface Misplaced {
  readonly pointer: string;
  readonly message: string;
}

/** What the API itself refuses, before or instead of what was asked. */
export class ApiError extends PawlError {
  /** Every place of the request that does not fit; empty where it is about none. */
  readonly places: readonly Misplaced[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    message: string,
    more: {
      readonly places?: readonly Misplaced[];
      readonly headers?: Readonly<Record<string, string>>;
      readonly details?: Readonly<Record<string, Json>>;
    } = {},
    cause?: unknown,
  ) {
    super(code, message, more.details, cause);
    this.places = more.places ?? [];
    this.headers = more.headers ?? {};
  }
}

/** A request that does not fit its route. */
export function malformed(message: string, places: readonly Misplaced[], cause?: unknown): ApiError {
  return new ApiError('PAWL_API_MALFORMED', message, { places }, cause);
}
