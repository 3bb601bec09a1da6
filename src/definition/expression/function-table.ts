/** A function or method of the language: its form, the types it takes and gives, and how the program computes it. */
export interface Signature {
  /** Type of the receiver for a method, null for a function. */
  readonly of: string | null;
  readonly name: string;
  readonly args: readonly string[];
  /** `same` = the type of the first operand, `item` = the type of its elements. */
  readonly result: string;
  /** Name of the own function that computes it; null = the engine's own. */
  readonly own: string | null;
}

/**
 * The whole list. `= name` says that an own function computes it, either because CEL has none or because the engine's differs from
 * the specification or from process to process: its `int("")` is 0, its zone getters read the process's zone, its texts count UTF-16
 * units, its `matches` backtracks.
 */
const TABLE = `
size(string): int
size(list): int
size(map): int
string.size(): int
list.size(): int
map.size(): int
string.contains(string): bool
string.startsWith(string): bool
string.endsWith(string): bool
string.matches(string): bool = matches
matches(string, string): bool = matches
string.lowerAscii(): string = lowerAscii
string.upperAscii(): string = upperAscii
string.trim(): string = trim
string.indexOf(string): int = indexOf
string.indexOf(string, int): int = indexOf
string.lastIndexOf(string): int = lastIndexOf
string.substring(int): string = substring
string.substring(int, int): string = substring
string.split(string): list<string> = split
string.replace(string, string): string = replace
replace(string, string, string): string = replace
list<string>.join(): string = join
list<string>.join(string): string = join
join(list<string>, string): string = join
list.slice(int, int): same = slice
slice(list, int, int): same = slice
sum(list): item = sum
list.sum(): item = sum
range(int): list<int> = range
json(dyn): string = json
hash(dyn): string = hash
int(int): int = int
int(double): int = int
int(string): int = int
int(timestamp): int = int
int(decimal): int = int
double(double): double = double
double(int): double = double
double(string): double = double
bool(bool): bool = bool
bool(string): bool = bool
string(string): string = text
string(bool): string = text
string(int): string = text
string(double): string = text
string(timestamp): string = text
string(duration): string = text
string(decimal): string = text
string(decimal, int): string = fixed
type(dyn): type
dyn(dyn): dyn
timestamp(timestamp): timestamp = timestamp
timestamp(string): timestamp = timestamp
timestamp(int): timestamp = timestamp
duration(string): duration
dur(string): duration = dur
addDays(timestamp, int, string): timestamp = addDays
addMonths(timestamp, int, string): timestamp = addMonths
decimal(decimal): decimal = decimal
decimal(string): decimal = decimal
decimal(int): decimal = decimal
decimal(double): decimal = decimal
timestamp.getFullYear(): int = getFullYear
timestamp.getFullYear(string): int = getFullYear
timestamp.getMonth(): int = getMonth
timestamp.getMonth(string): int = getMonth
timestamp.getDayOfMonth(): int = getDayOfMonth
timestamp.getDayOfMonth(string): int = getDayOfMonth
timestamp.getDate(): int = getDate
timestamp.getDate(string): int = getDate
timestamp.getDayOfWeek(): int = getDayOfWeek
timestamp.getDayOfWeek(string): int = getDayOfWeek
timestamp.getDayOfYear(): int = getDayOfYear
timestamp.getDayOfYear(string): int = getDayOfYear
timestamp.getHours(): int = getHours
timestamp.getHours(string): int = getHours
timestamp.getMinutes(): int = getMinutes
timestamp.getMinutes(string): int = getMinutes
timestamp.getSeconds(): int = getSeconds
timestamp.getSeconds(string): int = getSeconds
timestamp.getMilliseconds(): int = getMilliseconds
timestamp.getMilliseconds(string): int = getMilliseconds
duration.getHours(): int = getHours
duration.getMinutes(): int = getMinutes
duration.getSeconds(): int = getSeconds
duration.getMilliseconds(): int = getMilliseconds
`;

const LINE = /^(?:([a-z<>]+)\.)?(\w+)\(([^)]*)\): ([a-z<>]+)(?: = (\w+))?$/;

/** All signatures, in the order of the list. */
export const SIGNATURES: readonly Signature[] = TABLE.trim().split('\n').map(readLine);

function readLine(line: string): Signature {
  const [, of, name = '', args = '', result = '', own] = LINE.exec(line) ?? [];
  return { of: of ?? null, name, args: args === '' ? [] : args.split(', '), result, own: own ?? null };
}

const FUNCTIONS = group(false);
const METHODS = group(true);

/** The signatures of a function name; empty = there is no such function. */
export function functionSignatures(name: string): readonly Signature[] {
  return FUNCTIONS.get(name) ?? [];
}

/** The signatures of a method name; empty = there is no such method. */
export function methodSignatures(name: string): readonly Signature[] {
  return METHODS.get(name) ?? [];
}

/** Names for did-you-mean. */
export const FUNCTION_NAMES: readonly string[] = [...FUNCTIONS.keys(), 'has', 'or'];
/** Names for did-you-mean. */
export const METHOD_NAMES: readonly string[] = [...METHODS.keys(), 'all', 'exists', 'exists_one', 'filter', 'map'];

function group(methods: boolean): ReadonlyMap<string, readonly Signature[]> {
  const grouped = new Map<string, Signature[]>();
  for (const signature of SIGNATURES) {
    if ((signature.of !== null) !== methods) continue;
    const known = grouped.get(signature.name);
    if (known === undefined) grouped.set(signature.name, [signature]);
    else known.push(signature);
  }
  return grouped;
}
