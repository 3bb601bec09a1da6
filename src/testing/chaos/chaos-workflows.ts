import type { Random } from '../random.ts';
import type { ScriptTexts } from '../provider/script.ts';
import { actionLines, type ActionClass } from '../simulator/action-classes.ts';

/** The kinds of providers that take part, by what they do with a request that comes twice and whether they can be asked. */
export const CHAOS_CLASSES = ['key', 'lookup', 'key+lookup', 'none', 'natural'] as const satisfies ActionClass[];
/** One of them. */
export type ChaosClass = (typeof CHAOS_CLASSES)[number];

/** Every operation of every workflow, and the kind of its provider. */
const OPERATIONS = {
  reserve: 'key',
  unreserve: 'lookup',
  charge: 'lookup',
  uncharge: 'key',
  pack: 'natural',
  unpack: 'natural',
  invoice: 'key+lookup',
  uninvoice: 'key+lookup',
  ship: 'key',
  tip: 'none',
  refund: 'lookup',
  paybykey: 'key',
  paybylookup: 'lookup',
  payblind: 'none',
} as const satisfies Record<string, ChaosClass>;
type Operation = keyof typeof OPERATIONS;

/** The kind of an action's provider, by the action's name. */
export function classOf(action: string): ChaosClass {
  return OPERATIONS[action.replace(/^do\./, '') as Operation];
}

/** Where the providers are: one that honours keys and one that does not know any. */
export interface ProviderUrls {
  readonly honoured: string;
  readonly ignored: string;
}

/** A workflow of the chaos, and what its runs need from people and senders. */
export interface ChaosWorkflow {
  readonly name: string;
  /** How often it is drawn. */
  readonly weight: number;
  /** Its runs wait for people and senders. */
  readonly isAttended: boolean;
  readonly text: string;
}

interface Parts {
  readonly name: string;
  readonly weight: number;
  readonly head?: readonly string[];
  readonly actions: readonly Operation[];
  readonly steps: readonly string[];
}

const CALL_RETRY = 'retry: { attempts: 30, delay: 500ms, cap: 4s }';
const call = (id: Operation, more = ''): string =>
  `- { id: ${id}, call: do.${id}, with: { no: =input.no }, ${CALL_RETRY}${more} }`;

function workflowOf({ name, weight, head = [], actions, steps }: Parts, urls: ProviderUrls): ChaosWorkflow {
  const undoOf = (operation: Operation): Operation | null =>
    actions.find((other) => other === `un${operation}`) ?? null;
  const lines = actions.flatMap((operation) =>
    actionLines({ name: operation, kind: OPERATIONS[operation], undo: undoOf(operation) }),
  );
  const text = [
    'pawl: 1',
    `workflow: ${name}`,
    'version: 1',
    'key: input.no',
    'timeout: 1h',
    'input: { type: object, required: [no], properties: { no: { type: string } } }',
    ...head,
    'actions:',
    ...lines,
    'steps:',
    ...steps.map((line) => `  ${line}`),
    '',
  ].join('\n');
  const homed = text.replaceAll(/http:\/\/provider\/(\w+)/g, (_, operation: Operation) => {
    const isHonoured = OPERATIONS[operation] === 'key' || OPERATIONS[operation] === 'key+lookup';
    return `${isHonoured ? urls.honoured : urls.ignored}/${operation}`;
  });
  return { name, weight, isAttended: head.length > 0, text: homed };
}

/** One payment each, for kills: with a provider that honours keys, one that can be asked, and one that does neither. */
export function paymentWorkflows(urls: ProviderUrls): readonly ChaosWorkflow[] {
  const pay = (name: string, operation: Operation, weight: number): ChaosWorkflow =>
    workflowOf({ name, weight, actions: [operation], steps: [call(operation)] }, urls);
  return [pay('pay-key', 'paybykey', 3), pay('pay-lookup', 'paybylookup', 3), pay('pay-blind', 'payblind', 2)];
}

/** Everything at once: sagas that are undone, people, timers, letters. */
export function chaosWorkflows(urls: ProviderUrls): readonly ChaosWorkflow[] {
  return [
    workflowOf(
      {
        name: 'order',
        weight: 5,
        actions: ['reserve', 'unreserve', 'charge', 'uncharge', 'pack', 'unpack', 'invoice', 'uninvoice', 'ship'],
        steps: [call('reserve'), call('charge'), call('pack'), call('invoice'), call('ship')],
      },
      urls,
    ),
    workflowOf({ name: 'gift', weight: 2, actions: ['tip'], steps: [call('tip')] }, urls),
    workflowOf(
      {
        name: 'case',
        weight: 3,
        head: ['events: { parcel: { schema: { type: object } } }'],
        actions: ['refund', 'invoice'],
        steps: [
          call('invoice'),
          '- { id: rest, wait: 1s }',
          '- { id: parcel, await: parcel, timeout: 50m }',
          '- { id: decision, approve: Refund it, from: [role:approver], expires: 50m }',
          call('refund', ', authorizedBy: decision'),
        ],
      },
      urls,
    ),
  ];
}

/** What a provider does with calls while nothing is healed, beside `ok`. */
const TROUBLE = ['lost-done', 'lost-done', 'lost-not-done', 'late-done', 'unreadable-done', 'hang', '503'] as const;
const WORDS = 300;

/** Scripts for every operation: `share` of the calls meet trouble; the last operation of an order is often declined. */
export function troubledScripts(random: Random, share: number): ScriptTexts {
  const word = (operation: string): string => {
    if (random.next() < share) return random.pick(TROUBLE);
    return operation === 'ship' && random.next() < 0.4 ? 'declined' : 'ok';
  };
  const script = (operation: string): readonly string[] => Array.from({ length: WORDS }, () => word(operation));
  return Object.fromEntries(Object.keys(OPERATIONS).map((operation) => [operation, script(operation)]));
}

/** Everything is done and answered. */
export function healedScripts(): ScriptTexts {
  return Object.fromEntries(Object.keys(OPERATIONS).map((operation) => [operation, 'ok']));
}
