import type { FormAction, FormState } from '../model/machine-form.ts';
import type {
  ActionContract,
  ApproveStep,
  Auth,
  CallStep,
  Compensation,
  Expression,
  FailStep,
  Handler,
  JsonSchema,
  MapStep,
  ReconcileContract,
  RetryPolicy,
  Step,
  Template,
  Transport,
  Voting,
  WorkflowDefinition,
} from '../model/definition.ts';
import { bodyLists } from '../model/step-lists.ts';
import type { Want } from './check-expression.ts';
import type { Site } from './expression/site.ts';

/** An expression or template with the place that decides which names it may read and what it must give. */
export type ExpressionPlace =
  | {
      readonly kind: 'expression';
      readonly expression: Expression;
      readonly site: Site;
      readonly want: Want;
      readonly roots?: readonly string[];
    }
  | {
      readonly kind: 'template';
      readonly template: Template;
      readonly site: Site;
      readonly schema: JsonSchema;
      readonly pointer: string;
      readonly roots?: readonly string[];
    };

/** What is known when a run is started. */
const BEFORE_A_RUN = ['input', 'constants'] as const;
/** What is known before anybody starts one. */
const BEFORE_A_START = ['constants'] as const;

const TEXT: JsonSchema = { type: 'string' };
const NUMBER: JsonSchema = { type: 'number' };
const COUNT: JsonSchema = { type: 'integer' };
const TEXT_OR_NUMBER: JsonSchema = { type: ['string', 'number'] };

type Entries = readonly (readonly [string, Template])[];

/** Where a handler reads its event: a step's own, or the document's (`step` null). */
export function eventSite(event: string, step: string | null): Site {
  return step === null ? { kind: 'event', event } : { kind: 'event', event, step };
}

/** Where a call says what goes out: `links` can be read there. */
function sendingSite(site: Site): Site {
  return site.kind === 'flow' || site.kind === 'catch' ? { ...site, sends: true } : site;
}

/** Where a machine computes: with the event that it takes, or without any. */
export function formSite(event: string | null): Site {
  return event === null ? { kind: 'flow' } : eventSite(event, null);
}

/** Walks a definition in no particular order; the caller sorts what it finds by place. */
class PlaceWalk {
  readonly places: ExpressionPlace[] = [];
  private readonly definition: WorkflowDefinition;
  private readonly actions: ReadonlyMap<string, ActionContract>;
  private readonly vars: ReadonlyMap<string, JsonSchema>;

  constructor(definition: WorkflowDefinition) {
    this.definition = definition;
    this.actions = new Map(definition.actions.map((action) => [action.name, action]));
    this.vars = new Map(definition.vars);
  }

  walk(): readonly ExpressionPlace[] {
    const { output, events, actions, on = [], steps, finally: last = [], machine } = this.definition;
    this.starts();
    for (const event of events) {
      this.ofEvent(event.by, event.name, 'any');
      this.ofEvent(event.sequence ?? null, event.name, 'int');
    }
    for (const action of actions) this.action(action);
    this.handlers(on, { kind: 'flow' }, null);
    this.steps(steps, { kind: 'flow' });
    this.steps(last, { kind: 'flow', in: 'finally' });
    if (machine !== undefined) this.states([machine.root]);
    this.template(output, { kind: 'flow' }, true, '/output');
    return this.places;
  }

  /** What is computed before there is a run. */
  private starts(): void {
    const { key, lock, schedule } = this.definition;
    if (key !== null)
      this.places.push({
        kind: 'expression',
        expression: key.value,
        site: { kind: 'flow' },
        want: 'string',
        roots: BEFORE_A_RUN,
      });
    if (lock !== undefined)
      this.places.push({
        kind: 'template',
        template: lock.name,
        site: { kind: 'flow' },
        schema: TEXT,
        pointer: '/lock',
        roots: BEFORE_A_RUN,
      });
    // That the input fits its schema is a rule of lint: all of it is known there.
    if (schedule !== undefined)
      this.places.push({
        kind: 'template',
        template: schedule.input,
        site: { kind: 'flow' },
        schema: true,
        pointer: '/schedule/input',
        roots: BEFORE_A_START,
      });
  }

  /** What is computed of an event before it is known which step takes it. */
  private ofEvent(expression: Expression | null, event: string, want: Want): void {
    const site: Site = { kind: 'event', event };
    if (expression !== null) this.places.push({ kind: 'expression', expression, site, want, roots: ['event'] });
  }

  private expression(expression: Expression | null, site: Site, want: Want): void {
    if (expression !== null) this.places.push({ kind: 'expression', expression, site, want });
  }

  private template(template: Template | null, site: Site, schema: JsonSchema, pointer: string): void {
    if (template !== null) this.places.push({ kind: 'template', template, site, schema, pointer });
  }

  /** A length of time or an instant; one that is written out was read when the step was built. */
  private time(template: Template, site: Site, want: 'duration' | 'timestamp', pointer: string): void {
    if (template.kind === 'expression') this.expression(template.expression, site, want);
    else this.template(template, site, true, pointer);
  }

  private entries(entries: Entries, site: Site, schemaOf: (name: string) => JsonSchema, pointer: string): void {
    for (const [name, template] of entries) {
      this.template(template, site, schemaOf(name), `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
    }
  }

  private action(action: ActionContract): void {
    const { name, pointer } = action;
    this.transport(
      action.transport,
      { open: { kind: 'request', action: name }, headers: { kind: 'headers', action: name } },
      pointer,
    );
    this.auth(action.auth, { kind: 'headers', action: name }, `${pointer}/auth`);
    for (const rule of action.outcome) this.expression(rule.when, { kind: 'outcome', action: name }, 'bool');
    if (action.reconcile !== null) this.reconcile(action, action.reconcile);
    this.compensation(action.compensate, name);
    this.retry(action.retry, name);
  }

  private transport(
    transport: Transport,
    sites: { readonly open: Site; readonly headers: Site },
    pointer: string,
  ): void {
    if (transport.kind !== 'http') return;
    this.template(transport.url, sites.open, TEXT, `${pointer}/http/url`);
    this.template(transport.body, sites.open, true, `${pointer}/http/body`);
    this.entries(transport.query, sites.open, () => true, `${pointer}/http/query`);
    this.entries(transport.headers, sites.headers, () => TEXT_OR_NUMBER, `${pointer}/http/headers`);
  }

  private auth(auth: Auth | null, site: Site, pointer: string): void {
    if (auth === null) return;
    if (auth.kind === 'bearer') this.template(auth.token, site, TEXT, `${pointer}/bearer`);
    else if (auth.kind === 'header') this.template(auth.value, site, TEXT, `${pointer}/header/value`);
    else if (auth.kind === 'basic') {
      this.template(auth.user, site, TEXT, `${pointer}/basic/user`);
      this.template(auth.password, site, TEXT, `${pointer}/basic/password`);
    } else {
      this.template(auth.clientId, site, TEXT, `${pointer}/oauth2/clientId`);
      this.template(auth.clientSecret, site, TEXT, `${pointer}/oauth2/clientSecret`);
    }
  }

  private reconcile(action: ActionContract, contract: ReconcileContract): void {
    const site: Site = { kind: 'reconcile', action: action.name };
    const pointer = `${action.pointer}/reconcile`;
    this.transport(
      contract.transport,
      { open: { kind: 'request', action: action.name }, headers: { kind: 'headers', action: action.name } },
      pointer,
    );
    for (const rule of contract.outcome) this.expression(rule.when, site, 'bool');
    this.expression(contract.found, site, 'bool');
    this.template(contract.output, site, action.output, `${pointer}/output`);
  }

  private compensation(compensation: Compensation | null, action: string): void {
    if (compensation === null || compensation.kind === 'none') return;
    const site: Site = { kind: 'compensate', action };
    const { pointer } = compensation;
    this.template(compensation.with, site, this.actions.get(compensation.action)?.input ?? true, `${pointer}/with`);
    this.template(compensation.object, site, true, `${pointer}/object`);
    if (compensation.retry !== null) this.retry(compensation.retry, compensation.action);
    const { approve } = compensation;
    if (approve !== undefined) this.voting(approve, { kind: 'asking', action }, `${pointer}/approve`, 'title');
  }

  private voting(voting: Voting, site: Site, pointer: string, titleKey: string): void {
    this.template(voting.title, site, TEXT, `${pointer}/${titleKey}`);
    for (const person of [...voting.from, ...voting.except]) this.template(person, site, true, `${pointer}/from`);
    this.template(voting.quorum, site, COUNT, `${pointer}/quorum`);
    this.template(voting.denials, site, COUNT, `${pointer}/denials`);
    if (voting.expires !== null) this.time(voting.expires, site, 'duration', `${pointer}/expires`);
  }

  private retry(retry: RetryPolicy, action: string): void {
    this.expression(retry.when, { kind: 'retry', action }, 'bool');
  }

  private handlers(handlers: readonly Handler[], site: Site, step: string | null): void {
    for (const handler of handlers) {
      const within = eventSite(handler.event, step);
      this.template(handler.match, site, true, `${handler.pointer}/match`);
      this.expression(handler.where, within, 'bool');
      this.entries(handler.set, within, (name) => this.vars.get(name) ?? true, `${handler.pointer}/set`);
    }
  }

  private steps(steps: readonly Step[], site: Site): void {
    for (const step of steps) {
      this.expression(step.when, site, 'bool');
      this.handlers(step.on, site, step.id);
      this.verb(step, site);
      for (const clause of step.catch) {
        const caught: Site = { kind: 'catch', step: step.id, ...('in' in site ? { in: site.in } : {}) };
        this.expression(clause.when, caught, 'bool');
        this.steps(clause.do, caught);
      }
    }
  }

  private states(states: readonly FormState[]): void {
    for (const { entry, exit, edges, states: inner } of states) {
      for (const { guard, trigger } of edges)
        this.expression(guard, formSite(trigger.kind === 'event' ? trigger.name : null), 'bool');
      for (const action of [...entry, ...exit, ...edges.flatMap(({ actions }) => actions)]) this.formAction(action);
      this.states(inner);
    }
  }

  private formAction(action: FormAction): void {
    const site = formSite(action.event);
    this.expression(action.when, site, 'bool');
    const pointer = `${action.pointer}/params`;
    if (action.kind === 'assign') this.entries(action.set, site, (name) => this.vars.get(name) ?? true, pointer);
    else this.template(action.data, site, true, `${pointer}/data`);
  }

  private call(step: CallStep, site: Site): void {
    const { pointer } = step;
    this.template(step.with, sendingSite(site), this.actions.get(step.action)?.input ?? true, `${pointer}/with`);
    this.template(step.object, site, true, `${pointer}/object`);
    this.template(step.intent, site, TEXT, `${pointer}/intent`);
    for (const from of step.review?.from ?? []) this.template(from, site, TEXT, `${pointer}/review/from`);
    this.expression(step.child?.key ?? null, site, 'string');
    if (step.retry !== null) this.retry(step.retry, step.action);
    this.compensation(step.compensate, step.action);
  }

  private approve(step: ApproveStep, site: Site): void {
    this.voting(step, site, step.pointer, 'approve');
    this.template(step.subject, site, true, `${step.pointer}/subject`);
  }

  private fail(step: FailStep, site: Site): void {
    this.template(step.code, site, TEXT, `${step.pointer}/fail/code`);
    this.template(step.message, site, TEXT, `${step.pointer}/fail/message`);
    this.template(step.data, site, true, `${step.pointer}/fail/data`);
  }

  /** What is in a group, and its own output. */
  private body(step: Step, site: Site): void {
    if (step.verb === 'choose') for (const branch of step.branches) this.expression(branch.when, site, 'bool');
    if (step.verb === 'repeat') for (const guard of [step.while, step.until]) this.expression(guard, site, 'bool');
    if (step.verb === 'map') this.map(step, site);
    if (step.verb === 'parallel' && step.join.kind === 'count')
      this.template(step.join.count, site, COUNT, `${step.pointer}/join/count`);
    for (const { steps } of bodyLists(step)) this.steps(steps, site);
    if (step.verb === 'choose' || step.verb === 'scope')
      this.template(step.output, site, true, `${step.pointer}/output`);
  }

  private map({ items, key, join, pointer }: MapStep, site: Site): void {
    this.expression(items, site, 'list');
    this.expression(key, site, 'string');
    if (join.kind === 'count') this.template(join.count, site, COUNT, `${pointer}/join/count`);
    if (join.kind === 'percent') this.template(join.percent, site, NUMBER, `${pointer}/join/percent`);
  }

  private verb(step: Step, site: Site): void {
    const { pointer } = step;
    this.body(step, site);
    switch (step.verb) {
      case 'call':
        this.call(step, site);
        break;
      case 'set':
        this.entries(step.set, site, (name) => this.vars.get(name) ?? true, `${pointer}/set`);
        break;
      case 'wait':
        if (step.wait.kind === 'for') this.time(step.wait.duration, site, 'duration', `${pointer}/wait`);
        else this.time(step.wait.instant, site, 'timestamp', `${pointer}/wait/until`);
        break;
      case 'await':
        this.template(step.match, site, true, `${pointer}/match`);
        this.expression(step.where, { kind: 'event', event: step.event, step: step.id }, 'bool');
        break;
      case 'approve':
        this.approve(step, site);
        break;
      case 'publish':
        this.template(step.data, site, true, `${pointer}/data`);
        this.expression(step.key, site, 'string');
        break;
      case 'fail':
        this.fail(step, site);
        break;
      case 'end':
        this.template(step.output, site, true, `${pointer}/end/output`);
        break;
      default:
        break;
    }
  }
}

/** Every expression and template of a definition with its place. */
export function expressionPlaces(definition: WorkflowDefinition): readonly ExpressionPlace[] {
  return new PlaceWalk(definition).walk();
}
