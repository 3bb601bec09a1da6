/**
 * Where an expression stands: decides which roots it may read and what types they have.
 * - `flow`: steps, vars, output, key. `catch`: a catch clause of `step` and the steps in it (adds `failure`).
 *   In `finally` both read `run.end`; where a call says what goes out (`sends`), both read `links`.
 * - `outcome`, `reconcile`: tables and templates of an action after an answer. `retry`: whether a failed attempt at it is made
 *   again (the answer itself is judged by then: `failure` says what it came to). `request`: its url, query, body. `headers`: its
 *   headers and auth, the only place for `secrets`.
 * - `compensate`: the undo of `action` (what cannot change, and the recorded effect); `asking`: who must agree to it, before any
 *   failure is told of. `event`: `by`, `where`, `match`, `set` of handlers.
 */
export type Site =
  | { readonly kind: 'flow'; readonly in?: 'finally'; readonly sends?: true }
  | { readonly kind: 'outcome'; readonly action: string }
  | { readonly kind: 'reconcile'; readonly action: string }
  | { readonly kind: 'retry'; readonly action: string }
  | { readonly kind: 'request'; readonly action: string }
  | { readonly kind: 'headers'; readonly action: string }
  | { readonly kind: 'compensate'; readonly action: string }
  | { readonly kind: 'asking'; readonly action: string }
  | { readonly kind: 'catch'; readonly step: string; readonly in?: 'finally'; readonly sends?: true }
  | { readonly kind: 'event'; readonly event: string; readonly step?: string };

/** A text that is equal for sites with the same roots and types. */
export function siteKey(site: Site): string {
  switch (site.kind) {
    case 'flow':
    case 'catch':
      return [site.kind, site.in ?? '', site.sends === undefined ? '' : 'sends'].join(' ').trimEnd();
    case 'event':
      return `event ${site.event} ${site.step ?? ''}`;
    default:
      return `${site.kind} ${site.action}`;
  }
}
