import { readRequest } from '../../decision/effect-key.ts';
import { canonicalJson } from '../../model/canonical-json.ts';
import type { ActionContract } from '../../model/definition.ts';
import { invariant } from '../../model/errors.ts';
import type { RunId } from '../../model/ids.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { QueryOrder, ReadOrder, SendOrder } from '../../model/order.ts';
import type { AttemptReport } from '../../model/outcome.ts';
import { type BookEntry, createMemoryBook } from '../provider/book.ts';
import { createDesk, type Desk, type IncomingCall, type Reaction } from '../provider/desk.ts';
import type { ScriptWord } from '../provider/script.ts';
import { answered } from '../simulator/answered.ts';
import type { World } from '../simulator/world.ts';
import { type Happening, makeYes, type Yes } from './answer-bodies.ts';
import { type Asked, askedOf, type LabJudge } from './judge.ts';
import { actsOnLookup, type Lab, labelOf, landsWithinMs, untruthOf } from './lab.ts';
import { type ComparedField, withField } from './literals.ts';
import { findShape, givenShape, type LookupShape, type ShownRow } from './lookup-answers.ts';
import { keyNamesOf, writtenKey } from './own-keys.ts';

/** How much later than promised a liar is, so that even the last question comes before it; milliseconds. */
const LIE_MS = 10 * 60_000;

/** Whether and for how long a provider that keeps its word knows a request again; milliseconds, null = not at all. */
export function memoryOf(lab: Lab, contract: ActionContract): number | null {
  const { idempotency } = contract;
  if (idempotency === null || idempotency.kind === 'none' || untruthOf(lab, 'keys', contract.name) !== null)
    return null;
  return idempotency.kind === 'natural' ? Number.POSITIVE_INFINITY : idempotency.remembersMs;
}

/** How long after its sending a late request takes effect, milliseconds. */
export function landingMs(lab: Lab, contract: ActionContract): number {
  const lie = untruthOf(lab, 'late', contract.name);
  const honestMs = landsWithinMs(contract);
  return lie === null
    ? honestMs - LANDS_BEFORE_MS
    : (lie.byMs ?? honestMs + LIE_MS + 2 * (contract.reconcile?.everyMs ?? 0));
}

/** Something that comes to nothing is shown as open past its promise, and past some questions; milliseconds. */
const OPEN_MS = 60_000;
const OPEN_LOOKS = 4;

/** Just inside the promise. */
const LANDS_BEFORE_MS = 20;

/** What has been taken in and is not done yet. */
const ACCEPTED = 202;

/** What a yes says. */
type Answer = Pick<Yes, 'status' | 'body'>;

/** The same where a status is asked for, as functions have none. */
function inHttp({ status, body }: Answer): { readonly status: number; readonly body: Json } {
  return { status: status ?? 200, body };
}

/** Something that happened, with whose it is. */
export interface Done {
  readonly run: RunId;
  readonly label: string;
  readonly action: string;
  /** Key of the effect; the step of a read that acts. */
  readonly effect: string;
  readonly id: string;
  readonly atMs: number;
}

/** Everything outside of the lab: each action by its own contract, or by the scenario where that says otherwise. */
export class LabProvider {
  /** The truth. */
  readonly done: Done[] = [];
  /** By label, what a lookup has shown, or a key of the author's, that was not the effect's own doing; `empty` = a 200 with nothing, `asked` = the question did it. */
  readonly shown = new Map<string, 'another' | 'key' | 'empty' | 'asked' | ComparedField>();
  /** By label, why the action's own rules cannot read its yes. */
  readonly misread = new Map<string, string>();
  readonly #lab: Lab;
  readonly #world: World;
  readonly #judge: LabJudge;
  readonly #pick: number;
  readonly #book = createMemoryBook();
  readonly #desks: Readonly<Record<'honoured' | 'ignored', Desk>>;
  readonly #orders = new Map<string, SendOrder>();
  readonly #answers = new Map<string, Answer>();
  readonly #keyNames: ReadonlySet<string>;
  readonly #seenAtMs = new Map<string, number>();
  /** When an effect was first asked for, by key, world time. */
  readonly #firstAtMs = new Map<string, number>();
  /** How much of the truth is in no book: what reads and lookups did. */
  #beside = 0;
  readonly #shapes = new Map<string, LookupShape>();
  /** What has been taken in and has a row before it is done, by key; until when, world time. */
  readonly #takenIn = new Map<string, { readonly says: ComparedField; readonly untilMs: number }>();

  constructor(lab: Lab, world: World, judge: LabJudge, pick: number) {
    this.#lab = lab;
    this.#world = world;
    this.#judge = judge;
    this.#pick = pick;
    this.#keyNames = keyNamesOf(lab);
    this.#desks = { honoured: this.#desk('honoured'), ignored: this.#desk('ignored') };
  }

  /** A request is on its way, whether it comes in or not. */
  sent(order: SendOrder): void {
    const { key } = order.effect;
    this.#orders.set(key, order);
    this.#firstAtMs.set(key, this.#firstAtMs.get(key) ?? this.#world.nowMs());
  }

  /** A request has come in. */
  async receive(order: SendOrder, word: ScriptWord): Promise<Reaction> {
    const { contract, effect } = order;
    const remembersMs = memoryOf(this.#lab, contract);
    this.#forgetIfOld(effect.key, remembersMs);
    const first = this.#firstUnder(order);
    if (first !== null) {
      if (!this.#happened(effect.key)) this.shown.set(labelOf(effect), 'key');
      return { kind: 'answer', ...inHttp(await this.#answerOf(first.order, first.id)) };
    }
    const given = word.kind === 'answer' && word.status < 300 ? word : null;
    const desk = this.#desks[remembersMs === null ? 'ignored' : 'honoured'];
    const reaction = desk.serve(callOf(order), given === null ? word : { kind: 'ok' });
    this.#note();
    if (reaction.kind !== 'answer' || reaction.status >= 300) return reaction;
    const id = (reaction.body as JsonObject)['id'];
    invariant(typeof id === 'string', 'a yes names what happened');
    if (given !== null && !this.#answers.has(id)) this.#answers.set(id, given);
    const answer = inHttp(await this.#answerOf(order, id));
    return { ...reaction, ...answer, status: reaction.status === ACCEPTED ? ACCEPTED : answer.status };
  }

  /** What a statement gives; it has happened where it is kept. */
  async statement(order: SendOrder, word: ScriptWord): Promise<{ readonly body: Json; keep(): void }> {
    this.#orders.set(order.effect.key, order);
    const keep = (): void => {
      this.#desks.ignored.serve(callOf(order), { kind: 'ok' });
      this.#note();
    };
    if (word.kind === 'answer') return { body: word.body, keep };
    const asked = askedOf(order.contract, order.effect, await this.#judge.scopeOf(order.run));
    const id = `${order.contract.name.replaceAll('.', '-')}-1`;
    return { body: this.#yes(asked, happeningOf(order, id)).body, keep };
  }

  /** What another effect did under a key that the author gives to both; null = nothing, or there is no such key. */
  #firstUnder(order: SendOrder): { readonly order: SendOrder; readonly id: string } | null {
    const own = writtenKey(order, this.#keyNames);
    if (own === null) return null;
    for (const { effect, id } of this.done) {
      const other = this.#orders.get(effect);
      if (other !== undefined && effect !== order.effect.key && writtenKey(other, this.#keyNames) === own)
        return { order: other, id };
    }
    return null;
  }

  /** What was asked for: its action, where it went and with what; null of what nobody sent. */
  requestOf({ effect }: Done): Json {
    const order = this.#orders.get(effect);
    if (order === undefined) return null;
    const { method, url, body } = order.request;
    return [order.contract.name, method, url, body];
  }

  /** Whether a request would be known again. */
  knows(order: SendOrder): boolean {
    return memoryOf(this.#lab, order.contract) !== null && this.#happened(order.effect.key);
  }

  /** A question has come in: everything that it asks about, as far as the lookup shows it by now. */
  async look(order: QueryOrder): Promise<AttemptReport> {
    const { contract, effect, run } = order;
    const scope = await this.#judge.scopeOf(run);
    const asked = askedOf(contract, effect, scope);
    const shape = await this.#shapeOf(order, asked);
    const shown: ShownRow[] = actsOnLookup(this.#lab, contract) ? [this.#actBy(order, asked)] : [];
    for (const { id, effect: key } of this.#shownOf(contract.name)) {
      const other = this.#orders.get(key);
      if (other === undefined || (key !== effect.key && !(await this.#isMeant(order, other)))) continue;
      if (!this.#happened(effect.key)) this.shown.set(labelOf(effect), 'another');
      const { body } = await this.#answerOf(other, id);
      shown.push({ body, says: null, action: other.contract });
    }
    const says = this.#rowBefore(effect.key);
    if (says !== null) {
      this.shown.set(labelOf(effect), says);
      const happening = happeningOf(order, `${contract.name.replaceAll('.', '-')}-taken-in`);
      shown.push({ body: this.#yes(asked, happening).body, says, action: contract });
    }
    if (contract.reconcile?.transport.kind === 'function') return declared(shown);
    if (shown.length > 0) return shape.found(shown);
    if (untruthOf(this.#lab, 'empty', contract.name) === null) return shape.absent();
    this.shown.set(labelOf(effect), 'empty');
    return shape.empty();
  }

  /** How much longer the answer to a request takes, if its answers come so long after the first one; milliseconds. */
  takesMs({ effect }: SendOrder, slowMs: number): number {
    const nowMs = this.#world.nowMs();
    return Math.max(0, (this.#firstAtMs.get(effect.key) ?? nowMs) + slowMs - nowMs);
  }

  /** A question does what it asks about. @returns what it shows. */
  #actBy(order: QueryOrder, asked: Asked): ShownRow {
    const { contract, effect, run } = order;
    this.shown.set(labelOf(effect), 'asked');
    const id = `${contract.name.replaceAll('.', '-')}-asked`;
    const atMs = this.#world.nowMs();
    this.#beside += 1;
    this.done.push({ run: run.runId, label: labelOf(effect), action: contract.name, effect: effect.key, id, atMs });
    return { body: this.#yes(asked, happeningOf(order, id)).body, says: null, action: contract };
  }

  /** A request has been taken in: it has a row, and is not done. */
  takeIn(order: SendOrder, says: ComparedField): void {
    const { contract, effect } = order;
    const looksMs = OPEN_LOOKS * (contract.reconcile?.everyMs ?? 0);
    const untilMs = this.#world.nowMs() + landsWithinMs(contract) + OPEN_MS + looksMs;
    this.#takenIn.set(effect.key, this.#takenIn.get(effect.key) ?? { says, untilMs });
  }

  /** A yes but for one field. */
  async allBut(order: SendOrder, says: ComparedField): Promise<AttemptReport> {
    const scope = await this.#judge.scopeOf(order.run);
    const asked = askedOf(order.contract, order.effect, scope);
    const happening = happeningOf(order, `${order.contract.name.replaceAll('.', '-')}-1`);
    const { status, body } = this.#yes(asked, happening);
    return answered(status, withField(body, says));
  }

  /** What the row of an effect says that is not done; null = it is done, or has none. */
  #rowBefore(key: string): ComparedField | null {
    const row = this.#takenIn.get(key);
    return row === undefined || this.#happened(key) || this.#world.nowMs() > row.untilMs ? null : row.says;
  }

  /** A read has come in. @param acts it does something as well. */
  async read(order: ReadOrder, acts: boolean): Promise<AttemptReport> {
    const { contract, request, run, step } = order;
    const id = `${contract.name.replaceAll('.', '-')}-1`;
    if (acts) {
      this.#beside += 1;
      this.done.push({
        run: run.runId,
        label: step,
        action: contract.name,
        effect: step,
        id,
        atMs: this.#world.nowMs(),
      });
    }
    const scope = await this.#judge.scopeOf(run);
    const happening = { id, no: 1, body: { id, status: 'done', request: request.body } };
    const asked = { contract, effect: null, with: request.with, scope };
    const { status, body } = this.#yes(asked, happening);
    return answered(status, body);
  }

  /** What a yes says; that it cannot be read is kept. */
  #yes(asked: Asked, happening: Happening): Answer {
    const { status, body, misread } = makeYes(this.#lab, this.#judge, asked, { happening, pick: this.#pick });
    if (misread !== null && asked.effect !== null) this.misread.set(labelOf(asked.effect), misread);
    return { status, body };
  }

  /** What a lookup shows by now. */
  #shownOf(action: string): readonly Done[] {
    const lag = untruthOf(this.#lab, 'lookup', action);
    const untilMs = lag === null ? Number.POSITIVE_INFINITY : this.#world.nowMs() - (lag.byMs ?? LIE_MS);
    return this.done.filter(({ atMs }) => atMs <= untilMs);
  }

  #happened(key: string): boolean {
    return this.done.some(({ effect }) => effect === key);
  }

  #desk(keys: 'honoured' | 'ignored'): Desk {
    const desk: Desk = createDesk(this.#book, {
      keys,
      // Whoever says `429` says nothing of when.
      retryAfterSeconds: 0,
      onPromise: (promise) => {
        const order = this.#orders.get(promise.entry.effect ?? '');
        invariant(order !== undefined, 'what was promised was asked for');
        this.#world.after(landingMs(this.#lab, order.contract), null, () => {
          desk.keep(promise);
          this.#note();
        });
      },
    });
    return desk;
  }

  #forgetIfOld(key: string, remembersMs: number | null): void {
    const seen = this.#seenAtMs.get(key);
    if (remembersMs === null || (seen !== undefined && this.#world.nowMs() - seen <= remembersMs)) return;
    if (seen !== undefined) this.#book.append([{ kind: 'forget', key }]);
    this.#seenAtMs.set(key, this.#world.nowMs());
  }

  /** Takes what is new in the book. */
  #note(): void {
    for (const entry of this.#book.entries.slice(this.done.length - this.#beside)) this.done.push(this.#doneOf(entry));
  }

  #doneOf({ effect, id }: BookEntry): Done {
    const order = this.#orders.get(effect ?? '');
    invariant(order !== undefined, 'what happened was asked for');
    const { run, contract } = order;
    const label = labelOf(order.effect);
    return { run: run.runId, label, action: contract.name, effect: order.effect.key, id, atMs: this.#world.nowMs() };
  }

  async #answerOf(order: SendOrder, id: string): Promise<Answer> {
    const known = this.#answers.get(id);
    if (known !== undefined) return known;
    const scope = await this.#judge.scopeOf(order.run);
    const asked = askedOf(order.contract, order.effect, scope);
    const answer = this.#yes(asked, happeningOf(order, id));
    this.#answers.set(id, answer);
    return answer;
  }

  async #shapeOf(order: QueryOrder, asked: ReturnType<typeof askedOf>): Promise<LookupShape> {
    const { contract, effect } = order;
    const known = this.#shapes.get(contract.name);
    if (known !== undefined) return known;
    const happening = happeningOf({ effect, contract }, 'looked-up-1');
    const item = this.#yes(asked, happening).body;
    const given = this.#lab.scenario.lookups.get(contract.name);
    const isFunction = contract.reconcile?.transport.kind === 'function';
    const shape = isFunction
      ? FUNCTION_SHAPE
      : given === undefined
        ? findShape(this.#judge, asked, item)
        : givenShape(this.#judge, asked, given, item);
    this.#shapes.set(contract.name, shape);
    return shape;
  }

  /** Whether a question is also one about another effect: the same address and body would be sent for it. */
  async #isMeant(order: QueryOrder, other: SendOrder): Promise<boolean> {
    const question = await this.#judge.questionAbout(other);
    if (question === null) return false;
    const form = ({ method, url, body }: QueryOrder['request']): string => canonicalJson([method, url, body]);
    return form(question) === form(order.request);
  }
}

/** Functions say what they found themselves. */
const FUNCTION_SHAPE: LookupShape = { found: declared, absent: () => declared([]), empty: () => declared([]) };

function declared(shown: readonly ShownRow[]): AttemptReport {
  const data = shown[0]?.body ?? null;
  return { kind: 'declared', outcome: data === null ? 'absent' : 'confirmed', code: null, afterMs: null, data };
}

function happeningOf({ effect, contract }: Pick<SendOrder, 'effect' | 'contract'>, id: string): Happening {
  const no = Number(/\d+$/.exec(id)?.[0] ?? 1);
  const request = readRequest(effect).body;
  return { id, no, body: { id, operation: contract.name, status: 'done', key: effect.key, request } };
}

function callOf({ effect, contract, attempt, fence, request }: SendOrder): IncomingCall {
  const { key } = effect;
  const operation = contract.name.replaceAll('.', '-');
  return { operation, path: `/${operation}`, key, effect: key, attempt, fence, request: request.body };
}
