/** How what the lab finds is mended, in the words of the language. */
export const MENDS = {
  double: 'let the provider know a repeat (`idempotency` with a key that it remembers), or ask before sending again',
  loss: 'let `outcome` and `reconcile` name only answers that prove it; what proves nothing is left to the default table',
  silent: 'give the step or the workflow a `timeout`, so that it ends or says who can move it',
  bug: 'this is a fault of Pawl: please report it with the file',
  answer: 'name the words of an answer in `outcome`: only what says done is confirmed, what is still open is `pending`',
  misread: 'ask by `has(…)` for what a yes need not carry, before a rule compares it, or let `output` require it',
  early:
    'an undo that finds nothing proves nothing while its act is under way: let the act be `pending` until it is done, then undo it',
  stands:
    'let it be the `pivot` and put what can be refused before it, or say how it is undone; if it is to stand, all is well',
  stranded:
    'put what can be refused before the pivot; behind it, handle a refusal by `catch`, or try it again by `retry`',
  asked:
    'do it once, or let the request say what differs; an undo is not also made by hand: say `undo: [STEP]` where it is to come early',
  row: 'let `found` ask for the word that says done; with `outcome` say `pending` for what is still open',
  accepted: 'a 202 says accepted, not done: leave it out of `outcome`, and give the action a `reconcile`',
  doubtful:
    'this answer proves nothing either way: leave it out of `outcome`, and the doubt is settled by key or question',
  noes: 'let `outcome` say `unknown` of this answer: the doubt is then settled by key or question',
  empty: 'ask for what was done, not for the status alone: a list of nothing is a 200, too (`found: size(…) > 0`)',
  asks: 'ask for what happened in a way that does nothing (`reconcile` by GET)',
  slow: 'say `undo: true` in the `catch`, with a `compensate` that undoes it, or ask behind it what stands; if it is to stand, all is well',
  left: 'say `undo: true` in the `catch`, or `undo: [STEP]` in its `do`; if it is to stand, all is well',
  off: 'let the event `cancel` the run (`then: cancel`), or undo the step where it goes on; if it is to stand, all is well',
  late: 'take it behind the wait, too (`on`, or another `await`), or call it off where it comes from (a call in the `catch`) before the run is over',
  again:
    'say `reach: workflow` with an `object` that tells what it is about, or let the request say for which run it is',
  kept: 'say `losers: undo`, so that one of them stands at the end; if all of them may, all is well',
  told: 'publish it behind what can be refused, or publish that it is not so (`catch`, `finally`)',
  refusal: 'this answer is a no: do not name it `confirmed`',
  repeat: 'a repeat that is refused as known proves no no: take this answer out of the rule that says `rejected`',
  lookup:
    'a lookup that fails says nothing of the effect: let its rules name a 2xx or a 404 only, all else stays unknown',
  shared: 'ask for this effect and no other: by `effect.key`, or by a number that no other effect carries',
  key: 'give each effect a key of its own: `idempotency` with a header sends one, or write `effect.key` into yours',
  unapproved:
    'ask again after the event (`next` back to the decision), or send only what no event changes; `authorizedBy` has it checked',
  denied:
    'let a denial lead elsewhere or end the run (`catch` of the approval), or say `authorizedBy`; if it is done either way, all is well',
  jumped: 'take the event where nothing is under way (an `await` after the step), or go on where it is not done again',
  stray: 'say `match` with a value that no other run has, and let the event carry it as `by`',
  repeated:
    'let the wait ask, by `where`, for what no earlier event has said (a number that grows), or wait for it once only',
} as const;
