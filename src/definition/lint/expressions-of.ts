import type {
  Auth,
  CallStep,
  Compensation,
  Expression,
  Handler,
  MapStep,
  Step,
  Template,
  Transport,
  Voting,
} from '../../model/definition.ts';
import { expressionsOf } from '../dependencies.ts';

/** Every expression of a template, none where there is no template. */
export function expressionsIn(template: Template | null): readonly Expression[] {
  return template === null ? [] : expressionsOf(template);
}

const ofEntries = (entries: readonly (readonly [string, Template])[]): readonly Expression[] =>
  entries.flatMap(([, value]) => expressionsIn(value));
const ofMany = (...templates: readonly (Template | null)[]): readonly Expression[] => templates.flatMap(expressionsIn);
const only = (expression: Expression | null): readonly Expression[] => (expression === null ? [] : [expression]);

/** Expressions that are evaluated while a step is entered or active, on the data of that moment. */
export function expressionsAt(step: Step): readonly Expression[] {
  return [...only(step.when), ...ofVerb(step), ...expressionsOfHandlers(step.on)];
}

/** Expressions of handlers: evaluated when an event comes. */
export function expressionsOfHandlers(handlers: readonly Handler[]): readonly Expression[] {
  return handlers.flatMap((handler) => [...ofMany(handler.match), ...only(handler.where), ...ofEntries(handler.set)]);
}

/** Expressions of a group that are evaluated when what is in it is done: its own output, and `until`. */
export function expressionsAtEnd(step: Step): readonly Expression[] {
  if (step.verb === 'repeat') return only(step.until);
  return step.verb === 'choose' || step.verb === 'scope' ? expressionsIn(step.output) : [];
}

/** Expressions of a step's catch clauses: evaluated when it has failed. */
export function expressionsOfCatch(step: Step): readonly Expression[] {
  return step.catch.flatMap((clause) => only(clause.when));
}

function ofVerb(step: Step): readonly Expression[] {
  switch (step.verb) {
    case 'call':
      return ofCall(step);
    case 'set':
      return ofEntries(step.set);
    case 'choose':
      return step.branches.flatMap((branch) => only(branch.when));
    case 'wait':
      return expressionsIn(step.wait.kind === 'for' ? step.wait.duration : step.wait.instant);
    case 'await':
      return [...ofMany(step.match), ...only(step.where)];
    case 'approve':
      return [...ofVoting(step), ...ofMany(step.subject)];
    case 'publish':
      return [...ofMany(step.data), ...only(step.key)];
    case 'fail':
      return ofMany(step.code, step.message, step.data);
    case 'end':
      return ofMany(step.output);
    default:
      return ofGroup(step);
  }
}

function ofVoting({ title, from, quorum, denials, except, expires }: Voting): readonly Expression[] {
  return ofMany(title, ...from, quorum, denials, ...except, expires);
}

function ofGroup(step: Step): readonly Expression[] {
  if (step.verb === 'repeat') return only(step.while);
  if (step.verb === 'map') return [step.items, step.key, ...ofMany(...numbersOf(step))];
  return step.verb === 'parallel' && step.join.kind === 'count' ? expressionsIn(step.join.count) : [];
}

function numbersOf({ join }: MapStep): readonly Template[] {
  if (join.kind === 'percent') return [join.percent];
  return join.kind === 'count' ? [join.count] : [];
}

function ofCall(step: CallStep): readonly Expression[] {
  return [
    ...ofMany(step.with, step.object, step.intent, ...(step.review?.from ?? [])),
    ...only(step.child?.key ?? null),
    ...only(step.retry?.when ?? null),
  ];
}

/** Expressions of a compensation. */
export function expressionsOfCompensation(compensation: Compensation | null): readonly Expression[] {
  if (compensation === null || compensation.kind === 'none') return [];
  const { approve } = compensation;
  const asking = approve === undefined ? [] : ofVoting(approve);
  return [...ofMany(compensation.with, compensation.object), ...asking];
}

/** The parts of a transport by name, secrets allowed only in `headers`. */
export function expressionsOfTransport(transport: Transport): {
  readonly open: readonly Expression[];
  readonly headers: readonly Expression[];
} {
  if (transport.kind !== 'http') return { open: [], headers: [] };
  return {
    open: [...ofMany(transport.url, transport.body), ...ofEntries(transport.query)],
    headers: ofEntries(transport.headers),
  };
}

/** Expressions of an `auth`. */
export function expressionsOfAuth(auth: Auth | null): readonly Expression[] {
  if (auth === null) return [];
  if (auth.kind === 'bearer') return expressionsIn(auth.token);
  if (auth.kind === 'header') return expressionsIn(auth.value);
  return auth.kind === 'basic' ? ofMany(auth.user, auth.password) : ofMany(auth.clientId, auth.clientSecret);
}
