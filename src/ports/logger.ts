/** Structured log: ids and facts, never payloads or secrets; `event` from a closed list. */
export interface Logger {
  info(facts: Readonly<Record<string, unknown>>, event: string): void;
  warn(facts: Readonly<Record<string, unknown>>, event: string): void;
  error(facts: Readonly<Record<string, unknown>>, event: string): void;
}
