import type { LogEvent } from '../model/log-events.ts';

/** Structured log: ids and facts, never payloads or secrets; `event` from a closed list. */
export interface Logger {
  info(facts: Readonly<Record<string, unknown>>, event: LogEvent): void;
  warn(facts: Readonly<Record<string, unknown>>, event: LogEvent): void;
  error(facts: Readonly<Record<string, unknown>>, event: LogEvent): void;
}

/** What a user's function logs with: notes in its own words, filed under the event `function.note`. */
export interface NoteLogger {
  info(facts: Readonly<Record<string, unknown>>, note: string): void;
  warn(facts: Readonly<Record<string, unknown>>, note: string): void;
  error(facts: Readonly<Record<string, unknown>>, note: string): void;
}
