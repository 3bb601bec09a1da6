import { createEvaluator, type Evaluator } from '../../src/definition/evaluator.ts';
import { parseTemplate } from '../../src/definition/parse-template.ts';
import type {
  ActionContract,
  CallStep,
  Compensation,
  Expression,
  HttpTemplate,
  RetryPolicy,
  Template,
  WorkflowDefinition,
} from '../../src/model/definition.ts';
import type { Effect, EffectRequest, Frame } from '../../src/model/effect.ts';
import type { Digest, EffectKey, RunId } from '../../src/model/ids.ts';
import type { Json } from '../../src/model/json.ts';
import type { AttemptReport, Outcome } from '../../src/model/outcome.ts';
import type { RunIdentity } from '../../src/model/run.ts';
import { compensationIngredients, forwardIngredients } from '../../src/decision/effect-key.ts';
import type { EffectPolicy } from '../../src/decision/effect-policy.ts';
import { proposeEffect } from '../../src/decision/propose-effect.ts';
import { requestEffect } from '../../src/decision/request-effect.ts';
import type { Settling } from '../../src/decision/settlement.ts';

/** A moment of database time that reads well: 2027-01-15T08:00:00Z. */
export const T0 = Date.UTC(2027, 0, 15, 8);
export const NUMBERS = { sendWithinMs: 5_000 };
export const HOUR = 3_600_000;

export const RUN: RunIdentity = {
  runId: '01900000-0000-7000-8000-000000000001' as RunId,
  part: 0,
  tenant: 'default',
  workflow: 'order',
  version: 1,
  digest: 'd'.repeat(64) as Digest,
  key: 'O-1',
  startNumber: 1,
  input: { orderId: 'O-1', amount: 100 },
  startedAtMs: T0,
  startedBy: 'user:ann',
};

export const ONCE: RetryPolicy = {
  attempts: 1,
  delayMs: 1_000,
  factor: 1,
  capMs: null,
  jitter: 0,
  withinMs: null,
  on: ['unavailable', 'throttled'],
  when: null,
};

export function retryPolicy(patch: Partial<RetryPolicy> = {}): RetryPolicy {
  return { ...ONCE, attempts: 3, ...patch };
}

export function cel(source: string): Expression {
  return { source, pointer: '/x', offset: 0 };
}

/** A template as an author writes it: `=path`, `${ … }`, maps and lists. */
export function template(value: Json): Template {
  const parsed = parseTemplate(value, '/x');
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.template;
}

export function http(patch: Partial<HttpTemplate> = {}): HttpTemplate {
  return {
    kind: 'http',
    method: 'POST',
    url: template('https://psp.example/v1/charges'),
    headers: [],
    query: [],
    body: null,
    ...patch,
  };
}

export function contract(patch: Partial<ActionContract> = {}): ActionContract {
  return {
    name: 'psp.charge',
    transport: http(),
    auth: null,
    effect: 'write',
    idempotency: { kind: 'header', name: 'Idempotency-Key', remembersMs: 24 * HOUR },
    settlesWithinMs: 120_000,
    outcome: [],
    reconcile: null,
    compensate: { kind: 'none' },
    retry: ONCE,
    timeoutMs: 30_000,
    input: {},
    output: {},
    maxResponseBytes: 1_048_576,
    redact: [],
    contract: 1,
    pointer: '/actions/psp.charge',
    ...patch,
  };
}

export const RECONCILE: NonNullable<ActionContract['reconcile']> = {
  transport: http({ method: 'GET', url: template('https://psp.example/v1/charges?reference=${ effect.key }') }),
  outcome: [],
  found: cel('size(response.body.items) > 0'),
  output: template('${ response.body.items[0] }'),
  absent: 'final',
  everyMs: 60_000,
  giveUpMs: 24 * HOUR,
};

export function policy(patch: Partial<EffectPolicy> = {}): EffectPolicy {
  return { retry: ONCE, onUnknown: null, review: null, timeoutMs: 30_000, waitMs: null, onFailure: 'hold', ...patch };
}

export function definition(patch: Partial<WorkflowDefinition> = {}): WorkflowDefinition {
  return {
    pawl: 1,
    workflow: 'order',
    version: 1,
    title: null,
    description: null,
    labels: {},
    key: null,
    input: {},
    constants: { currency: 'EUR' },
    vars: [],
    secrets: ['pspToken'],
    events: [],
    actions: [],
    timeoutMs: null,
    onFailure: 'compensate',
    compensation: {
      order: 'reverse',
      onFailure: 'hold',
      retry: retryPolicy({ attempts: 10, factor: 2, capMs: 60_000 }),
    },
    steps: [],
    output: null,
    ...patch,
  };
}

export function evaluatorFor(...actions: readonly ActionContract[]): Evaluator {
  return createEvaluator(definition({ actions }));
}

export function callStep(id: string, patch: Partial<CallStep> = {}): CallStep {
  return {
    verb: 'call',
    id,
    named: true,
    pointer: `/steps/${id}`,
    when: null,
    next: null,
    maxJumps: null,
    on: [],
    timeoutMs: null,
    catch: [],
    action: 'psp.charge',
    with: null,
    object: null,
    intent: null,
    authorizedBy: null,
    retry: null,
    pivot: false,
    compensate: null,
    onUnknown: null,
    review: null,
    ...patch,
  };
}

export function compensation(
  patch: Partial<Extract<Compensation, { kind: 'call' }>> = {},
): Extract<Compensation, { kind: 'call' }> {
  return {
    kind: 'call',
    action: 'psp.refund',
    with: template({ id: '=effect.output.id' }),
    object: null,
    retry: null,
    timeoutMs: null,
    onFailure: null,
    pointer: '/compensate',
    ...patch,
  };
}

export const REQUEST: EffectRequest = {
  action: 'psp.charge',
  contract: 1,
  method: 'POST',
  url: 'https://psp.example/v1/charges',
  headers: {},
  function: null,
  with: { amount: 100 },
  body: { amount: 100 },
};

/** A forward row, AUTHORIZED, of a step. */
export function authorized(step = 'charge', frames: readonly Frame[] = []): Effect {
  const ingredients = forwardIngredients({
    run: RUN,
    step,
    frames,
    action: 'psp.charge',
    object: null,
    intent: null,
    generation: 0,
  });
  return proposeEffect({
    ingredients,
    step,
    frames,
    request: REQUEST,
    pivot: false,
    state: 'AUTHORIZED',
    approvalId: null,
    compensates: null,
  });
}

/** A compensation row, AUTHORIZED, of a forward key. */
export function authorizedUndo(forwardKey: EffectKey, step = 'charge', generation = 0): Effect {
  return proposeEffect({
    ingredients: compensationIngredients(forwardKey, generation),
    step,
    frames: [],
    request: { ...REQUEST, action: 'psp.refund' },
    pivot: false,
    state: 'AUTHORIZED',
    approvalId: null,
    compensates: forwardKey,
  });
}

/** The row as it is once its sending is committed. */
export function requested(effect: Effect = authorized(), nowMs = T0, fence = 1): Effect {
  return requestEffect(effect, { nowMs, fence, numbers: NUMBERS });
}

export function settling(effect: Effect, patch: Partial<Omit<Settling, 'effect'>> = {}): Settling {
  return {
    effect,
    contract: contract(),
    policy: policy(),
    numbers: NUMBERS,
    nowMs: T0 + 500,
    retrying: true,
    ...patch,
  };
}

export function outcome(kind: Outcome['kind'], patch: Partial<Outcome> = {}): Outcome {
  return {
    kind,
    code: kind === 'confirmed' ? null : kind,
    message: kind,
    output: kind === 'confirmed' ? { id: 'ch_1' } : undefined,
    named: false,
    retryAfterMs: null,
    externalId: kind === 'confirmed' ? 'ch_1' : null,
    resultBase64: '',
    sent: true,
    ...patch,
  };
}

/** An answer over http with a JSON body. */
export function answered(status: number | null, body: Json = {}, headers: Record<string, string> = {}): AttemptReport {
  return { kind: 'answered', status, headers, body, bodyBytes: Buffer.from(JSON.stringify(body)), unreadable: null };
}

/** An answer whose body broke off. */
export function cutOff(status: number): AttemptReport {
  return {
    kind: 'answered',
    status,
    headers: {},
    body: undefined,
    bodyBytes: Buffer.from('<html'),
    unreadable: 'cut off',
  };
}
