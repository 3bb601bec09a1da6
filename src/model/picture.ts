/** What a node of a picture is; the painter draws each kind its own way, and always also names it in words. */
export type PictureNodeKind =
  | 'start'
  | 'end'
  | 'call'
  | 'set'
  | 'choose'
  | 'scope'
  | 'repeat'
  | 'map'
  | 'fork'
  | 'wait'
  | 'await'
  | 'approve'
  | 'publish'
  | 'undo'
  | 'fail'
  | 'group'
  | 'parallel'
  | 'compensation';

/** A short word beside a node, shown by shape as well as by colour. */
export type PictureMark = 'pivot' | 'human' | 'wait' | 'authorized' | 'unknown';

/** Where a run stands at a node, when a run is painted into the picture; `held` = only a person can move it from there. */
export type PictureLive = 'taken' | 'now' | 'held' | 'failed' | 'undone';

/** One box. Groups hold their children by `parent`. */
export interface PictureNode {
  readonly id: string;
  readonly kind: PictureNodeKind;
  readonly parent: string | null;
  /** First line, usually the step's id. */
  readonly title: string;
  /** Second line: the action, the event, the title of the approval. */
  readonly detail: string | null;
  readonly marks: readonly PictureMark[];
  readonly live: PictureLive | null;
}

/** One arrow; `compensation` edges are drawn dashed. */
export interface PictureEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly kind: 'next' | 'branch' | 'jump' | 'handler' | 'catch' | 'failure' | 'compensation';
  readonly label: string | null;
  /** The `when` of the step that it leads to, as it is written; null where that step always runs. */
  readonly condition: string | null;
  /** Whether the run has gone this way. */
  readonly taken: boolean;
}

/** A diagram before anybody has decided where things stand; knows nothing of layout engines. Order is the author's. */
export interface Picture {
  readonly title: string;
  readonly nodes: readonly PictureNode[];
  readonly edges: readonly PictureEdge[];
}
