/** How large an expression may be and how much it may do (design 2-language, "Decisions"). */
export const BOUNDS = {
  /** UTF-8 bytes of one expression's source. */
  sourceBytes: 4_096,
  /** Nodes of its tree. */
  nodes: 2_000,
  /** Nesting; a chain of one operator counts once. */
  depth: 50,
  /** Comprehensions inside each other. */
  nestedComprehensions: 2,
  /** Elements of a list that an expression reads, walks or makes. */
  listElements: 10_000,
  /** Product of the list sizes of nested comprehensions. */
  cost: 1_000_000,
  /** Elements walked by one evaluation in all: two full nests, so that no single allowed nest is cut. */
  steps: 2_000_000,
  /** Characters of a text that a function makes; larger ones could not be stored anyway (P11). */
  textLength: 262_144,
  /** Digits of a decimal. */
  decimalDigits: 200,
  /** Nodes at which the parser stops; above `nodes`, because it counts names of items too. */
  parsedNodes: 2_500,
  /** Nodes and nesting of the lowered text: lowering writes operators as calls and `or(…)` as a chain of `has`. */
  loweredNodes: 60_000,
  loweredDepth: 400,
} as const;
