/** Names that begin an expression's paths; the design's table of roots (2-language). */
export const ROOT_NAMES = [
  'input',
  'constants',
  'vars',
  'steps',
  'run',
  'response',
  'failure',
  'with',
  'effect',
  'event',
  'secrets',
  'links',
] as const;

const CEL_WORDS = [
  'as',
  'break',
  'const',
  'continue',
  'else',
  'false',
  'for',
  'function',
  'if',
  'import',
  'in',
  'let',
  'loop',
  'namespace',
  'null',
  'package',
  'return',
  'true',
  'var',
  'void',
  'while',
];

/** Names of types, as `type(x) == string` writes them. */
export const TYPE_NAMES = [
  'bool',
  'bytes',
  'decimal',
  'double',
  'duration',
  'dyn',
  'int',
  'list',
  'map',
  'null_type',
  'string',
  'timestamp',
  'type',
  'uint',
] as const;

/** Names that the engine gives a meaning of its own. */
const ENGINE_NAMES = ['cel', 'google', 'prototype', '__proto__'];

/** What no id and no item name may be: CEL's words, type names, the roots, `end`, `any`. */
export const reservedNames: ReadonlySet<string> = new Set([
  ...CEL_WORDS,
  ...TYPE_NAMES,
  ...ROOT_NAMES,
  ...ENGINE_NAMES,
  'end',
  'any',
]);
