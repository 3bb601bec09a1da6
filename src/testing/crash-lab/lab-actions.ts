import { setMaxListeners } from 'node:events';
import type { Json } from '../../model/json.ts';
import type { ReadOrder, SendOrder } from '../../model/order.ts';
import type { AttemptReport } from '../../model/outcome.ts';
import type { ActionAdapter } from '../../ports/action-adapter.ts';
import type { Reaction } from '../provider/desk.ts';
import { type ScriptWord, wordFor } from '../provider/script.ts';
import { CannotPlay } from './answer-bodies.ts';
import type { LabWires } from './crashing-store.ts';
import { answered } from '../simulator/answered.ts';
import { knownWords } from './exposure.ts';
import { actsOnRead, type Lab, labelOf, type Story } from './lab.ts';
import { type LabProvider, landingMs } from './lab-provider.ts';
import { withField } from './literals.ts';
import type { CallFate } from './trouble.ts';

/** A write, and whose it is. */
export type WriteCall = Pick<SendOrder, 'run' | 'contract' | 'effect'>;

/** A read, and whose it is. */
export type ReadCall = Pick<ReadOrder, 'run' | 'step' | 'contract'>;

/** The wires between a process of the lab and everything outside. */
export interface ActionWires extends LabWires {
  readonly lab: Lab;
  readonly story: Story;
  readonly provider: LabProvider;
  /** How many calls of an action came before, in the run that is played. @param isAnswer whether the word of that number answers it. */
  countCall(order: WriteCall, isAnswer: (no: number) => boolean): number;
  /** The same of a read. */
  countRead(order: ReadCall, isAnswer: (no: number) => boolean): number;
  /** Stops the owner for longer than its lease; another worker is there. */
  stop(): void;
  /** Told of what cannot be played without a word of the user. */
  onProblem(message: string): void;
}

/** One way, milliseconds. */
const WAY_MS = 3;
/** What takes long takes this share of its time-out. */
const SLOW_SHARE = 0.75;

function broken(byteWritten: boolean, reason: string): AttemptReport {
  return { kind: 'broken', byteWritten, reason };
}

/** What a reaction looks like from here; null = nothing comes. */
function reportOf(reaction: Reaction, isHttp: boolean): AttemptReport | null {
  switch (reaction.kind) {
    case 'answer':
      if (isHttp) return answered(reaction.status, reaction.body, reaction.retryAfterSeconds);
      return reaction.status < 300 ? answered(null, reaction.body) : declined(reaction.status);
    case 'page':
      return isHttp ? answered(200, undefined) : broken(true, 'the function threw');
    case 'lost':
      return broken(true, 'the connection was reset');
    case 'silence':
      return null;
  }
}

/** What a provider says that has the request already: in the words that the action's own table looks for. */
function exists({ contract }: SendOrder): Json {
  return knownWords(contract).reduce<Json>(withField, { error: 'exists' });
}

/** How a function says no: for now, or for good. */
function declined(status: number): AttemptReport {
  const outcome = status === 429 ? 'throttled' : status === 503 ? 'unavailable' : status < 500 ? 'rejected' : 'unknown';
  return { kind: 'declared', outcome, code: null, afterMs: null, data: null };
}

class LabAdapter implements ActionAdapter {
  readonly #wires: ActionWires;

  constructor(wires: ActionWires) {
    this.#wires = wires;
  }

  readonly missing = (): readonly string[] => [];

  readonly token: ActionAdapter['token'] = async () => ({ kind: 'token', token: 'token', isRemembered: false });

  readonly forgetToken = (): void => undefined;

  readonly send: ActionAdapter['send'] = async (order, _secrets, gate, signal) => {
    await this.#way();
    if (signal.aborted) return broken(false, 'aborted');
    const word = wordForCall(this.#wires, order);
    if (word.kind === 'refused') return broken(false, 'connection refused');
    if (!gate()) return { kind: 'unsent', reason: 'the seat has no time left' };
    const { director, provider } = this.#wires;
    provider.sent(order);
    const fate = director.callFate(order);
    const isHttp = order.contract.transport.kind === 'http';
    const repeatStatus = provider.knows(order) ? director.repeatStatus(order) : null;
    const carry = async (): Promise<AttemptReport | null> =>
      repeatStatus === null
        ? reportOf(await provider.receive(order, word), isHttp)
        : answered(repeatStatus, exists(order));
    const says = director.rowOf(order);
    if (says !== null) provider.takeIn(order, says);
    const instead = fate.answer;
    const but = typeof instead === 'object' ? () => provider.allBut(order, instead) : null;
    return this.#exchange(fate, { ...this.#wayOf(order), isHttp, signal, but }, carry);
  };

  readonly query: ActionAdapter['query'] = async (order, _secrets, signal) => {
    await this.#way();
    if (signal.aborted) return broken(false, 'aborted');
    const { director, provider } = this.#wires;
    if (!director.canAsk(order))
      return { kind: 'unsent', reason: 'nobody can be asked what happened', permanent: true };
    const failed = director.failedLookup(order);
    const report =
      failed === null ? await this.#guard(() => provider.look(order)) : answered(failed, { error: `status-${failed}` });
    await this.#way();
    return report ?? broken(true, 'the lookup cannot be played');
  };

  readonly read: ActionAdapter['read'] = async (order, _secrets, signal) => {
    await this.#way();
    if (signal.aborted) return broken(false, 'aborted');
    const { director, lab, provider } = this.#wires;
    const fate = director.readFate(order);
    const isHttp = order.contract.transport.kind === 'http';
    const acts = actsOnRead(lab, order.contract);
    const script = lab.scenario.scripts.get(order.contract.name);
    const no = this.#wires.countRead(order, (before) => isAnswered(wordFor(script, before)));
    const word = wordFor(script, no);
    if (word.kind === 'refused') return broken(false, 'connection refused');
    const instead = insteadOfRead(word);
    const carry = async (): Promise<AttemptReport | null> =>
      instead === null ? provider.read(order, acts) : reportOf(instead, isHttp);
    return this.#exchange(
      fate,
      { landsMs: WAY_MS, takesMs: 0, timeoutMs: order.timeoutMs, isHttp, signal, but: null },
      carry,
    );
  };

  #way(): Promise<void> {
    const { world, owner } = this.#wires;
    return new Promise((resolve) => {
      world.after(WAY_MS, owner, resolve);
    });
  }

  #wayOf(order: SendOrder) {
    const { lab, story, provider } = this.#wires;
    const { contract, timeoutMs } = order;
    const slowMs = story.slow.get(labelOf(order.effect));
    const ownMs = lab.scenario.takes.get(contract.name) ?? 0;
    const takesMs = slowMs === undefined ? ownMs : provider.takesMs(order, slowMs);
    return { landsMs: landingMs(lab, contract), takesMs, timeoutMs };
  }

  /** What the lab cannot play is told, and nothing is answered. */
  async #guard<T>(act: () => Promise<T>): Promise<T | null> {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof CannotPlay)) throw error;
      this.#wires.onProblem(error.message);
      return null;
    }
  }

  /** One exchange: there, back or not, and what becomes of the worker meanwhile. */
  #exchange(
    fate: CallFate,
    way: {
      readonly landsMs: number;
      readonly takesMs: number;
      readonly timeoutMs: number;
      readonly isHttp: boolean;
      readonly signal: AbortSignal;
      /** The yes that is one but for one field; null = the fate knows none. */
      readonly but: (() => Promise<AttemptReport>) | null;
    },
    carry: () => Promise<AttemptReport | null>,
  ): Promise<AttemptReport> {
    const { world, owner } = this.#wires;
    return new Promise((resolve) => {
      const abort = (): void => end(broken(true, 'aborted'));
      const end = (report: AttemptReport): void => {
        cancel();
        way.signal.removeEventListener('abort', abort);
        resolve(report);
      };
      const back = (report: AttemptReport | null): void => {
        if (report !== null) world.after(WAY_MS + way.takesMs, owner, () => end(report));
      };
      const cancel = world.after(way.timeoutMs, owner, () => end(broken(true, 'timeout')));
      setMaxListeners(0, way.signal);
      way.signal.addEventListener('abort', abort, { once: true });
      const arrive = async (): Promise<void> => {
        const report = await this.#guard(carry);
        if (fate.answer === 'whole') back(report);
      };
      if (fate.arrives === 'late') world.after(way.landsMs, null, () => void arrive());
      if (fate.arrives === 'slow') world.after(SLOW_SHARE * way.timeoutMs, null, () => void arrive());
      if (fate.arrives === 'now') world.after(WAY_MS, null, () => void arrive());
      const but = way.but;
      const answerBut = async (): Promise<void> => {
        back(but === null ? null : await this.#guard(but));
      };
      if (but !== null) world.after(2 * WAY_MS, null, () => void answerBut());
      const seen = insteadOf(fate.answer, way.isHttp);
      if (seen !== null) world.after(2 * WAY_MS, owner, () => back(seen));
      if (fate.worker !== 'lives') world.after(WAY_MS + 1, owner, () => this.#fell(fate.worker));
    });
  }

  #fell(worker: CallFate['worker']): void {
    if (worker === 'dies') this.#wires.kill();
    else this.#wires.stop();
  }
}

/** The word of a call: the story's no, the scenario's script, or done. */
export function wordForCall(
  { story, lab, countCall }: Pick<ActionWires, 'story' | 'lab' | 'countCall'>,
  order: SendOrder,
): ScriptWord {
  if (story.declined.has(labelOf(order.effect))) return { kind: 'declined' };
  if (story.away.has(labelOf(order.effect))) return { kind: 'status', status: 503 };
  const script = lab.scenario.scripts.get(order.contract.name);
  return wordFor(
    script,
    countCall(order, (before) => isAnswered(wordFor(script, before))),
  );
}

/** Whether a word is an answer for good, which a repeat gets again. */
function isAnswered(word: ScriptWord): boolean {
  return word.kind === 'ok' || word.kind === 'declined' || (word.kind === 'answer' && word.status < 300);
}

/** What a script has a read answered with; null = what it asks for. */
function insteadOfRead(word: ScriptWord): Reaction | null {
  switch (word.kind) {
    case 'answer':
      return word;
    case 'status':
      return { kind: 'answer', status: word.status, body: { error: `status-${word.status}` } };
    case 'declined':
      return { kind: 'answer', status: 402, body: { error: 'declined' } };
    case 'unreadable-done':
      return { kind: 'page' };
    case 'hang':
      return { kind: 'silence' };
    case 'lost-done':
    case 'lost-not-done':
    case 'late-done':
      return { kind: 'lost' };
    default:
      return null;
  }
}

/** What comes instead of the provider's answer; null = that, or nothing at all. */
function insteadOf(answer: CallFate['answer'], isHttp: boolean): AttemptReport | null {
  if (answer === 'whole' || typeof answer === 'object') return null;
  if (answer === 'none') return broken(true, 'the connection was reset');
  if (answer === 'page') return isHttp ? answered(200, undefined) : broken(true, 'the function threw');
  return answered(answer, { error: `status-${answer}` });
}

/** What touches the world in the lab: no wire, the provider's own contract. */
export function createLabActions(wires: ActionWires): ActionAdapter {
  return new LabAdapter(wires);
}
