import type { Expression, Template, WorkflowDefinition } from '../model/definition.ts';
import { caught } from '../model/caught.ts';
import type { Json, JsonObject } from '../model/json.ts';
import {
  compileProgram,
  ENGINE_HOST,
  parseSource,
  type Program,
  ProgramFault,
  SyntaxFault,
} from './expression-engine.ts';
import { bindValue, fieldType, type Reads } from './expression/bind-value.ts';
import { ExpressionFault } from './expression/expression-fault.ts';
import { ExpressionRefusal } from './expression/expression-refusal.ts';
import { describeFault } from './expression/fault-words.ts';
import { jsonOf, jsonText, textOf } from './expression/json-value.ts';
import { type Lowered, lowerExpression, originOf, UnknownFunction } from './expression/lower-expression.ts';
import { readPaths, readsOf } from './expression/read-paths.ts';
import { holdsTime, recordedValue } from './expression/recorded-value.ts';
import { createTypeScope, type RootTypes, type TypeScope } from './expression/root-types.ts';
import { type Site, siteKey } from './expression/site.ts';
import { DYN, type ValueType } from './expression/value-type.ts';

export type { Site } from './expression/site.ts';

/**
 * The roots of an expression and their values. Times are numbers of milliseconds at the places that the design calls times
 * (`run.startedAt`, `steps.x.at`, `steps.x.output.firedAt` of a wait, `event.receivedAt`): expressions see timestamps there, and
 * what is rendered is RFC 3339 text.
 */
export type Scope = Readonly<Record<string, Json | undefined>>;

/** Computes the expressions of one definition, each compiled once. Pure: no clock, no randomness, no I/O. */
export interface Evaluator {
  /**
   * The value as JSON: timestamps become RFC 3339 text in UTC, durations `90s` or `1500ms`, decimals plain text.
   * @throws PAWL_EXPRESSION_FAULT (`ExpressionFault`)
   */
  evaluate(expression: Expression, site: Site, scope: Scope): Json;
  /**
   * Whether a condition holds.
   * @throws PAWL_EXPRESSION_FAULT, also when the value is not a bool.
   */
  holds(expression: Expression, site: Site, scope: Scope): boolean;
  /**
   * A template with its expressions computed.
   * @throws PAWL_EXPRESSION_FAULT
   */
  render(template: Template, site: Site, scope: Scope): Json;
}

/** An evaluator that takes the definition's schemas as types; keep it as long as the definition. */
export function createEvaluator(definition: WorkflowDefinition): Evaluator {
  return new CachingEvaluator(createTypeScope(definition));
}

/** How a source is computed: a plain path by looking it up, anything else by the engine. */
type Plan =
  | { readonly kind: 'path'; readonly names: readonly string[] }
  | {
      readonly kind: 'program';
      readonly run: Program;
      readonly lowered: Lowered;
      readonly reads: ReadonlyMap<string, Reads>;
    };

const PATH = /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*$/;
/** CEL's literals that look like a path of one name. */
const WORDS: ReadonlySet<string> = new Set(['true', 'false', 'null']);

class CachingEvaluator implements Evaluator {
  readonly #types: TypeScope;
  readonly #plans = new Map<string, Plan>();
  readonly #timed = new Map<string, ValueType | null>();

  constructor(types: TypeScope) {
    this.#types = types;
  }

  evaluate(expression: Expression, site: Site, scope: Scope): Json {
    return this.#compute(
      expression,
      { site, scope },
      {
        ofPath: (value) => value,
        ofProgram: (value) => jsonOf(value, ENGINE_HOST),
      },
    );
  }

  holds(expression: Expression, site: Site, scope: Scope): boolean {
    const value = this.evaluate(expression, site, scope);
    if (typeof value === 'boolean') return value;
    throw new ExpressionFault(expression, wholeSpan(expression), 'a condition must be true or false');
  }

  render(template: Template, site: Site, scope: Scope): Json {
    switch (template.kind) {
      case 'literal':
        return template.value;
      case 'expression':
        return this.evaluate(template.expression, site, scope);
      case 'text':
        return template.parts.map((part) => (typeof part === 'string' ? part : this.#text(part, site, scope))).join('');
      case 'list':
        return template.items.map((item) => this.render(item, site, scope));
      case 'map':
        // fromEntries defines own properties, so a key `__proto__` stays data.
        return Object.fromEntries(template.entries.map(([key, item]) => [key, this.render(item, site, scope)]));
    }
  }

  #text(expression: Expression, site: Site, scope: Scope): string {
    const want: Wanted<string> = { ofPath: jsonText, ofProgram: (value) => textOf(value, ENGINE_HOST) };
    return this.#compute(expression, { site, scope }, want);
  }

  #compute<T>(expression: Expression, from: Reading, want: Wanted<T>): T {
    const plan = this.#planOf(expression);
    try {
      if (plan.kind === 'path') return want.ofPath(this.#lookUp(expression, plan.names, from));
      return want.ofProgram(plan.run(bindRoots(plan.reads, from.scope, this.#types.rootsAt(from.site))));
    } catch (error) {
      throw asFault(error, expression, plan);
    }
  }

  #planOf(expression: Expression): Plan {
    const known = this.#plans.get(expression.source);
    if (known !== undefined) return known;
    const made = makePlan(expression);
    this.#plans.set(expression.source, made);
    return made;
  }

  #lookUp(expression: Expression, names: readonly string[], from: Reading): Json {
    let at: Json | undefined;
    let end = 0;
    for (const [index, name] of names.entries()) {
      end += name.length + (index === 0 ? 0 : 1);
      at = index === 0 ? ownValue(from.scope, name) : ownValue(at, name);
      if (at !== undefined) continue;
      const words =
        index === 0
          ? `\`${name}\` cannot be read here`
          : `\`${name}\` is missing; write or(…, default) or ask has(…) first`;
      throw new ExpressionFault(expression, { start: end - name.length, end }, words);
    }
    const value = at ?? null;
    const type = this.#timeType(expression.source, names, from.site);
    return type === null ? value : recordedValue(value, type);
  }

  /** The type of a path that can hold a recorded time, else null. */
  #timeType(source: string, names: readonly string[], site: Site): ValueType | null {
    const key = `${siteKey(site)} ${source}`;
    const known = this.#timed.get(key);
    if (known !== undefined) return known;
    const [root = '', ...rest] = names;
    const type = rest.reduce(fieldType, this.#types.rootsAt(site).get(root) ?? DYN);
    const timed = holdsTime(type) ? type : null;
    this.#timed.set(key, timed);
    return timed;
  }
}

interface Reading {
  readonly site: Site;
  readonly scope: Scope;
}

/** What is wanted of a value: from a path it is JSON already, from a program it is the engine's. */
interface Wanted<T> {
  readonly ofPath: (value: Json) => T;
  readonly ofProgram: (value: unknown) => T;
}

function makePlan(expression: Expression): Plan {
  const { source } = expression;
  if (PATH.test(source) && !WORDS.has(source)) return { kind: 'path', names: source.split('.') };
  try {
    const tree = parseSource(source);
    const lowered = lowerExpression(tree, source);
    return { kind: 'program', run: compileProgram(lowered.text), lowered, reads: readsOf(readPaths(tree)) };
  } catch (error) {
    if (error instanceof SyntaxFault) throw new ExpressionFault(expression, error.span, 'this is not CEL');
    const { node, message } = caught(error, UnknownFunction);
    throw new ExpressionFault(expression, node, message);
  }
}

function bindRoots(reads: ReadonlyMap<string, Reads>, scope: Scope, types: RootTypes): ReadonlyMap<string, unknown> {
  const roots = new Map<string, unknown>();
  for (const [name, part] of reads) {
    const value = Object.hasOwn(scope, name) ? scope[name] : undefined;
    if (value !== undefined) roots.set(name, bindValue(value, types.get(name) ?? DYN, part));
  }
  return roots;
}

/** Own keys only: neither `constructor` nor `__proto__` can be reached as anything but data. */
function ownValue(of: Scope | Json | undefined, name: string): Json | undefined {
  if (of === null || typeof of !== 'object' || Array.isArray(of) || !Object.hasOwn(of, name)) return undefined;
  return (of as JsonObject)[name];
}

function asFault(error: unknown, expression: Expression, plan: Plan): unknown {
  if (error instanceof ExpressionRefusal) return new ExpressionFault(expression, wholeSpan(expression), error.message);
  if (!(error instanceof ProgramFault) || plan.kind === 'path') return error;
  const node = error.span === null ? null : originOf(plan.lowered, error.span);
  const whole = { kind: 'foreign', what: '', ...wholeSpan(expression) } as const;
  const words = describeFault(error, node ?? whole);
  return new ExpressionFault(expression, words.span, words.summary);
}

function wholeSpan(expression: Expression): { readonly start: number; readonly end: number } {
  return { start: 0, end: expression.source.length };
}
