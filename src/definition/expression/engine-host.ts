/** What an engine lends to the own functions: its own kind of duration. */
export interface EngineHost {
  /** @param ms whole or not, may be negative */
  duration(ms: number): unknown;
  /** Whether a value is the engine's duration; its `valueOf` is in milliseconds. */
  isDuration(value: unknown): value is { valueOf(): number };
}
