/** A message of PostgreSQL's protocol: one letter, four bytes of length, and what it says. */
const HEADER_BYTES = 5;

/** The whole messages at the front of some bytes: their letters, and how many bytes they take. */
export interface WholeMessages {
  readonly letters: string;
  readonly bytes: number;
}

/** Reads the letters of the whole messages at the front; the last one may still be on its way. */
export function wholeMessages(buffer: Buffer): WholeMessages {
  let bytes = 0;
  let letters = '';
  while (bytes + HEADER_BYTES <= buffer.length) {
    const end = bytes + 1 + buffer.readInt32BE(bytes + 1);
    if (end > buffer.length) break;
    letters += String.fromCharCode(buffer[bytes] ?? 0);
    bytes = end;
  }
  return { letters, bytes };
}

/** How long the first message of a client is, which has no letter; null while its length is not there yet. */
export function startupBytes(buffer: Buffer): number | null {
  return buffer.length < 4 ? null : buffer.readInt32BE(0);
}

/** After these a client waits for an answer: Sync, Query, or hanging up. */
const ENDS_REQUEST = /[SQX]/;

/** Whether a client has asked for something and waits. */
export function isRequest({ letters }: WholeMessages): boolean {
  return ENDS_REQUEST.test(letters);
}

/** Whether a server has executed what it was asked for and says so: CommandComplete, and ReadyForQuery after it. */
export function isDone({ letters }: WholeMessages): boolean {
  return letters.includes('C') && letters.includes('Z');
}

/** The first message of a session. */
export function startupMessage(user: string, database: string): Buffer {
  const text = Buffer.from(`user\0${user}\0database\0${database}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + text.length, 0);
  head.writeInt32BE(3 << 16, 4);
  return Buffer.concat([head, text]);
}

/** A simple query. */
export function queryMessage(sql: string): Buffer {
  const text = Buffer.from(`${sql}\0`);
  const head = Buffer.alloc(HEADER_BYTES);
  head.write('Q', 0);
  head.writeInt32BE(4 + text.length, 1);
  return Buffer.concat([head, text]);
}
