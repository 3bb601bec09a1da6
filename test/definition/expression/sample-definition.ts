import { createTypeScope } from '../../../src/definition/expression/root-types.ts';
import { createEvaluator, type Scope, type Site } from '../../../src/definition/evaluator.ts';
import type {
  ActionContract,
  Expression,
  JsonSchema,
  Step,
  WorkflowDefinition,
} from '../../../src/model/definition.ts';
import type { Json, JsonObject } from '../../../src/model/json.ts';

const RETRY = {
  attempts: 1,
  delayMs: 1000,
  factor: 1,
  capMs: null,
  jitter: 0,
  withinMs: null,
  on: [],
  when: null,
} as const;

/** The input schema of most tests. */
export const INPUT_SCHEMA: JsonSchema = {
  type: 'object',
  required: ['amount', 'price', 'name', 'lines', 'flag'],
  properties: {
    amount: { type: 'integer' },
    price: { type: 'number' },
    name: { type: 'string' },
    coupon: { type: ['string', 'null'] },
    flag: { type: 'boolean' },
    status: { type: 'string' },
    at: { type: 'string', format: 'date-time' },
    numbers: { type: 'array', items: { type: 'integer' } },
    lines: {
      type: 'array',
      items: {
        type: 'object',
        required: ['sku', 'qty'],
        properties: { sku: { type: 'string' }, qty: { type: 'integer' } },
      },
    },
    address: { type: 'object', properties: { city: { type: 'string' } } },
    extra: { type: 'object' },
    anything: {},
  },
};

/** An action as the parser would make it. */
export function actionOf(name: string, parts: Partial<ActionContract> = {}): ActionContract {
  return {
    name,
    transport: {
      kind: 'http',
      method: 'POST',
      url: { kind: 'literal', value: 'https://x.example/' },
      headers: [],
      query: [],
      body: null,
    },
    auth: null,
    effect: 'write',
    idempotency: { kind: 'header', name: 'Idempotency-Key', remembersMs: 86_400_000 },
    settlesWithinMs: 90_000,
    outcome: [],
    reconcile: null,
    compensate: null,
    retry: RETRY,
    timeoutMs: 30_000,
    input: {},
    output: {},
    maxResponseBytes: 1_048_576,
    redact: [],
    contract: 1,
    pointer: `/actions/${name}`,
    ...parts,
  };
}

const STEP = {
  named: true,
  pointer: '/steps/0',
  when: null,
  next: null,
  maxJumps: null,
  on: [],
  timeoutMs: null,
  catch: [],
} as const;

/** A call step. */
export function callStep(id: string, action: string): Step {
  const rest = {
    with: null,
    object: null,
    intent: null,
    authorizedBy: null,
    retry: null,
    pivot: false,
    compensate: null,
    onUnknown: null,
    review: null,
  };
  return { ...STEP, id, verb: 'call', action, ...rest };
}

/** A definition of one paying step, with whatever a test wants different. */
export function definitionOf(parts: Partial<WorkflowDefinition> = {}): WorkflowDefinition {
  return {
    pawl: 1,
    workflow: 'sample',
    version: 1,
    title: null,
    description: null,
    labels: {},
    key: null,
    input: INPUT_SCHEMA,
    constants: { limit: 50_000, rate: 0.25, names: ['a', 'b'] },
    vars: [
      ['count', { type: 'integer', default: 0 }],
      ['note', { type: 'string' }],
    ],
    secrets: ['pspToken'],
    events: [
      {
        name: 'paid',
        schema: { type: 'object', required: ['total'], properties: { total: { type: 'integer' } } },
        source: null,
        by: null,
        keepMs: 0,
      },
    ],
    actions: [
      actionOf('psp.pay', {
        input: {
          type: 'object',
          required: ['amount'],
          properties: { amount: { type: 'integer' }, note: { type: 'string' } },
          additionalProperties: false,
        },
        output: {
          type: 'object',
          required: ['id'],
          properties: { id: { type: 'string' }, fee: { type: 'number' }, count: { type: 'integer' } },
        },
      }),
    ],
    timeoutMs: null,
    onFailure: 'compensate',
    compensation: { order: 'reverse', onFailure: 'hold', retry: RETRY },
    steps: [
      callStep('pay', 'psp.pay'),
      { ...STEP, id: 'pause', verb: 'wait', wait: { kind: 'for', duration: { kind: 'literal', value: '1d' } } },
      { ...STEP, id: 'heard', verb: 'await', event: 'paid', match: null, where: null, from: [] },
    ],
    output: null,
    ...parts,
  };
}

/** The scope that goes with it. */
export function scopeOf(input: JsonObject): Record<string, Json> {
  return {
    input,
    constants: { limit: 50_000, rate: 0.25, names: ['a', 'b'] },
    vars: { count: 3 },
    steps: {
      pay: { output: { id: 'p-1', fee: 2, count: 7 }, skipped: false, attempts: 1, code: null, at: 1_767_225_600_000 },
      pause: { skipped: false, attempts: 0, code: null, at: null },
    },
    run: { id: 'r', key: 'k', startedAt: 1_767_225_600_000, startedBy: 'ann', tenant: 'default', version: 1 },
  };
}

/** An input that has everything. */
export const FULL_INPUT: JsonObject = {
  amount: 5,
  price: 2.5,
  name: 'Zoë 😀',
  coupon: null,
  flag: true,
  status: 'open',
  at: '2026-03-01T12:00:00Z',
  numbers: [3, 1, 2],
  lines: [
    { sku: 'a', qty: 2 },
    { sku: 'b', qty: 1 },
  ],
  address: { city: 'Ulm' },
  extra: { b: 1, a: 'x', n: null },
  anything: { a: 'x', b: 1, n: null },
};

const FLOW: Site = { kind: 'flow' };

/** CEL as it would stand in a file. */
export function expressionOf(source: string): Expression {
  return { source, pointer: '/when', offset: 0 };
}

const SAMPLE = createEvaluator(definitionOf());

/** Evaluates a source in the sample's flow. */
export function evaluateSample(source: string, input: JsonObject = FULL_INPUT, more: Scope = {}): Json {
  return SAMPLE.evaluate(expressionOf(source), FLOW, { ...scopeOf(input), ...more });
}

/** The types of the sample's flow. */
export function sampleTypes(): ReturnType<ReturnType<typeof createTypeScope>['rootsAt']> {
  return createTypeScope(definitionOf()).rootsAt(FLOW);
}
