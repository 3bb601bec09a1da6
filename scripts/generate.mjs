// Makes the types and validators of src/definition/generated from schemas/*.json, the tables of docs/reference/language.md,
// and src/client/generated from the route table of src/api.
//   node scripts/generate.mjs           writes them
//   node scripts/generate.mjs --check   exits 1 when a file is not what the schemas say
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { compile } from 'json-schema-to-typescript';
import { clientFile } from './client-types.mjs';
import { languagePage } from './language-page.mjs';

const NOTES = ['x-since', 'x-kind', 'x-form', 'x-verb', 'x-verbs', 'tsType'];
const root = fileURLToPath(new URL('..', import.meta.url));
const read = (name) => JSON.parse(readFileSync(`${root}schemas/${name}.schema.json`, 'utf8'));

function validators() {
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    allowUnionTypes: true,
    ownProperties: true,
    code: { source: true, esm: true, lines: true },
  });
  for (const keyword of NOTES) ajv.addKeyword({ keyword });
  const names = {
    validateWorkflowFile: 'workflow',
    validateCatalogueFile: 'catalogue',
    validateConfigFile: 'config',
    validateReceiptFile: 'receipt',
    validateScenarioFile: 'scenario',
  };
  for (const name of Object.values(names)) ajv.addSchema(read(name), `${name}.schema.json`);
  const code = standalone.default(
    ajv,
    Object.fromEntries(Object.entries(names).map(([fn, name]) => [fn, `${name}.schema.json`])),
  );
  if (code.includes('require('))
    throw new Error('the validators need a run-time part of ajv: keep the schemas to keywords that do not');
  return `// @ts-nocheck\n${code.replace('"use strict";', '')}\n`;
}

async function types(name) {
  const text = await compile(plainReferences(read(name)), name, {
    bannerComment: '',
    additionalProperties: false,
    declareExternallyReferenced: true,
    enableConstEnums: false,
    style: { singleQuote: true, printWidth: 120 },
    unreachableDefinitions: false,
  });
  return text;
}

/** Notes beside a `$ref` would make a second type of the same name. */
function plainReferences(schema) {
  if (Array.isArray(schema)) return schema.map(plainReferences);
  if (typeof schema !== 'object' || schema === null) return schema;
  if (typeof schema.$ref === 'string') return { $ref: schema.$ref };
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, plainReferences(value)]));
}

/** The keys of a step: whether one is a verb, and whose option it is. */
function stepKeys() {
  const { properties } = read('workflow').$defs.step;
  const rows = Object.entries(properties).map(([key, schema]) => [
    key,
    { since: schema['x-since'], isVerb: schema['x-verb'] === true, verbs: schema['x-verbs'] ?? null },
  ]);
  return [
    '/** A key of a step: from which part of the language, whether it is a verb, and whose option it is (null: of any verb). */',
    'export interface StepKey {',
    '  readonly since: number;',
    '  readonly isVerb: boolean;',
    '  readonly verbs: readonly string[] | null;',
    '}',
    '/** Every key of a step. */',
    `export const STEP_KEYS: Readonly<Record<string, StepKey>> = ${JSON.stringify(Object.fromEntries(rows), null, 2)};`,
    '',
  ].join('\n');
}

/** The keys of a part in the order in which `pawl fmt` writes them: a step says what it does before what may befall it. */
function keyOrder(name, properties) {
  const rank = ([key, schema]) => {
    if (key === 'id' || key === 'when') return 0;
    return schema['x-verb'] === true ? 1 : schema['x-verbs'] !== undefined ? 2 : 3;
  };
  const entries = Object.entries(properties);
  return name === 'step' ? entries.sort((a, b) => rank(a) - rank(b)) : entries;
}

/** Of every part of a file the order of its keys and which part the value of each is. */
function fileParts() {
  const { $defs } = read('workflow');
  const parts = {};
  const visit = (schema, place) => {
    const name = schema.$ref?.split('/').at(-1) ?? place;
    if (name in parts) return name;
    const own = schema.$ref === undefined ? schema : $defs[name];
    const forms = [own, own.then ?? {}, own.else ?? {}];
    const properties = Object.assign({}, ...forms.map((form) => form.properties));
    const items = forms.find((form) => typeof form.items === 'object')?.items;
    const each = forms.find((form) => typeof form.additionalProperties === 'object')?.additionalProperties;
    const part = { keys: {}, items: null, each: null };
    parts[name] = part;
    for (const [key, value] of keyOrder(name, properties)) part.keys[key] = visit(value, `${name}.${key}`);
    if (items !== undefined) part.items = visit(items, `${name}[]`);
    if (each !== undefined) part.each = visit(each, `${name}.*`);
    if (Object.keys(properties).length > 0 || part.items !== null || part.each !== null) return name;
    delete parts[name];
    return null;
  };
  for (const name of ['workflow', 'catalogue']) visit(read(name), name);
  return [
    '/** A part of a file: its keys in order, each with the part that its value is, and the part of each item or member. */',
    'export interface FilePart {',
    '  readonly keys: Readonly<Record<string, string | null>>;',
    '  readonly items: string | null;',
    '  readonly each: string | null;',
    '}',
    '/** Every part of a file whose keys have an order. */',
    `export const FILE_PARTS: Readonly<Record<string, FilePart>> = ${JSON.stringify(parts, null, 2)};`,
    '',
  ].join('\n');
}

const BANNER = '// Generated by scripts/generate.mjs from schemas/; do not edit.\n';
const generated = (name) => `src/definition/generated/${name}.generated.ts`;
const PAGE = 'docs/reference/language.md';
const found = (path) => {
  try {
    return readFileSync(root + path, 'utf8');
  } catch {
    return '';
  }
};
const files = {
  [generated('config-file')]: BANNER + (await types('config')),
  [generated('file-validators')]: validators().replace('// @ts-nocheck\n', `// @ts-nocheck\n${BANNER}`),
  [generated('file-parts')]: BANNER + fileParts(),
  [generated('step-keys')]: BANNER + stepKeys(),
  [PAGE]: languagePage(found(PAGE), { workflow: read('workflow'), catalogue: read('catalogue') }),
};

const CLIENT = 'src/client/generated/operations.generated.ts';
const isCheck = process.argv.includes('--check');

/** Writes what is not as it should be, or only names it. */
function settle(wanted) {
  const stale = Object.entries(wanted).filter(([path, content]) => found(path) !== content);
  if (!isCheck) for (const [path, content] of stale) writeFileSync(root + path, content);
  return stale.map(([path]) => path);
}

for (const layer of ['definition', 'client']) mkdirSync(`${root}src/${layer}/generated/`, { recursive: true });
const stale = settle(files);
// Behind the others: the route table is loaded with the validators that were just made.
const client = `// Generated by scripts/generate.mjs from src/api/routes.ts; do not edit.\n${await clientFile(root)}`;
stale.push(...settle({ [CLIENT]: client }));
if (isCheck && stale.length > 0) {
  console.error(`generated files are stale: ${stale.join(', ')}; run node scripts/generate.mjs`);
  process.exitCode = 1;
}
