import { childPointer } from '../../definition/source-map.ts';
import type { Json } from '../../model/json.ts';
import { checkName, durationAt, type ScenarioContext, TESTER } from './scenario-context.ts';
import type { EventYaml } from './test-file.ts';
import type { OutsideAct, OutsideEvent } from './test-scenario.ts';
import { plainLabel, type WorkflowNames } from './workflow-names.ts';

/** What an event is made from. */
interface EventSource {
  readonly event: EventYaml;
  /** The scenario's own input. */
  readonly input: Json;
}

/** A vote that does not say which approval it is for; no step is called so. */
const ANY = 'any';

/** Keys that only some acts have. */
const OWN_KEYS: Readonly<Record<string, readonly string[]>> = {
  child: ['signal', 'approve', 'deny', 'cancel', 'terminate', 'compensate', 'retry', 'resolve'],
  data: ['signal'],
  id: ['signal'],
  source: ['signal'],
  roles: ['approve', 'deny', 'resolve'],
  form: ['approve'],
  as: ['resolve'],
  evidence: ['resolve'],
  output: ['resolve'],
  input: ['start'],
};

function checkKeys(context: ScenarioContext, pointer: string, event: EventYaml): void {
  for (const [key, acts] of Object.entries(OWN_KEYS)) {
    if (!Object.hasOwn(event, key) || acts.some((act) => Object.hasOwn(event, act))) continue;
    context.report({
      code: 'PAWL-115',
      pointer: childPointer(pointer, key),
      at: 'key',
      message: `\`${key}\` belongs to ${acts.map((act) => `\`${act}\``).join(', ')}`,
      help: 'leave it out',
    });
  }
  for (const key of event.resolve === undefined ? [] : ['as', 'evidence']) {
    if (Object.hasOwn(event, key)) continue;
    context.report({ code: 'PAWL-102', pointer, message: `a \`resolve\` needs \`${key}\``, help: `add \`${key}:\`` });
  }
}

function orderOf(event: EventYaml, by: string): OutsideAct | null {
  for (const order of ['cancel', 'terminate', 'compensate'] as const) {
    const reason = event[order];
    if (reason !== undefined) return { kind: 'order', order, reason, by };
  }
  return null;
}

function voteOf({ approve, deny, roles = [], form }: EventYaml, by: string): OutsideAct | null {
  const step = approve ?? deny;
  if (step === undefined) return null;
  return {
    kind: 'vote',
    step: step === ANY ? null : step,
    decision: approve === undefined ? 'deny' : 'approve',
    by,
    roles,
    form,
  };
}

function signalOf({ signal, data = {}, id, source = 'test' }: EventYaml, by: string): OutsideAct | null {
  return signal === undefined ? null : { kind: 'signal', name: signal, data, id: id ?? null, source, by };
}

function resolveOf(event: EventYaml, by: string): OutsideAct | null {
  const { resolve, as = 'keep-waiting', evidence = '', output, roles = [] } = event;
  return resolve === undefined ? null : { kind: 'resolve', step: resolve, as, evidence, output, by, roles };
}

function actOf({ event, input }: EventSource): OutsideAct {
  const { by = TESTER, retry } = event;
  const act = signalOf(event, by) ?? voteOf(event, by) ?? orderOf(event, by) ?? resolveOf(event, by);
  if (act !== null) return act;
  if (retry !== undefined) return { kind: 'retry', step: retry, by };
  return event.start === undefined
    ? { kind: 'worker', isUp: event.worker === 'up' }
    : { kind: 'start', input: event.input ?? input };
}

/** The names of the run that an event is for: of the child, if it is for one. */
function namesFor(context: ScenarioContext, pointer: string, { child }: EventYaml): WorkflowNames | null {
  const { names } = context;
  if (child === undefined) return names;
  const step = plainLabel(child);
  checkName(context, childPointer(pointer, 'child'), step, { known: [...names.children.keys()], what: 'child' });
  return names.children.get(step) ?? null;
}

function checkNames(context: ScenarioContext, pointer: string, event: EventYaml): void {
  const names = namesFor(context, pointer, event);
  if (names === null) return;
  const check = (key: 'signal' | 'approve' | 'deny' | 'retry' | 'resolve', known: readonly string[], what: string) => {
    const name = event[key];
    if (name !== undefined) checkName(context, childPointer(pointer, key), name, { known, what });
  };
  check('signal', names.events, 'event');
  check('approve', [...names.approvals, ANY], 'approval');
  check('deny', [...names.approvals, ANY], 'approval');
  check('retry', names.steps, 'step');
  check('resolve', names.steps, 'step');
}

/** Builds what somebody outside does. */
export function buildEvent(context: ScenarioContext, pointer: string, source: EventSource): OutsideEvent {
  const { event } = source;
  checkKeys(context, pointer, event);
  checkNames(context, pointer, event);
  const atMs = durationAt(context, childPointer(pointer, 'at'), event.at);
  const { answer = null, child = null } = event;
  return { pointer, atMs, act: actOf(source), child, answer };
}
