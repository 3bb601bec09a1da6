import { describe, expect, it } from 'vitest';
import { effectKey, forwardIngredients } from '../../src/decision/effect-key.ts';
import { beforeNext, closedShare, turnShare } from '../../src/decision/turn-share.ts';
import type { EffectKey, RunId } from '../../src/model/ids.ts';
import type { SharedEffect, ShareNews, ShareSaying } from '../../src/model/shared-effect.ts';

const [A, B, C] = ['a', 'b', 'c'] as unknown as [RunId, RunId, RunId];
const INGREDIENTS = forwardIngredients({
  run: { tenant: 'default', workflow: 'w', key: 'k', startNumber: 1 },
  reach: 'global',
  step: 's',
  frames: [],
  action: 'mail',
  object: 'ann',
  intent: 'greet',
  generation: 0,
});
const KEY = effectKey(INGREDIENTS);
const UNDO = 'undo' as EffectKey;
const OK = { ok: true, code: null, class: null, message: '', output: { id: 1 }, externalId: null };
const REFUSED = { ...OK, ok: false, code: 'no' };
const ASK: ShareSaying = { say: 'ask', step: 's', requestHash: 'h' };

/** The place of one shared act; each message lies behind the one before. */
class Place {
  row: SharedEffect | null = null;
  private at = 0;

  private next(): number {
    this.at += 1;
    return this.at;
  }

  say(from: RunId, saying: ShareSaying, at = this.next()): readonly (readonly [RunId, ShareNews['word']])[] {
    const message = { tenant: 'default', effectKey: KEY, ingredients: INGREDIENTS, saying };
    const { after, tell } = turnShare(this.row, { part: 0, from, at: [at, 0], atMs: at, message });
    this.row = after ?? this.row;
    return tell.map(({ to, news }) => [to, news.word] as const);
  }
}

function shared(...runs: readonly RunId[]): Place {
  const place = new Place();
  for (const run of runs) place.say(run, ASK);
  return place;
}

describe('E11 the place of a shared act', () => {
  it('E11 has one owner, and tells all users how it ended, also those who come later', () => {
    // E11: "Reach workflow/global: the key is claimed in its own part before the run's row may become AUTHORIZED; only the owner sends; its settlement is told to all users"
    const place = new Place();
    expect(place.say(A, ASK)).toEqual([[A, 'owner']]);
    expect(place.say(B, ASK)).toEqual([]);
    expect(place.say(B, { say: 'settled', outcome: OK })).toEqual([]);
    expect(place.row?.state).toBe('open');
    expect(place.say(A, { say: 'settled', outcome: OK })).toEqual([[B, 'settled']]);
    expect(place.say(C, ASK)).toEqual([[C, 'settled']]);
  });

  it('E11 goes to the next user when its owner leaves, and is passed by one who has left', () => {
    // E11: "Reach workflow/global: the key is claimed in its own part before the run's row may become AUTHORIZED; only the owner sends; its settlement is told to all users"
    const place = shared(A, B, C);
    expect(place.say(B, { say: 'left', sent: false })).toEqual([]);
    expect(place.say(A, { say: 'left', sent: true })).toEqual([[C, 'owner']]);
    expect(place.row?.owner).toBe(C);
  });

  it('E11 is closed by a refusal: who waits records it, who comes later starts the next generation', () => {
    // E11: "Reach workflow/global: the key is claimed in its own part before the run's row may become AUTHORIZED; only the owner sends; its settlement is told to all users"
    const place = shared(A, B);
    expect(place.say(A, { say: 'settled', outcome: REFUSED })).toEqual([[B, 'settled']]);
    expect(place.say(C, ASK)).toEqual([[C, 'closed']]);
  });

  it('E08 a late proof of its owner counts for those who come after it', () => {
    // E08: "a proof against a row assumed absent or failed raises an incident"
    const place = shared(A, B);
    place.say(A, { say: 'settled', outcome: REFUSED });
    expect(place.say(A, { say: 'settled', outcome: OK })).toEqual([]);
    expect(place.say(C, ASK)).toEqual([[C, 'settled']]);
  });

  it('E02 another request is a conflict, but for an act that nobody has sent and nobody wants', () => {
    // E02: "Same key + same hash: the recorded outcome. Other hash: `PAWL_EFFECT_CONFLICT`, incident, zero provider calls."
    const place = shared(A);
    expect(place.say(B, { ...ASK, requestHash: 'other' })).toEqual([[B, 'conflict']]);
    expect(place.row?.users[1]?.of).toBe(A);
    place.say(A, { say: 'left', sent: false });
    expect(place.say(C, { ...ASK, requestHash: 'other' })).toEqual([[C, 'owner']]);
    const tried = shared(A);
    tried.say(A, { say: 'left', sent: true });
    expect(tried.say(C, { ...ASK, requestHash: 'other' })).toEqual([[C, 'conflict']]);
  });

  it('E11 is undone by its only user, while others wait for what becomes of it', () => {
    // E11: "Reach workflow/global: the key is claimed in its own part before the run's row may become AUTHORIZED; only the owner sends; its settlement is told to all users"
    const place = shared(A, B);
    place.say(A, { say: 'settled', outcome: OK });
    expect(place.say(A, { say: 'undo', undoKey: UNDO })).toEqual([[A, 'shared']]);
    place.say(B, { say: 'waived' });
    expect(place.say(A, { say: 'undo', undoKey: 'second' as EffectKey })).toEqual([[A, 'alone']]);
    expect(place.say(C, ASK)).toEqual([]);
    expect(place.say(A, { say: 'undone' })).toEqual([[C, 'closed']]);
    expect(place.say(B, { say: 'undo', undoKey: UNDO })).toEqual([[B, 'undone']]);
  });

  it('E11 stands where its undo is given up, and who waited relies on it', () => {
    // E11: "Reach workflow/global: the key is claimed in its own part before the run's row may become AUTHORIZED; only the owner sends; its settlement is told to all users"
    const place = shared(A);
    place.say(A, { say: 'settled', outcome: OK });
    place.say(A, { say: 'undo', undoKey: UNDO });
    place.say(B, ASK);
    expect(place.say(A, { say: 'kept' })).toEqual([[B, 'settled']]);
    expect(place.row?.state).toBe('confirmed');
    expect(place.say(A, { say: 'undo', undoKey: 'second' as EffectKey })).toEqual([[A, 'shared']]);
  });

  it('V02 a message that comes twice, or late, changes nothing and tells the same again', () => {
    // V02: "`(source, event id)` is unique"
    const place = shared(A, B);
    const row = place.row;
    expect(place.say(A, ASK, 1)).toEqual([[A, 'owner']]);
    expect(place.say(B, ASK, 2)).toEqual([]);
    expect(place.row).toBe(row);
    place.say(A, { say: 'left', sent: false }, 7);
    expect(place.say(A, { say: 'left', sent: false }, 7)).toEqual([[B, 'owner']]);
    // Brought by a process that had been asleep since before the run left.
    expect(place.say(A, ASK, 1)).toEqual([]);
    expect(place.row?.owner).toBe(B);
    place.say(B, { say: 'settled', outcome: OK }, 8);
    place.say(B, { say: 'undo', undoKey: UNDO }, 9);
    expect(place.say(B, { say: 'undo', undoKey: UNDO }, 9)).toEqual([[B, 'alone']]);
    expect(place.row?.state).toBe('undoing');
  });

  it('E11 a generation begins only when the one before it is over for all', () => {
    // E11: "Reach workflow/global: the key is claimed in its own part before the run's row may become AUTHORIZED; only the owner sends; its settlement is told to all users"
    const open = shared(A);
    expect(beforeNext(open.row)).toBe('wait');
    open.say(A, { say: 'left', sent: false });
    expect(beforeNext(open.row)).toBe('close');
    const about = { part: 0, tenant: 'default', effectKey: KEY, ingredients: INGREDIENTS };
    const closed = closedShare(open.row, about);
    expect([closed.state, closed.version, beforeNext(closed)]).toEqual(['closed', 3, 'go']);
    expect([beforeNext(null), closedShare(null, about).version]).toEqual(['close', 1]);
    const done = shared(A);
    done.say(A, { say: 'settled', outcome: OK });
    expect(beforeNext(done.row)).toBe('stands');
    const refused = shared(A);
    refused.say(A, { say: 'settled', outcome: REFUSED });
    expect(beforeNext(refused.row)).toBe('go');
  });
});
