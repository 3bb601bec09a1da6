import type { Json } from './json.ts';

/** CEL source, already taken out of `${ }` or `=path`; where it stood in the file is found by `pointer`. */
export interface Expression {
  /** CEL source text. */
  readonly source: string;
  /** JSON pointer of the YAML value that held it. */
  readonly pointer: string;
  /** Offset of `source` inside the scalar's text, UTF-16 units; carets are computed from it. */
  readonly offset: number;
}

/** A value with expressions in it, parsed once; data is never parsed for expressions. */
export type Template =
  | { readonly kind: 'literal'; readonly value: Json }
  | { readonly kind: 'expression'; readonly expression: Expression }
  | { readonly kind: 'text'; readonly parts: readonly (string | Expression)[] }
  | { readonly kind: 'list'; readonly items: readonly Template[] }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [string, Template])[] };
