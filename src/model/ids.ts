declare const brand: unique symbol;
/** A string that only one kind of thing has as its id. */
type Branded<Kind extends string> = string & { readonly [brand]: Kind };

/** A run's UUIDv7, lower case with dashes. */
export type RunId = Branded<'run'>;
/** The 64 hex digits of an effect's key (rule E01). */
export type EffectKey = Branded<'effect'>;
/** The content digest of a version, 64 hex digits. */
export type Digest = Branded<'digest'>;
/** A process's name for one life of one seat; new at every start and after every lost seat. */
export type WorkerId = Branded<'worker'>;
/**
 * The name of a wait that an address leads to: `payment.` and 32 hex digits of its step and frames, or of its approval. It is no
 * secret: without a signature it opens nothing.
 */
export type LinkName = Branded<'LinkName'>;
