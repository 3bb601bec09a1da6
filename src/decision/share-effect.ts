import { canonicalJson } from '../model/canonical-json.ts';
import type { Effect } from '../model/effect.ts';
import { invariant } from '../model/errors.ts';
import { hashJson } from '../model/hash.ts';
import type { EffectKey } from '../model/ids.ts';
import type { Json } from '../model/json.ts';
import type { RunState } from '../model/run.ts';
import type { ShareMessage, ShareSaying } from '../model/shared-effect.ts';
import type { Draft } from './draft.ts';
import { isOpen, touchEffect } from './effect-lifecycle.ts';
import { Ledger } from './ledger.ts';
import { forwardRows } from './step-effects.ts';

/** The code of an undo that has asked whether others rely on what it undoes. */
export const SHARING = 'sharing';
/** Codes of a row that was refused because of what others do: nothing of it is left to be told. */
const UNTOLD: readonly (string | null)[] = ['closed', 'conflict', 'shared-effect'];

/** Whether an act is shared beyond its run (E11). */
export function isShared({ ingredients }: Pick<Effect, 'ingredients'>): boolean {
  return ingredients.kind === 'forward' && ingredients.reach !== 'run';
}

/** Whether a row waits for what another run says of an act that both share, or of its undo (E11). */
export function awaitsShare(effect: Effect): boolean {
  return effect.state === 'PROPOSED' && (isShared(effect) || effect.code === SHARING);
}

/** The key is claimed before the row may become AUTHORIZED: until the word comes it stays PROPOSED (E11). */
export function askShare(draft: Draft, effect: Effect): void {
  draft.putEffect(effect);
  send(draft, effect, { say: 'ask', step: effect.step, requestHash: effect.requestHash });
}

/** An undo of a shared act asks first whether its run is the only user; asked once. */
export function askUndo(draft: Draft, undo: Effect, forward: Effect, approvalId: string | null): void {
  if (undo.code === SHARING) return;
  draft.putEffect(touchEffect(undo, { code: SHARING, approvalId }));
  send(draft, forward, { say: 'undo', undoKey: undo.key });
}

function send(draft: Draft, effect: Effect, saying: ShareSaying, about = effect.key): void {
  const { runId, tenant } = draft.base.run;
  const { key, step, frames, ingredients } = effect;
  invariant(ingredients.kind === 'forward', 'an undo is shared by what it undoes', { key });
  const message: ShareMessage = { tenant, effectKey: key, ingredients, saying };
  const named = saying.say === 'undo' ? saying.undoKey : about;
  draft.send({
    messageId: `msg_${hashJson(['mk/1', runId, named, `share.${wordOf(saying)}`]).slice(0, 40)}`,
    topic: 'share',
    key,
    step,
    frames,
    body: canonicalJson(message as unknown as Json),
  });
}

function wordOf(saying: ShareSaying): string {
  return saying.say === 'settled' ? `settled.${saying.outcome.ok ? 'ok' : 'failed'}` : saying.say;
}

type Told = Pick<RunState, 'phase' | 'control'>;

/**
 * At the end of every decision: what has become of shared acts is told in the very commit that settles them, whatever has
 * settled them (E11).
 */
export function tellShares(draft: Draft): void {
  if (!draft.ctx.compiled.sharesActs) return;
  const shared = forwardRows(draft).filter(isShared);
  const before = shared.map(sayingsIn(draft.base, Ledger.of(draft.base.effects)));
  const now = shared.map(sayingsIn(draft, draft.effects));
  for (const [at, effect] of shared.entries()) {
    const was = before[at] ?? [];
    const news = (now[at] ?? []).filter((one) => !was.some((said) => isSame(said, one)));
    for (const { saying, about } of news) send(draft, effect, saying, about);
  }
}

/** What is to be told, and of which row. */
interface Said {
  readonly saying: ShareSaying;
  readonly about: EffectKey;
}

function isSame(one: Said, other: Said): boolean {
  return one.about === other.about && wordOf(one.saying) === wordOf(other.saying);
}

/** All that a state of the run has to tell of a shared act. */
function sayingsIn(told: Told, effects: Ledger): (effect: Effect) => readonly Said[] {
  return ({ key }) => {
    const row = effects.get(key);
    const undo = effects.undoOf(key);
    const saying = row === undefined ? null : settledWord(told, row);
    const ofUndo = undo === undefined ? null : undoWord(told, undo);
    return [
      ...(saying === null ? [] : [{ saying, about: key }]),
      ...(ofUndo === null || undo === undefined ? [] : [{ saying: ofUndo, about: undo.key }]),
    ];
  };
}

/** What the owner, or who waits no more, has to tell; null while it is open, and of what others have told. */
function settledWord({ control }: Told, effect: Effect): ShareSaying | null {
  const { state, attempt, code, receiptNo } = effect;
  if (isOpen(state) || UNTOLD.includes(code)) return null;
  const isDoubted = control.incidents.some(({ kind, effectKey }) => kind === 'late-proof' && effectKey === effect.key);
  if (isDoubted) return null;
  // The deadline is this run's alone, and nothing of the act is on its way: others may do it.
  const isExpired = state === 'FAILED' && code === 'timeout' && receiptNo === null;
  if (isExpired || (state !== 'CONFIRMED' && state !== 'FAILED')) return { say: 'left', sent: attempt > 0 };
  if (attempt === 0) return null;
  const outcome = {
    ok: state === 'CONFIRMED',
    code,
    class: effect.failureClass,
    message: effect.lastError ?? '',
    output: effect.output ?? null,
    externalId: effect.externalId,
  };
  return { say: 'settled', outcome };
}

/** What has become of the undo of a shared act; null while it may still be done. */
function undoWord({ phase }: Told, { state }: Effect): ShareSaying | null {
  if (isOpen(state)) return null;
  if (state === 'CONFIRMED') return { say: 'undone' };
  if (state === 'WAIVED') return { say: 'waived' };
  return state === 'CANCELLED' || phase === 'ended' ? { say: 'kept' } : null;
}
