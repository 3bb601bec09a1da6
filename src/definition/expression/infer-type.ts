import { broughtName } from './brought-names.ts';
import { checkCall, checkMethod } from './check-call.ts';
import { type ExpressionProblem, problemAt, type ProblemDraft } from './expression-problem.ts';
import type { Inference, Known } from './inference.ts';
import { unknownName } from './unknown-name.ts';
import { arithmeticHelp, comparisonHelp, untypedNumber } from './operator-help.ts';
import { factsOf } from './presence.ts';
import { reservedNames } from './names.ts';
import { neverWords } from './never-words.ts';
import type { RootTypes } from './root-types.ts';
import { pathOf, type Span, type SyntaxNode } from './syntax-tree.ts';
import { arithmeticType, canBe, isComparable, isOrdered, walkedType } from './type-rules.ts';
import {
  BOOL,
  describeType,
  DOUBLE,
  DYN,
  type FieldType,
  INT,
  NULL,
  optionsOf,
  STRING,
  unionOf,
  type ValueType,
} from './value-type.ts';

type Composite = Extract<
  SyntaxNode,
  { readonly kind: 'comprehension' | 'list' | 'map' | 'unary' | 'binary' | 'ternary' }
>;

/** Names of types that can stand alone, as in `type(x) == string`. */
const TYPE_VALUES: ReadonlySet<string> = new Set([
  'bool',
  'double',
  'int',
  'list',
  'map',
  'null_type',
  'string',
  'type',
]);

/** Finds the types of an expression's parts and what is wrong with them. An unknown part is `dyn`, so one mistake is told once. */
export class TypeInference implements Inference {
  readonly problems: ExpressionProblem[] = [];
  readonly #roots: RootTypes;

  constructor(roots: RootTypes) {
    this.#roots = roots;
  }

  /** The type of a whole expression. */
  infer(node: SyntaxNode): ValueType {
    return this.typeOf(node, { items: new Map(), present: new Set(), asking: 'no' });
  }

  /** Tells a mistake; the same at the same place once. */
  tell(span: Span, draft: ProblemDraft): void {
    const problem = problemAt(span, draft);
    const same = (known: ExpressionProblem) =>
      known.message === problem.message && (known.start === problem.start || problem.kind === 'missing');
    if (!this.problems.some(same)) this.problems.push(problem);
  }

  /** The type of a part. */
  typeOf(node: SyntaxNode, known: Known): ValueType {
    switch (node.kind) {
      case 'literal':
        return literalType(node.value);
      case 'foreign':
        this.tell(node, {
          kind: 'type',
          message: `${node.what} are not part of the language`,
          help: node.what === 'bytes' ? 'write a text: "…"' : 'write it without the u',
        });
        return DYN;
      case 'name':
        return this.#nameType(node, known);
      case 'field':
        return this.#fieldType(node, node.name, known);
      case 'index':
        return this.#indexType(node, known);
      case 'call':
        return checkCall(this, node, known);
      case 'method':
        return checkMethod(this, node, known);
      default:
        return this.#compositeType(node, plain(known));
    }
  }

  #compositeType(node: Composite, known: Known): ValueType {
    switch (node.kind) {
      case 'comprehension':
        return this.#comprehensionType(node, known);
      case 'list':
        return {
          kind: 'list',
          item: node.items.length === 0 ? DYN : unionOf(node.items.map((item) => this.typeOf(item, known))),
        };
      case 'map':
        return this.#mapType(node, known);
      case 'unary':
        return this.#unaryType(node, known);
      case 'binary':
        return this.#binaryType(node, known);
      case 'ternary':
        return this.#ternaryType(node, known);
    }
  }

  /** Demands a bool. */
  demandBool(node: SyntaxNode, known: Known, what: string): void {
    const type = this.typeOf(node, known);
    if (!canBe(type, 'bool'))
      this.tell(node, {
        kind: 'guard',
        message: `${what} must be bool, this is ${describeType(type)}`,
        help: 'compare it with something',
      });
  }

  #nameType(node: SyntaxNode & { readonly kind: 'name' }, known: Known): ValueType {
    const type = known.items.get(node.name) ?? this.#roots.get(node.name);
    if (type !== undefined) return type;
    if (TYPE_VALUES.has(node.name)) return { kind: 'type' };
    this.tell(node, unknownName(node.name, [...known.items.keys()], this.#roots));
    return DYN;
  }

  #fieldType(node: SyntaxNode & { readonly kind: 'field' | 'index' }, name: string, known: Known): ValueType {
    const of = this.typeOf(node.of, known.asking === 'all' ? known : plain(known));
    const found = optionsOf(of).flatMap((option) => this.#fieldOf(option, name));
    if (found.length > 0) {
      this.#warnMissing(node, { name, found, known });
      return unionOf(found.map((field) => field.type));
    }
    const span = node.kind === 'index' ? node.index : { start: node.end - name.length, end: node.end };
    const names = optionsOf(of).flatMap((option) => (option.kind === 'object' ? [...option.fields.keys()] : []));
    if (optionsOf(of).some((option) => option.kind === 'object')) {
      const owner = pathOf(node.of)?.join('.');
      const message = owner === undefined ? `unknown name \`${name}\`` : `unknown name \`${name}\` in \`${owner}\``;
      this.tell(span, {
        kind: 'unknown-name',
        message,
        name,
        candidates: names,
        help: names.length === 0 ? 'leave it out: the value has no keys' : `known here: ${names.join(', ')}`,
      });
    } else {
      const message = `a value of type ${describeType(of)} has no key \`${name}\``;
      const help = broughtName(name, node.of) ?? `read the value itself: leave out \`${name}\``;
      this.tell(span, { kind: 'type', message, help });
    }
    return DYN;
  }

  #fieldOf(option: ValueType, name: string): readonly FieldType[] {
    if (option.kind === 'dyn') return [{ type: DYN, required: false, quiet: true }];
    if (option.kind === 'map') return [{ type: option.value, required: false, quiet: true }];
    if (option.kind !== 'object') return [];
    const field = option.fields.get(name);
    if (field !== undefined) return [field];
    return option.rest === null ? [] : [{ type: option.rest, required: false, quiet: true }];
  }

  #warnMissing(
    node: SyntaxNode,
    at: { readonly name: string; readonly found: readonly FieldType[]; readonly known: Known },
  ): void {
    if (at.known.asking !== 'no' || at.found.every((field) => field.required || field.quiet === true)) return;
    const path = pathOf(node)?.join('.') ?? at.name;
    if (at.known.present.has(path)) return;
    this.tell(node, {
      kind: 'missing',
      severity: 'warning',
      message: `\`${path}\` may be missing: the schema does not require it, and reading what is missing is a fault`,
      help: `write or(${path}, default), ask has(${path}) first, or require it in the schema`,
    });
  }

  #indexType(node: SyntaxNode & { readonly kind: 'index' }, known: Known): ValueType {
    if (node.index.kind === 'literal' && typeof node.index.value === 'string')
      return this.#fieldType(node, node.index.value, known);
    const of = this.typeOf(node.of, plain(known));
    const index = this.typeOf(node.index, plain(known));
    const results = optionsOf(of).flatMap((option) => {
      if (option.kind === 'dyn') return [DYN];
      if (option.kind === 'list') return canBe(index, 'int') ? [option.item] : [];
      if (option.kind === 'map') return canBe(index, 'string') ? [option.value] : [];
      return option.kind === 'object' && canBe(index, 'string') ? [DYN] : [];
    });
    if (results.length > 0) return unionOf(results);
    this.tell(node, {
      kind: 'type',
      message: `a value of type ${describeType(of)} cannot be indexed with ${describeType(index)}`,
      help: 'a list has positions, x[0], and a map has texts, x["name"]',
    });
    return DYN;
  }

  #comprehensionType(node: SyntaxNode & { readonly kind: 'comprehension' }, known: Known): ValueType {
    const range = this.typeOf(node.range, plain(known));
    const item = walkedType(range);
    if (item === null)
      this.tell(node.range, {
        kind: 'type',
        message: `${node.macro}() walks a list or a map, this is ${describeType(range)}`,
        help: 'name a list or a map before it, for example input.lines',
      });
    if (reservedNames.has(node.item)) {
      this.tell(node, {
        kind: 'unknown-name',
        message: `\`${node.item}\` cannot be the name of an item: it means something else`,
        help: 'choose another name',
      });
    }
    const inside: Known = {
      items: new Map([...known.items, [node.item, item ?? DYN]]),
      present: hide(known.present, node.item),
      asking: 'no',
    };
    const [first, second] = node.args;
    if (first === undefined) return DYN;
    if (node.macro === 'map') {
      if (second !== undefined) this.demandBool(first, inside, 'the filter of map()');
      return { kind: 'list', item: this.typeOf(second ?? first, inside) };
    }
    this.demandBool(first, inside, `the condition of ${node.macro}()`);
    return node.macro === 'filter' ? { kind: 'list', item: item ?? DYN } : BOOL;
  }

  #mapType(node: SyntaxNode & { readonly kind: 'map' }, known: Known): ValueType {
    const fields = new Map<string, FieldType>();
    let open = false;
    for (const [key, value] of node.entries) {
      const type = this.typeOf(value, known);
      if (key.kind === 'literal' && typeof key.value === 'string') {
        if (fields.has(key.value))
          this.tell(key, { kind: 'type', message: 'the same key twice in a map', help: 'keep one of the two' });
        fields.set(key.value, { type, required: true });
        continue;
      }
      open = true;
      const help =
        key.kind === 'name'
          ? `write "${key.name}" for a key of that name`
          : 'write it in quotes, or string(…) around it';
      if (key.kind === 'name' && !known.items.has(key.name) && !this.#roots.has(key.name)) {
        this.tell(key, { kind: 'type', message: 'the keys of a map are texts, in quotes', help });
        continue;
      }
      const keyType = this.typeOf(key, known);
      if (!canBe(keyType, 'string'))
        this.tell(key, {
          kind: 'type',
          message: `the keys of a map are texts, this is ${describeType(keyType)}`,
          help,
        });
    }
    return { kind: 'object', fields, rest: open ? DYN : null };
  }

  #unaryType(node: SyntaxNode & { readonly kind: 'unary' }, known: Known): ValueType {
    if (node.operator === '!') {
      this.demandBool(node.operand, known, 'what `!` inverts');
      return BOOL;
    }
    const type = this.typeOf(node.operand, known);
    const kept = optionsOf(type).filter(
      ({ kind }) => kind === 'int' || kind === 'double' || kind === 'decimal' || kind === 'dyn',
    );
    if (kept.length === 0) {
      const message = `\`-\` is not defined for ${describeType(type)}`;
      this.tell(node, { kind: 'type', message, help: 'write int(…), double(…) or decimal(…) around what follows' });
    }
    return unionOf(kept);
  }

  #binaryType(node: SyntaxNode & { readonly kind: 'binary' }, known: Known): ValueType {
    if (node.operator === '&&' || node.operator === '||') return this.#logicType(node, known);
    const left = this.typeOf(node.left, known);
    const right = this.typeOf(node.right, known);
    switch (node.operator) {
      case '==':
      case '!=':
        if (!isComparable(left, right)) this.#tellCompared(node, left, right);
        this.#tellNever(node, left, right);
        return BOOL;
      case 'in':
        this.#checkIn(node, left, right);
        this.#tellNever(node, left, right);
        return BOOL;
      case '<':
      case '<=':
      case '>':
      case '>=':
        if (!isOrdered(left, right)) this.#tellCompared(node, left, right);
        return BOOL;
      default:
        return this.#arithmeticType(node, left, right);
    }
  }

  #tellNever(node: SyntaxNode & { readonly kind: 'binary' }, left: ValueType, right: ValueType): void {
    for (const { at, draft } of neverWords(node, left, right)) this.tell(at, draft);
  }

  #arithmeticType(node: SyntaxNode & { readonly kind: 'binary' }, left: ValueType, right: ValueType): ValueType {
    const type = arithmeticType(node.operator, left, right);
    if (type !== null) {
      this.#warnUntyped(node, left, right);
      return type;
    }
    const message = `\`${node.operator}\` is not defined between ${describeType(left)} and ${describeType(right)}`;
    this.tell(node, { kind: 'type', message, help: arithmeticHelp(node, left, right) });
    return DYN;
  }

  #warnUntyped(node: SyntaxNode & { readonly kind: 'binary' }, left: ValueType, right: ValueType): void {
    const untyped = untypedNumber(node, left, right);
    if (untyped === null || this.#holdsUnknownName(node)) return;
    const message = `no schema says that \`${untyped.path}\` is an integer, so it is a double, and \`${node.operator}\` with an int is a fault`;
    this.tell(node, { kind: 'type', severity: 'warning', message, help: untyped.help });
  }

  /** Of a name that does not exist nothing else is said: which type it lacks depends on which name is meant. */
  #holdsUnknownName({ start, end }: Span): boolean {
    return this.problems.some((known) => known.kind === 'unknown-name' && start <= known.start && known.end <= end);
  }

  #tellCompared(node: SyntaxNode & { readonly kind: 'binary' }, left: ValueType, right: ValueType): void {
    const message = `${describeType(left)} and ${describeType(right)} are compared, which are different types`;
    this.tell(node, { kind: 'type', message, help: comparisonHelp(node, left, right) });
  }

  #checkIn(node: SyntaxNode & { readonly kind: 'binary' }, left: ValueType, right: ValueType): void {
    const fits = optionsOf(right).some((option) => {
      if (option.kind === 'list') return isComparable(left, option.item);
      if (option.kind === 'map' || option.kind === 'object') return canBe(left, 'string');
      return option.kind === 'dyn';
    });
    if (fits) return;
    const walkable = walkedType(right) !== null;
    const message = walkable
      ? `a value of type ${describeType(left)} is never in ${describeType(right)}`
      : `\`in\` takes a list or a map on its right, this is ${describeType(right)}`;
    const help = walkable ? 'look for a value of the type that it holds' : 'name a list, or write one: [ … ]';
    this.tell(node, { kind: 'type', message, help });
  }

  /** An error on one side is absorbed when the other side decides, so what either side asks holds for the other. */
  #logicType(node: SyntaxNode & { readonly kind: 'binary' }, known: Known): ValueType {
    const wanted = node.operator === '&&';
    const withFacts = (of: SyntaxNode): Known => ({
      ...known,
      present: new Set([...known.present, ...factsOf(of, wanted)]),
    });
    this.demandBool(node.left, withFacts(node.right), `a side of \`${node.operator}\``);
    this.demandBool(node.right, withFacts(node.left), `a side of \`${node.operator}\``);
    return BOOL;
  }

  #ternaryType(node: SyntaxNode & { readonly kind: 'ternary' }, known: Known): ValueType {
    this.demandBool(node.test, known, 'what stands before `?`');
    const branch = (truth: boolean): Known => ({
      ...known,
      present: new Set([...known.present, ...factsOf(node.test, truth)]),
    });
    const yes = this.typeOf(node.yes, branch(true));
    const no = this.typeOf(node.no, branch(false));
    const isNull = yes.kind === 'null' || no.kind === 'null';
    if (!isNull && !isComparable(yes, no)) {
      this.tell(node, {
        kind: 'type',
        message: `both results of \`? :\` have one type, these are ${describeType(yes)} and ${describeType(no)}`,
        help: comparisonHelp(node, yes, no),
      });
    }
    return unionOf([yes, no]);
  }
}

function plain(known: Known): Known {
  return known.asking === 'no' ? known : { ...known, asking: 'no' };
}

/** Facts about a root of the same name are none about the item. */
function hide(present: ReadonlySet<string>, item: string): ReadonlySet<string> {
  return new Set([...present].filter((path) => path.split('.')[0] !== item));
}

function literalType(value: null | boolean | bigint | number | string): ValueType {
  if (value === null) return NULL;
  if (typeof value === 'boolean') return BOOL;
  if (typeof value === 'bigint') return INT;
  return typeof value === 'number' ? DOUBLE : STRING;
}
