import type { ActionContract, Step, WorkflowDefinition } from '../model/definition.ts';
import { hashJson } from '../model/hash.ts';
import { KERNEL } from '../model/kernel.ts';
import type { Digest } from '../model/ids.ts';
import type { Json } from '../model/json.ts';
import type { Machine } from '../model/machine.ts';
import { everyStep } from '../model/step-lists.ts';
import type { Catalogue } from './catalogue.ts';
import { expressionsOf } from './dependencies.ts';
import { ENGINE } from './expression-engine.ts';
import { expressionPlaces } from './expression-places.ts';

/** The parts of a version that are compared one by one when a version is refused or a run is moved. */
export type DigestPart = 'graph' | 'data' | 'effects' | 'policy' | 'expr' | 'language';

/** The content digest of a version and of each of its parts, 64 hex digits each. */
export interface Digests {
  readonly digest: Digest;
  readonly parts: Readonly<Record<DigestPart, string>>;
}

/** How effect and compensation keys are made (rules E01, R13): a part of what an effect is. */
const KEY_ALGORITHMS = ['ek/1', 'ck/1'];

const hash = (value: unknown): string => hashJson(value as Json);

function dataOf(definition: WorkflowDefinition): unknown {
  const { input, constants, vars, events, actions } = definition;
  const schemas = actions.map((action) => ({ name: action.name, input: action.input, output: action.output }));
  return { input, constants, vars, events, schemas };
}

function effectOfAction(action: ActionContract): unknown {
  const { name, transport, auth, effect, idempotency, settlesWithinMs, contract, redact, compensate } = action;
  return { name, transport, auth, effect, idempotency, settlesWithinMs, contract, redact, compensate };
}

function effectOfStep(step: Step): readonly unknown[] {
  if (step.verb !== 'call') return [];
  const { id, action, object, intent, authorizedBy, pivot, compensate } = step;
  const child = step.child === undefined ? {} : { child: step.child };
  return [{ id, action, with: step.with, object, intent, authorizedBy, pivot, compensate, ...child }];
}

function policyOfAction(action: ActionContract): unknown {
  const { name, retry, timeoutMs, outcome, reconcile, maxResponseBytes } = action;
  return { name, retry, timeoutMs, outcome, reconcile, maxResponseBytes };
}

function policyOfStep(step: Step): unknown {
  const { id, timeoutMs, maxJumps } = step;
  if (step.verb === 'call')
    return { id, timeoutMs, maxJumps, retry: step.retry, onUnknown: step.onUnknown, review: step.review };
  if (step.verb !== 'approve') return { id, timeoutMs, maxJumps };
  const { from, quorum, denials, except, expires, onExpire, form } = step;
  const asked = { id, timeoutMs, maxJumps, from, quorum, denials, except, expires, onExpire };
  return form === undefined ? asked : { ...asked, form };
}

function policyOf(definition: WorkflowDefinition, steps: readonly Step[]): unknown {
  const { timeoutMs, retentionMs, onFailure, compensation, actions } = definition;
  const lock = definition.lock === undefined ? {} : { lock: definition.lock };
  const schedule = definition.schedule === undefined ? {} : { schedule: definition.schedule };
  return {
    timeoutMs,
    ...(retentionMs === undefined ? {} : { retentionMs }),
    onFailure,
    compensation,
    ...lock,
    ...schedule,
    actions: actions.map(policyOfAction),
    steps: steps.map(policyOfStep),
  };
}

function sourcesOf(definition: WorkflowDefinition): readonly (readonly [string, string])[] {
  const all = expressionPlaces(definition).flatMap((place) =>
    place.kind === 'expression' ? [place.expression] : expressionsOf(place.template),
  );
  return all.map(({ pointer, source }) => [pointer, source] as const);
}

/**
 * Digests of a machine: the whole, and six parts that say in what two versions differ. Title, description and labels
 * are outside; comments, line ends, quotes and the order of map keys make no difference, the order of lists does.
 */
export function digestsOf(machine: Machine): Digests {
  const { title: _title, description: _description, labels: _labels, ...definition } = machine.definition;
  const steps = everyStep(definition);
  return {
    digest: hash({ ...machine, definition }) as Digest,
    parts: {
      graph: hash({ root: machine.root, places: machine.places }),
      data: hash(dataOf(machine.definition)),
      effects: hash({
        keys: KEY_ALGORITHMS,
        secrets: definition.secrets,
        key: definition.key,
        actions: definition.actions.map(effectOfAction),
        steps: steps.flatMap(effectOfStep),
      }),
      policy: hash(policyOf(machine.definition, steps)),
      expr: hash(sourcesOf(machine.definition)),
      // What computes and moves a run: other engines may give other values for the same text.
      language: hash({ pawl: definition.pawl, format: machine.format, expressions: ENGINE, kernel: KERNEL }),
    },
  };
}

/** The content of a catalogue as it is stored, with a digest of the whole and of each action. */
export interface CatalogueDigests {
  readonly content: Json;
  readonly digest: Digest;
  /** By action, and `secrets`: what differs can be named. */
  readonly parts: Readonly<Record<string, string>>;
}

/** Digests of a catalogue; title and description are outside, as of a workflow. */
export function digestsOfCatalogue({ name, version, secrets, actions }: Catalogue): CatalogueDigests {
  const content = { pawl: 1, catalogue: name, version, secrets, actions } as unknown as Json;
  const parts = actions.map((action) => [action.name, hash(action)] as const);
  return {
    content,
    digest: hash(content) as Digest,
    parts: { ...Object.fromEntries(parts), secrets: hash(secrets) },
  };
}
