import type { Frame } from '../model/effect.ts';

/** Stable name of an approval: the step, and its frames where there are any. */
export function approvalIdOf(step: string, frames: readonly Frame[]): string {
  return [step, ...frames.map(([kind, value]) => `${kind}${value}`)].join('.');
}
