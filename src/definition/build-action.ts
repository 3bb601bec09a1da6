import type {
  ActionContract,
  Auth,
  Idempotency,
  JsonSchema,
  OutcomeRule,
  ReconcileContract,
  Template,
  Transport,
} from '../model/definition.ts';
import {
  type BuildContext,
  readDuration,
  readExpression,
  readSchema,
  readTemplate,
  readTemplates,
  readTexts,
} from './build-context.ts';
import { RETRY_READ, RETRY_WRITE, readCompensation, readRetry } from './build-policy.ts';
import { child, itemsOf, numberOf, textOf, wordOf, type YamlNode } from './yaml-node.ts';

const MINUTE_MS = 60_000;
const TIMEOUT_MS = 30_000;
const GIVE_UP_MS = 24 * 60 * MINUTE_MS;
const RESPONSE_BYTES_MAX = 1024 * 1024;
const OUTCOMES = ['confirmed', 'rejected', 'unavailable', 'throttled', 'unknown', 'pending', 'absent'] as const;

/** What a statement gives back, unless its action says more of its rows. */
const STATEMENT_OUTPUT: JsonSchema = {
  type: 'object',
  required: ['rows', 'rowCount'],
  properties: { rows: { type: 'array', items: { type: 'object' } }, rowCount: { type: 'integer' } },
};
/** As long as any statement of the engine may take. */
const STATEMENT_TIMEOUT_MS = 5_000;

/** The `sql`, `worker`, `http` or `function` of an action or query; a function without name where there is none (told by the schema). */
function readTransport(context: BuildContext, node: YamlNode): Transport {
  const statement = textOf(child(node, 'sql'));
  if (statement !== null) return { kind: 'sql', statement, expectRows: numberOf(child(node, 'expectRows')) };
  const queue = textOf(child(node, 'worker'));
  if (queue !== null) return { kind: 'worker', queue };
  const http = child(node, 'http');
  if (http === null) return { kind: 'function', name: textOf(child(node, 'function')) ?? '' };
  return {
    kind: 'http',
    method: textOf(child(http, 'method')) ?? 'GET',
    url: readTemplate(context, child(http, 'url')) ?? { kind: 'literal', value: '' },
    headers: readTemplates(context, child(http, 'headers')),
    query: readTemplates(context, child(http, 'query')),
    body: readTemplate(context, child(http, 'body')),
  };
}

function readAuth(context: BuildContext, node: YamlNode | null): Auth | null {
  const text = (of: YamlNode | null): Template => readTemplate(context, of) ?? { kind: 'literal', value: '' };
  const [bearer, basic, header, oauth2] = ['bearer', 'basic', 'header', 'oauth2'].map((kind) => child(node, kind));
  if (bearer) return { kind: 'bearer', token: text(bearer) };
  if (basic) return { kind: 'basic', user: text(child(basic, 'user')), password: text(child(basic, 'password')) };
  if (header) return { kind: 'header', name: textOf(child(header, 'name')) ?? '', value: text(child(header, 'value')) };
  if (!oauth2) return null;
  return {
    kind: 'oauth2',
    tokenUrl: textOf(child(oauth2, 'tokenUrl')) ?? '',
    clientId: text(child(oauth2, 'clientId')),
    clientSecret: text(child(oauth2, 'clientSecret')),
    scope: textOf(child(oauth2, 'scope')),
  };
}

function readIdempotency(context: BuildContext, node: YamlNode | null): Idempotency | null {
  if (node === null) return null;
  const word = textOf(node);
  if (word !== null) return word === 'natural' ? { kind: 'natural' } : { kind: 'none' };
  const remembersMs = readDuration(context, child(node, 'remembers'), 0);
  const header = textOf(child(node, 'header'));
  if (header !== null) return { kind: 'header', name: header, remembersMs };
  const field = textOf(child(node, 'field'));
  return field === null ? { kind: 'key', remembersMs } : { kind: 'field', name: field, remembersMs };
}

function readOutcome(context: BuildContext, node: YamlNode | null): readonly OutcomeRule[] {
  return itemsOf(node).flatMap((item) => {
    const when = readExpression(context, child(item, 'when'));
    if (when === null) return [];
    return [{ when, is: wordOf(child(item, 'is'), OUTCOMES, 'unknown'), code: textOf(child(item, 'code')) }];
  });
}

function readReconcile(context: BuildContext, node: YamlNode | null): ReconcileContract | null {
  if (node === null) return null;
  return {
    transport: readTransport(context, node),
    outcome: readOutcome(context, child(node, 'outcome')),
    found: readExpression(context, child(node, 'found')),
    output: readTemplate(context, child(node, 'output')),
    absent: wordOf(child(node, 'absent'), ['final', 'never'] as const, 'never'),
    everyMs: readDuration(context, child(node, 'every'), MINUTE_MS),
    giveUpMs: readDuration(context, child(node, 'giveUp'), GIVE_UP_MS),
  };
}

/** The contract number: a function has it in its name, `name@contract`. */
function readContract(node: YamlNode, transport: Transport): number {
  if (transport.kind === 'function') return Number(/@(\d+)$/.exec(transport.name)?.[1] ?? 1);
  return numberOf(child(node, 'contract')) ?? 1;
}

/** Builds one action with every default filled in. */
export function buildAction(context: BuildContext, name: string, node: YamlNode): ActionContract {
  const effect = wordOf(child(node, 'effect'), ['write', 'read'] as const, 'write');
  const retry = effect === 'read' ? RETRY_READ : RETRY_WRITE;
  const transport = readTransport(context, node);
  const isStatement = transport.kind === 'sql';
  const timeoutMs = readDuration(context, child(node, 'timeout'), isStatement ? STATEMENT_TIMEOUT_MS : TIMEOUT_MS);
  const output = child(node, 'output');
  return {
    name,
    transport,
    auth: readAuth(context, child(node, 'auth')),
    effect,
    idempotency: readIdempotency(context, child(node, 'idempotency')),
    settlesWithinMs: readDuration(context, child(node, 'settlesWithin'), timeoutMs + MINUTE_MS),
    outcome: readOutcome(context, child(node, 'outcome')),
    reconcile: readReconcile(context, child(node, 'reconcile')),
    compensate: readCompensation(context, child(node, 'compensate')),
    retry: readRetry(context, child(node, 'retry'), retry) ?? retry,
    timeoutMs,
    input: readSchema(child(node, 'input')),
    output: isStatement && output === null ? STATEMENT_OUTPUT : readSchema(output),
    maxResponseBytes: numberOf(child(node, 'maxResponse')) ?? RESPONSE_BYTES_MAX,
    redact: readTexts(child(node, 'redact')),
    contract: readContract(node, transport),
    pointer: node.pointer,
  };
}
