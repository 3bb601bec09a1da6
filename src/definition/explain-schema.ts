import type { Json, JsonObject } from '../model/json.ts';
import { closestWord } from './closest-word.ts';
import { explainValue } from './explain-value.ts';
import { checkFile, type SchemaError } from './file-schema.ts';
import { STEP_KEYS } from './generated/step-keys.generated.ts';
import type { Finding } from './report-problem.ts';
import { childPointer, lastToken } from './source-map.ts';
import { child, entriesOf, isObject } from './yaml-node.ts';

/** The keys that parts of a schema of ours require: of one, or of the choices of a list. */
function requiredKeys(rule: Json): readonly string[] {
  const parts = (Array.isArray(rule) ? rule : [rule]) as readonly { readonly required: readonly string[] }[];
  return parts.flatMap(({ required }) => required);
}

/** The keys of a schema with what each holds. */
function propertiesOf(schema: JsonObject): readonly (readonly [string, Json])[] {
  const properties = child({ value: schema, pointer: '' }, 'properties');
  return entriesOf(properties).map(([key, { value }]) => [key, value]);
}

/** Errors that only repeat others: the frame of a choice, and the branches of one. */
function isEcho(error: SchemaError): boolean {
  if (error.keyword === 'if' || error.keyword === 'allOf' || error.keyword === 'propertyNames') return true;
  return error.schemaPath.includes('/oneOf/') || /\/allOf\/\d+\/not\/./.test(error.schemaPath);
}

/** The step, action or other part that a map is, for messages. */
function placeName(pointer: string): string {
  if (/\/(?:steps|do|else|scope)\/\d+$/.test(pointer)) return 'this step';
  if (/^\/actions\/[^/]+$/.test(pointer)) return `action \`${lastToken(pointer)}\``;
  return /\/\d+$/.test(pointer) ? 'this item' : `\`${lastToken(pointer)}\``;
}

/** The keys that may still be added to a map: of a step only those of its verb. */
function keysOf({ schema, data }: SchemaError): readonly string[] {
  const properties = propertiesOf(schema);
  const present = Object.keys(data as JsonObject);
  const isStep = properties.some(([key]) => key === 'choose');
  const verb = present.find((key) => isStep && STEP_KEYS[key]?.isVerb === true);
  const fits = (key: string): boolean => {
    const owner = STEP_KEYS[key];
    if (verb === undefined || owner === undefined) return true;
    return !owner.isVerb && (owner.verbs === null || owner.verbs.includes(verb));
  };
  return properties.flatMap(([key]) => (!present.includes(key) && fits(key) ? [key] : []));
}

/** In other tools a key names a step, or what it calls. */
function stepHelp({ data, schema }: SchemaError, name: string): string | null {
  const isStep = propertiesOf(schema).some(([key]) => key === 'choose');
  const verbs = (value: Json): readonly string[] =>
    Object.keys(isObject(value) ? value : {}).filter((key) => STEP_KEYS[key]?.isVerb === true);
  if (!isStep || verbs(data).length > 0) return null;
  const inner = (data as JsonObject)[name] ?? null;
  if (verbs(inner).length > 0) return `a step is named by its \`id\`: write \`id: ${name}\`, and its keys beside it`;
  return name.includes('.') ? `to call an action write \`call: ${name}\`, and what it takes in \`with\`` : null;
}

/** Keys whose absence or place was told by an unknown key that was meant for them. */
class Explainer {
  readonly findings: Finding[] = [];
  private readonly meant = new Map<string, Set<string>>();
  private readonly root: string;
  private readonly errors: readonly SchemaError[];

  constructor(root: string, errors: readonly SchemaError[]) {
    this.root = root;
    this.errors = errors.filter((error) => !isEcho(error));
  }

  explain(): readonly Finding[] {
    for (const error of this.errors)
      if (error.keyword === 'additionalProperties') this.findings.push(this.unknownKey(error));
    for (const error of this.errors) {
      const finding = this.explainOne(error);
      if (finding !== null) this.findings.push(finding);
    }
    return this.findings;
  }

  private placeOf({ pointer }: SchemaError): string {
    return pointer === '' ? this.root : placeName(pointer);
  }

  private unknownKey(error: SchemaError): Finding {
    const name = String(error.params['additionalProperty']);
    const keys = keysOf(error);
    const near = closestWord(name, keys);
    this.noteMeant(error.pointer, near ?? '');
    const offer =
      near === null ? (stepHelp(error, name) ?? `the keys here are ${keys.join(', ')}`) : `did you mean \`${near}\`?`;
    return {
      code: 'PAWL-101',
      pointer: childPointer(error.pointer, name),
      at: 'key',
      message: `${this.placeOf(error)} has no key \`${name}\``,
      help: offer,
    };
  }

  private noteMeant(pointer: string, key: string): void {
    const keys = this.meant.get(pointer) ?? new Set<string>();
    keys.add(key);
    this.meant.set(pointer, keys);
  }

  private explainOne(error: SchemaError): Finding | null {
    switch (error.keyword) {
      case 'additionalProperties':
        return null;
      case 'required':
        return this.missingKey(error);
      case 'oneOf':
        return this.oneOf(error);
      case 'not':
        return this.exclusive(error);
      default:
        return explainValue(error);
    }
  }

  private missingKey(error: SchemaError): Finding | null {
    const name = String(error.params['missingProperty']);
    if (this.meant.get(error.pointer)?.has(name) === true) return null;
    return {
      code: 'PAWL-102',
      pointer: error.pointer,
      at: 'key',
      message: `${this.placeOf(error)} needs \`${name}\``,
      help: `add \`${name}:\``,
    };
  }

  private oneOf(error: SchemaError): Finding | null {
    const { data } = error;
    if (!isObject(data)) return null;
    const choices = requiredKeys(error.rule);
    const isStep = choices.includes('call') && choices.includes('choose');
    const present = choices.filter((key) => Object.hasOwn(data, key));
    if (present.length > 1) return this.tooMany(error, present, isStep);
    const meant = this.meant.get(error.pointer);
    if (meant !== undefined && (isStep || choices.some((key) => meant.has(key)))) return null;
    return {
      code: isStep ? 'PAWL-108' : 'PAWL-102',
      pointer: error.pointer,
      at: 'key',
      message: isStep
        ? 'this step has no verb'
        : `${this.placeOf(error)} needs ${choices.map((key) => `\`${key}\``).join(' or ')}`,
      help: isStep
        ? `say what it does: ${choices.join(', ')}`
        : `add ${choices.map((key) => `\`${key}:\``).join(' or ')}`,
    };
  }

  private tooMany(error: SchemaError, present: readonly string[], isStep: boolean): Finding {
    const [first = '', second = ''] = Object.keys(error.data as JsonObject).filter((key) => present.includes(key));
    return {
      code: isStep ? 'PAWL-109' : 'PAWL-111',
      pointer: childPointer(error.pointer, second),
      at: 'key',
      message: isStep
        ? `this step has two verbs, \`${first}\` and \`${second}\``
        : `\`${first}\` and \`${second}\` exclude each other`,
      help: isStep ? 'make two steps of it: each step has exactly one verb' : 'keep one of the two',
    };
  }

  private exclusive(error: SchemaError): Finding {
    return this.tooMany(error, requiredKeys(error.rule), false);
  }
}

const ROOTS = {
  workflow: 'the workflow',
  catalogue: 'the catalogue',
  config: 'the configuration',
  receipt: 'the receipt',
  scenario: 'the test file',
} as const;

/** What a file's schema says against a value, one finding for one mistake: a misspelled key is not also a missing key. */
export function explainSchema(kind: keyof typeof ROOTS, value: Json): readonly Finding[] {
  const findings = new Explainer(ROOTS[kind], checkFile(kind, value)).explain();
  const seen = new Set<string>();
  return findings.filter((finding) => {
    const id = `${finding.code} ${finding.pointer} ${finding.code === 'PAWL-102' ? finding.message : ''}`;
    const fresh = !seen.has(id);
    seen.add(id);
    return fresh;
  });
}
