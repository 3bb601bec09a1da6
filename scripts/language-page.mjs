// The tables of docs/reference/language.md, from the schemas: one per map of keys, between markers; what is around them is written by hand.
const BEGIN = (name) => `<!-- keys: ${name} -->`;
const END = '<!-- /keys -->';
const BLOCK = /<!-- keys: ([\w.*-]+) -->\n[\s\S]*?<!-- \/keys -->/g;

/** Defaults that are computed, in words. */
const DEFAULTS = {
  'workflow.key': "the run's id",
  'workflow.timeout': 'none: a warning',
  'workflow.constants': '`{}`',
  'workflow.vars': '`{}`',
  'workflow.secrets': '`[]`',
  'workflow.events': '`{}`',
  'workflow.use': '`[]`',
  'workflow.actions': '`{}`',
  'workflow.on': '`[]`',
  'workflow.labels': '`{}`',
  'workflow.compensation': 'in reverse order, 10 attempts, then hold',
  'workflow.output': '`null`',
  'key.again': '`never`',
  'schedule.input': '`{}`',
  'catalogue.secrets': '`[]`',
  'action.settlesWithin': '`timeout` + 1m',
  'action.idempotency': 'required for a write',
  'action.compensate': 'none declared: an error for a write before the pivot, unless the step says it',
  'action.outcome': 'the table of answers',
  'action.reconcile': 'it cannot be asked',
  'action.retry': '1 attempt; of a read 5, 500ms apart, doubled up to 10s',
  'action.input': '`{}`, anything',
  'action.output': '`{}`, anything',
  'action.redact': '`[]`',
  'http.body': '`with`',
  'http.headers': '`{}`',
  'http.query': '`{}`',
  'retry.attempts': '1; of a read 5, of a compensation 10',
  'retry.delay': '1s; of a read 500ms',
  'retry.factor': '1; of a read and of a compensation 2',
  'retry.cap': 'none; of a read 10s, of a compensation 1m',
  'compensate.retry': 'as `compensation` says: 10 attempts, 1s apart, doubled up to 1m',
  'compensate.timeout': 'that of its action',
  'compensate.onFailure': 'as `compensation` says: hold',
  'compensate.approve': 'nobody is asked',
  'compensate.approve.except': 'whoever started the run',
  'compensate.approve.expires': 'never: a warning',
  'compensation.retry': '10 attempts, 1s apart, doubled up to 1m',
  'scopeCompensation.order': 'as around the scope',
  'scopeCompensation.onFailure': 'as around the scope',
  'scopeCompensation.retry': 'as around the scope',
  'event.schema': '`{}`, anything',
  'event.source': 'anybody',
  'event.sequence': 'the order of receipt',
  'reconcile.outcome': '`found`',
  'catchClause.do': '`[]`',
  'step.id': 'required; made up for `set`, `choose`, `fail` and `end`',
  'step.when': '`true`',
  'step.next': 'the following step',
  'step.maxJumps': 'required where `next` leads back',
  'step.on': '`[]`',
  'step.timeout': "of a call its action's; else none",
  'step.catch': '`[]`',
  'step.object': 'the run',
  'step.intent': "the action's name",
  'step.retry': 'that of its action',
  'step.compensate': 'that of its action',
  'step.onUnknown': 'what its action can, in this order: resend, reconcile, review',
  'step.review': 'role:operator, every answer',
  'step.output': 'that of the last step that ran',
  'step.compensation': 'as around the scope',
  'step.from': 'await: anybody; approve: required',
  'step.except': 'whoever started the run',
  'step.expires': 'never: a warning',
  'review.options': 'all four',
  'machineState.type': 'compound where it has `states`, history where it has `history`, else atomic',
  'machineState.initial': 'required where it has `states`, but for parallel',
  'machineState.target': 'the `initial` beside it',
  'machineCall.object': 'the run',
  'machineCall.intent': "the action's name",
  'machineCall.retry': 'that of its action',
  'machineCall.compensate': 'that of its action',
  'machineCall.onUnknown': 'what its action can, in this order: resend, reconcile, review',
  'machineCall.review': 'role:operator, every answer',
};

/** What the named parts of the schema are called where they are a type. */
const TYPES = {
  duration: 'duration',
  expression: 'CEL',
  template: 'value',
  templateText: 'text',
  identifier: 'identifier',
  code: 'kebab-case word',
  actionName: 'dotted name',
  eventName: 'name',
  functionName: '`name@contract`',
  stepRef: 'id of a step',
  jsonSchema: 'JSON Schema',
  person: '`role:NAME` or `user:NAME`',
  people: 'text, or list of text',
  voteCount: 'a whole number, or an expression',
  codes: 'code or class, or a list',
  texts: 'text, or a list',
  setMap: 'map var -> value',
  steps: 'list of [steps](#keys-step)',
};

const lastOf = (ref) => ref.split('/').at(-1);
const code = (value) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;

/** Every map of keys of the schemas by its name, with its keys: `retry`, and `auth.basic` for one that has no name of its own. */
function partsOf(schemas) {
  const parts = new Map();
  const names = new Map();
  const visit = (schema, name) => {
    const forms = [schema, schema.then, schema.else].filter((form) => typeof form === 'object');
    const keys = Object.assign({}, ...forms.map((form) => form.properties));
    if (Object.keys(keys).length > 0) {
      const required = new Set(forms.flatMap((form) => form.required ?? []));
      const choices = new Set(forms.flatMap((form) => form.oneOf ?? []).flatMap((choice) => choice.required ?? []));
      parts.set(name, { keys, required, choices });
      names.set(schema, name);
    }
    for (const [key, value] of Object.entries(keys))
      visit(value, `${name === 'workflow' || name === 'step' ? '' : `${name}.`}${key}`);
    for (const form of forms) {
      if (typeof form.items === 'object') visit(form.items, name);
      if (typeof form.additionalProperties === 'object') visit(form.additionalProperties, name);
    }
  };
  for (const [name, schema] of Object.entries(schemas.workflow.$defs))
    if (TYPES[name] === undefined) visit(schema, name);
  visit(schemas.workflow, 'workflow');
  visit(schemas.catalogue, 'catalogue');
  // Words that may stand where a map can.
  names.words = new Map(
    Object.entries(schemas.workflow.$defs).map(([name, schema]) => [name, schema.else?.enum ?? []]),
  );
  return { parts, names };
}

/** A type in words. */
function typeOf(schema, names) {
  const words = (inner) => typeOf(inner, names);
  if (schema.$ref !== undefined) {
    const name = lastOf(schema.$ref);
    const words = names.words.get(name) ?? [];
    return TYPES[name] ?? [...words.map(code), `[${name}](#keys-${name})`].join(', ');
  }
  if (schema['x-kind'] === 'duration') return 'duration';
  if (schema['x-kind'] === 'json-schema') return 'JSON Schema';
  const own = names.get(schema);
  if (schema.if !== undefined) return formsOf(schema, own, words);
  if (own !== undefined) return `[map](#keys-${own})`;
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(code).join(', ');
  if (schema.type === 'array') return listOf(schema, words);
  if (schema.type === 'object') return mapOf(schema, words);
  if (schema.type === 'integer') return `whole number${rangeOf(schema)}`;
  if (schema.type === 'number') return `number${rangeOf(schema)}`;
  if (schema.type === 'boolean') return '`true`, `false`';
  return schema['x-form'] ?? (schema.type === undefined ? 'value' : 'text');
}

function formsOf(schema, own, words) {
  if (schema.then['x-form'] !== undefined && schema.then['x-kind'] === 'template') return schema.then['x-form'];
  if (schema['x-kind'] === 'expression') return `CEL, or a [map](#keys-${own})`;
  const forms = [schema.else, schema.then].map((form) => {
    if (form.properties !== undefined) return `a [map](#keys-${own})`;
    return form['x-form'] !== undefined && form.enum === undefined
      ? form['x-form'].replace(/, or a map with .*/, '')
      : words(form);
  });
  return [...new Set(forms)].join(', or ');
}

function listOf({ items }, words) {
  if (items?.['x-form'] !== undefined && items.enum === undefined) return `list, each ${items['x-form']}`;
  return items === undefined ? 'list' : `list of ${words(items)}`;
}

function mapOf({ additionalProperties, propertyNames }, words) {
  if (typeof additionalProperties !== 'object') return 'map';
  const name = propertyNames === undefined ? 'name' : words(propertyNames);
  return `map ${name} -> ${Array.isArray(additionalProperties.type) ? 'text, number or boolean' : words(additionalProperties)}`;
}

function rangeOf({ minimum, maximum }) {
  if (minimum === undefined) return '';
  return maximum === undefined ? ` from ${minimum}` : ` ${minimum} to ${maximum}`;
}

const cell = (text) => String(text).replaceAll('|', '\\|');
const row = (cells) => `| ${cells.map(cell).join(' | ')} |`;
const head = (cells) => [row(cells), `|${cells.map(() => '---').join('|')}|`];

/** The tables of all parts: the lines between the markers by name. */
function tablesOf(schemas) {
  const { parts, names } = partsOf(schemas);
  const used = new Set();
  const meaning = (schema) => schema.description ?? '';
  const defaultOf = (name, key, { required, choices, keys }) => {
    const words = DEFAULTS[`${name}.${key}`];
    if (words !== undefined) used.add(`${name}.${key}`);
    if (words !== undefined) return words;
    if (required.has(key)) return 'required';
    if (choices.has(key)) return 'one of these';
    return keys[key].default === undefined ? 'none' : code(keys[key].default);
  };
  const rows = (name, part, entries, extra = () => []) =>
    entries.map(([key, schema]) =>
      row([code(key), ...extra(schema), typeOf(schema, names), defaultOf(name, key, part), meaning(schema)]),
    );
  const tables = new Map();
  for (const [name, part] of parts) {
    const entries = Object.entries(part.keys).filter(
      ([, schema]) => schema['x-verb'] !== true && schema['x-verbs'] === undefined,
    );
    tables.set(name, [...head(['key', 'type', 'default', 'meaning']), ...rows(name, part, entries)]);
  }
  const step = parts.get('step');
  const all = Object.entries(step.keys);
  tables.set('verbs', [
    ...head(['verb', 'value', 'options', 'meaning']),
    ...all.flatMap(([verb, schema]) => {
      if (schema['x-verb'] !== true) return [];
      const options = all.flatMap(([key, { 'x-verbs': verbs }]) => (verbs?.includes(verb) ? [code(key)] : []));
      return [row([code(verb), typeOf(schema, names), options.join(', ') || '-', meaning(schema)])];
    }),
  ]);
  const options = all.filter(([, schema]) => schema['x-verbs'] !== undefined);
  const of = (schema) => [schema['x-verbs'].map(code).join(', ')];
  tables.set('options', [...head(['option', 'of', 'type', 'default', 'meaning']), ...rows('step', step, options, of)]);
  const unused = Object.keys(DEFAULTS).filter((name) => !used.has(name));
  if (unused.length > 0) throw new Error(`no key of the schemas is ${unused.join(', ')}: mend DEFAULTS`);
  return tables;
}

/**
 * The page with every table as the schemas have it. A map that has no markers yet gets them at the end, under a heading of its own.
 * @param page what the page is now.
 * @param schemas the schemas `workflow` and `catalogue`.
 */
export function languagePage(page, schemas) {
  const tables = tablesOf(schemas);
  const there = new Set([...page.matchAll(BLOCK)].map(([, name]) => name));
  const block = (name) => [BEGIN(name), `<a id="keys-${name}"></a>`, '', ...tables.get(name), END].join('\n');
  const kept = page.replace(BLOCK, (_, name) => {
    if (!tables.has(name)) throw new Error(`docs/reference/language.md has markers for ${name}, which no schema has`);
    return block(name);
  });
  const missing = [...tables.keys()].filter((name) => !there.has(name));
  return [kept.trimEnd(), ...missing.map((name) => `### \`${name}\`\n\n${block(name)}`)].join('\n\n').concat('\n');
}
