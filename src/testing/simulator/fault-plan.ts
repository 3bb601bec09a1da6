import type { Random } from '../random.ts';

/** What becomes of one call on its way to the database and back. */
export type CallFate =
  /** Executed and answered. */
  | { readonly kind: 'answered'; readonly thereMs: number; readonly backMs: number }
  /** It never got there: nothing was done, and the caller knows. */
  | { readonly kind: 'before'; readonly afterMs: number }
  /** Refused with a fault that passes (serialization, deadlock, disk full): nothing was done. */
  | { readonly kind: 'refused'; readonly afterMs: number }
  /** Executed at some time, and the caller never learns it: the connection broke, perhaps before the execution. */
  | { readonly kind: 'lost'; readonly thereMs: number; readonly brokenAfterMs: number };

/** What becomes of one request on its way to a provider and back. */
export type WireFate =
  | { readonly kind: 'answered'; readonly thereMs: number; readonly backMs: number }
  /** Nobody listens: certainly not done. */
  | { readonly kind: 'unreachable'; readonly afterMs: number }
  /** The request is lost, or arrives though nobody waits any more. */
  | { readonly kind: 'silent'; readonly thereMs: number | null; readonly brokenAfterMs: number | null };

/** How often each fault comes while faults are on; probabilities per call. */
export interface FaultRates {
  readonly before: number;
  readonly refused: number;
  readonly lost: number;
  /** Calls that take long enough to lose a seat over. */
  readonly slow: number;
  readonly unreachable: number;
  readonly silent: number;
  /** Requests that reach the provider twice. */
  readonly doubled: number;
}

/** Kinds of trouble that can be left out, to find the smallest world in which something still goes wrong. */
export const TROUBLES = [
  'database',
  'wires',
  'words',
  'deaths',
  'pauses',
  'clock',
  'people',
  'halts',
  'errors',
  'outages',
  'absences',
  'deploys',
  'failovers',
] as const;
/** One kind of trouble. */
export type Trouble = (typeof TROUBLES)[number];

/** Draws the fate of every call; while faults are off, everything is answered soon. */
export interface FaultPlan {
  callFate(): CallFate;
  /** @param latestMs how long after its sending a request may still be carried out. */
  wireFate(latestMs: number): WireFate;
  isDoubled(): boolean;
  /** Whether a kind of trouble comes now, by its probability; draws from the seed in any case. */
  comes(trouble: Trouble, probability: number): boolean;
  /** From now on nothing goes wrong any more. */
  heal(): void;
  isHealed(): boolean;
}

const NEAR_MS = 4;
const SLOW_MS = 2_500;

/**
 * The faults of one seed: its rates are drawn once, so that some seeds are calm and others wild.
 * @param without troubles that never come.
 */
export function createFaultPlan(random: Random, without: ReadonlySet<Trouble>): FaultPlan {
  const level = random.next();
  const rate = (most: number): number => most * level * random.next();
  const rates: FaultRates = {
    before: rate(0.08),
    refused: rate(0.05),
    lost: rate(0.15),
    slow: rate(0.05),
    unreachable: rate(0.2),
    silent: rate(0.4),
    doubled: rate(0.1),
  };
  let healed = false;

  const comes = (trouble: Trouble, probability: number): boolean => {
    const hit = random.next() < probability;
    return hit && !healed && !without.has(trouble);
  };
  const wayMs = (trouble: Trouble): number => {
    const slow = comes(trouble, rates.slow);
    return random.next() * (slow ? SLOW_MS : NEAR_MS);
  };

  return {
    callFate: () => {
      const wayThereMs = wayMs('database');
      const wayBackMs = wayMs('database');
      if (comes('database', rates.before)) return { kind: 'before', afterMs: wayBackMs };
      if (comes('database', rates.refused)) return { kind: 'refused', afterMs: wayBackMs };
      if (comes('database', rates.lost)) return { kind: 'lost', thereMs: wayThereMs, brokenAfterMs: wayBackMs };
      return { kind: 'answered', thereMs: wayThereMs, backMs: wayBackMs };
    },
    wireFate: (latestMs) => {
      const wayThereMs = Math.min(wayMs('wires'), latestMs);
      const wayBackMs = wayMs('wires');
      if (comes('wires', rates.unreachable)) return { kind: 'unreachable', afterMs: wayBackMs };
      if (!comes('wires', rates.silent)) return { kind: 'answered', thereMs: wayThereMs, backMs: wayBackMs };
      const thereMs = random.next() < 0.3 ? null : random.next() ** 3 * latestMs;
      return { kind: 'silent', thereMs, brokenAfterMs: random.next() < 0.5 ? null : wayBackMs };
    },
    isDoubled: () => comes('wires', rates.doubled),
    comes,
    heal: () => {
      healed = true;
    },
    isHealed: () => healed,
  };
}

/** The plan of a world in which nobody listens at the provider's while `isDown`, whatever else goes on. */
export function withOutages(plan: FaultPlan, isDown: () => boolean): FaultPlan {
  return {
    ...plan,
    wireFate: (latestMs) => {
      const fate = plan.wireFate(latestMs);
      return isDown() ? { kind: 'unreachable', afterMs: NEAR_MS } : fate;
    },
  };
}
