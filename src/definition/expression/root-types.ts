import type {
  ActionContract,
  ApproveStep,
  EventDeclaration,
  Step,
  WorkflowDefinition,
  Transport,
} from '../../model/definition.ts';
import type { BranchEnd } from '../../model/run.ts';
import { allSteps, everyStep } from '../../model/step-lists.ts';
import { typeOfSchema, typeOfValue } from './schema-type.ts';
import { type Site, siteKey } from './site.ts';
import { BOOL, DYN, type FieldType, INT, NULL, STRING, TIMESTAMP, unionOf, type ValueType } from './value-type.ts';

/** The roots that a site has, with their types. */
export type RootTypes = ReadonlyMap<string, ValueType>;

/** What a definition's schemas say of every root; made once per definition. */
export interface TypeScope {
  /** The roots of a site. */
  rootsAt(site: Site): RootTypes;
}

type Fields = Readonly<Record<string, ValueType | FieldType>>;

/** Places inside the flow, where items have names; an action and an undo are contracts of their own. */
const IN_FLOW: ReadonlySet<Site['kind']> = new Set(['flow', 'catch', 'event']);

/** A definition with what is looked up in it by name. */
interface Declared {
  readonly definition: WorkflowDefinition;
  readonly actions: ReadonlyMap<string, ActionContract>;
  readonly events: ReadonlyMap<string, EventDeclaration>;
  /** Ids of steps under `finally`. */
  readonly last: ReadonlySet<string>;
  /** Ids of steps inside a catch. */
  readonly caught: ReadonlySet<string>;
}

function declaredIn(definition: WorkflowDefinition): Declared {
  const { actions, events, finally: last = [] } = definition;
  const caught = everyStep(definition).flatMap((step) => step.catch.flatMap((clause) => allSteps(clause.do)));
  return {
    definition,
    actions: new Map(actions.map((action) => [action.name, action])),
    events: new Map(events.map((event) => [event.name, event])),
    last: new Set(allSteps(last).map(({ id }) => id)),
    caught: new Set(caught.map(({ id }) => id)),
  };
}

/** Types of all roots of a definition (design 2-language, the table of roots). */
export function createTypeScope(definition: WorkflowDefinition): TypeScope {
  const known = new Map<string, RootTypes>();
  const declared = declaredIn(definition);
  const common = commonRoots(declared);
  const everywhere = new Map([...common, ...itemRoots(definition)]);
  return {
    rootsAt(site) {
      const key = siteKey(site);
      const made = known.get(key) ?? rootsOf(declared, IN_FLOW.has(site.kind) ? everywhere : common, site);
      known.set(key, made);
      return made;
    },
  };
}

function commonRoots(declared: Declared): RootTypes {
  const { definition } = declared;
  const vars = definition.vars.map(
    ([name, schema]) => [name, { type: typeOfSchema(schema), required: 'default' in schema, quiet: true }] as const,
  );
  const steps = everyStep(definition).map(
    (step) => [step.id, { type: stepType(step, declared), required: true }] as const,
  );
  return new Map<string, ValueType>([
    ['input', typeOfSchema(definition.input)],
    ['constants', typeOfValue(definition.constants)],
    ['vars', { kind: 'object', fields: new Map<string, FieldType>(vars), rest: null }],
    ['steps', { kind: 'object', fields: new Map<string, FieldType>(steps), rest: null }],
    ['run', object(RUN)],
  ]);
}

/** The names of items; which of them can be read at a place is another question, asked by lint. */
function itemRoots(definition: WorkflowDefinition): readonly (readonly [string, ValueType])[] {
  return everyStep(definition).flatMap((step): readonly (readonly [string, ValueType])[] =>
    step.verb === 'map'
      ? [
          [step.as, DYN],
          [`${step.as}Index`, INT],
        ]
      : [],
  );
}

/** `run.end` is there when `finally` runs, and not before. */
function withEnd(roots: RootTypes): Map<string, ValueType> {
  return new Map(roots).set('run', object({ ...RUN, end: RUN_END }));
}

function flowRoots(everywhere: RootTypes, site: { readonly in?: 'finally' }): RootTypes {
  return site.in === undefined ? everywhere : withEnd(everywhere);
}

/** Which steps a link can lead to is a question of lint. */
function withLinks(roots: RootTypes, { sends }: { readonly sends?: true }): RootTypes {
  return sends === undefined ? roots : new Map(roots).set('links', { kind: 'map', value: STRING });
}

function rootsOf(declared: Declared, everywhere: RootTypes, site: Site): RootTypes {
  switch (site.kind) {
    case 'flow':
      return withLinks(flowRoots(everywhere, site), site);
    case 'catch':
      return withLinks(new Map(flowRoots(everywhere, site)).set('failure', FAILURE), site);
    case 'event':
      return eventRoots(declared, everywhere, site);
    case 'compensate':
      return compensationRoots(everywhere, declared.actions.get(site.action));
    case 'asking':
      return askingRoots(everywhere, declared.actions.get(site.action));
    default:
      return actionRoots(declared, everywhere, site);
  }
}

/** A handler of a step inside a catch reads that catch's failure too. */
function eventRoots(declared: Declared, everywhere: RootTypes, site: Site & { readonly kind: 'event' }): RootTypes {
  const around = declared.last.has(site.step ?? '') ? withEnd(everywhere) : new Map(everywhere);
  const roots = around.set('event', eventType(declared, site.event));
  return declared.caught.has(site.step ?? '') ? roots.set('failure', FAILURE) : roots;
}

/** Only what cannot change between the effect and its undo. */
function compensationRoots(everywhere: RootTypes, action: ActionContract | undefined): RootTypes {
  return new Map<string, ValueType>([
    ['input', everywhere.get('input') ?? DYN],
    ['constants', everywhere.get('constants') ?? DYN],
    ['run', object({ id: STRING, key: STRING })],
    ['effect', object({ key: STRING, input: schemaOf(action?.input), output: received(action?.output), receipt: DYN })],
    ['failure', object({ code: STRING, message: STRING, step: NULLABLE_STRING })],
  ]);
}

/** The same when people are asked, today or after a year: who started the run is known, why it is undone is not of it. */
function askingRoots(everywhere: RootTypes, action: ActionContract | undefined): RootTypes {
  const roots = new Map(compensationRoots(everywhere, action));
  roots.delete('failure');
  return roots.set('run', object({ id: STRING, key: STRING, startedBy: STRING }));
}

function actionRoots(
  { definition, actions }: Declared,
  everywhere: RootTypes,
  site: Site & { readonly action: string },
): RootTypes {
  const action = actions.get(site.action);
  const roots = new Map(everywhere);
  roots.set('with', schemaOf(action?.input));
  roots.set('effect', object({ key: STRING, input: schemaOf(action?.input), output: quiet(DYN), receipt: quiet(DYN) }));
  if (site.kind === 'headers') {
    const names = definition.secrets.map((name) => [name, { type: STRING, required: true }] as const);
    roots.set('secrets', { kind: 'object', fields: new Map<string, FieldType>(names), rest: null });
  }
  if (site.kind === 'retry') roots.set('failure', FAILURE);
  if (site.kind === 'outcome' || site.kind === 'reconcile') {
    roots.set('failure', FAILURE);
    roots.set('response', answerType(action, site.kind));
  }
  return roots;
}

/** A statement gives what its output says, and nothing around it. */
function answerType(action: ActionContract | undefined, kind: 'outcome' | 'reconcile'): ValueType {
  return action?.transport.kind === 'sql' ? received(action.output) : responseType(action, kind);
}

/** The declared output types an answer's body, but answers that are no success have other keys; a query's answer is not declared. */
function responseType(action: ActionContract | undefined, kind: 'outcome' | 'reconcile'): ValueType {
  const transport = kind === 'reconcile' ? (action?.reconcile?.transport ?? action?.transport) : action?.transport;
  const body = kind === 'reconcile' ? DYN : anyShape(received(action?.output));
  const headers: ValueType = { kind: 'map', value: STRING };
  return hasNoStatus(transport) ? object({ body: quiet(body) }) : object({ status: INT, headers, body: quiet(body) });
}

/** What is returned or told has a body and nothing around it. */
function hasNoStatus(transport: Transport | undefined): boolean {
  return transport?.kind === 'function' || transport?.kind === 'worker';
}

function anyShape(type: ValueType): ValueType {
  if (type.kind !== 'object') return DYN;
  const fields = [...type.fields].map(([name, field]) => [name, { ...field, required: false, quiet: true }] as const);
  return { kind: 'object', fields: new Map<string, FieldType>(fields), rest: DYN };
}

function quiet(type: ValueType): FieldType {
  return { type, required: false, quiet: true };
}

function eventType({ events }: Declared, name: string): ValueType {
  return object({
    id: STRING,
    name: STRING,
    data: received(events.get(name)?.schema),
    source: STRING,
    receivedAt: TIMESTAMP,
    sequence: unionOf([INT, NULL]),
  });
}

function stepType(step: Step, declared: Declared): ValueType {
  const output = outputType(step, declared);
  return object({
    ...(output === null ? {} : { output: { type: output, required: false, quiet: true } }),
    skipped: BOOL,
    attempts: INT,
    code: NULLABLE_STRING,
    at: unionOf([TIMESTAMP, NULL]),
  });
}

/** What is told of a branch; it has no output unless it succeeded. */
function branchType(): ValueType {
  return object({ status: BRANCH_STATUS, code: NULLABLE_STRING, output: DYN });
}

/** Type of `steps.<id>.output`; null = the verb has none. */
function outputType(step: Step, { actions, events }: Declared): ValueType | null {
  switch (step.verb) {
    case 'call':
      return received(actions.get(step.action)?.output);
    case 'await':
      return received(events.get(step.event)?.schema);
    case 'wait':
      return object({ firedAt: TIMESTAMP, late: BOOL });
    case 'publish':
      return object({ messageId: STRING });
    case 'approve':
      return object({ decision: STRING, votes: { kind: 'list', item: DYN }, form: formType(step) });
    default:
      return groupType(step);
  }
}

function groupType(step: Step): ValueType | null {
  switch (step.verb) {
    case 'repeat':
      return { kind: 'list', item: DYN };
    case 'map':
      return {
        kind: 'list',
        item: object({ key: STRING, status: BRANCH_STATUS, code: NULLABLE_STRING, output: quiet(DYN) }),
      };
    case 'parallel':
      return object(Object.fromEntries(step.branches.map(({ name }) => [name, branchType()] as const)));
    case 'choose':
    case 'scope':
      return DYN;
    default:
      return null;
  }
}

/** What was filled in has the defaults of its schema; nobody filled in what expired into a yes. */
function formType({ form, onExpire }: ApproveStep): ValueType | FieldType {
  if (form === undefined) return quiet(DYN);
  return onExpire === 'approve' ? quiet(unionOf([typeOfSchema(form), NULL])) : typeOfSchema(form);
}

function schemaOf(schema: ActionContract['input'] | undefined): ValueType {
  return schema === undefined ? DYN : typeOfSchema(schema);
}

/** What came from outside is kept as it came: no default is written into it. */
function received(schema: ActionContract['output'] | undefined): ValueType {
  return schema === undefined ? DYN : typeOfSchema(schema, 'received');
}

function object(fields: Fields): ValueType {
  const entries = Object.entries(fields).map(
    ([name, field]) => [name, 'kind' in field ? { type: field, required: true } : field] as const,
  );
  return { kind: 'object', fields: new Map<string, FieldType>(entries), rest: null };
}

/** How an item of a map or a branch can have ended. */
const BRANCH_STATUS: ValueType = {
  kind: 'string',
  words: ['succeeded', 'failed', 'stopped'] satisfies BranchEnd['status'][],
};
const NULLABLE_STRING = unionOf([STRING, NULL]);
const RUN: Fields = {
  id: STRING,
  key: STRING,
  startedAt: TIMESTAMP,
  startedBy: STRING,
  tenant: STRING,
  version: INT,
};
const STEP_IDS: ValueType = { kind: 'list', item: STRING };
const RUN_END = object({
  reason: STRING,
  code: NULLABLE_STRING,
  message: NULLABLE_STRING,
  step: NULLABLE_STRING,
  undone: STEP_IDS,
  standing: STEP_IDS,
});
const FAILURE = object({
  code: STRING,
  class: STRING,
  message: STRING,
  step: NULLABLE_STRING,
  data: quiet(DYN),
  cause: quiet(DYN),
});
