import type { ActionContract, CallStep, ChildTemplate, Compensation, Step, StepBase } from '../model/definition.ts';
import { type ChildReference, parseChildReference } from '../model/child.ts';
import { type BuildContext, readExpression, readTemplate } from './build-context.ts';
import { RETRY_WRITE, readCompensation } from './build-policy.ts';
import { child, textOf, type YamlNode } from './yaml-node.ts';

/** The version that the `child` of a step names; null where it cannot be read (told by the schema). */
export function readChild(node: YamlNode): ChildReference | null {
  return parseChildReference(textOf(child(node, 'child')) ?? '');
}

/** A child is a call: its action is the version that it names. */
export function buildChild(context: BuildContext, base: StepBase, node: YamlNode): CallStep {
  const detach = child(node, 'detach')?.value === true;
  return {
    ...base,
    verb: 'call',
    child: { key: readExpression(context, child(node, 'key')), detach },
    action: textOf(child(node, 'child')) ?? '',
    with: readTemplate(context, child(node, 'with')),
    object: null,
    intent: null,
    authorizedBy: null,
    retry: null,
    pivot: child(node, 'pivot')?.value === true,
    compensate: detach ? { kind: 'none' } : readCompensation(context, child(node, 'compensate')),
    onUnknown: null,
    review: null,
  };
}

/** The name under which a version is undone. */
function undoName(name: string): string {
  return `undo ${name}`;
}

/** What starting and undoing a run have in common: nothing is lost, so nothing is resent, asked or looked up. */
function contractOf(transport: ChildTemplate, name: string, pointer: string): ActionContract {
  return {
    name,
    transport,
    auth: null,
    effect: 'write',
    idempotency: { kind: 'natural' },
    settlesWithinMs: 0,
    outcome: [],
    reconcile: null,
    compensate: null,
    retry: RETRY_WRITE,
    timeoutMs: 0,
    input: {},
    output: {},
    maxResponseBytes: 0,
    redact: [],
    contract: transport.version,
    pointer,
  };
}

/** A version that is named as a child, and where. */
interface Naming {
  readonly action: string;
  readonly pointer: string;
}

function contractsOf({ action, pointer }: Naming): readonly ActionContract[] {
  const reference = parseChildReference(action);
  if (reference === null) return [];
  const start = contractOf({ kind: 'child', act: 'start', ...reference }, action, pointer);
  const undo = contractOf({ kind: 'child', act: 'undo', ...reference }, undoName(action), pointer);
  const expression = { source: 'effect.receipt.externalId', pointer, offset: 0 };
  return [
    {
      ...start,
      compensate: {
        kind: 'call',
        action: undo.name,
        with: { kind: 'map', entries: [['run', { kind: 'expression', expression }]] },
        object: null,
        retry: null,
        timeoutMs: null,
        onFailure: null,
        pointer,
      },
    },
    undo,
  ];
}

function namedBy(compensation: Compensation | null): readonly Naming[] {
  if (compensation?.kind !== 'call') return [];
  return [{ action: compensation.action, pointer: `${compensation.pointer}/child` }];
}

function namedIn(step: Step): readonly Naming[] {
  if (step.verb !== 'call') return [];
  const own = step.child === undefined ? [] : [{ action: step.action, pointer: `${step.pointer}/child` }];
  return [...own, ...namedBy(step.compensate)];
}

/** The contracts of the versions that steps run as children, and that undo steps and actions, each once. */
export function childContracts(steps: readonly Step[], actions: readonly ActionContract[]): readonly ActionContract[] {
  const named = [...steps.flatMap(namedIn), ...actions.flatMap(({ compensate }) => namedBy(compensate))];
  const contracts = named.flatMap(contractsOf);
  return [...new Map([...contracts].reverse().map((contract) => [contract.name, contract])).values()].reverse();
}
