import type { Json, JsonObject } from '../../../src/model/json.ts';
import { actionsOf, type Sending, sending } from './executable.ts';
import { conditionOf, flagOf } from './ecmascript.ts';
import { type Element, parseXml } from './xml.ts';

/** A document of SCXML as a machine of ours: its config, and the vars that it keeps. */
export interface ScxmlMachine {
  readonly machine: JsonObject;
  readonly vars: Readonly<Record<string, JsonObject>>;
}

/** What is known of the whole document while it is read. */
export interface Document {
  readonly data: Set<string>;
  readonly vars: Record<string, JsonObject>;
  /** States whose activity a condition asks for. */
  readonly watched: ReadonlySet<string>;
  /** Names that events have anywhere in it. */
  readonly events: ReadonlySet<string>;
  /** Events that are sent: regions of their own, in the order of the document. */
  readonly sendings: Sending[];
  /** What stands before the names of events of an invoked document. */
  readonly prefix: string;
}

const STATES = ['state', 'parallel', 'final', 'history'];

/** Our name of a state. */
export function nameOf(id: string): string {
  return `s_${id.replace(/\W/g, '_')}`;
}

function all(element: Element): readonly Element[] {
  return [element, ...element.children.flatMap(all)];
}

function inside(element: Element, ...names: readonly string[]): readonly Element[] {
  return element.children.filter(({ name }) => names.includes(name));
}

/** Reads SCXML as the tests of the standard use it. @throws for what the language of machines cannot say. */
export function readScxml(source: string): ScxmlMachine {
  const root = parseXml(source);
  const document = documentOf(root);
  const main = stateOf(document, root, 's_main');
  if (document.sendings.length === 0) return { machine: main, vars: document.vars };
  const regions = document.sendings.map((sending) => [sending.name, regionOf(sending)] as const);
  return {
    machine: { type: 'parallel', states: { s_main: main, ...Object.fromEntries(regions) } },
    vars: document.vars,
  };
}

function documentOf(root: Element): Document {
  const elements = all(root);
  const vars: Record<string, JsonObject> = {};
  const watched = new Set(
    elements.flatMap(({ attributes: { cond = '' } }) =>
      [...cond.matchAll(/In\('([^']+)'\)/g)].map(([, id = '']) => id),
    ),
  );
  for (const id of watched) vars[flagOf(id)] = { default: false };
  const data = new Set<string>();
  for (const { attributes, name } of elements) {
    if (name !== 'data') continue;
    const { id = '', expr } = attributes;
    data.add(id);
    vars[id] = expr === undefined ? {} : { default: literalOf(expr) };
  }
  const events = new Set(
    elements.flatMap(({ attributes: { event = '' } }) => event.split(/\s+/)).filter((name) => name !== ''),
  );
  return { data, vars, watched, events, sendings: [], prefix: '' };
}

function literalOf(expr: string): Json {
  if (/^'[^']*'$/.test(expr)) return expr.slice(1, -1);
  if (expr === '_sessionid') return 'here';
  return JSON.parse(expr) as Json;
}

function stateOf(document: Document, element: Element, name: string): JsonObject {
  const { id } = element.attributes;
  const inner = inside(element, ...STATES);
  const invoke = inside(element, 'invoke')[0];
  const flag = id !== undefined && document.watched.has(id) ? flagOf(id) : null;
  const config: Record<string, Json> = {
    id: name,
    entry: [
      ...(flag === null ? [] : [assign(flag, true)]),
      ...inside(element, 'onentry').flatMap((one) => actionsOf(document, one)),
    ],
    exit: [
      ...inside(element, 'onexit').flatMap((one) => actionsOf(document, one)),
      ...(flag === null ? [] : [assign(flag, false)]),
    ],
    ...transitionsOf(document, element),
  };
  const body = bodyOf(document, element, inner);
  const holds = inner.length > 0 || invoke !== undefined;
  const done =
    holds && id !== undefined && isAsked(document, `done.state.${id}`)
      ? { onDone: { actions: raise(`done.state.${id}`) } }
      : {};
  if (invoke === undefined) return { ...config, ...body, ...done };
  return {
    ...config,
    type: 'parallel',
    states: { [`${name}_own`]: body, [`${name}_child`]: childOf(document, invoke, name) },
  };
}

function bodyOf(document: Document, element: Element, inner: readonly Element[]): JsonObject {
  if (element.name === 'final') return { type: 'final' };
  if (inner.length === 0) return {};
  const states = inner.map((child, index) => {
    const name = nameOf(child.attributes['id'] ?? `${element.attributes['id'] ?? 'root'}_${index}`);
    return [name, child.name === 'history' ? historyOf(child, name) : stateOf(document, child, name)] as const;
  });
  if (element.name === 'parallel') return { type: 'parallel', states: Object.fromEntries(states) };
  return { initial: initialOf(element, inner), states: Object.fromEntries(states) };
}

function initialOf(element: Element, inner: readonly Element[]): string {
  const transition = inside(element, 'initial')[0]?.children[0];
  const first = inner.find(({ name }) => name !== 'history') ?? inner[0];
  return nameOf(element.attributes['initial'] ?? transition?.attributes['target'] ?? first?.attributes['id'] ?? '');
}

function historyOf(element: Element, name: string): JsonObject {
  const target = inside(element, 'transition')[0]?.attributes['target'] ?? '';
  return { id: name, type: 'history', history: element.attributes['type'] ?? 'shallow', target: `#${nameOf(target)}` };
}

/** An invoked document as a region: it ends with the state that invokes it, and its events have names of their own. */
function childOf(document: Document, invoke: Element, name: string): JsonObject {
  const root = all(invoke).find((element) => element.name === 'scxml');
  if (root === undefined) throw new Error('an invoke without a document');
  const before = document.sendings.length;
  const child = stateOf({ ...document, prefix: 'child.' }, root, `${name}_session`);
  const late = document.sendings.slice(before).filter(({ delay }) => delay !== '0');
  const cancels = late.map((sending) => assign(sending.name, 2));
  const done = sending(document, {
    raises: [raise(`done.invoke.${invoke.attributes['id'] ?? name}`)],
    delay: '0',
    id: null,
  });
  return {
    ...child,
    exit: [...((child['exit'] ?? []) as readonly Json[]), ...cancels],
    onDone: { actions: [...cancels, assign(done, 1)] },
  };
}

function isAsked(document: Document, event: string): boolean {
  return [...document.events].some(
    (name) => name === '*' || event === name || event.startsWith(`${name.replace(/\.\*$/, '')}.`),
  );
}

/**
 * Transitions by the names of their events; where one name can stand for others they are all read as one list in the order of
 * the document, which then decides, as the standard wants it.
 */
function transitionsOf(document: Document, element: Element): JsonObject {
  const always: Json[] = [];
  const listed: (readonly [string, JsonObject])[] = [];
  for (const transition of inside(element, 'transition')) {
    const { event, cond, target, type } = transition.attributes;
    const targets = target?.split(/\s+/).map((id) => `#${nameOf(id)}`) ?? [];
    const isInternal = type === 'internal' && (element.name === 'state' || element.name === 'scxml');
    const config = {
      ...(targets.length === 0 ? {} : { target: targets, reenter: !isInternal }),
      ...(cond === undefined ? {} : { guard: conditionOf(cond, document.data) }),
      actions: actionsOf(document, transition),
    };
    if (event === undefined) always.push(config);
    else for (const one of event.trim().split(/\s+/)) listed.push([one, config]);
  }
  const isPlain = listed.every(([event]) => !event.includes('*') && !isPrefix(document, event));
  const on = isPlain
    ? byName(document, listed)
    : { '*': listed.map(([event, config]) => guarded(document, event, config)) };
  return { ...(always.length === 0 ? {} : { always }), ...(listed.length === 0 ? {} : { on }) };
}

function isPrefix(document: Document, event: string): boolean {
  return event === 'done.invoke' || [...document.events].some((name) => name.startsWith(`${event}.`));
}

function byName(document: Document, listed: readonly (readonly [string, JsonObject])[]): JsonObject {
  const on: Record<string, Json[]> = {};
  for (const [event, config] of listed) {
    const name = `${document.prefix}${event}`;
    on[name] = [...(on[name] ?? []), config];
  }
  return on;
}

function guarded(document: Document, event: string, config: JsonObject): JsonObject {
  const words = `${document.prefix}${event.replace(/\.?\*$/, '')}`;
  const isNamed = event === '*' ? 'true' : `(event.name == "${words}" || event.name.startsWith("${words}."))`;
  const { guard } = config;
  return { ...config, guard: typeof guard === 'string' ? `${isNamed} && (${guard})` : isNamed };
}

/** An event that is sent: after its delay it is there like one from outside. */
function regionOf({ name, delay, raises }: Sending): JsonObject {
  const begins = { guard: `vars.${name} == 1.0`, target: `#${name}_waiting`, reenter: true };
  return {
    id: name,
    initial: `${name}_idle`,
    states: {
      [`${name}_idle`]: { id: `${name}_idle`, always: begins },
      [`${name}_waiting`]: {
        id: `${name}_waiting`,
        entry: assign(name, 0),
        always: [begins, { guard: `vars.${name} == 2.0`, target: `#${name}_idle` }],
        after: { [delay]: { target: `#${name}_idle`, actions: raises } },
      },
    },
  };
}

function assign(name: string, value: Json): JsonObject {
  return { type: 'assign', params: { [name]: value } };
}

function raise(event: string): JsonObject {
  return { type: 'raise', params: { event } };
}
