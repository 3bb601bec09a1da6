import { parseWorkflow } from '../../../src/definition/parse-workflow.ts';
import type { DecideContext } from '../../../src/decision/decide-context.ts';
import { planCompensation } from '../../../src/decision/compensation-plan.ts';
import { decide } from '../../../src/decision/decide.ts';
import { decideStart } from '../../../src/decision/decide-start.ts';
import { Ledger } from '../../../src/decision/ledger.ts';
import type { Orders } from '../../../src/decision/decision.ts';
import type { DecisionInput } from '../../../src/decision/decision-input.ts';
import { compileMachine, type CompiledMachine } from '../../../src/machine/compile.ts';
import { lower } from '../../../src/machine/lower.ts';
import { hashJson } from '../../../src/model/hash.ts';
import type { Digest, RunId } from '../../../src/model/ids.ts';
import type { Approval } from '../../../src/model/approval.ts';
import { parseDuration } from '../../../src/model/duration.ts';
import type { Effect } from '../../../src/model/effect.ts';
import type { InboxEvent, InboxPayload } from '../../../src/model/inbox-event.ts';
import type { Json } from '../../../src/model/json.ts';
import { numbersFor } from '../../../src/model/numbers.ts';
import type { InboxAnswer, RunCommit } from '../../../src/model/run-commit.ts';
import type { RunState } from '../../../src/model/run.ts';
import type { ReviewAnswer } from '../../../src/model/statuses.ts';
import { addressOf, applyCommit, createStored, reload, type Stored } from './apply-commit.ts';
import { Provider, type Word } from './provider.ts';

/** Database time at which every story begins. */
export const T0 = Date.UTC(2030, 0, 1, 12, 0, 0);
const NUMBERS = numbersFor(30_000);
const RUN_ID = '01960000-0000-7000-8000-000000000001' as RunId;

/** How a story is set up. */
export interface Setting {
  readonly input?: Json;
  /** Words per action, left to right; the last repeats; unnamed actions answer `ok`. */
  readonly script?: Readonly<Record<string, readonly Word[]>>;
  readonly startedBy?: string;
  readonly key?: string;
  readonly canSend?: boolean;
  readonly missingFunctions?: readonly string[];
  /** What comes in between two commits of one series of follow-up events; may move the clock. */
  readonly meanwhile?: (run: Play) => readonly DecisionInput[];
  /** Whether the rows are kept and compared after each commit; not in a play of many thousand steps. */
  readonly compares?: boolean;
}

/** A story: one run, a scripted world, a clock that only the story moves. */
export class Play {
  readonly compiled: CompiledMachine;
  readonly provider: Provider;
  readonly commits: RunCommit[] = [];
  state: RunState;
  nowMs = T0;
  canSend: boolean;
  missingFunctions: readonly string[];
  stored: Stored;
  private orders: Orders;
  private rows = 0;
  private readonly compares: boolean;
  private readonly meanwhile: NonNullable<Setting['meanwhile']>;
  /** Every event that was received. */
  readonly inbox = new Map<string, InboxEvent>();

  constructor(text: string, setting: Setting = {}) {
    this.compiled = compile(text);
    this.provider = new Provider(setting.script ?? {});
    this.canSend = setting.canSend ?? true;
    this.missingFunctions = setting.missingFunctions ?? [];
    this.compares = setting.compares ?? true;
    this.meanwhile = setting.meanwhile ?? (() => []);
    const { workflow, version } = this.compiled.machine.definition;
    const run = {
      runId: RUN_ID,
      part: 0,
      tenant: 'default',
      workflow,
      version,
      digest: 'd'.repeat(64) as Digest,
      key: setting.key ?? RUN_ID,
      startNumber: 1,
      input: setting.input ?? {},
      startedAtMs: T0,
      startedBy: setting.startedBy ?? 'starter',
    };
    const decision = decideStart(this.ctx(), run);
    this.stored = createStored(decision.start, decision.next.fence);
    this.state = decision.next;
    this.orders = decision;
    this.checkStored();
    if (decision.more) this.decide(this.meanwhile(this));
  }

  private ctx(): DecideContext {
    const { compiled, nowMs, canSend, missingFunctions } = this;
    return { compiled, nowMs, canSend, numbers: NUMBERS, missingFunctions };
  }

  /** Decides once, and again as long as something is left over; each commit is applied to the rows and compared. */
  decide(inputs: readonly DecisionInput[]): readonly RunCommit[] {
    const made: RunCommit[] = [];
    let left = inputs;
    for (let more = true; more; ) {
      for (const input of left) if (input.type === 'inbox') this.inbox.set(addressOf(input.event), input.event);
      const decision = decide(this.ctx(), this.state, left);
      if (this.compares) this.stored = applyCommit(this.stored, decision.commit, this.inbox);
      this.commits.push(decision.commit);
      made.push(decision.commit);
      this.state = decision.next;
      this.checkStored();
      this.orders = {
        sends: [...this.orders.sends, ...decision.sends],
        queries: [...this.orders.queries, ...decision.queries],
        reads: [...this.orders.reads, ...decision.reads],
      };
      more = decision.more;
      left = more ? [...decision.rest, ...this.meanwhile(this)] : [];
    }
    return made;
  }

  private checkStored(): void {
    if (!this.compares) return;
    const again = reload(this.stored, this.state.run);
    if (hashState(again) !== hashState(this.state))
      throw new Error('the next state is not what a reload of the rows gives');
  }

  /** Lets the world answer everything that was asked, as it comes, until nothing is in flight. Waits are not waited for. */
  drive(): this {
    for (let input = this.answerNext(); input !== null; input = this.answerNext()) this.decide([input]);
    return this;
  }

  /** The world's answer to the next order, or null when there is none or it hangs. */
  answerNext(): DecisionInput | null {
    const { sends } = this.orders;
    // What hangs keeps nobody else waiting.
    const send = sends.find((order) => !this.provider.hangs(order)) ?? sends[0];
    if (send !== undefined) {
      const outcome = this.provider.send(send);
      if (outcome === null) return null;
      this.orders = { ...this.orders, sends: sends.filter((order) => order !== send) };
      return { type: 'attempt.settled', effectKey: send.effect.key, attempt: send.attempt, outcome };
    }
    const [query, ...queries] = this.orders.queries;
    if (query !== undefined) {
      this.orders = { ...this.orders, queries };
      return {
        type: 'query.settled',
        effectKey: query.effect.key,
        query: query.query,
        outcome: this.provider.query(query),
      };
    }
    const [read, ...reads] = this.orders.reads;
    if (read === undefined) return null;
    this.orders = { ...this.orders, reads };
    return { type: 'read.settled', step: read.step, attempt: read.attempt, outcome: this.provider.read(read) };
  }

  /** Forgets everything that is in flight: the process is gone. The next one reloads the rows under a higher fence. */
  crash(): this {
    this.orders = { sends: [], queries: [], reads: [] };
    this.stored = { ...this.stored, fence: this.stored.fence + 1 };
    this.state = reload(this.stored, this.state.run);
    this.decide([{ type: 'resumed' }]);
    return this;
  }

  /** Time passes; due timers become inbox rows and rows that waited are looked at, step by step, until `ms` have gone. */
  wait(time: string | number): this {
    const untilMs = this.nowMs + (typeof time === 'number' ? time : parseDuration(time));
    for (let atMs = this.nextAtMs(untilMs); atMs !== null; atMs = this.nextAtMs(untilMs)) {
      this.nowMs = Math.max(this.nowMs, atMs);
      this.decide([...this.dueTimers(), { type: 'due' }]);
      this.drive();
    }
    this.nowMs = untilMs;
    return this;
  }

  /** Time passes and nobody works: timers fall due without being fired. */
  sleep(time: string): this {
    this.nowMs += parseDuration(time);
    return this;
  }

  private nextAtMs(untilMs: number): number | null {
    const lease = this.commits.at(-1)?.lease;
    const readyMs = lease?.kind === 'release' ? lease.readyAtMs : null;
    const times = [...this.state.timers.values()].map((timer) => timer.dueAtMs);
    if (readyMs !== null && readyMs > this.nowMs - 1) times.push(readyMs);
    const rows = [...this.state.effects.values()].flatMap((effect) =>
      isWaiting(effect) ? [effect.notBeforeMs ?? 0] : [],
    );
    const reads = Object.values(this.state.control.reads).flatMap((read) =>
      read.closed || read.notBeforeMs === null ? [] : [read.notBeforeMs],
    );
    const next = Math.min(...[...times, ...rows, ...reads].filter((atMs) => atMs > this.nowMs));
    return next <= untilMs ? next : null;
  }

  /** Inbox rows of the timers that are due now. */
  dueTimers(): readonly DecisionInput[] {
    return [...this.state.timers.values()]
      .filter((timer) => timer.dueAtMs <= this.nowMs)
      .map((timer) => ({
        type: 'inbox',
        event: this.row('timer', `${timer.name}#${timer.generation}`, { type: 'timer', ...timer }),
      }));
  }

  /** Some process fires what is due: it is in the inbox now, and gone from the table of timers. @returns its rows. */
  fire(): readonly DecisionInput[] {
    const fired = this.dueTimers();
    const left = [...this.state.timers].filter(([, timer]) => timer.dueAtMs > this.nowMs);
    this.stored = { ...this.stored, timers: new Map(left) };
    this.state = reload(this.stored, this.state.run);
    return fired;
  }

  /** An inbox row received now, or at `atMs`. */
  row(source: string, eventId: string, payload: InboxPayload, atMs: number = this.nowMs): InboxEvent {
    return {
      source,
      eventId,
      payload,
      payloadHash: hashJson(JSON.parse(JSON.stringify(payload)) as Json),
      receivedAtMs: atMs,
      outcome: null,
      code: null,
    };
  }

  /** Stores an event, decides, lets the world answer. @returns what the sender is told; null while it is undecided. */
  deliver(event: InboxEvent): InboxAnswer | null {
    const made = this.decide([{ type: 'inbox', event }]);
    const answer = answerIn(made, event);
    this.drive();
    return answer;
  }

  signal(name: string, data: Json = {}, at: { id?: string; source?: string; atMs?: number } = {}): InboxAnswer | null {
    return this.deliver(this.signalRow(name, data, at));
  }
  signalRow(name: string, data: Json = {}, at: { id?: string; source?: string; atMs?: number } = {}): InboxEvent {
    this.rows += 1;
    return this.row(
      `signal:${at.source ?? 'outside'}`,
      at.id ?? `e${this.rows}`,
      { type: 'signal', name, data, by: 'sender' },
      at.atMs,
    );
  }
  vote(
    principal: string,
    decision: 'approve' | 'deny',
    more: Partial<Extract<InboxPayload, { type: 'vote' }>> & { atMs?: number } = {},
  ): InboxAnswer | null {
    return this.deliver(this.voteRow(principal, decision, more));
  }
  voteRow(
    principal: string,
    decision: 'approve' | 'deny',
    more: Partial<Extract<InboxPayload, { type: 'vote' }>> & { atMs?: number } = {},
  ): InboxEvent {
    this.rows += 1;
    const { atMs, ...said } = more;
    const approvalId = said.approvalId ?? this.approval().approvalId;
    const subjectHash = this.state.approvals.get(approvalId)?.subjectHash ?? '';
    const payload = {
      type: 'vote',
      approvalId,
      decision,
      subjectHash,
      principal,
      roles: ['desk'],
      comment: null,
      ...said,
    } as const;
    return this.row(`vote:${approvalId}`, `v${this.rows}`, payload, atMs);
  }
  act(payload: InboxPayload, atMs?: number): InboxAnswer | null {
    this.rows += 1;
    return this.deliver(this.row('person:op', `p${this.rows}`, payload, atMs));
  }
  cancel(): InboxAnswer | null {
    return this.act({ type: 'cancel', by: 'op', reason: 'not wanted any more' });
  }
  terminate(): InboxAnswer | null {
    return this.act({ type: 'terminate', by: 'op', reason: 'enough' });
  }
  retry(step: string): InboxAnswer | null {
    return this.act({ type: 'retry', step, by: 'op', reason: 'the provider is back' });
  }
  compensate(planHash: string | null = null): InboxAnswer | null {
    return this.act({ type: 'compensate', by: 'op', reason: 'the customer was wronged', planHash });
  }
  resolve(
    effect: Effect,
    as: ReviewAnswer,
    more: { output?: Json; evidence?: string; roles?: readonly string[] } = {},
  ): InboxAnswer | null {
    const { evidence = 'seen in the back office', roles = ['operator'], output } = more;
    return this.act({ type: 'resolve', effectKey: effect.key, as, evidence, output, by: 'op', roles });
  }

  /** The approval that is open, or the last one. */
  approval(): Approval {
    const all = [...this.state.approvals.values()];
    const found = all.find((approval) => approval.state === 'open') ?? all.at(-1);
    if (found === undefined) throw new Error('no approval');
    return found;
  }
  /** The row of a step in the ledger: its own, or its compensation. */
  rowOf(step: string, kind: 'forward' | 'undo' = 'forward'): Effect {
    const rows = [...this.state.effects.values()].filter(
      (effect) => effect.step === step && (effect.compensates === null) === (kind === 'forward'),
    );
    const last = rows.at(-1);
    if (last === undefined) throw new Error(`no ${kind} row of ${step}`);
    return last;
  }
  /** What really happened in the world, in order: names of actions. */
  get happened(): readonly string[] {
    return this.provider.happened;
  }
  /** Calls that reached the provider, in order: names of actions. */
  get calls(): readonly string[] {
    return this.provider.calls;
  }
  get incidents(): readonly string[] {
    return this.state.control.incidents.map((incident) => incident.kind);
  }
  /** States of the ledger by step, `undo` rows marked. */
  ledger(): Readonly<Record<string, string>> {
    const rows = [...this.state.effects.values()].map(
      (effect) => [effect.compensates === null ? effect.step : `undo ${effect.step}`, effect.state] as const,
    );
    return Object.fromEntries(rows);
  }
  output(step: string): Json | undefined {
    return this.state.snapshot.data.steps[step]?.output;
  }
  head(): NonNullable<RunCommit['head']> {
    return this.stored.head;
  }
}

/** What a sender is told by these commits. */
export function answerIn(commits: readonly RunCommit[], event: InboxEvent): InboxAnswer | null {
  const answers = commits.flatMap((commit) => commit.inbox);
  return answers.findLast((answer) => answer.source === event.source && answer.eventId === event.eventId) ?? null;
}

function isWaiting(effect: Effect): boolean {
  return effect.state === 'AUTHORIZED' || (effect.state === 'UNKNOWN' && effect.doubt !== 'review');
}

/** The hash of the plan that a preview shows. */
export function planHash(run: Play): string | null {
  const { compiled, state } = run;
  const plan = planCompensation({
    program: compiled,
    run: state.run,
    revision: state.revision,
    effects: state.effects.values(),
    ledger: Ledger.of(state.effects),
    failure: null,
  });
  return plan.kind === 'plan' ? plan.planHash : null;
}

const compiledByText = new Map<string, CompiledMachine>();

/** Compiles a workflow text, once. @throws when the file has problems: a story about a wrong file proves nothing. */
export function compile(text: string): CompiledMachine {
  const known = compiledByText.get(text);
  if (known !== undefined) return known;
  const { definition, problems } = parseWorkflow(text, 'play.pawl.yaml');
  if (definition === null) throw new Error(problems.map((problem) => `${problem.code} ${problem.message}`).join('\n'));
  const compiled = compileMachine(lower(definition));
  compiledByText.set(text, compiled);
  return compiled;
}

/** One hash of all that a decision reads of a run. */
export function hashState(state: RunState): string {
  const plain = {
    ...state,
    effects: [...state.effects.entries()].sort(),
    timers: [...state.timers.entries()].sort(),
    approvals: [...state.approvals.entries()].sort(),
  };
  return hashJson(JSON.parse(JSON.stringify(plain)) as Json);
}

/** A workflow with the actions `do.x` and `undo.x` for x in a..e, all honouring their key. */
export function workflow(steps: string, more = ''): string {
  const actions = ['a', 'b', 'c', 'd', 'e'].flatMap((name) => [
    `  do.${name}: { function: do-${name}@1, idempotency: { remembers: 24h }, settlesWithin: 1m, compensate: { call: undo.${name}, with: { key: =effect.key } } }`,
    `  undo.${name}: { function: undo-${name}@1, idempotency: { remembers: 24h }, settlesWithin: 1m, compensate: none }`,
  ]);
  return `pawl: 1\nworkflow: story\nversion: 1\nactions:\n${actions.join('\n')}\n${more}\nsteps:\n${steps}\n`;
}
