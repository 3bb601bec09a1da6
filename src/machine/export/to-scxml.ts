import { canonicalJson } from '../../model/canonical-json.ts';
import type { Json } from '../../model/json.ts';
import type { ActionRef, GuardRef, Machine, MachineEdge, MachineState } from '../../model/machine.ts';
import { ASSIGN_NAMES } from '../assigns.ts';

/**
 * A machine as SCXML: states and transitions as they are, guards and data actions as calls in ECMAScript of the functions that
 * whoever runs it provides, commands as events sent to the processor `pawl`.
 */
export function toScxml(machine: Machine): string {
  const { root } = machine;
  const { workflow, version } = machine.definition;
  const start = root.initial === null ? '' : ` initial="${idOf(root.initial)}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="ecmascript" name="${workflow}@${version}"${start}>`,
    ...root.states.flatMap((state) => stateLines(state, '  ')),
    '</scxml>',
    '',
  ].join('\n');
}

/** A `$` or a `@` has no place in an XML name; an author's id has neither `-` nor `.` nor a `_` at its beginning. */
function idOf(id: string): string {
  return id.replace(/^\$/, '_').replaceAll('$', '-').replaceAll('@', '.');
}

function stateLines(state: MachineState, indent: string): readonly string[] {
  const name = state.kind === 'parallel' ? 'parallel' : 'state';
  const initial = state.kind === 'compound' && state.initial !== null ? ` initial="${idOf(state.initial)}"` : '';
  const inner = [
    ...blockLines('onentry', state.entry, `${indent}  `),
    ...blockLines('onexit', state.exit, `${indent}  `),
    ...state.edges.flatMap((edge) => edgeLines(state, edge, `${indent}  `)),
    ...state.states.flatMap((child) => stateLines(child, `${indent}  `)),
  ];
  return element(`${name} id="${idOf(state.id)}"${initial}`, name, { inner, indent });
}

function edgeLines(state: MachineState, edge: MachineEdge, indent: string): readonly string[] {
  const said = [
    ['event', edge.event],
    ['cond', edge.guard === null ? null : callOf(edge.guard)],
    ['target', edge.target === null ? null : idOf(edge.target)],
    ['type', edge.target === null || edge.target === state.id ? null : 'internal'],
  ] as const;
  const head = said.flatMap(([key, value]) => (value === null ? [] : [` ${key}="${escapeXml(value)}"`])).join('');
  return element(`transition${head}`, 'transition', {
    inner: edge.actions.map((one) => actionLine(one, indent)),
    indent,
  });
}

function blockLines(name: string, actions: readonly ActionRef[], indent: string): readonly string[] {
  if (actions.length === 0) return [];
  return element(name, name, { inner: actions.map((one) => actionLine(one, indent)), indent });
}

function element(
  head: string,
  name: string,
  { inner, indent }: { readonly inner: readonly string[]; readonly indent: string },
): readonly string[] {
  return inner.length === 0 ? [`${indent}<${head}/>`] : [`${indent}<${head}>`, ...inner, `${indent}</${name}>`];
}

function actionLine(action: ActionRef, indent: string): string {
  if ((ASSIGN_NAMES as readonly string[]).includes(action.type))
    return `${indent}  <script>${escapeXml(callOf(action))};</script>`;
  const params = Object.entries(action.params).map(
    ([key, value]) => `<param name="${key}" expr="${escapeXml(canonicalJson(value))}"/>`,
  );
  return `${indent}  <send type="pawl" event="${action.type}">${params.join('')}</send>`;
}

/** A guard or action as a call: `settled({"step":"pay","ok":true})`; a name with a dot is a property. */
function callOf({ type, params }: GuardRef | ActionRef): string {
  return `${type}(${canonicalJson(params as Json)})`;
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
