import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import type { ConfigFile } from '../definition/generated/config-file.generated.ts';
import { explainConfig, readConfig } from '../definition/read-config.ts';
import { RefusedError } from '../model/errors.ts';
import type { JsonObject } from '../model/json.ts';
import { type Numbers, numbersFor } from '../model/numbers.ts';
import type { Problem } from '../model/problem.ts';
import type { LinksConfig } from './links.ts';

/** The environment as plain data. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where the settings of a process come from; each later source wins: file, environment, flags. */
export interface ConfigSources {
  /** The folder in which `pawl.config.yaml` is looked for and from which relative paths start. */
  readonly folder: string;
  /** A configuration file to read instead; it must exist then. */
  readonly file?: string | undefined;
  readonly env: Environment;
  readonly flags?: ConfigFile;
}

/** The settings of a process, complete. */
export interface Config {
  /** Address of an own PostgreSQL; null = one is started in `dataDir`. */
  readonly databaseUrl: string | null;
  /** Absolute path of the directory of the database that starts itself. */
  readonly dataDir: string;
  /** Function modules, absolute paths. */
  readonly functions: readonly string[];
  /** Folders of catalogues beside that of the workflow, absolute paths. */
  readonly catalogues: readonly string[];
  /** Name -> roles. */
  readonly principals: Readonly<Record<string, readonly string[]>>;
  /** Who is told what workflows publish; absent = nobody. */
  readonly publish?: { readonly url: string; readonly secret: string };
  /** Where the addresses of waits lead, and what signs them; absent = none are made. */
  readonly links?: LinksConfig;
  /** The role in which statements of `sql` actions run; absent = this process carries none out. */
  readonly sql?: { readonly role: string };
  readonly numbers: Numbers;
}

const FILE_NAME = 'pawl.config.yaml';
const NUMBER_KEYS = [
  'leaseMs',
  'heartbeatMs',
  'sendMarginMs',
  'sendWithinMs',
  'statementTimeoutMs',
  'lockTimeoutMs',
  'heldRunsMax',
] as const;
const DEFAULT_LEASE_MS = 30_000;

function refuse(message: string, details: Readonly<Record<string, string>> = {}, cause?: unknown): RefusedError {
  return new RefusedError('PAWL_CONFIG_INVALID', message, details, cause);
}

/** `heldRunsMax` -> `PAWL_HELD_RUNS_MAX`. */
function variableOf(key: string): string {
  return `PAWL_${key.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase()}`;
}

/** A configuration file with problems; each says what, where and the mend. */
export class ConfigFileError extends RefusedError {
  readonly problems: readonly Problem[];
  /** The file's text, for code frames. */
  readonly text: string;

  constructor(text: string, problems: readonly [Problem, ...Problem[]]) {
    const { file, range, message, help } = problems[0];
    super('PAWL_CONFIG_INVALID', `${file}:${range.line}:${range.column} ${message}: ${help}`, { source: file });
    this.problems = problems;
    this.text = text;
  }
}

function readFile(path: string, mustExist: boolean): ConfigFile {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (!mustExist && error instanceof Error && Reflect.get(error, 'code') === 'ENOENT') return {};
    throw refuse(`${path} cannot be read`, { path }, error);
  }
  const reading = readConfig(text, path);
  if (reading.ok) return reading.config;
  throw new ConfigFileError(text, reading.problems);
}

/** @throws PAWL_CONFIG_INVALID naming the source of the first setting that does not fit. */
function checked(value: JsonObject, sourceOf: (key: string) => string): ConfigFile {
  const [first] = explainConfig(value);
  if (first === undefined) return value;
  const source = sourceOf(first.key);
  throw refuse(`${source}: ${first.words}`, { source });
}

/** `PAWL_*` and `DATABASE_URL`; numbers are checked by the schema like those of the file. */
function fromEnvironment(env: Environment): ConfigFile {
  const given = (name: string): string | undefined => (env[name] === '' ? undefined : env[name]);
  const database = given('PAWL_DATABASE') ?? given('DATABASE_URL');
  const data = given('PAWL_DATA');
  const functions = given('PAWL_FUNCTIONS');
  const numbers = NUMBER_KEYS.flatMap((key) => {
    const text = given(variableOf(key));
    return text === undefined ? [] : [[key, /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text] as const];
  });
  const value = {
    ...(database === undefined ? {} : { database }),
    ...(data === undefined ? {} : { data }),
    ...(functions === undefined ? {} : { functions: functions.split(',').map((path) => path.trim()) }),
    ...Object.fromEntries(numbers),
  };
  return checked(value, (key) => `the environment (${variableOf(key)}${key === 'database' ? ' or DATABASE_URL' : ''})`);
}

/**
 * The numbers of 3-semantics, each derived from the lease unless it is set.
 * @throws PAWL_CONFIG_INVALID when a beat that comes late could outlive the margin that sendings keep.
 */
function numbersOf(file: ConfigFile): Numbers {
  const set = Object.fromEntries(NUMBER_KEYS.flatMap((key) => (file[key] === undefined ? [] : [[key, file[key]]])));
  const numbers = numbersFor(file.leaseMs ?? DEFAULT_LEASE_MS, set);
  if (numbers.sendMarginMs + numbers.heartbeatMs < numbers.leaseMs / 2) return numbers;
  throw refuse(
    `sendMarginMs + heartbeatMs (${numbers.sendMarginMs} + ${numbers.heartbeatMs}) must be less than half of leaseMs (${numbers.leaseMs}): else a worker may have no time left to send in`,
  );
}

function linksOf({ url, secret, previous }: NonNullable<ConfigFile['links']>): LinksConfig {
  if (previous === undefined) return { url, secret };
  return { url, secret, previous: { secret: previous.secret, untilMs: Date.parse(previous.until) } };
}

function absolute(folder: string, path: string): string {
  return isAbsolute(path) ? path : resolve(folder, path);
}

/**
 * Puts the settings together: defaults < `pawl.config.yaml` < `PAWL_*` < flags, each source checked by
 * `schemas/config.schema.json`. Paths of the file start from its folder, others from the given one.
 * @throws PAWL_CONFIG_INVALID naming the source and the place.
 */
export function loadConfig(sources: ConfigSources): Config {
  const path = absolute(sources.folder, sources.file ?? FILE_NAME);
  const file = readFile(path, sources.file !== undefined);
  const above = { ...fromEnvironment(sources.env), ...checked({ ...sources.flags }, () => 'the flags') };
  const all: ConfigFile = { ...file, ...above };
  const fileFolder = dirname(path);
  const pathOf = (key: 'data' | 'functions' | 'catalogues', value: string): string =>
    absolute(above[key] === undefined ? fileFolder : sources.folder, value);
  return {
    databaseUrl: all.database ?? null,
    dataDir: pathOf('data', all.data ?? '.pawl'),
    functions: (all.functions ?? []).map((name) => pathOf('functions', name)),
    catalogues: (all.catalogues ?? []).map((name) => pathOf('catalogues', name)),
    principals: all.principals ?? {},
    ...(all.publish === undefined ? {} : { publish: all.publish }),
    ...(all.links === undefined ? {} : { links: linksOf(all.links) }),
    ...(all.sql === undefined ? {} : { sql: all.sql }),
    numbers: numbersOf(all),
  };
}
