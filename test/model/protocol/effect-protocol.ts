import type { Emit, Goal, Model } from './explore.ts';
import { copyField, isInDoubt, raise, setWorker, takeField, takenUp } from './effect-fields.ts';
import type { EffectRules } from './effect-rules.ts';
import { type RunOf, runOf } from './effect-run.ts';
import {
  AT,
  bitsOf,
  CHANGES_MAX,
  changeOf,
  DOING,
  movesOfChange,
  OF_WORKER,
  PHASE,
  ROW,
  WIRE,
  WORKER_SIZE,
} from './effect-state.ts';
import { COUNT_MAX, type Write, type Writes, writesOf } from './effect-writes.ts';
import { EFFECT_INVARIANTS, effectGoals, effectViolations } from './effect-invariants.ts';

/** Requests of one effect that may be on their way with nobody waiting for them; a third is taken for the second. */
const ORPHANS_MAX = 2;
/** The compensation that its provider never refuses, so that undoing can end without a person. */
const NEVER_REFUSED = 2;

/**
 * The protocol of one run, its lease, its effects and their provider: a crash at every step, a lease that expires at any
 * time, each transaction applied, applied with its answer lost, or not applied, requests that land arbitrarily late.
 */
export class EffectProtocol implements Model {
  readonly bits: readonly number[];
  readonly invariants = EFFECT_INVARIANTS;
  readonly goals: readonly Goal[] = effectGoals();
  readonly violations: (state: Uint8Array) => number;
  readonly #rules: EffectRules;
  readonly #run: RunOf;
  readonly #writes: Writes;
  readonly #next: Uint8Array;
  readonly #changes = new Uint8Array(CHANGES_MAX);
  readonly #moves = new Set<string>();
  #emit: Emit = () => {};

  constructor(rules: EffectRules) {
    this.bits = bitsOf(rules.workers, rules.isFailover);
    this.violations = effectViolations(rules);
    this.#rules = rules;
    this.#run = runOf(rules);
    this.#writes = writesOf(rules, this.#run, this.#moves);
    this.#next = new Uint8Array(this.bits.length);
  }

  /** The moves of rows that the explored commits have made, `FROM>TO` in the words of the engine's table. */
  get moves(): readonly string[] {
    for (const [change, isMade] of this.#changes.entries())
      if (isMade === 1) for (const move of movesOfChange(change)) this.#moves.add(move);
    return [...this.#moves].sort();
  }

  readonly expand = (state: Uint8Array, emit: Emit): void => {
    this.#emit = emit;
    if (this.#rules.isFailover) this.#failOver(state);
    this.#world(state);
    this.#network(state);
    if (this.#rules.person !== 'nobody' && state[AT.phase] === PHASE.held) this.#person(state);
    for (let worker = 0; worker < this.#rules.workers; worker += 1) {
      const at = AT.worker + worker * WORKER_SIZE;
      if (state[at] !== DOING.idle) this.#crash(state, at);
      this.#work(state, at);
    }
  };

  #copy(state: Uint8Array): Uint8Array {
    this.#next.set(state);
    return this.#next;
  }

  #failOver(state: Uint8Array): void {
    if (state[AT.replica] === 0) {
      const next = this.#copy(state);
      next[AT.replica] = 1;
      copyField(next, AT.phase, AT.savedPhase);
      copyField(next, AT.cancelled, AT.savedCancelled);
      copyField(next, AT.lastEnd, AT.savedEnd);
      for (let effect = 0; effect < 4; effect += 1) copyField(next, AT.row + effect, AT.savedRow + effect);
      this.#emit(next, 'the replica has received up to here');
    }
    if (state[AT.replica] !== 1) return;
    const next = this.#copy(state);
    next[AT.replica] = 2;
    next[AT.leased] = 0;
    takeField(next, AT.savedPhase, AT.phase);
    takeField(next, AT.savedCancelled, AT.cancelled);
    takeField(next, AT.savedEnd, AT.lastEnd);
    for (let effect = 0; effect < 4; effect += 1) {
      takeField(next, AT.savedRow + effect, AT.row + effect);
      next[AT.results + effect] = next[AT.row + effect] === ROW.confirmed ? 1 : 0;
    }
    this.#dropHolds(next);
    this.#emit(next, 'FAILOVER: later commits are gone');
  }

  #world(state: Uint8Array): void {
    const isForward = state[AT.phase] === PHASE.forward;
    if (state[AT.leased] === 1) {
      const next = this.#copy(state);
      next[AT.leased] = 0;
      this.#emit(next, 'the lease expires');
    }
    if (this.#rules.hasCancel && state[AT.cancelled] === 0 && isForward) {
      const next = this.#copy(state);
      next[AT.cancelled] = 1;
      this.#emit(next, 'a cancel is accepted');
    }
    if (this.#rules.hasLoser && state[AT.loser] === 0 && isForward && isInDoubt(state, 0)) {
      const next = this.#copy(state);
      next[AT.loser] = 1;
      this.#emit(next, 'the first effect loses the race');
    }
  }

  #network(state: Uint8Array): void {
    for (let effect = 0; effect < 4; effect += 1) {
      const orphans = Number(state[AT.orphans + effect]);
      if (orphans > 0) {
        this.#provide(state, effect, (next) => {
          next[AT.orphans + effect] = orphans - 1;
          this.#emit(next, 'a late request lands');
        });
        const next = this.#copy(state);
        next[AT.orphans + effect] = orphans - 1;
        this.#emit(next, 'a late request is lost');
      }
      const mayReturn = orphans > 0 || isInDoubt(state, effect);
      if (this.#rules.forgets && state[AT.answer + effect] !== 0 && mayReturn) {
        const next = this.#copy(state);
        next[AT.answer + effect] = 0;
        this.#emit(next, 'the provider forgets the key');
      }
    }
  }

  /** Every answer that the provider may give to a request, with what it then has in its book. */
  #provide(state: Uint8Array, effect: number, arrive: (next: Uint8Array, wire: number) => void): void {
    const answered = Number(state[AT.answer + effect]);
    if (this.#rules.keys && this.#rules.mutant !== 'key per attempt' && answered !== 0) {
      arrive(this.#copy(state), answered === 1 ? WIRE.done : WIRE.refused);
      return;
    }
    if (this.#rules.exists && state[AT.applied + effect] !== 0) {
      arrive(this.#copy(state), WIRE.refused);
      return;
    }
    const done = this.#copy(state);
    raise(done, AT.applied + effect, COUNT_MAX);
    done[AT.answer + effect] = 1;
    arrive(done, WIRE.done);
    if (effect === NEVER_REFUSED || !this.#rules.refuses) return;
    const refused = this.#copy(state);
    if (answered === 0) refused[AT.answer + effect] = 2;
    arrive(refused, WIRE.refused);
  }

  #person(state: Uint8Array): void {
    for (let effect = 0; effect < 4; effect += 1) {
      const isAsked = state[AT.row + effect] === ROW.review;
      if (!isAsked || (this.#rules.person === 'patient' && !this.#isQuiet(state, effect, -1))) continue;
      const isForward = effect < 2;
      const next = this.#copy(state);
      next[AT.lastEnd] = 0;
      next[AT.phase] = isForward ? PHASE.forward : PHASE.compensating;
      if (state[AT.applied + effect] !== 0) this.#writes.confirm(next, effect);
      else if (isForward) this.#writes.settleWithout(next, effect);
      else {
        next[AT.row + effect] = ROW.none;
        if (!this.#rules.sameKeyRedo) next[AT.answer + effect] = 0;
      }
      this.#note(state, next);
      this.#emit(next, state[AT.applied + effect] !== 0 ? 'a person: it happened' : 'a person: it did not happen');
    }
  }

  #crash(state: Uint8Array, at: number): void {
    const next = this.#copy(state);
    this.#letGo(next, at);
    setWorker(next, at, DOING.idle, 0);
    this.#emit(next, 'a worker crashes');
  }

  /** A request that nobody waits for any more stays on its way. */
  #letGo(next: Uint8Array, at: number): void {
    if (next[at + OF_WORKER.wire] === WIRE.request)
      raise(next, AT.orphans + Number(next[at + OF_WORKER.effect]), ORPHANS_MAX);
    next[at + OF_WORKER.wire] = WIRE.none;
  }

  #work(state: Uint8Array, at: number): void {
    const doing = state[at];
    if (doing === DOING.idle) this.#claim(state, at);
    else if (doing === DOING.decide) this.#decide(state, at);
    else if (doing === DOING.send) this.#send(state, at);
    else if (doing === DOING.wait) this.#wait(state, at);
    else if (doing === DOING.ask) this.#ask(state, at);
    else if (doing === DOING.sendAgain) this.#sendAgain(state, at);
    else this.#hear(state, at);
  }

  #sendAgain(state: Uint8Array, at: number): void {
    if (this.#mayBelieve(state, at)) this.#commit(state, at, 'attempt + 1', this.#writes.attempt, DOING.send);
  }

  #claim(state: Uint8Array, at: number): void {
    const isBusy = Number(state[AT.phase]) <= PHASE.compensating;
    const first = AT.row + (this.#rules.effects === 1 ? 1 : 0);
    const isSwept = this.#rules.mutant !== 'no sweeper' || state[first] === ROW.none;
    const isFree = (state[AT.leased] === 0 && isSwept) || this.#rules.mutant === 'live lease stolen';
    if (!isBusy || !isFree) return;
    const next = this.#copy(state);
    next[AT.leased] = 1;
    this.#dropHolds(next);
    setWorker(next, at, DOING.decide, 1);
    this.#emit(next, 'a worker claims');
    setWorker(next, at, DOING.idle, 0);
    this.#emit(next, 'a worker claims, the answer is lost');
  }

  #dropHolds(next: Uint8Array): void {
    for (let worker = 0; worker < this.#rules.workers; worker += 1)
      next[AT.worker + worker * WORKER_SIZE + OF_WORKER.holds] = 0;
  }

  #rest(state: Uint8Array, at: number, label: string): void {
    const next = this.#copy(state);
    setWorker(next, at, DOING.idle, Number(state[at + OF_WORKER.holds]));
    this.#emit(next, label);
  }

  #decide(state: Uint8Array, at: number): void {
    const effects = this.#run.candidates(state);
    if (Number(state[AT.phase]) > PHASE.compensating) this.#rest(state, at, 'nothing to do');
    else if (effects.length === 0) this.#commit(state, at, 'advance', this.#writes.advance, DOING.decide);
    else for (const effect of effects) this.#decideOn(state, at, effect);
  }

  #decideOn(state: Uint8Array, at: number, effect: number): void {
    const { askPerson, turn } = this.#writes;
    const row = state[AT.row + effect];
    const isCancelled = state[AT.phase] === PHASE.forward && state[AT.cancelled] === 1;
    if (this.#rules.mutant === 'undo in doubt' && isCancelled && row !== ROW.none)
      this.#commit(state, at, 'MUTANT: undo in doubt', turn, DOING.decide);
    else if (this.#run.canTurn(state, effect)) this.#commit(state, at, 'the cancel turns the run', turn, DOING.decide);
    else if (row === ROW.none) this.#begin(takenUp(state, at, effect), at);
    else if (isInDoubt(state, effect)) this.#doubt(takenUp(state, at, effect), at);
    else if (row === ROW.settledWithout && effect >= 2)
      this.#commit(state, at, 'a compensation was refused', (next) => askPerson(next, effect), DOING.decide);
    else this.#rest(state, at, 'wait');
  }

  #begin(state: Uint8Array, at: number): void {
    if (this.#rules.mutant === 'no intent') this.#go(state, at, DOING.send, 'MUTANT: no intent');
    else this.#commit(state, at, 'intent', this.#writes.intend, DOING.send);
  }

  #doubt(state: Uint8Array, at: number): void {
    const { mutant, lookup, keys, exists } = this.#rules;
    if (mutant === 'blind retry') this.#go(state, at, DOING.send, 'MUTANT: blind retry');
    else if (lookup) this.#go(state, at, DOING.ask, 'in doubt: asks');
    else if (keys || exists) this.#go(state, at, DOING.sendAgain, 'in doubt: sends again');
    else this.#commit(state, at, 'in doubt: a person', this.#writes.askPerson, DOING.decide);
  }

  #go(state: Uint8Array, at: number, doing: number, label: string): void {
    const next = this.#copy(state);
    next[at] = doing;
    this.#emit(next, label);
  }

  #send(state: Uint8Array, at: number): void {
    const mayStillSend = state[at + OF_WORKER.holds] === 1 && state[AT.leased] === 1;
    if (this.#rules.isBounded && !mayStillSend) {
      this.#rest(state, at, 'too late to send');
      return;
    }
    const next = this.#copy(state);
    next[at] = DOING.wait;
    next[at + OF_WORKER.wire] = WIRE.request;
    this.#emit(next, 'sends');
  }

  #wait(state: Uint8Array, at: number): void {
    const wire = state[at + OF_WORKER.wire];
    const effect = Number(state[at + OF_WORKER.effect]);
    if (wire === WIRE.request)
      this.#provide(state, effect, (next, answer) => {
        next[at + OF_WORKER.wire] = answer;
        this.#emit(next, 'the provider handles the request');
      });
    else {
      const heard = this.#copy(state);
      heard[at] = wire === WIRE.done ? DOING.heardDone : DOING.heardRefused;
      heard[at + OF_WORKER.wire] = WIRE.none;
      this.#emit(heard, 'the answer arrives');
    }
    const silent = this.#copy(state);
    this.#letGo(silent, at);
    silent[at] = DOING.heardNothing;
    this.#emit(silent, 'time-out');
    if (this.#rules.mutant === 'time-out read as failure') {
      silent[at] = DOING.heardRefused;
      this.#emit(silent, 'MUTANT: time-out read as failure');
    }
    if (effect !== 0 || state[AT.loser] === 0) return;
    silent[at] = DOING.decide;
    this.#emit(silent, 'the loser is left on its way');
  }

  #ask(state: Uint8Array, at: number): void {
    if (!this.#mayBelieve(state, at)) return;
    const effect = Number(state[at + OF_WORKER.effect]);
    if (state[AT.applied + effect] !== 0) this.#go(state, at, DOING.heardDone, 'look-up: found');
    else if (this.#rules.keys && state[AT.answer + effect] === 2)
      this.#go(state, at, DOING.heardRefused, 'look-up: refused');
    else this.#go(state, at, DOING.sendAgain, 'look-up: absent');
    this.#rest(state, at, 'look-up fails');
  }

  /** With bounded requests, nothing is concluded before all that were sent have landed. */
  #mayBelieve(state: Uint8Array, at: number): boolean {
    return !this.#rules.isBounded || this.#isQuiet(state, Number(state[at + OF_WORKER.effect]), at);
  }

  #isQuiet(state: Uint8Array, effect: number, exceptAt: number): boolean {
    if (state[AT.orphans + effect] !== 0) return false;
    for (let worker = 0; worker < this.#rules.workers; worker += 1) {
      const at = AT.worker + worker * WORKER_SIZE;
      if (at === exceptAt || state[at + OF_WORKER.effect] !== effect) continue;
      if (state[at + OF_WORKER.wire] === WIRE.request || state[at] === DOING.send) return false;
    }
    return true;
  }

  #hear(state: Uint8Array, at: number): void {
    const { confirm, enterDoubt, position, record, refuse } = this.#writes;
    const isTorn = this.#rules.mutant === 'result and position apart';
    const doing = state[at];
    if (doing === DOING.heardDone && isTorn)
      this.#commit(state, at, 'MUTANT: the result alone', record, DOING.writePosition);
    else if (doing === DOING.heardDone) this.#commit(state, at, 'confirms', confirm, DOING.decide);
    else if (doing === DOING.writePosition)
      this.#commit(state, at, 'MUTANT: the position alone', position, DOING.decide);
    else if (doing === DOING.heardRefused) this.#commit(state, at, 'hears a refusal', refuse, DOING.decide);
    else this.#commit(state, at, 'marks UNKNOWN', enterDoubt, DOING.decide);
  }

  /** A guarded transaction: refused to whoever lost the run, else applied, applied with its answer lost, or not applied. */
  #commit(state: Uint8Array, at: number, label: string, write: Write, after: number): void {
    const holds = Number(state[at + OF_WORKER.holds]);
    const effect = Number(state[at + OF_WORKER.effect]);
    if (holds === 0 && this.#rules.mutant !== 'unfenced write') {
      this.#rest(state, at, 'fenced');
      return;
    }
    const next = this.#copy(state);
    write(next, effect);
    if (this.#note(state, next) && holds === 0) next[AT.badWrite] = 1;
    next[at] = after;
    next[at + OF_WORKER.wire] = WIRE.none;
    this.#emit(next, label);
    if (this.#rules.mutant === 'lost commit read as failure' && state[at] === DOING.heardDone) {
      next[at] = DOING.heardRefused;
      next[at + OF_WORKER.wire] = Number(state[at + OF_WORKER.wire]);
    } else setWorker(next, at, DOING.idle, holds);
    this.#emit(next, `${label}; the answer is lost`);
    this.#rest(state, at, 'not committed');
  }

  /** Notes how rows moved; whether any did. */
  #note(state: Uint8Array, next: Uint8Array): boolean {
    let hasMoved = false;
    for (let at = AT.row; at < AT.row + 4; at += 1) {
      if (state[at] === next[at]) continue;
      this.#changes[changeOf(Number(state[at]), Number(next[at]))] = 1;
      hasMoved = true;
    }
    return hasMoved;
  }
}
