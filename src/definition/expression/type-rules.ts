import { BOOL, DYN, INT, optionsOf, STRING, TIMESTAMP, unionOf, type ValueType } from './value-type.ts';

type Kind = ValueType['kind'];

const DURATION: ValueType = { kind: 'duration' };
const DECIMAL: ValueType = { kind: 'decimal' };
const DOUBLE: ValueType = { kind: 'double' };

/** `left operator right` -> result, for the kinds that have it. Lists are joined below. */
const ARITHMETIC: readonly (readonly [operators: string, left: Kind, right: Kind, result: ValueType])[] = [
  ['+-*/%', 'int', 'int', INT],
  ['+-*/', 'double', 'double', DOUBLE],
  ['+', 'string', 'string', STRING],
  ['+-', 'duration', 'duration', DURATION],
  ['+-', 'timestamp', 'duration', TIMESTAMP],
  ['+', 'duration', 'timestamp', TIMESTAMP],
  ['-', 'timestamp', 'timestamp', DURATION],
  ['+-*', 'decimal', 'decimal', DECIMAL],
  ['+-*', 'decimal', 'int', DECIMAL],
  ['+-*', 'int', 'decimal', DECIMAL],
];

/** Kinds that have an order, with each other. */
const ORDERED: readonly ReadonlySet<Kind>[] = [
  new Set<Kind>(['int', 'double']),
  new Set<Kind>(['int', 'decimal']),
  new Set<Kind>(['string']),
  new Set<Kind>(['bool']),
  new Set<Kind>(['timestamp']),
  new Set<Kind>(['duration']),
];

/** The type of an arithmetic operation; null = no pairing of what the sides can be has it. */
export function arithmeticType(operator: string, left: ValueType, right: ValueType): ValueType | null {
  const results = pairs(left, right).flatMap(([one, other]) => pairType(operator, one, other) ?? []);
  return results.length === 0 ? null : unionOf(results);
}

function pairType(operator: string, left: ValueType, right: ValueType): ValueType | null {
  if (left.kind === 'dyn' || right.kind === 'dyn') return halfKnown(operator, left, right);
  if (operator === '+' && left.kind === 'list' && right.kind === 'list')
    return { kind: 'list', item: unionOf([left.item, right.item]) };
  const row = ARITHMETIC.find(
    ([operators, one, other]) => operators.includes(operator) && one === left.kind && other === right.kind,
  );
  return row === undefined ? null : row[3];
}

/** One side is unknown: what the known side allows. */
function halfKnown(operator: string, left: ValueType, right: ValueType): ValueType | null {
  const known = left.kind === 'dyn' ? right : left;
  if (known.kind === 'dyn') return DYN;
  if (known.kind === 'list') return operator === '+' ? { kind: 'list', item: DYN } : null;
  const rows = ARITHMETIC.filter(
    ([operators, one, other]) => operators.includes(operator) && (left.kind === 'dyn' ? other : one) === known.kind,
  );
  return rows.length === 0 ? null : unionOf(rows.map((row) => row[3]));
}

/** Whether `<` and the like are defined between two types. */
export function isOrdered(left: ValueType, right: ValueType): boolean {
  return pairs(left, right).some(
    ([one, other]) =>
      ORDERED.some(
        (kinds) => (one.kind === 'dyn' || kinds.has(one.kind)) && (other.kind === 'dyn' || kinds.has(other.kind)),
      ) ||
      (one.kind === 'decimal' && other.kind === 'decimal'),
  );
}

/** Whether two values could be equal at all; int and double are different types, as in CEL. */
export function isComparable(left: ValueType, right: ValueType): boolean {
  return pairs(left, right).some(([one, other]) => {
    if (one.kind === 'dyn' || other.kind === 'dyn') return true;
    if (one.kind === 'list' && other.kind === 'list') return isComparable(one.item, other.item);
    return one.kind === other.kind || (isKeyed(one) && isKeyed(other));
  });
}

function isKeyed(type: ValueType): boolean {
  return type.kind === 'map' || type.kind === 'object';
}

function pairs(left: ValueType, right: ValueType): readonly (readonly [ValueType, ValueType])[] {
  return optionsOf(left).flatMap((one) => optionsOf(right).map((other) => [one, other] as const));
}

/** Whether a value of the type can be of a kind; an unknown one can. */
export function canBe(type: ValueType, kind: Kind): boolean {
  return optionsOf(type).some(
    (option) => option.kind === kind || option.kind === 'dyn' || (kind === 'map' && option.kind === 'object'),
  );
}

/** Whether an argument of the type goes where a signature says `wanted` (`string`, `list<string>`, `dyn`). */
export function accepts(wanted: string, type: ValueType): boolean {
  if (wanted === 'dyn') return true;
  const inner = /^list<(.+)>$/.exec(wanted)?.[1];
  if (inner === undefined) return canBe(type, KINDS.get(wanted) ?? 'dyn');
  return optionsOf(type).some(
    (option) => option.kind === 'dyn' || (option.kind === 'list' && accepts(inner, option.item)),
  );
}

const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>(
  (['bool', 'int', 'double', 'string', 'timestamp', 'duration', 'decimal', 'type', 'list', 'map'] as const).map(
    (kind) => [kind, kind],
  ),
);

/** The type that a signature's result word stands for. */
export function resultType(word: string, first: ValueType): ValueType {
  if (word === 'same') return optionsOf(first).find((option) => option.kind === 'list') ?? { kind: 'list', item: DYN };
  if (word === 'item') return itemType(first);
  const inner = /^list<(.+)>$/.exec(word)?.[1];
  if (inner !== undefined) return { kind: 'list', item: resultType(inner, first) };
  return SIMPLE.get(word) ?? DYN;
}

const SIMPLE: ReadonlyMap<string, ValueType> = new Map<string, ValueType>([
  ['bool', BOOL],
  ['int', INT],
  ['double', DOUBLE],
  ['string', STRING],
  ['timestamp', TIMESTAMP],
  ['duration', DURATION],
  ['decimal', DECIMAL],
  ['type', { kind: 'type' }],
]);

/** What a comprehension walks: elements of a list, keys of a map; null = not walkable. */
export function walkedType(range: ValueType): ValueType | null {
  const walked = optionsOf(range).flatMap((option) => {
    if (option.kind === 'dyn') return [DYN];
    if (option.kind === 'list') return [option.item];
    return isKeyed(option) ? [STRING] : [];
  });
  return walked.length === 0 ? null : unionOf(walked);
}

function itemType(list: ValueType): ValueType {
  return unionOf(optionsOf(list).flatMap((option) => (option.kind === 'list' ? [option.item] : [])));
}
