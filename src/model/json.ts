/** Any value that JSON can carry; what is stored, hashed and sent is always of this type. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object; `__proto__` is plain data, so code never spreads one into a literal with a prototype. */
export interface JsonObject {
  readonly [key: string]: Json;
}
