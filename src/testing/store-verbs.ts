import { StoreError, UnknownOutcomeError } from '../model/errors.ts';
import type { Store } from '../ports/store.ts';

/** Whether a verb of the store only reads: a lost answer of it has done nothing. Every verb is named here. */
const READS_ONLY: Readonly<Record<Exclude<keyof Store, 'parts'>, boolean>> = {
  publish: false,
  findVersion: true,
  loadVersion: true,
  listVersions: true,
  nowMs: true,
  start: false,
  takeSeat: false,
  beat: false,
  leaveSeat: false,
  claim: false,
  load: true,
  commit: false,
  act: false,
  trace: true,
  deliver: false,
  deliverAndClaim: false,
  claimRun: false,
  answerOf: true,
  drain: true,
  disown: false,
  sweep: false,
  fireTimers: false,
  nextDueMs: true,
  observe: false,
  joinLock: false,
  leaveLock: false,
  limitLock: false,
  sweepLocks: false,
  locks: true,
  heads: true,
  retained: true,
  changes: true,
  forgetChanges: false,
  prune: false,
  sharedEffect: true,
  putSharedEffect: false,
  sharedEffects: true,
  takeOffers: false,
  queues: true,
  claimOutbox: false,
  settleOutbox: false,
  actOnOutbox: false,
  outbox: true,
  listOutbox: true,
  claimSchedules: false,
  settleSchedule: false,
  orderSchedule: false,
  schedules: true,
  createKey: false,
  findKey: true,
  listKeys: true,
  revokeKey: false,
  findRun: true,
  listRuns: true,
  journal: true,
  receipts: true,
  observations: true,
  inbox: true,
  audit: true,
  acts: true,
  chains: true,
  effects: true,
  holder: true,
  workers: true,
  listen: true,
  records: true,
  strays: true,
  overdue: true,
  witness: false,
  beginRecovery: false,
  endRecovery: false,
  close: true,
};

/** Whether a verb of the store only reads. */
export function isReadVerb(verb: string): boolean {
  return Object.hasOwn(READS_ONLY, verb) && READS_ONLY[verb as keyof typeof READS_ONLY];
}

/** How the store tells that the connection broke before the answer: nothing was done, or nobody knows. */
export function lostAnswer(verb: string): Error {
  if (isReadVerb(verb)) return new StoreError('PAWL_STORE_UNAVAILABLE', 'the connection broke while reading');
  return new UnknownOutcomeError('PAWL_STORE_ANSWER_LOST', 'the connection broke before the answer');
}
