import type { Json, JsonObject } from '../../../src/model/json.ts';
import { celOf, conditionOf, delayOf, templateOf } from './ecmascript.ts';
import type { Document } from './read-scxml.ts';
import type { Element } from './xml.ts';

/** An event that is sent to the machine itself, after a delay. */
export interface Sending {
  /** Of its region, and of the var that begins it (1) and stops it (2). */
  readonly name: string;
  /** As a key of `after`. */
  readonly delay: string;
  readonly raises: readonly JsonObject[];
  readonly id: string | null;
}

/** The executable content of an element as our actions. @param when under which condition they are done; null = always. */
export function actionsOf(document: Document, element: Element, when: string | null = null): readonly JsonObject[] {
  const under = (action: JsonObject): JsonObject => (when === null ? action : { ...action, when });
  return element.children.flatMap((child): readonly JsonObject[] => {
    const { attributes } = child;
    switch (child.name) {
      case 'raise':
        return [under(raise(`${document.prefix}${attributes['event'] ?? ''}`))];
      case 'assign':
        return [
          under(assign(attributes['location'] ?? '', templateOf(celOf(attributes['expr'] ?? '', document.data)))),
        ];
      case 'script':
        return statementsOf(document, child.text).map(under);
      case 'if':
        return branchesOf(document, child, when);
      case 'send':
        return sendOf(document, child).map(under);
      case 'cancel':
        return document.sendings
          .filter(({ id }) => id !== null && id === attributes['sendid'])
          .map(({ name }) => under(assign(name, 2)));
      default:
        return [];
    }
  });
}

function assign(name: string, value: Json): JsonObject {
  return { type: 'assign', params: { [name]: value } };
}

function raise(event: string, data?: Json): JsonObject {
  return { type: 'raise', params: data === undefined ? { event } : { event, data } };
}

/** `x *= 2;` and its like. */
function statementsOf(document: Document, text: string): readonly JsonObject[] {
  return text.split(';').flatMap((statement) => {
    const [, name = '', operator = '', value = ''] = /^\s*(\w+)\s*([*+-]?)=\s*(.+?)\s*$/s.exec(statement) ?? [];
    if (name === '') return [];
    return [assign(name, templateOf(celOf(operator === '' ? value : `${name} ${operator} ${value}`, document.data)))];
  });
}

/** Which branch it is is noted first: what a branch does must not change the conditions of the others. */
function branchesOf(document: Document, element: Element, when: string | null): readonly JsonObject[] {
  const branches: { readonly cond: string; readonly children: Element[] }[] = [];
  const begin = (cond: string | undefined): void => {
    branches.push({ cond: cond === undefined ? 'true' : conditionOf(cond, document.data), children: [] });
  };
  begin(element.attributes['cond']);
  for (const child of element.children) {
    if (child.name === 'elseif' || child.name === 'else') begin(child.attributes['cond']);
    else branches.at(-1)?.children.push(child);
  }
  const chosen = `if_${Object.keys(document.vars).length}`;
  document.vars[chosen] = { default: 0 };
  const which = branches.reduceRight((rest, { cond }, index) => `(${cond}) ? ${index + 1}.0 : (${rest})`, '0.0');
  const noted = assign(chosen, templateOf(which));
  const done = branches.flatMap(({ children }, index) =>
    actionsOf(document, { ...element, children }, `vars.${chosen} == ${index + 1}.0`),
  );
  return [when === null ? noted : { ...noted, when }, ...done];
}

function sendOf(document: Document, element: Element): readonly JsonObject[] {
  const { attributes } = element;
  const target = attributes['target'] ?? '';
  const prefix = target === '#_parent' ? '' : /^#_(?!scxml|internal)/.test(target) ? 'child.' : document.prefix;
  const params = element.children.filter(({ name }) => name === 'param');
  const name = `send_${document.sendings.length + 1}`;
  const given = params.map(
    ({ attributes: { name: key = '', expr = '' } }) => [key, celOf(expr, document.data)] as const,
  );
  for (const [key] of given) document.vars[`${name}_${key}`] = {};
  const kept = given.map(([key, cel]) => assign(`${name}_${key}`, templateOf(cel)));
  const data = Object.fromEntries(given.map(([key]) => [key, `=vars.${name}_${key}`]));
  const raises = namesOf(document, attributes).map(({ event, when }) => ({
    ...raise(`${prefix}${event}`, data),
    ...when,
  }));
  if (target === '#_internal') return [...kept, ...raises];
  const { delay, delayexpr } = attributes;
  const isVar = delayexpr !== undefined && document.data.has(delayexpr);
  const key = isVar ? `=vars.${delayexpr}` : String(delayOf(delayexpr ?? delay ?? '0'));
  return [...kept, assign(sending(document, { raises, delay: key, id: attributes['id'] ?? null }), 1)];
}

/** Makes a region of an event that is sent. @returns its name. */
export function sending(document: Document, what: Omit<Sending, 'name'>): string {
  const name = `send_${document.sendings.length + 1}`;
  document.vars[name] = { default: 0 };
  document.sendings.push({ ...what, name });
  return name;
}

/** The name of the event; one that is computed is one of those that the document knows. */
function namesOf(
  document: Document,
  { event, eventexpr }: Readonly<Record<string, string>>,
): readonly { readonly event: string; readonly when: JsonObject }[] {
  if (event !== undefined) return [{ event, when: {} }];
  const cel = celOf(eventexpr ?? '', document.data);
  return [...document.events]
    .filter((name) => !name.includes('*'))
    .map((name) => ({ event: name, when: { when: `${cel} == "${name}"` } }));
}
