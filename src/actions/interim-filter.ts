/** `HTTP/1.1 1xx`: as many bytes as tell an interim answer from the answer. */
const PREFIX_BYTES = 12;
/** 101 is no interim answer: nothing was upgraded, so the parser refuses it. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d$/;
/** An interim head beyond this is handed on, and the parser's own bound on headers ends the call. */
const INTERIM_BYTES_MAX = 16_384;
const HEAD_END = '\r\n\r\n';

/** Takes the bytes of a connection as they come; returns those that belong to the answer. */
export type InterimFilter = (chunk: Buffer) => Buffer | null;

/**
 * Drops interim answers (100, 102, 103, …) from the front of a connection. A client must ignore those that it did not
 * ask for (RFC 9110, 15.2), and undici ends the connection at a 100. From the first byte of the answer on everything
 * passes untouched.
 */
export function createInterimFilter(): InterimFilter {
  let held = Buffer.alloc(0);
  let passing = false;
  return (chunk) => {
    if (passing) return chunk;
    held = Buffer.concat([held, chunk]);
    while (held.length >= PREFIX_BYTES) {
      const end = INTERIM.test(held.toString('latin1', 0, PREFIX_BYTES)) ? held.indexOf(HEAD_END) : null;
      if (end === null || (end === -1 && held.length > INTERIM_BYTES_MAX)) {
        passing = true;
        return held;
      }
      if (end === -1) return null;
      held = held.subarray(end + HEAD_END.length);
    }
    return null;
  };
}
