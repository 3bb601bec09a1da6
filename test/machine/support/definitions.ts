import type {
  ActionContract,
  ApproveStep,
  AwaitStep,
  CallStep,
  CatchClause,
  ChooseBranch,
  ChooseStep,
  EndStep,
  Expression,
  FailStep,
  Handler,
  MapStep,
  ParallelStep,
  PublishStep,
  RepeatStep,
  RetryPolicy,
  ScopeStep,
  SetStep,
  Step,
  StepBase,
  Template,
  UndoStep,
  WaitStep,
  WorkflowDefinition,
} from '../../../src/model/definition.ts';
import type { Json } from '../../../src/model/json.ts';

/** Small definitions by hand: the machine's tests need no YAML. */

const once: RetryPolicy = {
  attempts: 1,
  delayMs: 1_000,
  factor: 1,
  capMs: null,
  jitter: 0,
  withinMs: null,
  on: ['unavailable'],
  when: null,
};

export function cel(source: string): Expression {
  return { source, pointer: '/test', offset: 0 };
}

export function literal(value: Json): Template {
  return { kind: 'literal', value };
}

export function expr(source: string): Template {
  return { kind: 'expression', expression: cel(source) };
}

export function clause(
  on: readonly string[],
  more: Partial<CatchClause> & { leads?: CatchClause['then'] } = {},
): CatchClause {
  const { leads = 'continue', ...given } = more;
  return { on, when: null, do: [], then: leads, next: null, pointer: '/catch', ...given };
}

export function handler(event: string, more: Partial<Handler> & { leads?: Handler['then'] } = {}): Handler {
  const { leads = null, ...given } = more;
  return { event, match: null, where: null, set: [], next: null, then: leads, pointer: '/on', ...given };
}

function base(id: string): StepBase {
  return {
    id,
    named: true,
    pointer: `/steps/${id}`,
    when: null,
    next: null,
    maxJumps: null,
    on: [],
    timeoutMs: null,
    catch: [],
  };
}

export function call(id: string, more: Partial<CallStep> = {}): CallStep {
  return {
    ...base(id),
    verb: 'call',
    action: 'act',
    with: null,
    object: null,
    intent: null,
    authorizedBy: null,
    retry: null,
    pivot: false,
    compensate: null,
    onUnknown: null,
    review: null,
    ...more,
  };
}

export function set(
  id: string,
  values: readonly (readonly [string, Template])[],
  more: Partial<SetStep> = {},
): SetStep {
  return { ...base(id), verb: 'set', set: values, ...more };
}

export function branch(when: string | null, steps: readonly Step[] | null, next: string | null = null): ChooseBranch {
  return { when: when === null ? null : cel(when), steps, next, pointer: '/choose' };
}

export function choose(id: string, branches: readonly ChooseBranch[], more: Partial<ChooseStep> = {}): ChooseStep {
  return { ...base(id), verb: 'choose', branches, output: null, ...more };
}

export function scope(id: string, steps: readonly Step[], more: Partial<ScopeStep> = {}): ScopeStep {
  return { ...base(id), verb: 'scope', steps, compensation: null, output: null, ...more };
}

export function repeat(id: string, steps: readonly Step[], more: Partial<RepeatStep> = {}): RepeatStep {
  return { ...base(id), verb: 'repeat', max: 3, while: null, until: null, steps, ...more };
}

export function map(id: string, steps: readonly Step[], more: Partial<MapStep> = {}): MapStep {
  const plain = { concurrency: 10, join: { kind: 'all' } } as const;
  const items = { items: cel('[1, 2]'), as: `item_${id}`, key: cel(`string(item_${id})`) };
  return { ...base(id), verb: 'map', ...items, ...plain, siblings: 'drain', losers: 'undo', steps, ...more };
}

/** @param branches each a list of steps, by name. */
export function parallel(
  id: string,
  branches: Readonly<Record<string, readonly Step[]>>,
  more: Partial<ParallelStep> = {},
): ParallelStep {
  const listed = Object.entries(branches).map(([name, steps]) => ({ name, steps, pointer: `/steps/${id}/parallel` }));
  return { ...base(id), verb: 'parallel', branches: listed, join: { kind: 'all' }, siblings: 'drain', ...more };
}

export function undo(id: string, ids: readonly string[], more: Partial<UndoStep> = {}): UndoStep {
  return { ...base(id), verb: 'undo', undo: ids, ...more };
}

export function wait(id: string, more: Partial<WaitStep> = {}): WaitStep {
  return { ...base(id), verb: 'wait', wait: { kind: 'for', duration: literal('1h') }, ...more };
}

export function awaiting(id: string, event: string, more: Partial<AwaitStep> = {}): AwaitStep {
  return { ...base(id), verb: 'await', event, match: null, where: null, from: [], ...more };
}

export function publish(id: string, event: string, more: Partial<PublishStep> = {}): PublishStep {
  return { ...base(id), verb: 'publish', event, data: null, key: null, ...more };
}

export function approve(id: string, more: Partial<ApproveStep> = {}): ApproveStep {
  return {
    ...base(id),
    verb: 'approve',
    title: literal('ok?'),
    subject: null,
    from: [],
    quorum: literal(1),
    denials: literal(1),
    except: [],
    expires: null,
    onExpire: 'deny',
    ...more,
  };
}

export function fail(id: string, code: Template, more: Partial<FailStep> = {}): FailStep {
  return { ...base(id), verb: 'fail', code, message: null, data: null, ...more };
}

export function end(id: string, kind: EndStep['end'] = 'done', more: Partial<EndStep> = {}): EndStep {
  return { ...base(id), verb: 'end', end: kind, as: null, output: null, ...more };
}

export function action(name: string, more: Partial<ActionContract> = {}): ActionContract {
  return {
    name,
    transport: { kind: 'function', name: `${name}@1` },
    auth: null,
    effect: 'write',
    idempotency: { kind: 'natural' },
    settlesWithinMs: 60_000,
    outcome: [],
    reconcile: null,
    compensate: { kind: 'none' },
    retry: once,
    timeoutMs: 30_000,
    input: {},
    output: {},
    maxResponseBytes: 1_048_576,
    redact: [],
    contract: 1,
    pointer: `/actions/${name}`,
    ...more,
  };
}

export function workflow(steps: readonly Step[], more: Partial<WorkflowDefinition> = {}): WorkflowDefinition {
  return {
    pawl: 1,
    workflow: 'sample',
    version: 1,
    title: null,
    description: null,
    labels: {},
    key: null,
    input: {},
    constants: {},
    vars: [],
    secrets: [],
    events: [{ name: 'changed', schema: {}, source: null, by: null, keepMs: 1_000 }],
    actions: [action('act'), action('undo')],
    timeoutMs: null,
    onFailure: 'compensate',
    compensation: { order: 'reverse', onFailure: 'hold', retry: once },
    steps,
    output: null,
    ...more,
  };
}
