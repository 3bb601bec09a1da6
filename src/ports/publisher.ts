/** A message on its way out. */
export interface OutgoingMessage {
  readonly id: string;
  /** Canonical JSON; sent and signed as it is. */
  readonly body: string;
  /** When it is sent, epoch milliseconds of the database's time: what is signed. */
  readonly atMs: number;
}

/** Tells the world what was published. Never throws, never tries again: what went wrong is its answer. */
export interface Publisher {
  /** @returns null = whoever listens has it; else why not, in words that hold no secret. */
  send(message: OutgoingMessage, signal: AbortSignal): Promise<string | null>;
}
