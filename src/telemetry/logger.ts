import { destination, pino } from 'pino';
import type { Logger } from '../ports/logger.ts';
import { scrubFacts } from './scrub-facts.ts';

/** How much is said. `silent` says nothing at all. */
export type LogLevel = 'silent' | 'error' | 'warn' | 'info';

/** Names that never reach a log line, wherever they stand in the facts: payloads and whatever smells of a secret. */
const REDACTED = [
  'authorization',
  'body',
  'cookie',
  'data',
  'headers',
  'input',
  'output',
  'password',
  'payload',
  'request',
  'response',
  'secret',
  'secrets',
  'token',
];

/** Secrets that may be around when something is logged; asked at each line, because they can change. */
export type SecretValues = () => readonly string[];

/**
 * Structured log as JSON lines on a file descriptor, stderr unless told otherwise: ids and facts, never payloads.
 * @param level the least that is written.
 * @param secretValues values that are censored wherever they stand in a line (rule P12).
 */
export function createLogger(level: LogLevel, fd = 2, secretValues: SecretValues = () => []): Logger {
  const paths = REDACTED.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      messageKey: 'event',
      redact: { paths, censor: '[redacted]' },
    },
    destination({ dest: fd, sync: true }),
  );
  const write = (at: 'info' | 'warn' | 'error', facts: Readonly<Record<string, unknown>>, event: string): void => {
    if (log.isLevelEnabled(at)) log[at](scrubFacts(facts, secretValues()), event);
  };
  return {
    info: (facts, event) => write('info', facts, event),
    warn: (facts, event) => write('warn', facts, event),
    error: (facts, event) => write('error', facts, event),
  };
}
