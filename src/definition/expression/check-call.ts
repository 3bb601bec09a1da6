import { parseDuration } from '../../model/duration.ts';
import { broughtCall } from './brought-names.ts';
import { isZone, readInstant } from './calendar.ts';
import { DecimalNumber } from './decimal.ts';
import {
  FUNCTION_NAMES,
  functionSignatures,
  METHOD_NAMES,
  methodSignatures,
  type Signature,
} from './function-table.ts';
import { digitsHelp, INEXACT, isComputed, wholeHelp } from './exact-form.ts';
import type { Inference, Known } from './inference.ts';
import { compilePattern } from './linear-pattern.ts';
import { CLOCK_PARTS, toBool, toDouble, toInt } from './own-functions.ts';
import { pathOf, type SyntaxNode } from './syntax-tree.ts';
import { accepts, canBe, resultType } from './type-rules.ts';
import { BOOL, describeType, DYN, unionOf, type ValueType } from './value-type.ts';

type Call = SyntaxNode & { readonly kind: 'call' };
type Method = SyntaxNode & { readonly kind: 'method' };

/** The type of a function call. */
export function checkCall(inference: Inference, node: Call, known: Known): ValueType {
  if (node.name === 'has') return checkHas(inference, node, known);
  if (node.name === 'or') return checkOr(inference, node, known);
  const types = node.args.map((arg) => inference.typeOf(arg, { ...known, asking: 'no' }));
  const signatures = functionSignatures(node.name);
  if (signatures.length === 0) {
    tellUnknown(inference, node, FUNCTION_NAMES);
    return DYN;
  }
  checkLiterals(inference, node, node.args);
  if (node.name === 'int') checkCut(inference, node, types);
  if (node.name === 'string') checkInexact(inference, node, types);
  return choose(inference, node, { signatures, types, of: null });
}

/** The type of a method call. */
export function checkMethod(inference: Inference, node: Method, known: Known): ValueType {
  const of = inference.typeOf(node.of, { ...known, asking: 'no' });
  const types = node.args.map((arg) => inference.typeOf(arg, { ...known, asking: 'no' }));
  const signatures = methodSignatures(node.name);
  if (signatures.length === 0) {
    tellUnknown(inference, node, METHOD_NAMES);
    return DYN;
  }
  checkLiterals(inference, node, [node.of, ...node.args]);
  return choose(inference, node, { signatures, types, of });
}

/** `int()` cuts, as CEL says it must; after arithmetic on doubles that loses a cent: 19.99 * 100.0 gives 1998. */
function checkCut(inference: Inference, node: Call, types: readonly ValueType[]): void {
  const [number] = node.args;
  if (number === undefined || !isComputed(number) || !types.some((type) => canBe(type, 'double'))) return;
  inference.tell(node, {
    kind: 'cut',
    message: 'int() cuts what a computed double falls short of: int(19.99 * 100.0) is 1998',
    help: wholeHelp(number),
  });
}

/** A computed double as text has the digits that arithmetic left it. */
function checkInexact(inference: Inference, node: Call, types: readonly ValueType[]): void {
  const [number] = node.args;
  const help = number !== undefined && types[0]?.kind === 'double' ? digitsHelp(number, 'text') : null;
  if (help !== null) inference.tell(node, { kind: 'inexact', severity: 'warning', message: INEXACT, help });
}

interface Choice {
  readonly signatures: readonly Signature[];
  readonly types: readonly ValueType[];
  readonly of: ValueType | null;
}

function choose(inference: Inference, node: Call | Method, choice: Choice): ValueType {
  const { signatures, types, of } = choice;
  const fitting = signatures.filter(
    (signature) =>
      signature.args.length === types.length &&
      (signature.of === null || of === null || accepts(signature.of, of)) &&
      signature.args.every((wanted, at) => accepts(wanted, types[at] ?? DYN)),
  );
  if (fitting.length > 0)
    return unionOf(fitting.map((signature) => resultType(signature.result, of ?? types[0] ?? DYN)));
  const given = `${of === null ? '' : `${describeType(of)}.`}${node.name}(${types.map(describeType).join(', ')})`;
  const forms = signatures.map(
    ({ of: owner, name, args }) => `${owner === null ? '' : `${owner}.`}${name}(${args.join(', ')})`,
  );
  inference.tell(node, {
    kind: 'type',
    message: `there is no \`${given}\``,
    help: `write ${[...new Set(forms)].join(' or ')}`,
  });
  return DYN;
}

function tellUnknown(inference: Inference, node: Call | Method, known: readonly string[]): void {
  const meant = broughtCall(node.name, node.kind === 'method' ? node.of : node.args[0]);
  const candidates = meant === null ? known : [];
  inference.tell(node, {
    kind: 'unknown-function',
    message: `there is no function \`${node.name}\``,
    name: node.name,
    candidates,
    help: meant ?? `known here: ${known.join(', ')}`,
  });
}

/** `has(a.b)`: true also for null. */
function checkHas(inference: Inference, node: Call, known: Known): ValueType {
  const [asked, ...more] = node.args;
  if (asked === undefined || more.length > 0 || asked.kind !== 'field' || !isNames(asked)) {
    inference.tell(node, {
      kind: 'type',
      message: 'has() takes a path of names and dots',
      help: 'write has(input.coupon); for a key that is no name, write "the-key" in input',
    });
    return BOOL;
  }
  inference.typeOf(asked, { ...known, asking: 'last' });
  return BOOL;
}

function isNames(node: SyntaxNode): boolean {
  return node.kind === 'name' || (node.kind === 'field' && isNames(node.of));
}

/** `or(a.b.c, d)`: d when anything on the path is missing. */
function checkOr(inference: Inference, node: Call, known: Known): ValueType {
  const [path, fallback, ...more] = node.args;
  const names = path === undefined ? null : pathOf(path);
  if (path === undefined || fallback === undefined || more.length > 0 || names === null || names.length < 2) {
    inference.tell(node, {
      kind: 'type',
      message: 'or() takes a path and a default',
      help: 'write or(steps.x.output.total, 0)',
    });
    return DYN;
  }
  const value = inference.typeOf(path, { ...known, asking: 'all' });
  return unionOf([value, inference.typeOf(fallback, { ...known, asking: 'no' })]);
}

type LiteralCheck = { readonly at: number; readonly read: (text: string) => unknown; readonly help: string };

const ZONE = { read: demandZone, help: 'write the name of a time zone, for example "Europe/Berlin"' };
/** A duration as CEL writes it; the engine takes units without a number, too. */
const CEL_DURATION = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|ms|s|m|h))+$/;

function demandCelDuration(text: string): void {
  if (!CEL_DURATION.test(text)) throw new RangeError('no such duration');
}

/** Texts that a function reads when it runs; a literal one is read at publish already. `at` counts the receiver of a method. */
const LITERALS: ReadonlyMap<string, LiteralCheck> = new Map<string, LiteralCheck>([
  ['dur', { at: 0, read: parseDuration, help: 'write for example dur("10s"), dur("1h30m"), dur("7d")' }],
  ['duration', { at: 0, read: demandCelDuration, help: 'write for example duration("90s"), or dur("7d") for days' }],
  ['int', { at: 0, read: toInt, help: 'write the number itself' }],
  ['double', { at: 0, read: toDouble, help: 'write the number itself, for example 2.5' }],
  ['bool', { at: 0, read: toBool, help: 'write true or false' }],
  ['timestamp', { at: 0, read: readInstant, help: 'write for example timestamp("2026-01-31T12:00:00Z")' }],
  ['decimal', { at: 0, read: (text) => DecimalNumber.parse(text), help: 'write for example decimal("12.50")' }],
  ['addDays', { at: 2, ...ZONE }],
  ['addMonths', { at: 2, ...ZONE }],
  ...CLOCK_PARTS.map(([name]) => [name, { at: 1, ...ZONE }] as const),
]);

function demandZone(zone: string): void {
  if (!isZone(zone)) throw new RangeError('no such zone');
}

function checkLiterals(inference: Inference, node: Call | Method, operands: readonly SyntaxNode[]): void {
  if (node.name === 'matches') checkPattern(inference, operands[1]);
  const check = LITERALS.get(node.name);
  const operand = check === undefined ? undefined : operands[check.at];
  if (check === undefined || operand?.kind !== 'literal' || typeof operand.value !== 'string') return;
  try {
    check.read(operand.value);
  } catch {
    inference.tell(operand, { kind: 'literal', message: `${node.name}() cannot read this text`, help: check.help });
  }
}

/** A pattern that came from data could not be checked at publish, nor its cost known. */
function checkPattern(inference: Inference, pattern: SyntaxNode | undefined): void {
  if (pattern === undefined) return;
  if (pattern.kind !== 'literal' || typeof pattern.value !== 'string') {
    inference.tell(pattern, {
      kind: 'pattern',
      message: 'the pattern of matches() must be a literal text',
      help: 'write the pattern here, in quotes',
    });
  } else if (compilePattern(pattern.value) === null) {
    inference.tell(pattern, {
      kind: 'pattern',
      message: 'this is no pattern of the RE2 syntax',
      help: 'back references and look-around do not exist there; \\ is written \\\\ in a text, or use r"…"',
    });
  }
}
