import { destination, pino } from 'pino';
import type { Logger } from '../ports/logger.ts';

/** How much is said. `silent` says nothing at all. */
export type LogLevel = 'silent' | 'error' | 'warn' | 'info';

/** Names that never reach a log line, wherever they stand in the facts: payloads and whatever smells of a secret. */
const REDACTED = ['authorization', 'body', 'cookie', 'data', 'headers', 'input', 'output', 'password', 'payload', 'request', 'response', 'secret', 'secrets', 'token'];

/**
 * Structured log as JSON lines on a file descriptor, stderr unless told otherwise: ids and facts, never payloads.
 * @param level the least that is written.
 */
export function createLogger(level: LogLevel, fd = 2): Logger {
  const paths = REDACTED.flatMap((name) => [name, `*.${name}`]);
  const log = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, messageKey: 'event', redact: { paths, censor: '[redacted]' } },
    destination({ dest: fd, sync: true }),
  );
  return {
    info: (facts, event) => log.info(facts, event),
    warn: (facts, event) => log.warn(facts, event),
    error: (facts, event) => log.error(facts, event),
  };
}
