import type { Verbs } from '../../../src/app/verbs.ts';
import type { PawlError } from '../../../src/model/errors.ts';
import type { RunView } from '../../../src/engine/run-view.ts';
import { type ActionClass, actionLines } from '../../../src/testing/simulator/action-classes.ts';
import { parseScript, type Script } from '../../../src/testing/provider/script.ts';

/** Asks processes until one answers; what is refused for good is an answer. */
export type Ask = <T>(act: (verbs: Verbs) => Promise<T>) => Promise<T | PawlError>;

/** A run of one workflow, what its provider does, and what people and senders do. */
export interface Story {
  readonly name: string;
  readonly text: string;
  readonly kinds: Readonly<Record<string, ActionClass>>;
  readonly scripts: Readonly<Record<string, Script>>;
  /** A provider that did not do it, where a person's word is then final: the other way the story may end. */
  readonly undone: Readonly<Record<string, Script>> | null;
  /** The end that it must have. */
  readonly ends: RunView['status'];
  /** Does what has to be done from outside as the run is now; every act is safe to repeat. */
  attend(ask: Ask, run: RunView): Promise<void>;
}

interface Parts {
  readonly name: string;
  readonly head?: readonly string[];
  /** Operation -> kind of its provider; those with an undo have it under `un<name>`. */
  readonly kinds: Readonly<Record<string, ActionClass>>;
  /** Lines of actions that no provider carries out. */
  readonly more?: readonly string[];
  readonly script?: Readonly<Record<string, string>>;
  readonly undone?: Readonly<Record<string, string>>;
  readonly steps: readonly string[];
  readonly ends?: RunView['status'];
  readonly attend?: Story['attend'];
}

function scriptsOf(texts: Readonly<Record<string, string>>): Readonly<Record<string, Script>> {
  return Object.fromEntries(
    Object.entries(texts).map(([operation, words]) => [operation, parseScript(operation, words)]),
  );
}

function storyOf({
  name,
  head = [],
  kinds,
  more = [],
  script = {},
  undone,
  steps,
  ends = 'COMPLETED',
  attend,
}: Parts): Story {
  const actions = Object.entries(kinds).flatMap(([action, kind]) =>
    actionLines({ name: action, kind, undo: `un${action}` in kinds ? `un${action}` : null }),
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
    ...actions,
    ...more,
    'steps:',
    ...steps.map((line) => `  ${line}`),
    '',
  ].join('\n');
  return {
    name,
    text,
    kinds,
    scripts: scriptsOf(script),
    undone: undone === undefined ? null : scriptsOf(undone),
    ends,
    attend: attend ?? (() => Promise.resolve()),
  };
}

/** A step that calls; what certainly did not happen is tried again. */
const call = (id: string, more = ''): string =>
  `- { id: ${id}, call: do.${id}, with: { no: =input.no }, retry: { attempts: 9, delay: 1s }${more} }`;

const ANA = { principal: 'ana', roles: ['approver'] };

/** The stories of the engine's tests, each with providers of several kinds. */
export const STORIES: readonly Story[] = [
  storyOf({
    name: 'completes',
    kinds: { reserve: 'key', charge: 'lookup', ship: 'natural' },
    steps: [call('reserve'), call('charge'), call('ship')],
  }),
  storyOf({
    name: 'compensates',
    kinds: { reserve: 'key+lookup', unreserve: 'key', charge: 'lookup', uncharge: 'lookup', ship: 'key' },
    script: { ship: 'declined' },
    steps: [call('reserve'), call('charge'), call('ship')],
    ends: 'COMPENSATED',
  }),
  storyOf({
    name: 'approval',
    kinds: { prepare: 'lookup', refund: 'key' },
    steps: [
      call('prepare'),
      '- { id: decision, approve: Refund it, from: [role:approver], expires: 50m }',
      call('refund', ', authorizedBy: decision'),
    ],
    attend: async (ask, { id, approvals }) => {
      const open = approvals.find(({ state }) => state === 'open');
      if (open === undefined) return;
      const { subjectHash } = open;
      await ask((verbs) => verbs.vote(id, { approval: null, decision: 'approve', subjectHash, comment: null, ...ANA }));
    },
  }),
  storyOf({
    name: 'timer-and-event',
    head: ['events: { paid: { schema: { type: object } } }'],
    kinds: { open: 'key', settle: 'lookup' },
    steps: [call('open'), '- { id: rest, wait: 1s }', '- { id: paid, await: paid, timeout: 50m }', call('settle')],
    attend: async (ask, { id, waitingFor }) => {
      if (!waitingFor.some(({ kind }) => kind === 'event')) return;
      const letter = { name: 'paid', data: { sum: 7 }, source: 'psp', eventId: 'paid-1', by: 'psp', waitMs: 0 };
      await ask((verbs) => verbs.signal(id, letter));
    },
  }),
  storyOf({
    name: 'lost-payment',
    kinds: { charge: 'key', bill: 'lookup', tax: 'natural' },
    script: { charge: 'lost-done then ok', bill: 'lost-done then ok', tax: 'lost-not-done then ok' },
    steps: [call('charge'), call('bill'), call('tax')],
  }),
  storyOf({
    name: 'no-memory',
    kinds: { tip: 'none' },
    script: { tip: 'lost-done' },
    undone: { tip: 'lost-not-done' },
    steps: [call('tip')],
  }),
  storyOf({
    name: 'statements',
    kinds: { reserve: 'key+lookup', unreserve: 'key', ship: 'key' },
    more: [
      '  books.take: { sql: INSERT INTO public.taken VALUES (:no), compensate: { call: books.give, with: { no: =effect.input.no } } }',
      '  books.give: { sql: INSERT INTO public.given VALUES (:no), compensate: none }',
    ],
    script: { ship: 'declined' },
    steps: [call('reserve'), '- { id: take, call: books.take, with: { no: =input.no } }', call('ship')],
    ends: 'COMPENSATED',
  }),
];
