import type { Evaluator, Scope } from '../../definition/evaluator.ts';
import { judgeAttempt } from '../../decision/judge-outcome.ts';
import { judgeQuery } from '../../decision/judge-query.ts';
import { renderQuery } from '../../decision/render-request.ts';
import { unpackSnapshot } from '../../decision/snapshot-envelope.ts';
import { readRequest } from '../../decision/effect-key.ts';
import { ExpressionFault } from '../../definition/expression/expression-fault.ts';
import { flowScope } from '../../machine/scope.ts';
import type { ActionContract } from '../../model/definition.ts';
import type { Effect, EffectRequest } from '../../model/effect.ts';
import type { Json } from '../../model/json.ts';
import type { SendOrder } from '../../model/order.ts';
import type { AttemptReport, Outcome } from '../../model/outcome.ts';
import type { RunIdentity } from '../../model/run.ts';
import type { OutcomeKind } from '../../model/statuses.ts';
import type { Store } from '../../ports/store.ts';
import type { Lab } from './lab.ts';

/** What an answer is about. */
export interface Asked {
  readonly contract: ActionContract;
  readonly effect: Effect | null;
  readonly with: Json;
  readonly scope: Scope;
}

/** What a request of the lab's provider is judged with: the same rules by which the engine will judge its answer. */
export class LabJudge {
  readonly #lab: Lab;
  readonly #store: Store;
  readonly #nowMs: () => number;

  constructor(lab: Lab, store: Store, nowMs: () => number) {
    this.#lab = lab;
    this.#store = store;
    this.#nowMs = nowMs;
  }

  /** The roots that expressions of a run read now. */
  async scopeOf(run: RunIdentity): Promise<Scope> {
    const { runs } = await this.#store.load(run.part, [run.runId]);
    const [stored] = runs;
    const data = stored === undefined ? null : unpackSnapshot(stored.snapshot, run.digest).snapshot.data;
    const { compiled } = this.#lab.known.get(run.digest) ?? this.#lab;
    const { constants } = compiled.machine.definition;
    return data === null ? { input: run.input, constants } : flowScope(compiled, run, data);
  }

  attempt(asked: Asked, report: AttemptReport): Outcome {
    return judgeAttempt(this.#judging(asked, report));
  }

  /** Why the action's rules cannot read what those of them that say yes, or the default table, take for done; null = they can. */
  misreads(asked: Asked, report: AttemptReport): string | null {
    const { kind, code, message } = this.attempt(asked, report);
    if (kind !== 'unknown' || code !== 'unreadable') return null;
    const outcome = asked.contract.outcome.filter(({ is }) => is === 'confirmed');
    const isYes = this.attempt({ ...asked, contract: { ...asked.contract, outcome } }, report).kind === 'confirmed';
    return isYes ? message : null;
  }

  query(asked: Asked, report: AttemptReport): OutcomeKind {
    return judgeQuery(this.#judging(asked, report)).kind;
  }

  /** The question that a run would ask about what another sending did; null when it cannot be put. */
  async questionAbout(order: SendOrder): Promise<EffectRequest | null> {
    if (order.contract.reconcile === null) return null;
    const scope = await this.scopeOf(order.run);
    try {
      return renderQuery(this.#evaluatorOf(order.contract), order.contract, order.effect, scope);
    } catch (error) {
      if (error instanceof ExpressionFault) return null;
      throw error;
    }
  }

  /** Of the version whose action it is: the workflow's, or a child's. */
  #evaluatorOf(contract: ActionContract): Evaluator {
    const { compiled, children } = this.#lab;
    const owner = children.find((child) => child.compiled.machine.definition.actions.includes(contract));
    return (owner?.compiled ?? compiled).evaluator;
  }

  #judging({ contract, effect, scope, with: value }: Asked, report: AttemptReport) {
    const evaluator = this.#evaluatorOf(contract);
    return { evaluator, contract, effect, with: value, report, scope, nowMs: this.#nowMs() };
  }
}

/** What is asked about an effect. */
export function askedOf(contract: ActionContract, effect: Effect, scope: Scope): Asked {
  return { contract, effect, with: readRequest(effect).with, scope };
}
