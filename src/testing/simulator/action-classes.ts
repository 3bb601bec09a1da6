import type { ProviderClass } from './simulated-provider.ts';

/** Kinds of providers, by what they do with a request that comes twice and whether they can be asked. */
export const ACTION_CLASSES = ['key', 'key+lookup', 'short-key', 'lookup', 'none', 'natural'] as const;
/** One kind of provider. */
export type ActionClass = (typeof ACTION_CLASSES)[number];

/** How long a short key is remembered, and what every action waits at most; milliseconds. */
const SHORT_KEY_MS = 60_000;
const LONG_KEY_MS = 120_000;
const SETTLES_WITHIN_MS = 4_000;

/** What the provider of that kind does. */
export function providerOf(kind: ActionClass): ProviderClass {
  return {
    keys: kind === 'key' || kind === 'key+lookup' || kind === 'short-key' ? 'honoured' : 'ignored',
    remembersMs: kind === 'short-key' ? SHORT_KEY_MS : LONG_KEY_MS,
    settlesWithinMs: SETTLES_WITHIN_MS,
  };
}

const IDEMPOTENCY: Readonly<Record<ActionClass, string>> = {
  key: '{ header: Idempotency-Key, remembers: 2m }',
  'key+lookup': '{ header: Idempotency-Key, remembers: 2m }',
  'short-key': '{ header: Idempotency-Key, remembers: 1m }',
  lookup: 'none',
  none: 'none',
  natural: 'natural',
};

/** The queue of all remote workers of a scenario. */
export const QUEUE = 'desk';

const LOOKED_UP: ReadonlySet<ActionClass> = new Set(['key+lookup', 'lookup']);

/** How an action is written down. */
export interface ActionText {
  readonly name: string;
  readonly kind: ActionClass;
  /** Line of its `compensate`: an action's name, or `none`. */
  readonly undo: string | null;
  /** Whether remote workers carry it out. */
  readonly isRemote?: boolean;
}

/** The lines of one action of a workflow, as YAML under `actions`. */
export function actionLines({ name, kind, undo, isRemote = false }: ActionText): readonly string[] {
  const lookup = [
    '    reconcile:',
    `      http: { method: GET, url: 'http://provider/${name}?key=\${ effect.key }' }`,
    '      found: size(response.body.items) > 0 && response.body.items[0].status == "done"',
    "      output: '${ response.body.items[0] }'",
    '      absent: final',
    '      every: 1s',
    '      giveUp: 2m',
  ];
  return [
    `  do.${name}:`,
    isRemote ? `    worker: ${QUEUE}` : `    http: { method: POST, url: 'http://provider/${name}' }`,
    `    idempotency: ${isRemote ? IDEMPOTENCY[kind].replace('header: Idempotency-Key, ', '') : IDEMPOTENCY[kind]}`,
    `    timeout: ${isRemote ? '3s' : '1s'}`,
    `    settlesWithin: ${SETTLES_WITHIN_MS / 1_000}s`,
    ...(LOOKED_UP.has(kind) ? lookup : []),
    undo === null ? '    compensate: none' : `    compensate: { call: do.${undo}, with: { id: '\${ effect.key }' } }`,
  ];
}
