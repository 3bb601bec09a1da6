import { dependenciesOf, expressionsOf } from '../../definition/dependencies.ts';
import { canonicalJson } from '../../model/canonical-json.ts';
import type { ActionContract, Template } from '../../model/definition.ts';
import type { SendOrder } from '../../model/order.ts';
import { actionsOf, type Lab } from './lab.ts';

const KEY_HEADER = /idempot|dedup|nonce|(request|transaction|message)-?(id|key)$/i;

/** Names of headers that carry a key somewhere in the workflow: as `idempotency` says, or because they carry the effect's. */
export function keyHeadersOf(lab: Lab): ReadonlySet<string> {
  const names = actionsOf(lab).flatMap(({ idempotency, transport }): readonly string[] => {
    const own = idempotency?.kind === 'header' ? [idempotency.name] : [];
    const written = transport.kind === 'http' ? transport.headers : [];
    const carrying = written.filter(([, value]) => readsKey(value)).map(([name]) => name);
    return [...own, ...carrying];
  });
  return new Set(names.map((name) => name.toLowerCase()));
}

function isKeyHeader(name: string, known: ReadonlySet<string>): boolean {
  return KEY_HEADER.test(name) || known.has(name.toLowerCase());
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

/** The key that a request carries in a header of the author's own, with the host that knows it; null = none. */
export function writtenKey({ request }: SendOrder, known: ReadonlySet<string>): string | null {
  const named = Object.entries(request.headers).find(([name]) => isKeyHeader(name, known));
  return named === undefined || request.url === null ? null : canonicalJson([new URL(request.url).host, named[1]]);
}

/** Whether an action's requests carry a key that the author has made, so that other runs may have it, too; a secret is no key. */
export function makesKey({ transport }: ActionContract, known: ReadonlySet<string>): boolean {
  if (transport.kind !== 'http') return false;
  return transport.headers.some(([name, value]) => isKeyHeader(name, known) && !readsKey(value) && !readsSecret(value));
}
