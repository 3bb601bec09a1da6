import type { EventDeclaration, ScheduleDefinition, WorkflowDefinition } from '../model/definition.ts';
import type { JsonObject } from '../model/json.ts';
import { everyStep } from '../model/step-lists.ts';
import { buildAction } from './build-action.ts';
import {
  type BuildContext,
  membersOf,
  readDuration,
  readExpression,
  readObject,
  readSchema,
  readTemplate,
  readTexts,
} from './build-context.ts';
import { RETRY_COMPENSATION, readHandlers, readOrder, readRetry } from './build-policy.ts';
import { childContracts } from './build-child.ts';
import { buildSteps } from './build-step.ts';
import { type FormReading, readForm } from './form/read-form.ts';
import { child, entriesOf, isObject, numberOf, textOf, wordOf, type YamlNode } from './yaml-node.ts';

const KEEP_MS = 7 * 24 * 3_600_000;

function readKey(context: BuildContext, node: YamlNode | null): WorkflowDefinition['key'] {
  const again = wordOf(child(node, 'again'), ['never', 'afterFailure'] as const, 'never');
  const value = readExpression(context, child(node, 'value') ?? node);
  return value === null ? null : { value, again };
}

type Starting = Pick<WorkflowDefinition, 'lock' | 'schedule'>;

/** Nothing where the file names no lock: a file without it has the digest that it always had. */
function readLock(context: BuildContext, node: YamlNode | null): Pick<Starting, 'lock'> {
  const name = readTemplate(context, child(node, 'name') ?? node);
  return name === null ? {} : { lock: { name, limit: numberOf(child(node, 'limit')) ?? 1 } };
}

/** What decides when a run begins. Runs of a schedule that queue do so behind a lock of their workflow's own. */
function readStarting(context: BuildContext, root: YamlNode): Starting {
  const lock = readLock(context, child(root, 'lock'));
  const schedule = readSchedule(context, child(root, 'schedule'));
  if (schedule === null) return lock;
  const name = `schedule/${textOf(child(root, 'workflow')) ?? ''}`;
  const own: Starting = { lock: { name: { kind: 'literal', value: name }, limit: 1 } };
  return { ...(schedule.overlap === 'queue' ? own : {}), ...lock, schedule };
}

function readSchedule(context: BuildContext, node: YamlNode | null): ScheduleDefinition | null {
  const cron = textOf(child(node, 'cron'));
  if (cron === null) return null;
  return {
    cron,
    timezone: textOf(child(node, 'timezone')) ?? 'UTC',
    input: readTemplate(context, child(node, 'input')) ?? { kind: 'literal', value: {} },
    overlap: wordOf(child(node, 'overlap'), ['skip', 'queue', 'allow'] as const, 'skip'),
    catchUp: wordOf(child(node, 'catchUp'), ['one', 'all', 'none'] as const, 'one'),
  };
}

/** Nothing where the file does not say: it has the digest that it always had. */
function readRetention(context: BuildContext, node: YamlNode | null): Pick<WorkflowDefinition, 'retentionMs'> {
  const retentionMs = readDuration(context, node, null);
  return retentionMs === null ? {} : { retentionMs };
}

function readEvents(context: BuildContext, node: YamlNode | null): readonly EventDeclaration[] {
  return membersOf(node).map(([name, event]) => {
    const sequence = readExpression(context, child(event, 'sequence'));
    return {
      name,
      schema: readSchema(child(event, 'schema')),
      source: textOf(child(event, 'source')),
      by: readExpression(context, child(event, 'by')),
      ...(sequence === null ? {} : { sequence }),
      keepMs: readDuration(context, child(event, 'keep'), KEEP_MS),
    };
  });
}

function readVars(node: YamlNode | null): readonly (readonly [string, JsonObject])[] {
  return membersOf(node).map(([name, schema]) => [name, isObject(schema.value) ? schema.value : {}] as const);
}

/** Keys of steps that hold data: an `id` in it is no step's. */
const DATA_KEYS: ReadonlySet<string> = new Set([
  'with',
  'set',
  'object',
  'intent',
  'subject',
  'form',
  'data',
  'output',
  'fail',
  'end',
]);

/** All ids that the author wrote, wherever steps may stand. */
function collectIds(node: YamlNode | null, ids: Set<string>): void {
  const id = textOf(child(node, 'id'));
  if (id !== null) ids.add(id);
  for (const [key, value] of entriesOf(node)) if (!DATA_KEYS.has(key)) collectIds(value, ids);
  if (node !== null && Array.isArray(node.value)) {
    node.value.forEach((value, index) => {
      collectIds({ value, pointer: `${node.pointer}/${index}` }, ids);
    });
  }
}

/** What a file says instead of steps; null where it has them. */
function readMachine(context: BuildContext, root: YamlNode): FormReading | null {
  const machine = child(root, 'machine');
  if (machine === null || !isObject(machine.value)) return null;
  const on = child(root, 'on');
  if (on !== null)
    context.report({
      code: 'PAWL-263',
      pointer: on.pointer,
      at: 'key',
      message: '`on` of the document belongs to steps: a machine says itself what it takes at any time',
      help: 'write it as `on` of the machine, beside its `states`',
    });
  return readForm(context, machine);
}

/** Builds the normalized definition: plain data, every default filled in. What the schema refused is passed over. */
export function buildWorkflow(context: BuildContext, root: YamlNode): WorkflowDefinition {
  collectIds(child(root, 'steps'), context.ids);
  collectIds(child(root, 'finally'), context.ids);
  const compensation = child(root, 'compensation');
  const on = readHandlers(context, child(root, 'on'));
  const machine = readMachine(context, root);
  const steps = machine?.steps ?? buildSteps(context, child(root, 'steps'));
  const last = buildSteps(context, child(root, 'finally'));
  const actions = membersOf(child(root, 'actions')).map(([name, action]) => buildAction(context, name, action));
  return {
    pawl: 1,
    workflow: textOf(child(root, 'workflow')) ?? '',
    version: numberOf(child(root, 'version')) ?? 0,
    title: textOf(child(root, 'title')),
    description: textOf(child(root, 'description')),
    labels: readObject(root, 'labels'),
    key: readKey(context, child(root, 'key')),
    ...readStarting(context, root),
    input: readSchema(child(root, 'input')),
    constants: readObject(root, 'constants'),
    vars: readVars(child(root, 'vars')),
    secrets: readTexts(child(root, 'secrets')),
    events: readEvents(context, child(root, 'events')),
    actions: [...actions, ...childContracts(everyStep({ steps, finally: last }), actions)],
    timeoutMs: readDuration(context, child(root, 'timeout'), null),
    ...readRetention(context, child(root, 'retention')),
    onFailure: wordOf(child(root, 'onFailure'), ['compensate', 'hold'] as const, 'compensate'),
    compensation: {
      order: readOrder(child(compensation, 'order')) ?? 'reverse',
      onFailure: wordOf(child(compensation, 'onFailure'), ['hold', 'continue'] as const, 'hold'),
      retry: readRetry(context, child(compensation, 'retry'), RETRY_COMPENSATION) ?? RETRY_COMPENSATION,
    },
    ...(on.length === 0 ? {} : { on }),
    steps,
    ...(last.length === 0 ? {} : { finally: last }),
    ...(machine === null ? {} : { machine: machine.form }),
    output: readTemplate(context, child(root, 'output')),
  };
}
