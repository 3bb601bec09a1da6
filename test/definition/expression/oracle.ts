import {
  type CelFunc,
  type CelInput,
  type CelValue,
  CelScalar,
  celEnv,
  celFunc,
  celMap,
  celMethod,
  celType,
  isCelError,
  isCelList,
  isCelMap,
  listType,
  mapType,
  parse,
  plan,
} from '@bufbuild/cel';
import { strings } from '@bufbuild/cel/ext';
import { parseSource } from '../../../src/definition/expression-engine.ts';
import { bindValue } from '../../../src/definition/expression/bind-value.ts';
import { writeInstant } from '../../../src/definition/expression/calendar.ts';
import { DecimalNumber } from '../../../src/definition/expression/decimal.ts';
import type { EngineHost } from '../../../src/definition/expression/engine-host.ts';
import { jsonOf } from '../../../src/definition/expression/json-value.ts';
import { type OwnFunction, ownFunctions } from '../../../src/definition/expression/own-functions.ts';
import { partsOf, pathOf, type SyntaxNode } from '../../../src/definition/expression/syntax-tree.ts';
import type { ValueType } from '../../../src/definition/expression/value-type.ts';
import type { Json } from '../../../src/model/json.ts';

/** The second engine: an independent evaluator of the specification, with our own functions where CEL has none. */
export type OracleAnswer =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly message: string };

class OracleDuration {
  readonly ms: number;
  constructor(ms: number) {
    this.ms = ms;
  }
  valueOf(): number {
    return this.ms;
  }
}

const HOST: EngineHost = {
  duration: (ms) => new OracleDuration(ms),
  isDuration: (value): value is OracleDuration => value instanceof OracleDuration,
};

const DECIMAL_KEY = '$decimal';
const MAP = mapType(CelScalar.DYN, CelScalar.DYN);
const LIST = listType(CelScalar.DYN);
const plainEnv = celEnv({});

function compute(source: string, bindings: Record<string, CelInput>): CelValue {
  const result = plan(plainEnv, parse(source))(bindings);
  if (isCelError(result)) throw result;
  return result;
}

/** A value of the oracle as our own functions know it. */
function fromCel(value: CelValue): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (isCelList(value)) return [...value].map(fromCel);
  if (isCelMap(value)) {
    const decimal = value.get(DECIMAL_KEY);
    if (typeof decimal === 'string') return DecimalNumber.parse(decimal);
    return new Map([...value].map(([key, item]) => [key, fromCel(item)]));
  }
  const { name } = celType(value);
  if (name === 'google.protobuf.Timestamp') return new Date(String(compute('string(v)', { v: value })));
  if (name === 'google.protobuf.Duration')
    return new OracleDuration(Number.parseFloat(String(compute('string(v)', { v: value }))) * 1000);
  return value;
}

/**
 * The oracle's maps say of a key with the value null that it is not there (`get(key) != undefined`), against the specification: "has(e.f)
 * indicates whether the string f is a key in the map".
 */
function mapWithNulls(entries: ReadonlyMap<string, CelInput>): CelInput {
  const made = celMap(entries);
  Object.defineProperty(made, 'has', { value: (key: unknown) => typeof key === 'string' && entries.has(key) });
  return made;
}

/** One of our values for the oracle; decimals travel as a map that nothing else makes. */
function toCel(value: unknown): CelInput {
  if (Array.isArray(value)) return value.map(toCel);
  if (value instanceof Map) return mapWithNulls(new Map([...value].map(([key, item]) => [String(key), toCel(item)])));
  if (value instanceof Date) return compute('timestamp(v)', { v: writeInstant(value.getTime()) });
  if (value instanceof OracleDuration) return compute('duration(v)', { v: `${value.ms / 1000}s` });
  if (value instanceof DecimalNumber) return new Map([[DECIMAL_KEY, value.toText()]]);
  return value as CelInput;
}

const OWN = new Map<string, OwnFunction>(ownFunctions(HOST).map((own) => [own.name, own]));

function callOwn(name: string, args: readonly CelValue[]): CelInput {
  const own = OWN.get(name);
  if (own === undefined) throw new Error(`no own function ${name}`);
  return toCel(own.run(...args.map(fromCel)));
}

const DYN = CelScalar.DYN;
const D1 = [DYN] as const;
const D2 = [DYN, DYN] as const;
const D3 = [DYN, DYN, DYN] as const;

function decimalOperator(
  name: string,
  run: (left: DecimalNumber, right: DecimalNumber) => DecimalNumber | boolean,
): CelFunc[] {
  const pairs = [
    [MAP, MAP],
    [MAP, CelScalar.INT],
    [CelScalar.INT, MAP],
  ] as const;
  return pairs.map(([left, right]) =>
    celFunc(name, [left, right], DYN, (...args: CelValue[]) => {
      const [one, other] = args.map((arg) => DecimalNumber.from(fromCel(arg) as DecimalNumber | bigint));
      if (one === undefined || other === undefined) throw new Error('two operands');
      return toCel(run(one, other));
    }),
  );
}

/** What the specification has not; everything else is the oracle's own. */
const OWN_IN_ORACLE: CelFunc[] = [
  ...['sum', 'range', 'json', 'hash', 'dur', 'decimal'].map((name) =>
    celFunc(name, D1, DYN, (a) => callOwn(name, [a])),
  ),
  celFunc('join', D2, DYN, (a, b) => callOwn('join', [a, b])),
  celFunc('replace', D3, DYN, (a, b, c) => callOwn('replace', [a, b, c])),
  ...['slice', 'addDays', 'addMonths'].map((name) => celFunc(name, D3, DYN, (a, b, c) => callOwn(name, [a, b, c]))),
  celMethod('slice', LIST, D2, DYN, function (a, b) {
    return callOwn('slice', [this, a, b]);
  }),
  celMethod('sum', LIST, [], DYN, function () {
    return callOwn('sum', [this]);
  }),
  celFunc('string', [MAP], DYN, (a) => callOwn('text', [a])),
  celFunc('string', [MAP, CelScalar.INT], DYN, (a, b) => callOwn('fixed', [a, b])),
  celFunc('int', [MAP], DYN, (a) => callOwn('int', [a])),
  ...decimalOperator('_+_', (left, right) => left.plus(right)),
  ...decimalOperator('_-_', (left, right) => left.minus(right)),
  ...decimalOperator('_*_', (left, right) => left.times(right)),
  ...decimalOperator('_<_', (left, right) => left.compare(right) < 0),
  ...decimalOperator('_<=_', (left, right) => left.compare(right) <= 0),
  ...decimalOperator('_>_', (left, right) => left.compare(right) > 0),
  ...decimalOperator('_>=_', (left, right) => left.compare(right) >= 0),
];

const environment = celEnv({ funcs: [...strings, ...OWN_IN_ORACLE] });

/** The source with every `or(path, d)` written as a chain of `has`, which the oracle knows. */
export function withoutOr(source: string): string {
  let text = '';
  let at = 0;
  for (const node of outerOrs(parseSource(source))) {
    const [path] = node.args;
    if (path === undefined || pathOf(path) === null) throw new Error('or() without a path');
    const fallback = source.slice(source.indexOf(',', path.end) + 1, node.end - 1);
    text += source.slice(at, node.start);
    text += `(${presence(path, source).join(' && ')} ? ${source.slice(path.start, path.end)} : (${withoutOr(fallback)}))`;
    at = node.end;
  }
  return text + source.slice(at);
}

type Call = SyntaxNode & { readonly kind: 'call' };

function outerOrs(node: SyntaxNode): readonly Call[] {
  if (node.kind === 'call' && node.name === 'or') return [node];
  return [...partsOf(node)].sort((a, b) => a.start - b.start).flatMap(outerOrs);
}

function presence(path: SyntaxNode, source: string): string[] {
  if (path.kind === 'field') return [...presence(path.of, source), `has(${source.slice(path.start, path.end)})`];
  if (path.kind === 'index') {
    return [
      ...presence(path.of, source),
      `${source.slice(path.index.start, path.index.end)} in ${source.slice(path.of.start, path.of.end)}`,
    ];
  }
  return [];
}

/** Evaluates a source in the oracle on the same scope and types. */
export function askOracle(
  source: string,
  scope: Readonly<Record<string, Json>>,
  types: ReadonlyMap<string, ValueType>,
): OracleAnswer {
  try {
    const bindings = Object.fromEntries(
      Object.entries(scope).map(([name, value]) => [
        name,
        toCel(bindValue(value, types.get(name) ?? { kind: 'dyn' }, true)),
      ]),
    );
    const result = plan(environment, parse(withoutOr(source)))(bindings);
    if (isCelError(result)) return { ok: false, message: result.message };
    return { ok: true, value: jsonOf(fromCel(result), HOST) };
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}
