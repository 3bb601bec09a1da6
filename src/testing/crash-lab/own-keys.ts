import { dependenciesOf, expressionsOf } from '../../definition/dependencies.ts';
import { canonicalJson } from '../../model/canonical-json.ts';
import type { ActionContract, HttpTemplate, Template } from '../../model/definition.ts';
import type { Json } from '../../model/json.ts';
import type { SendOrder } from '../../model/order.ts';
import { actionsOf, type Lab } from './lab.ts';

const KEY_HEADER = /idempot|dedup|nonce|(request|transaction|message)-?(id|key)$/i;
/** In a body or an address the number of a transaction or a message may be that of what the request is about. */
const KEY_FIELD =
  /idempot|dedup|nonce|^request[-_]?(id|key)$|client[-_]?(request|transaction)[-_]?(id|key|token)$|client[-_]?token$/i;
/** A value of an address whose name stands in its text: `?requestId=${ … }`. */
const PARAMETER = /[?&]([^?&=]+)=$/;

type Entry<Value> = readonly [name: string, value: Value];

/** Names that carry a key somewhere in the workflow: as `idempotency` says, or because they carry the effect's. */
export function keyNamesOf(lab: Lab): ReadonlySet<string> {
  const names = actionsOf(lab).flatMap(({ idempotency, transport }): readonly string[] => {
    const own = idempotency?.kind === 'header' || idempotency?.kind === 'field' ? [idempotency.name] : [];
    const written = transport.kind === 'http' ? [...transport.headers, ...fieldsWritten(transport)] : [];
    const carrying = written.filter(([, value]) => readsKey(value)).map(([name]) => name);
    return [...own, ...carrying];
  });
  return new Set(names.map((name) => name.toLowerCase()));
}

function isKey(name: string, pattern: RegExp, known: ReadonlySet<string>): boolean {
  return pattern.test(name) || known.has(name.toLowerCase());
}

/** What an address and a body are made of, by name. */
function fieldsWritten({ url, query, body }: HttpTemplate): readonly Entry<Template>[] {
  return [...parametersOf(url), ...query, ...(body === null ? [] : membersOf(body))];
}

function parametersOf(url: Template): readonly Entry<Template>[] {
  const parts = url.kind === 'text' ? url.parts : [];
  return parts.flatMap((part, no): readonly Entry<Template>[] => {
    const before = parts[no - 1];
    const name = typeof before === 'string' ? PARAMETER.exec(before)?.[1] : undefined;
    if (typeof part === 'string' || name === undefined) return [];
    return [[decodeURIComponent(name), { kind: 'expression', expression: part }]];
  });
}

/** The members of a template at any depth. */
function membersOf(template: Template): readonly Entry<Template>[] {
  if (template.kind === 'list') return template.items.flatMap(membersOf);
  if (template.kind !== 'map') return [];
  return template.entries.flatMap(([name, value]) => [[name, value] as const, ...membersOf(value)]);
}

/** The members of a value at any depth. */
function valuesOf(value: Json): readonly Entry<Json>[] {
  if (Array.isArray(value)) return value.flatMap((item: Json) => valuesOf(item));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [[name, member] as const, ...valuesOf(member)]);
}

function pathsIn(value: Template): readonly (readonly string[])[] {
  return expressionsOf(value).flatMap(dependenciesOf);
}

function readsKey(value: Template): boolean {
  return pathsIn(value).some(([root, name]) => root === 'effect' && name === 'key');
}

function readsSecret(value: Template): boolean {
  return pathsIn(value).some(([root]) => root === 'secrets');
}

/** The key of the author's own that a request carries, with the host that knows it: in a header, its address or its body; null = none. */
export function writtenKey({ request }: SendOrder, known: ReadonlySet<string>): string | null {
  if (request.url === null) return null;
  const { host, searchParams } = new URL(request.url);
  const header = Object.entries(request.headers).find(([name]) => isKey(name, KEY_HEADER, known));
  const fields = [...searchParams, ...valuesOf(request.body)];
  const field = fields.find(([name, value]) => isKey(name, KEY_FIELD, known) && isPlain(value));
  const named = header ?? field;
  return named === undefined ? null : canonicalJson([host, String(named[1])]);
}

function isPlain(value: Json): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

/** What is sent as the body where the action itself names none: the `with` of every call of it, undos too. */
function givenTo({ compiled }: Lab, action: string): readonly Entry<Template>[] {
  const calls = [...compiled.steps.values()].filter((step) => step.verb === 'call');
  const undos = [...calls, ...compiled.machine.definition.actions].flatMap(({ compensate }) =>
    compensate?.kind === 'call' ? [compensate] : [],
  );
  const meant = [...calls, ...undos].filter((call) => call.action === action);
  return meant.flatMap((call) => (call.with === null ? [] : membersOf(call.with)));
}

/** Whether an action's requests carry a key that the author has made, so that other runs may have it, too; a secret is no key. */
export function makesKey(lab: Lab, { name: action, transport }: ActionContract, known: ReadonlySet<string>): boolean {
  if (transport.kind !== 'http') return false;
  const sent = transport.body === null ? givenTo(lab, action) : [];
  const isOwn =
    (pattern: RegExp) =>
    ([name, value]: Entry<Template>) =>
      isKey(name, pattern, known) && !readsKey(value) && !readsSecret(value);
  return transport.headers.some(isOwn(KEY_HEADER)) || [...fieldsWritten(transport), ...sent].some(isOwn(KEY_FIELD));
}
