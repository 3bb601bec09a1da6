import { shareOf } from '../decision/retry.ts';
import type { EffectRequest } from '../model/effect.ts';
import type { AttemptReport, Outcome } from '../model/outcome.ts';
import type { Clock } from '../ports/clock.ts';
import type { Logger } from '../ports/logger.ts';
import type { Outlet, Pass } from './outlet.ts';

/** Requests in a row that found a host unavailable, after which its circuit opens. */
export const OPENS_AFTER = 5;
/** How long a circuit stays open before one request tries again; twice as long after each probe that fails, milliseconds. */
export const OPEN_MS_MIN = 1_000;
export const OPEN_MS_MAX = 60_000;

interface Circuit {
  readonly failures: number;
  /** Monotonic; null while closed. */
  readonly openUntilMs: number | null;
  readonly openMs: number;
  readonly isProbed: boolean;
}

const CLOSED: Circuit = { failures: 0, openUntilMs: null, openMs: OPEN_MS_MIN, isProbed: false };

/** Where a request goes: the host of its address, or its function. */
export function hostOf({ url, function: name }: Pick<EffectRequest, 'url' | 'function'>): string {
  if (url === null) return `function ${String(name)}`;
  return URL.canParse(url) ? new URL(url).host : url;
}

/** Answers of whoever stands before a host that does not answer itself. */
const FOR_THE_ABSENT: ReadonlySet<number | null> = new Set([502, 503, 504]);

/** Whether nobody answered who could know. */
function isSilent(report: AttemptReport): boolean {
  if (report.kind === 'answered') return FOR_THE_ABSENT.has(report.status);
  return report.kind === 'broken' || (report.kind === 'declared' && report.outcome === 'unavailable');
}

/** What a request has shown of its host: that it answers, that it does not, or nothing, because nothing left. */
function signOf(report: AttemptReport, { kind }: Outcome): 'up' | 'down' | 'nothing' {
  if (report.kind === 'unsent') return 'nothing';
  // Where the action has its own word for such an answer, that is an answer.
  return kind === 'unavailable' || (kind === 'unknown' && isSilent(report)) ? 'down' : 'up';
}

/**
 * Opens a circuit after repeated unavailable, tries again with one request, closes it with the first answer. Runs wait
 * meanwhile in the ledger, so nothing is lost when the process dies (E14).
 */
export function createCircuits(clock: Clock, logger: Logger): Outlet {
  const circuits = new Map<string, Circuit>();
  const circuitOf = (host: string): Circuit => circuits.get(host) ?? CLOSED;

  const open = (host: string, openMs: number): void => {
    circuits.set(host, { failures: OPENS_AFTER, openUntilMs: clock.monotonicMs() + openMs, openMs, isProbed: false });
    logger.warn({ host, openMs }, 'circuit.opened');
  };
  const close = (host: string): void => {
    if (circuitOf(host).openUntilMs !== null) logger.info({ host }, 'circuit.closed');
    circuits.delete(host);
  };
  const fail = (host: string, isProbe: boolean): void => {
    const { failures, openUntilMs, openMs } = circuitOf(host);
    if (isProbe) open(host, Math.min(openMs * 2, OPEN_MS_MAX));
    // What had left before the circuit opened says nothing new.
    else if (openUntilMs === null && failures + 1 >= OPENS_AFTER) open(host, OPEN_MS_MIN);
    else if (openUntilMs === null) circuits.set(host, { ...CLOSED, failures: failures + 1 });
  };
  const passTo = (host: string, isProbe: boolean): Pass => ({
    kind: 'pass',
    heard: (report, outcome) => {
      const sign = signOf(report, outcome);
      if (sign === 'up') close(host);
      else if (sign === 'down') fail(host, isProbe);
      else if (isProbe) circuits.set(host, { ...circuitOf(host), isProbed: false });
    },
  });

  return {
    ask: ({ request, seed, turn }, nowMs) => {
      const host = hostOf(request);
      const circuit = circuitOf(host);
      if (circuit.openUntilMs === null) return passTo(host, false);
      const restMs = Math.max(0, circuit.openUntilMs - clock.monotonicMs());
      if (restMs === 0 && !circuit.isProbed) {
        circuits.set(host, { ...circuit, isProbed: true });
        return passTo(host, true);
      }
      // No two runs come back in the same moment.
      const waitMs = Math.ceil(restMs + circuit.openMs * shareOf(seed, turn));
      const reason = `the circuit of ${host} is open: it was unavailable again and again; next look ${new Date(nowMs + waitMs).toISOString()}`;
      return { kind: 'refusal', lacks: 'circuit', reason, waitMs };
    },
  };
}
