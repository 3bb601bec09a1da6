import type { Json, JsonObject } from '../model/json.ts';
import { ownValue } from '../model/own-value.ts';
import type { CliContext } from './cli-context.ts';
import { readJsonArgument } from './read-arguments.ts';
import { UsageError } from './report-error.ts';

/** How a form is given. */
export interface FormOptions {
  readonly form?: readonly string[];
  readonly formFile?: string;
}

/**
 * What a person fills in: the members of the file, and over them the fields that are said one by one. A field is read as
 * the form wants it: a text as it stands, any other as JSON where it is some.
 * @param schema the form's; null where there is none, or it is not known here.
 * @returns undefined where nothing is filled in.
 */
export async function readForm(context: CliContext, options: FormOptions, schema: Json): Promise<Json | undefined> {
  const { form = [], formFile } = options;
  if (formFile === undefined && form.length === 0) return undefined;
  const given = formFile === undefined ? {} : await readFile(context, formFile);
  const fields = form.map((text) => readField(text, schema));
  return Object.fromEntries([...Object.entries(given), ...fields]);
}

async function readFile(context: CliContext, file: string): Promise<JsonObject> {
  const value = await readJsonArgument(context, file === '-' ? file : `@${file}`, '--form-file');
  if (!isMap(value)) throw new UsageError(`${file}: a form is a JSON object: { "field": value }`);
  return value;
}

function readField(text: string, schema: Json): readonly [string, Json] {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`--form ${text}: write FIELD=VALUE`);
  const [name, value] = [text.slice(0, at), text.slice(at + 1)];
  const wanted = fieldsOf(schema).find(([field]) => field === name)?.[1] ?? null;
  return [name, isMap(wanted) && wanted['type'] === 'string' ? value : jsonOrText(value)];
}

function jsonOrText(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** What can be filled in, as lines: `form: amount (integer, required)`. */
export function formLines(schema: Json): readonly string[] {
  const required = isMap(schema) ? (ownValue(schema, 'required') ?? []) : [];
  return fieldsOf(schema).map(([name, field]) => {
    const { type, enum: words, default: value } = isMap(field) ? field : {};
    const facts = [
      ...(type === undefined ? [] : [plain(type)]),
      ...(Array.isArray(words) ? [`one of ${words.map(plain).join(', ')}`] : []),
      ...(Array.isArray(required) && required.includes(name) ? ['required'] : []),
      ...(value === undefined ? [] : [`else ${plain(value)}`]),
    ];
    return `form: ${name}${facts.length === 0 ? '' : ` (${facts.join('; ')})`}`;
  });
}

function fieldsOf(schema: Json): readonly (readonly [string, Json])[] {
  const properties = isMap(schema) ? schema['properties'] : null;
  return isMap(properties ?? null) ? Object.entries(properties as JsonObject) : [];
}

function plain(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isMap(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
