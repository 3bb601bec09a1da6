/** A place in a file, 1-based line and column; columns count UTF-16 units as editors do. */
export interface SourceRange {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** Another place that belongs to a problem. */
export interface RelatedPlace {
  readonly message: string;
  readonly range: SourceRange;
  /** Where it is in another file than the problem. */
  readonly file?: string;
}

/** Something wrong in a definition: what, where, and the mend. */
export interface Problem {
  /** `PAWL-NNN`, stable for ever once released. */
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly file: string;
  readonly range: SourceRange;
  /** JSON pointer of the node it is about. */
  readonly pointer: string;
  /** The mend: what to write instead, or where to look. */
  readonly help: string;
  /** Other places that belong to it, for example where a duplicate was first defined. */
  readonly related: readonly RelatedPlace[];
}
