import type { ApiHouse } from './api-house.ts';

const KEYED = ['key: input.id', 'input: { type: object, required: [id], properties: { id: { type: string } } }'];

function file(name: string, lines: readonly string[], version = 1): string {
  return ['pawl: 1', `workflow: ${name}`, `version: ${version}`, 'timeout: 2h', ...lines, ''].join('\n');
}

function action(name: string, extra: string): string {
  return `  shop.${name}: { function: ${name}@1, timeout: 1m, settlesWithin: 1s, ${extra} }`;
}

const REMEMBERS = 'idempotency: { remembers: 24h }';
const WITH = 'with: { order: =input.id }';

/** Rests at once, for an hour; its runs have the key that they are started with. */
export const SLEEP = file('sleep', [...KEYED, 'steps:', '  - { id: pause, wait: 1h }']);
/** The same without a key. */
export const NAMELESS = file('nameless', ['input: { type: object }', 'steps:', '  - { id: pause, wait: 1h }']);
/** Waits for the event `paid`. */
export const LISTEN = file('listen', [
  ...KEYED,
  'events: { paid: { schema: { type: object, required: [amount], properties: { amount: { type: integer } } } } }',
  'steps:',
  '  - { id: arrival, await: paid }',
]);
/** Asks two of those who are in finance. */
export const ASK = file('ask', [
  'labels: { team: payments, tier: 1 }',
  ...KEYED,
  'steps:',
  "  - { id: decision, approve: 'Pay?', subject: { order: =input.id }, from: ['role:finance', 'role:approver'], quorum: 2, expires: 1h }",
]);
/** Reserves and ships; the order `undone…` cannot be shipped. */
export const ORDER = file('order', [
  'onFailure: hold',
  ...KEYED,
  'actions:',
  action('reserve', `${REMEMBERS}, compensate: { call: shop.unreserve, with: { id: =effect.output.id } }`),
  action('unreserve', `${REMEMBERS}, compensate: none`),
  action('ship', `${REMEMBERS}, compensate: none`),
  'steps:',
  `  - { id: reserve, call: shop.reserve, ${WITH} }`,
  `  - { id: ship, call: shop.ship, ${WITH} }`,
]);
/** Ends in doubt, and asks a person. */
export const DOUBT = file('doubt', [
  ...KEYED,
  'actions:',
  action(
    'wire',
    'idempotency: none, compensate: none, output: { type: object, required: [id], properties: { id: { type: string } } }',
  ),
  'steps:',
  `  - { id: wire, call: shop.wire, ${WITH}, onUnknown: review }`,
]);

/** Publishes files over the API. */
export async function publishAll(house: ApiHouse, texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    const told = await house.call('POST', '/v1/workflows', { text, headers: { 'content-type': 'application/yaml' } });
    if (told.status !== 201) throw new Error(told.text);
  }
}

/** Starts a run of a keyed workflow. @returns its id. */
export async function startRun(house: ApiHouse, workflow: string, id: string): Promise<string> {
  const told = await house.post('/v1/runs', { workflow, input: { id } });
  if (told.status !== 201) throw new Error(told.text);
  return told.json<{ id: string }>().id;
}
