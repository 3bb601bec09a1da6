import { EffectProtocol } from './effect-protocol.ts';
import { isInTable } from './effect-state.ts';
import type { EffectVariant } from './effect-variants.ts';
import { type ExploreOptions, explore, type Violation } from './explore.ts';
import { WakeUpProtocol } from './wake-up-protocol.ts';
import type { WakeUpVariant } from './wake-up-variants.ts';

/** What an exploration of a variant found, and whether that is what is known of it. */
export interface Verdict {
  readonly id: string;
  readonly says: string;
  readonly states: number;
  readonly edges: number;
  readonly isCapped: boolean;
  /** What does not hold, with the shortest way to each. */
  readonly violations: readonly Violation[];
  /** Moves of rows, `FROM>TO` in the words of the engine's table. */
  readonly moves: readonly string[];
  /** How it differs from what is known of the variant; empty when it does not. */
  readonly differences: readonly string[];
}

const FAR = 100_000_000;

/** Explores an effect variant at one of its sizes. */
export function judgeEffects(
  variant: EffectVariant,
  size: 'full' | 'small',
  onProgress?: ExploreOptions['onProgress'],
): Verdict {
  const { changes, states } = variant[size];
  const protocol = new EffectProtocol({ ...variant.rules, ...changes });
  const isCapped = variant.isCapped && size === 'full';
  const statesMax = isCapped ? states : FAR;
  const found = explore(protocol, { statesMax, ...(onProgress === undefined ? {} : { onProgress }) });
  const offTable = protocol.moves.filter((move) => !isInTable(move));
  return {
    id: variant.id,
    says: variant.says,
    ...found,
    moves: protocol.moves,
    differences: [
      ...difference('violates', namesOf(found.violations), variant.violated.join(' ')),
      ...difference('moves off the table', offTable.join(' '), variant.offTable.join(' ')),
      ...(isCapped ? [] : difference('states', found.states, states)),
    ],
  };
}

/** Explores a wake-up variant. */
export function judgeWakeUps(variant: WakeUpVariant): Verdict {
  const found = explore(new WakeUpProtocol(variant.rules), { statesMax: FAR });
  return {
    id: variant.id,
    says: variant.says,
    ...found,
    moves: [],
    differences: [
      ...difference('states', found.states, variant.states),
      ...difference('stuck', found.violations[0]?.states ?? 0, variant.stuck),
    ],
  };
}

/** The names of what does not hold, one space between. */
export function namesOf(violations: readonly Violation[]): string {
  return violations.map(({ name }) => name).join(' ');
}

function difference(what: string, found: string | number, known: string | number): readonly string[] {
  return found === known ? [] : [`${what}: ${found || 'none'}, not ${known || 'none'}`];
}
