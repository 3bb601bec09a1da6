import type { EffectKey, RunId } from '../model/ids.ts';
import {
  reliesOn,
  type SharedEffect,
  type ShareMessage,
  type ShareNews,
  type ShareSaying,
  type ShareUser,
  type ShareWord,
} from '../model/shared-effect.ts';

/** Who says something of a shared act, when, and where its message lies. */
export interface ShareTurn {
  readonly part: number;
  readonly from: RunId;
  readonly at: readonly [revision: number, ordinal: number];
  readonly atMs: number;
  readonly message: ShareMessage;
}

/** What became of it. */
export interface TurnedShare {
  /** The row as it is to be written; null = it stays. */
  readonly after: SharedEffect | null;
  /** Who is to be told what; told again, a run hears it once (V02). */
  readonly tell: readonly { readonly to: RunId; readonly news: ShareNews }[];
}

/**
 * The one place where shared acts are decided (E11): who owns one, what its users are told, who may undo it. Pure; the same
 * message again, and an earlier one that comes late, change nothing and tell the same.
 */
export function turnShare(before: SharedEffect | null, turn: ShareTurn): TurnedShare {
  const { from, at, message } = turn;
  const row = before ?? blank(turn);
  const user = userOf(row, from);
  if (user !== undefined && !isLater(at, user.heard)) return { after: null, tell: retell(row, message.saying, user) };
  const known = user ?? { runId: from, step: '', sinceMs: turn.atMs, word: null, of: null, undo: null, heard: at };
  const heard = withUser(row, { ...known, heard: at });
  const said = hear(heard, from, message.saying);
  const after = { ...said, version: row.version + 1 };
  return { after, tell: changed(row, after) };
}

/** What the generation before lets an asker of the next one do. */
export type BeforeNext = 'go' | 'wait' | 'stands' | 'close';

/**
 * A generation begins only when the one before it is over for all: refused, undone, or wanted by nobody, which closes it. Nothing
 * is done twice because one of its users went on.
 */
export function beforeNext(previous: SharedEffect | null): BeforeNext {
  if (previous === null) return 'close';
  const { state, owner } = previous;
  if (state === 'closed' || state === 'failed') return 'go';
  if (state === 'confirmed') return 'stands';
  return state === 'open' && owner === null ? 'close' : 'wait';
}

/** The row of an act that nobody has done and nobody wants, closed. */
export function closedShare(
  previous: SharedEffect | null,
  about: Pick<SharedEffect, 'part' | 'tenant' | 'effectKey' | 'ingredients'>,
): SharedEffect {
  const row = previous ?? rowOf(about);
  return { ...row, state: 'closed', version: row.version + 1 };
}

function blank({ part, message }: ShareTurn): SharedEffect {
  return rowOf({ part, ...message });
}

function rowOf({
  part,
  tenant,
  effectKey,
  ingredients,
}: Pick<SharedEffect, 'part' | 'tenant' | 'effectKey' | 'ingredients'>): SharedEffect {
  return {
    part,
    tenant,
    effectKey,
    ingredients,
    requestHash: null,
    state: 'open',
    owner: null,
    outcome: null,
    users: [],
    version: 0,
  };
}

function isLater([revision, ordinal]: ShareUser['heard'], [thanRevision, thanOrdinal]: ShareUser['heard']): boolean {
  return revision === thanRevision ? ordinal > thanOrdinal : revision > thanRevision;
}

function userOf({ users }: SharedEffect, runId: RunId): ShareUser | undefined {
  return users.find((user) => user.runId === runId);
}

function withUser(row: SharedEffect, user: ShareUser): SharedEffect {
  const isThere = row.users.some(({ runId }) => runId === user.runId);
  const users = isThere ? row.users.map((one) => (one.runId === user.runId ? user : one)) : [...row.users, user];
  return { ...row, users };
}

function wordTo(row: SharedEffect, runId: RunId, word: ShareWord, of: RunId | null = null): SharedEffect {
  return { ...row, users: row.users.map((user) => (user.runId === runId ? { ...user, word, of } : user)) };
}

/** Everybody who waits hears the same. */
function wordToWaiting(row: SharedEffect, word: ShareWord): SharedEffect {
  const { owner } = row;
  return { ...row, users: row.users.map((user) => (user.word === null ? { ...user, word, of: owner } : user)) };
}

function hear(row: SharedEffect, from: RunId, saying: ShareSaying): SharedEffect {
  switch (saying.say) {
    case 'ask':
      return ask(row, from, saying);
    case 'settled':
      return settle(row, from, saying.outcome);
    case 'left':
      return leave(row, from, saying.sent);
    case 'undo':
      return askUndo(row, from, saying.undoKey);
    case 'undone':
      return wordToWaiting({ ...wordTo(row, from, 'left'), state: 'closed' }, 'closed');
    case 'kept':
      return keep(row, from);
    case 'waived':
      return keep(wordTo(row, from, 'left'), from);
  }
}

function ask(
  row: SharedEffect,
  from: RunId,
  { step, requestHash }: Extract<ShareSaying, { say: 'ask' }>,
): SharedEffect {
  const named = { ...row, users: row.users.map((user) => (user.runId === from ? { ...user, step } : user)) };
  if (row.state === 'closed' || row.state === 'failed') return wordTo(named, from, 'closed');
  if (row.requestHash !== null && row.requestHash !== requestHash) {
    const [first] = row.users;
    return wordTo(named, from, 'conflict', row.owner ?? first?.runId ?? null);
  }
  const asked = { ...named, requestHash };
  if (row.state === 'confirmed') return wordTo(asked, from, 'settled', row.owner);
  return handOver(asked);
}

/** Whoever has waited longest becomes the owner of an act that has none. */
function handOver(row: SharedEffect): SharedEffect {
  if (row.state !== 'open' || row.owner !== null) return row;
  const next = row.users.find(({ word }) => word === null);
  return next === undefined ? row : { ...wordTo(row, next.runId, 'owner'), owner: next.runId };
}

/** Only the owner's word counts; a late proof (E08) turns its own "failed" into "confirmed" for those who come. */
function settle(row: SharedEffect, from: RunId, outcome: SharedEffect['outcome']): SharedEffect {
  const isOpen = row.state === 'open' || row.state === 'failed';
  if (row.owner !== from || !isOpen || outcome === null) return row;
  const state = outcome.ok ? 'confirmed' : 'failed';
  return wordToWaiting({ ...row, state, outcome }, 'settled');
}

function leave(row: SharedEffect, from: RunId, wasSent: boolean): SharedEffect {
  const left = wordTo(row, from, 'left');
  if (row.owner !== from || row.state !== 'open') return left;
  const next = handOver({ ...left, owner: null });
  return next.owner === null && !wasSent ? { ...next, requestHash: null } : next;
}

/** Compensation only while it is the only user: from then on whoever asks waits for what becomes of it. */
function askUndo(row: SharedEffect, from: RunId, key: EffectKey): SharedEffect {
  const isAlone = !row.users.some((user) => user.runId !== from && reliesOn(user) && user.word !== null);
  const word = row.state === 'closed' ? 'undone' : isAlone ? 'alone' : 'shared';
  const undo: ShareUser['undo'] = { key, word };
  const asked = { ...row, users: row.users.map((user) => (user.runId === from ? { ...user, undo } : user)) };
  return word === 'alone' ? { ...asked, state: 'undoing', owner: from } : asked;
}

function keep(row: SharedEffect, from: RunId): SharedEffect {
  if (row.state !== 'undoing' || row.owner !== from) return row;
  return wordToWaiting({ ...row, state: 'confirmed' }, 'settled');
}

function newsOf({ effectKey, outcome }: SharedEffect, { word, of }: ShareUser): ShareNews | null {
  if (word === null || word === 'left') return null;
  return { effectKey, word, undoKey: null, of, outcome: word === 'settled' ? outcome : null };
}

function undoNewsOf({ effectKey }: SharedEffect, { undo }: ShareUser): ShareNews | null {
  return undo === null ? null : { effectKey, word: undo.word, undoKey: undo.key, of: null, outcome: null };
}

type Telling = TurnedShare['tell'];

function tellingOf(user: ShareUser, news: ShareNews | null): Telling {
  return news === null ? [] : [{ to: user.runId, news }];
}

/** Those whose word is another than before. */
function changed(before: SharedEffect, after: SharedEffect): Telling {
  return after.users.flatMap((user) => {
    const was = userOf(before, user.runId);
    return [
      ...(was?.word === user.word ? [] : tellingOf(user, newsOf(after, user))),
      ...(was?.undo?.key === user.undo?.key ? [] : tellingOf(user, undoNewsOf(after, user))),
    ];
  });
}

/** Whoever brought the message before may have died before anybody was told: all that it may have led to is told again. */
function retell(row: SharedEffect, { say }: ShareSaying, from: ShareUser): Telling {
  if (say === 'ask') return tellingOf(from, newsOf(row, from));
  if (say === 'undo') return tellingOf(from, undoNewsOf(row, from));
  return row.users.filter(({ runId }) => runId !== from.runId).flatMap((user) => tellingOf(user, newsOf(row, user)));
}
