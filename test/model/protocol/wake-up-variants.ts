import { type WakeUpRules, wakeUpRulesOf } from './wake-up-protocol.ts';

/** A variant of the wake-up protocol and what is known of it. */
export interface WakeUpVariant {
  readonly id: string;
  readonly says: string;
  readonly rules: WakeUpRules;
  readonly states: number;
  /** States from which the two events can no longer be consumed. */
  readonly stuck: number;
}

const variantOf = (
  [id, says]: readonly [string, string],
  changes: Partial<WakeUpRules>,
  [states, stuck]: readonly [number, number],
): WakeUpVariant => ({ id, says, rules: wakeUpRulesOf(changes), states, stuck });

/** The rules, and each of them broken. */
export const WAKE_UP_VARIANTS: readonly WakeUpVariant[] = [
  variantOf(['WU', 'the rules P03, P16, W01 to W03'], {}, [970, 0]),
  variantOf(['WU1', 'P16: no disown'], { disowns: false }, [490, 9]),
  variantOf(['WU2', 'W03: a release deletes any wake-up'], { releaseDeletesAny: true }, [989, 19]),
  variantOf(['WU3', 'W03: a drain deletes any wake-up'], { drainDeletesAny: true }, [989, 19]),
  variantOf(['WU4', 'W01: DO NOTHING'], { doNothing: true }, [1_189, 38]),
  variantOf(
    ['WU5', 'P03: claims without a seat, and a sweep from the rows of workers'],
    { sweepsFromWorkers: true, claimNeedsSeat: false },
    [1_558, 32],
  ),
  variantOf(['WU6', 'a sweep from the rows of workers, claims with a seat'], { sweepsFromWorkers: true }, [1_459, 0]),
  variantOf(['WU7', 'claims without a seat, a sweep from the leases'], { claimNeedsSeat: false }, [970, 0]),
];
