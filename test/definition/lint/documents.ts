/** A whole file with one mistake, marked `⟦…⟧`; `«wrong|right»` is what mends it. */
export interface DocumentMistake {
  readonly code: string;
  readonly why: string;
  readonly file: string;
}

const HEAD = `pawl: 1
workflow: sample
version: 1
input: { type: object, required: [n], properties: { n: { type: integer } } }
vars: { total: { type: integer, default: 0 } }
secrets: [token]
`;
const ACT = `  act:
    http: { method: POST, url: 'http://127.0.0.1:1/act' }
    idempotency: natural
    compensate: none
`;
/** The head of a sound file with one action. */
export const WITH_ACT = `${HEAD}timeout: 1d\nactions:\n${ACT}`;

const SCHEDULED = `${WITH_ACT}steps:\n  - { id: a, call: act }\n`;

/** Mistakes of lint that are not those of one step. */
export const DOCUMENTS: readonly DocumentMistake[] = [
  {
    code: 'PAWL-204',
    why: 'behind an end',
    file: `${WITH_ACT}steps:\n  - { id: a, call: act«, next: end|» }\n  - ⟦{ id: b, call: act }⟧\n`,
  },
  {
    code: 'PAWL-204',
    why: 'behind a fail',
    file: `${WITH_ACT}steps:\n  - { id: a, «fail: { code: no }|call: act» }\n  - ⟦{ id: b, call: act }⟧\n`,
  },
  {
    code: 'PAWL-205',
    why: 'a ring',
    file: `${WITH_ACT}steps:\n  - ⟦{ id: a, call: act, next: a, maxJumps: 1 «}|, on: [{ event: go, then: end }] }»⟧\n«|events: { go: { schema: { type: object } } }»\n`,
  },
  {
    code: 'PAWL-207',
    why: 'an event that may come before it',
    file: `${WITH_ACT}events: { go: {} }\non: [{ event: go, set: { total: «=⟦steps.a.output.n⟧|'\${ or(steps.a.output.n, 0) }'» } }]\nsteps:\n  - { id: a, call: act }\n`,
  },
  {
    code: 'PAWL-207',
    why: 'an output behind an end at any time',
    file: `${WITH_ACT}events: { go: {} }\non: [{ event: go, «then: end|set: { total: 1 }» }]\nsteps:\n  - { id: a, call: act }\noutput: { n: =⟦steps.a.output⟧ }\n`,
  },
  {
    code: 'PAWL-209',
    why: 'an event of the whole file',
    file: `${WITH_ACT}events: { go: {} }\non: [{ event: «⟦og⟧|go», then: end }]\nsteps:\n  - { id: a, call: act }\n`,
  },
  {
    code: 'PAWL-210',
    why: 'a var that an event of the whole file sets',
    file: `${WITH_ACT}events: { go: {} }\non: [{ event: go, set: { «⟦totl⟧|total»: 1 } }]\nsteps:\n  - { id: a, call: act }\n`,
  },
  {
    code: 'PAWL-701',
    why: 'in an event of the whole file',
    file: `${WITH_ACT}events: { go: {} }\non: [{ event: go, match: =«⟦secrets.token⟧|run.key» }]\nsteps:\n  - { id: a, call: act }\n`,
  },
  {
    code: 'PAWL-302',
    why: 'a write without idempotency',
    file: `${HEAD}timeout: 1d\nactions:\n${ACT}  ⟦bare⟧:\n    http: { method: POST, url: 'http://127.0.0.1:1/bare' }\n    compensate: none\n    «|idempotency: natural»\nsteps:\n  - { id: a, call: act }\n`,
  },
  {
    code: 'PAWL-303',
    why: 'also in a catch',
    file: `${HEAD}timeout: 1d\nactions:\n${ACT}  open: { http: { method: POST, url: 'http://127.0.0.1:1/o' }, idempotency: natural }\nsteps:\n  - id: a\n    call: act\n    catch:\n      - { on: [any], do: [{ id: b, call: ⟦open⟧«|, compensate: none» }] }\n`,
  },
  {
    code: 'PAWL-303',
    why: 'not behind the pivot',
    file: `${HEAD}timeout: 1d\nactions:\n${ACT}  open: { http: { method: POST, url: 'http://127.0.0.1:1/o' }, idempotency: natural }\nsteps:\n  - { id: a, call: act, pivot: «false|true» }\n  - { id: b, call: ⟦open⟧ }\n`,
  },
  {
    code: 'PAWL-301',
    why: 'in an undo',
    file: `${WITH_ACT}steps:\n  - { id: a, call: act, compensate: { call: «⟦atc⟧|act» } }\n`,
  },
  {
    code: 'PAWL-240',
    why: 'a workflow that runs itself',
    file: `${HEAD}timeout: 1d\nsteps:\n  - { id: a, child: «⟦sample@1⟧|sample@2» }\n`,
  },
  {
    code: 'PAWL-280',
    why: 'a shared act without what it is for',
    file: `${WITH_ACT}steps:\n  - { id: a, call: act, ⟦reach⟧: global, object: x«|, intent: y» }\n`,
  },
  {
    code: 'PAWL-281',
    why: 'a shared act that is approved here',
    file: `${WITH_ACT}steps:\n  - { id: ask, approve: Sure?, from: ['role:x'], expires: 1d }\n  - { id: a, call: act«, ⟦authorizedBy⟧: ask|», reach: workflow, object: x, intent: y }\n`,
  },
  {
    code: 'PAWL-242',
    why: 'a pivot that nobody waits for',
    file: `${HEAD}timeout: 1d\nsteps:\n  - { id: a, child: other@1, «⟦pivot⟧: true|key: "'k'"», detach: true }\n`,
  },
  {
    code: 'PAWL-242',
    why: 'an undo of what nobody waits for',
    file: `${HEAD}timeout: 1d\nsteps:\n  - { id: a, child: other@1, detach: true«, ⟦compensate⟧: none|» }\n`,
  },
  {
    code: 'PAWL-242',
    why: 'a time for what nobody waits for',
    file: `${HEAD}timeout: 1d\nsteps:\n  - { id: a, child: other@1, detach: «true, ⟦timeout⟧: 1h|false, timeout: 1h» }\n`,
  },
  {
    code: 'PAWL-240',
    why: 'a workflow that undoes itself by itself',
    file: `${WITH_ACT}steps:\n  - { id: a, call: act, compensate: { child: «⟦sample@1⟧|sample@2» } }\n`,
  },
  {
    code: 'PAWL-243',
    why: 'a retry of what is started once',
    file: `${WITH_ACT}steps:\n  - { id: a, call: act, compensate: { child: other@1«, ⟦retry⟧: { attempts: 3 }|» } }\n`,
  },
  {
    code: 'PAWL-243',
    why: 'an object and a time of what is started once, in an action',
    file: `${HEAD}timeout: 1d\nactions:\n  act:\n    http: { method: POST, url: 'http://127.0.0.1:1/act' }\n    idempotency: natural\n    compensate: { child: other@1«, ⟦timeout⟧: 1h|» }\nsteps:\n  - { id: a, call: act }\n`,
  },
  {
    code: 'PAWL-231',
    why: 'six fields',
    file: `${SCHEDULED}schedule: { cron: «⟦'0 30 2 * * *'⟧|'30 2 * * *'», input: { n: 1 } }\n`,
  },
  {
    code: 'PAWL-231',
    why: 'a minute that there is not',
    file: `${SCHEDULED}schedule: { cron: «⟦'61 2 * * *'⟧|'1 2 * * *'», input: { n: 1 } }\n`,
  },
  {
    code: 'PAWL-231',
    why: 'a day that never comes',
    file: `${SCHEDULED}schedule: { cron: «⟦'0 0 30 2 *'⟧|'0 0 29 2 *'», input: { n: 1 } }\n`,
  },
  {
    code: 'PAWL-232',
    why: 'a misspelled zone',
    file: `${SCHEDULED}schedule: { cron: '0 2 * * *', timezone: «⟦Europe/Berlim⟧|Europe/Berlin», input: { n: 1 } }\n`,
  },
  {
    code: 'PAWL-232',
    why: 'an offset for a zone',
    file: `${SCHEDULED}schedule: { cron: '0 2 * * *', timezone: «⟦'+02:00'⟧|Africa/Cairo», input: { n: 1 } }\n`,
  },
  {
    code: 'PAWL-233',
    why: 'an input of another type',
    file: `${SCHEDULED}schedule: { cron: '0 2 * * *', input: { n: «⟦a⟧|1» } }\n`,
  },
  {
    code: 'PAWL-233',
    why: 'an input that lacks a key',
    file: `${SCHEDULED}schedule: { cron: '0 2 * * *', input: «⟦{ m: 1 }⟧|{ n: 1 }» }\n`,
  },
  {
    code: 'PAWL-233',
    why: 'no input where one is needed',
    file: `${SCHEDULED}schedule: «⟦{ cron: '0 2 * * *' }⟧|{ cron: '0 2 * * *', input: { n: 1 } }»\n`,
  },
  {
    code: 'PAWL-234',
    why: 'a queue beside a lock',
    file: `${SCHEDULED}lock: gate\nschedule: { cron: '0 2 * * *', input: { n: 1 }, overlap: «⟦queue⟧|allow» }\n`,
  },
  {
    code: 'PAWL-360',
    why: 'all that passed, one at a time',
    file: `${SCHEDULED}schedule: { cron: '0 2 * * *', input: { n: 1 }, catchUp: ⟦all⟧«|, overlap: queue» }\n`,
  },
  {
    code: 'PAWL-360',
    why: 'all that passed, or the newest',
    file: `${SCHEDULED}schedule: { cron: '0 2 * * *', input: { n: 1 }, catchUp: «⟦all⟧|one» }\n`,
  },
  {
    code: 'PAWL-360',
    why: 'all that passed, unless one still runs',
    file: `${SCHEDULED}schedule: { cron: '0 2 * * *', input: { n: 1 }, catchUp: ⟦all⟧«|, overlap: skip» }\n`,
  },
  {
    code: 'PAWL-235',
    why: 'a key of its own',
    file: `${SCHEDULED}«⟦key⟧: string(input.n)\n|»schedule: { cron: '0 2 * * *', input: { n: 1 } }\n`,
  },
  {
    code: 'PAWL-216',
    why: 'an end in finally',
    file: `${WITH_ACT}steps:\n  - { id: a, call: act }\nfinally:\n  - { id: z, call: act }\n«  - { ⟦end⟧: done }\n|»`,
  },
  {
    code: 'PAWL-216',
    why: 'an undo in finally',
    file: `${WITH_ACT}steps:\n  - { id: a, call: act }\nfinally:\n  - { id: z, call: act }\n«  - { id: y, ⟦undo⟧: [a] }\n|»`,
  },
  {
    code: 'PAWL-216',
    why: 'a pivot in finally',
    file: `${WITH_ACT}steps:\n  - { id: a, call: act }\nfinally:\n  - { id: z, call: act«, ⟦pivot⟧: true|» }\n`,
  },
  {
    code: 'PAWL-216',
    why: 'the undo of what finally does',
    file: `${WITH_ACT}steps:\n  - { id: a, call: act }\nfinally:\n  - { id: z, call: act«, ⟦compensate⟧: { call: act }|» }\n`,
  },
  {
    code: 'PAWL-216',
    why: 'how a scope of finally is undone',
    file: `${WITH_ACT}steps:\n  - { id: a, call: act }\nfinally:\n  - { id: z, scope: [{ id: y, call: act }]«, ⟦compensation⟧: { order: graph }|» }\n`,
  },
  {
    code: 'PAWL-216',
    why: 'a catch that undoes in finally',
    file: `${WITH_ACT}steps:\n  - { id: a, call: act }\nfinally:\n  - { id: z, call: act, catch: [{ «⟦undo⟧: true|on: [any]» }] }\n`,
  },
  {
    code: 'PAWL-216',
    why: 'an event that cancels in finally',
    file: `${WITH_ACT}events: { no: {} }\nsteps:\n  - { id: a, call: act }\nfinally:\n  - { id: z, wait: 1h, on: [{ event: no, «⟦then⟧: cancel|then: end» }] }\n`,
  },
  {
    code: 'PAWL-207',
    why: 'a step that finally cannot rely on',
    file: `${WITH_ACT}steps:\n  - { id: a, call: act }\nfinally:\n  - { id: z, call: act, with: { n: «=⟦steps.a.output.n⟧|'\${ or(steps.a.output.n, 0) }'» } }\n`,
  },
  {
    code: 'PAWL-203',
    why: 'a way into finally',
    file: `${WITH_ACT}steps:\n  - { id: a, call: act«, next: ⟦z⟧|» }\nfinally:\n  - { id: z, call: act }\n`,
  },
  {
    code: 'PAWL-201',
    why: 'an id that finally has, too',
    file: `${WITH_ACT}steps:\n  - { id: a, call: act }\nfinally:\n  - { id: «⟦a⟧|z», call: act }\n`,
  },
  {
    code: 'PAWL-304',
    why: 'two pivots in a row',
    file: `${WITH_ACT}steps:\n  - { id: a, call: act, pivot: true }\n  - { id: b, call: act, pivot: «⟦true⟧|false» }\n`,
  },
  {
    code: 'PAWL-305',
    why: 'an event that fails it',
    file: `${WITH_ACT}events: { no: {} }\nsteps:\n  - { id: a, call: act, pivot: true }\n  - { id: b, wait: 1h, on: [{ event: no, then: «⟦fail⟧|end» }] }\n`,
  },
  {
    code: 'PAWL-305',
    why: 'an event that cancels it at any time',
    file: `${WITH_ACT}events: { no: {} }\non: [{ event: no, then: «⟦cancel⟧|end» }]\nsteps:\n  - { id: a, call: act, pivot: true }\n`,
  },
  {
    code: 'PAWL-305',
    why: 'a fail behind it',
    file: `${WITH_ACT}steps:\n  - { id: a, call: act, pivot: «true|false» }\n  - { id: b, when: input.n > 3, fail: ⟦{ code: no }⟧ }\n`,
  },
  {
    code: 'PAWL-305',
    why: 'a cancel behind it',
    file: `${WITH_ACT}steps:\n  - { id: a, call: act, pivot: true }\n  - { id: b, when: input.n > 3, end: «⟦cancelled⟧|done» }\n`,
  },
  {
    code: 'PAWL-203',
    why: 'a next out of a branch',
    file: `${WITH_ACT}steps:\n  - { id: p, parallel: { x: [{ id: a, call: act«, next: ⟦b⟧|» }], y: [{ id: c, call: act }] } }\n  - { id: b, call: act }\n`,
  },
  {
    code: 'PAWL-203',
    why: 'a next that ends the run from a branch',
    file: `${WITH_ACT}steps:\n  - { id: p, parallel: { x: [{ id: a, call: act«, next: ⟦end⟧|» }] } }\n`,
  },
  {
    code: 'PAWL-207',
    why: 'a step of another branch',
    file: `${WITH_ACT}steps:\n  - { id: p, parallel: { x: [{ id: a, call: act }], y: [{ id: b, call: act, with: { n: «=⟦steps.a.output⟧|=input.n» } }] } }\n`,
  },
  {
    code: 'PAWL-207',
    why: 'a branch that need not succeed',
    file: `${WITH_ACT}steps:\n  - { id: p, parallel: { x: [{ id: a, call: act }], y: [{ id: c, call: act }] }, join: «any|all» }\n  - { id: b, call: act, with: { n: =⟦steps.a.output⟧ } }\n`,
  },
  {
    code: 'PAWL-204',
    why: 'behind a branch that always fails',
    file: `${WITH_ACT}steps:\n  - { id: p, parallel: { x: [{ id: a, call: act }], y: [{ id: f, fail: { code: no } }] }, join: «all|any» }\n  - ⟦{ id: b, call: act }⟧\n`,
  },
  {
    code: 'PAWL-213',
    why: 'an end in a branch',
    file: `${WITH_ACT}steps:\n  - { id: p, parallel: { x: [{ id: a, call: act }, «{ id: e, end: ⟦done⟧ }|{ id: c, call: act }»] } }\n`,
  },
  {
    code: 'PAWL-213',
    why: 'a catch in a branch that ends the run',
    file: `${WITH_ACT}steps:\n  - { id: p, parallel: { x: [{ id: a, call: act, catch: [{ then: «⟦end⟧|raise» }] }] } }\n`,
  },
  {
    code: 'PAWL-213',
    why: 'an event that ends the run from a branch',
    file: `${WITH_ACT}events: { go: {} }\nsteps:\n  - { id: p, parallel: { x: [{ id: a, call: act, on: [{ event: go, then: «⟦cancel⟧|fail» }] }] } }\n`,
  },
  {
    code: 'PAWL-214',
    why: 'a set in a branch',
    file: `${WITH_ACT}steps:\n  - { id: p, parallel: { x: [{ id: a, call: act }, «{ id: s, ⟦set⟧: { total: 1 } }|{ id: c, call: act }»] } }\n`,
  },
  {
    code: 'PAWL-214',
    why: 'an event that sets a var from a branch',
    file: `${WITH_ACT}events: { go: {} }\nsteps:\n  - { id: p, parallel: { x: [{ id: a, call: act, on: [{ event: go, «⟦set⟧: { total: 1 }|then: fail» }] }] } }\n`,
  },
  {
    code: 'PAWL-215',
    why: 'more branches than there are',
    file: `${WITH_ACT}steps:\n  - { id: p, parallel: { x: [{ id: a, call: act }], y: [{ id: b, call: act }] }, join: { count: «⟦3⟧|2» } }\n`,
  },
  {
    code: 'PAWL-215',
    why: 'more than all items',
    file: `${WITH_ACT}steps:\n  - { id: m, map: '["x"]', key: item, join: { percent: «⟦101⟧|100» }, steps: [{ id: a, call: act }] }\n`,
  },
  {
    code: 'PAWL-270',
    why: 'none of its branches',
    file: `${WITH_ACT}steps:\n  - { id: p, parallel: { x: [{ id: a, call: act }], y: [{ id: b, call: act }] }, join: { count: «⟦0⟧|1» } }\n`,
  },
  {
    code: 'PAWL-270',
    why: 'none of its items',
    file: `${WITH_ACT}steps:\n  - { id: m, map: '["x"]', key: item, join: { percent: «⟦0⟧|1» }, steps: [{ id: a, call: act }] }\n`,
  },
  {
    code: 'PAWL-212',
    why: 'an undo that comes after that of no step',
    file: `${WITH_ACT}steps:\n  - { id: a, call: act, compensate: { call: act, after: [«⟦bb⟧|b»] } }\n  - { id: b, call: act }\n`,
  },
  {
    code: 'PAWL-305',
    why: 'an undo behind it',
    file: `${WITH_ACT}steps:\n  - { id: a, call: act, pivot: «true|false» }\n  - { id: b, undo: ⟦[a]⟧ }\n`,
  },
  {
    code: 'PAWL-305',
    why: 'a scope that is undone when a step behind it fails',
    file: `${WITH_ACT}steps:\n  - { id: s, scope: [{ id: a, call: act, pivot: true }«, { id: b, call: act }|»], catch: [{ undo: ⟦true⟧ }] }\n`,
  },
  {
    code: 'PAWL-207',
    why: 'what is in a scope and did not run on the way by its catch',
    file: `${WITH_ACT}steps:\n  - { id: s, scope: [{ id: a, call: act }], catch: [{ then: «continue|raise» }] }\n  - { id: b, call: act, with: { n: =⟦steps.a.output⟧ } }\n`,
  },
  {
    code: 'PAWL-207',
    why: 'the output of a scope that reads what only a choice does',
    file: `${WITH_ACT}steps:\n  - { id: s, scope: [{ id: a, «when: input.n > 3, |»call: act }], output: { n: =⟦steps.a.output⟧ } }\n`,
  },
  {
    code: 'PAWL-207',
    why: 'a later step of the turn before',
    file: `${WITH_ACT}steps:\n  - { id: r, repeat: 2, until: input.n > 1, steps: [{ id: a, call: act, with: { n: «=⟦steps.b.output⟧|=input.n» } }, { id: b, call: act }] }\n`,
  },
  {
    code: 'PAWL-207',
    why: 'what is in a repeat that may have no turn',
    file: `${WITH_ACT}steps:\n  - { id: r, repeat: 2, «while|until»: input.n > 1, steps: [{ id: a, call: act }] }\n  - { id: b, call: act, with: { n: =⟦steps.a.output⟧ } }\n`,
  },
  {
    code: 'PAWL-207',
    why: 'a while that reads what its own turn does',
    file: `${WITH_ACT}steps:\n  - { id: r, repeat: 2, «while|until»: "⟦steps.a.output⟧ == 1", steps: [{ id: a, call: act }] }\n`,
  },
  {
    code: 'PAWL-207',
    why: 'what is in a map that may have no item',
    file: `${WITH_ACT}steps:\n  - { id: m, map: '[1]', key: string(item), steps: [{ id: a, call: act }] }\n  - { id: b, call: act, with: { n: «=⟦steps.a.output⟧|=input.n» } }\n`,
  },
  {
    code: 'PAWL-306',
    why: 'one approval for each item',
    file: `${WITH_ACT}steps:\n  - { id: d, approve: Go, from: ['role:x'], expires: 1h }\n  - { id: m, map: '[1]', key: string(item), steps: [{ id: a, call: act«, authorizedBy: ⟦d⟧|» }] }\n`,
  },
  {
    code: 'PAWL-403',
    why: 'an item outside of its map',
    file: `${WITH_ACT}steps:\n  - { id: m, map: '[1]', key: string(item), steps: [{ id: a, call: act }] }\n  - { id: b, call: act, with: { n: «=⟦item⟧|=input.n» } }\n`,
  },
  {
    code: 'PAWL-221',
    why: 'a key from the index',
    file: `${WITH_ACT}steps:\n  - { id: m, map: '[1]', key: "string(«⟦itemIndex⟧|item»)", steps: [{ id: a, call: act }] }\n`,
  },
  {
    code: 'PAWL-221',
    why: 'an object from the index',
    file: `${WITH_ACT}steps:\n  - { id: m, map: '[1]', key: string(item), steps: [{ id: a, call: act, object: «=⟦itemIndex⟧|=item» }] }\n`,
  },
  {
    code: 'PAWL-113',
    why: 'an item with the name of a root',
    file: `${WITH_ACT}steps:\n  - { id: m, map: '[1]', as: «⟦input⟧|row», key: "'k'", steps: [{ id: a, call: act }] }\n`,
  },
  {
    code: 'PAWL-201',
    why: 'an item with the name of one around it',
    file: `${WITH_ACT}steps:\n  - { id: m, map: '[1]', key: string(item), steps: [{ id: k, map: '[2]', as: «⟦item⟧|other», key: "'k'", steps: [{ id: a, call: act }] }] }\n`,
  },
  {
    code: 'PAWL-307',
    why: 'a var',
    file: `${WITH_ACT}steps:\n  - { id: d, approve: Go, from: ['role:x'], expires: 1h }\n  - { id: a, call: act, with: { n: «=⟦vars.total⟧|=input.n» }, authorizedBy: d }\n`,
  },
  {
    code: 'PAWL-307',
    why: 'a step between',
    file: `${WITH_ACT}steps:\n  - { id: d, approve: Go, from: ['role:x'], expires: 1h }\n  - { id: m, call: act }\n  - { id: a, call: act, with: { n: «=⟦steps.m.output⟧|=input.n» }, authorizedBy: d }\n`,
  },
  {
    code: 'PAWL-250',
    why: 'a refusal that a crash hides',
    file: `${HEAD}timeout: 1d\nactions:\n  pay: { http: { method: POST, url: 'http://127.0.0.1:1/pay' }, idempotency: { header: Key, remembers: 24h }, compensate: none«|, outcome: [{ when: response.status == 402, is: rejected }]» }\nsteps:\n  - { id: a, call: pay, catch: [{ on: [⟦rejected⟧], do: [] }] }\n`,
  },
  {
    code: 'PAWL-250',
    why: 'a refusal inside a group, of an action that can be asked',
    file: `${HEAD}timeout: 1d\nactions:\n  pay:\n    http: { method: POST, url: 'http://127.0.0.1:1/pay' }\n    idempotency: natural\n    compensate: none\n«|    reconcile: { http: { method: GET, url: 'http://127.0.0.1:1/pay' }, found: 'true', absent: final }»\nsteps:\n  - { id: s, scope: [{ id: a, call: pay }], catch: [{ on: [timeout, ⟦http-402⟧], do: [] }] }\n`,
  },
  {
    code: 'PAWL-250',
    why: 'a no that a function has a name for',
    file: `${HEAD}timeout: 1d\nactions:\n  pay: { function: pay@1, idempotency: { remembers: 24h }, compensate: none«|, outcome: [{ when: response.body == null, is: rejected, code: no-stock }]» }\nsteps:\n  - { id: a, call: pay, catch: [{ on: [unknown, ⟦no-stock⟧], do: [] }] }\n`,
  },
  {
    code: 'PAWL-271',
    why: 'more lanes than a file may have',
    file: `${WITH_ACT}steps:\n  - { id: m, map: '[1]', key: string(item), concurrency: «⟦1001⟧|1000», steps: [{ id: a, call: act }] }\n`,
  },
  {
    code: 'PAWL-271',
    why: 'lanes in lanes, with those of a map before them',
    file: `${WITH_ACT}steps:\n  - { id: m, map: '[1]', key: string(item), concurrency: 30, steps: [{ id: a, call: act }] }\n  - id: n\n    map: '[1]'\n    key: string(item)\n    concurrency: ⟦31⟧\n    steps:\n      - { id: o, map: '[1]', as: one, key: string(one), concurrency: «31|30», steps: [{ id: b, call: act }] }\n`,
  },
  {
    code: 'PAWL-251',
    why: 'a race of items that comes again',
    file: `${WITH_ACT}steps:\n  - id: r\n    repeat: 2\n    steps:\n      - { id: m, map: '[1]', key: string(item), join: any, losers: «⟦keep⟧|undo», steps: [{ id: x, call: act }] }\n`,
  },
  {
    code: 'PAWL-251',
    why: 'a race of items for each item of another map',
    file: `${WITH_ACT}steps:\n  - id: r\n    map: '[1]'\n    as: one\n    key: string(one)\n    steps:\n      - { id: m, map: '[1]', key: string(item), join: any, losers: «⟦keep⟧|undo», steps: [{ id: x, call: act }] }\n`,
  },
  {
    code: 'PAWL-251',
    why: 'losers that are kept in a loop',
    file: `${WITH_ACT}steps:\n  - id: r\n    repeat: 2\n    steps:\n      - { id: p, parallel: { a: [{ id: x, call: act }], b: [{ id: y, call: act, intent: other }] }, join: any, losers: «⟦keep⟧|undo» }\n`,
  },
  {
    code: 'PAWL-251',
    why: 'losers that run on',
    file: `${WITH_ACT}steps:\n  - { id: p, parallel: { x: [{ id: a, call: act }], y: [{ id: b, call: act }] }, join: any, siblings: «finish|drain», losers: ⟦keep⟧ }\n`,
  },
  {
    code: 'PAWL-364',
    why: 'a step by name',
    file: `${WITH_ACT}steps:\n  - { id: a, call: act«|, compensate: { call: act }» }\n  - { id: u, undo: [⟦a⟧] }\n`,
  },
  {
    code: 'PAWL-364',
    why: 'a group, one of whose acts is enough',
    file: `${WITH_ACT}steps:\n  - id: s\n    scope: [{ id: a, call: act }, { id: b, call: act, intent: other«|, compensate: { call: act }» }]\n    catch: [{ on: [any], undo: ⟦true⟧ }]\n`,
  },
  {
    code: 'PAWL-361',
    why: 'two branches that act, one of which nothing undoes',
    file: `${WITH_ACT}steps:\n  - { id: p, parallel: { x: [{ id: a, call: ⟦act⟧ }], y: [{ id: b, call: act, compensate: { call: act } }] }, join: «any|all» }\n`,
  },
  {
    code: 'PAWL-361',
    why: 'items of which not all are needed, in a group',
    file: `${WITH_ACT}steps:\n  - { id: m, map: '[1, 2]', key: string(item), join: { percent: «50|100» }, steps: [{ id: s, scope: [{ id: a, call: ⟦act⟧ }] }] }\n`,
  },
  {
    code: 'PAWL-361',
    why: 'fewer branches than there are, and losers that are to stand',
    file: `${WITH_ACT}steps:\n  - { id: p, parallel: { x: [{ id: a, call: ⟦act⟧ }], y: [{ id: b, call: act, compensate: { call: act } }] }, join: { count: 1 }«|, losers: keep» }\n`,
  },
  {
    code: 'PAWL-361',
    why: 'beside an act, not beside a wait',
    file: `${WITH_ACT}steps:\n  - { id: p, parallel: { x: [{ id: a, call: ⟦act⟧ }], y: [{ id: b, «call: act, compensate: { call: act }|wait: 1h» }] }, join: any }\n`,
  },
  {
    code: 'PAWL-361',
    why: 'as many branches as there are',
    file: `${WITH_ACT}steps:\n  - { id: p, parallel: { x: [{ id: a, call: ⟦act⟧ }], y: [{ id: b, call: act, compensate: { call: act } }] }, join: { count: «1|2» } }\n`,
  },
  {
    code: 'PAWL-361',
    why: 'before the end, not in what follows it',
    file: `${WITH_ACT}«steps:\n  - { id: p, parallel: { x: [{ id: a, call: ⟦act⟧ }], y: [{ id: b, call: act, compensate: { call: act } }] }, join: any }|steps:\n  - { id: c, call: act }\nfinally:\n  - { id: p, parallel: { x: [{ id: a, call: act }], y: [{ id: b, call: act }] }, join: any }»\n`,
  },
  {
    code: 'PAWL-362',
    why: 'a step that rests, and a number that the events carry',
    file: `${WITH_ACT}events: { go: { schema: { type: object, required: [n], properties: { n: { type: integer } } }«|, sequence: event.data.n» } }\nsteps:\n  - { id: w, wait: 1h, on: [{ event: go, set: { ⟦total⟧: =event.data.n } }] }\n  - { id: a, call: act, with: { n: =vars.total } }\n`,
  },
  {
    code: 'PAWL-362',
    why: 'an event of the whole file',
    file: `${WITH_ACT}events: { go: { schema: { type: object, required: [n], properties: { n: { type: integer } } } } }\non: [{ event: go, set: { ⟦total⟧: «=event.data.n|1» } }]\nsteps:\n  - { id: a, call: act, object: 'of \${ vars.total }' }\n`,
  },
  {
    code: 'PAWL-362',
    why: 'what one is left by comes once',
    file: `${WITH_ACT}events: { go: { schema: { type: object, required: [n], properties: { n: { type: integer } } } } }\nsteps:\n  - { id: w, wait: 1h, on: [{ event: go, set: { ⟦total⟧: =event.data.n }«|, next: a» }] }\n  - { id: a, call: act, with: { n: =vars.total } }\n`,
  },
  {
    code: 'PAWL-362',
    why: 'a sum has no order',
    file: `${WITH_ACT}events: { go: { schema: { type: object, required: [n], properties: { n: { type: integer } } } } }\nsteps:\n  - { id: w, wait: 1h, on: [{ event: go, set: { ⟦total⟧: «=event.data.n|'\${ vars.total + event.data.n }'» } }] }\n  - { id: a, call: act, with: { n: =vars.total } }\n`,
  },
  {
    code: 'PAWL-362',
    why: 'an order of its own',
    file: `${WITH_ACT}events: { go: { schema: { type: object, required: [n], properties: { n: { type: integer } } } } }\nsteps:\n  - { id: w, wait: 1h, on: [{ event: go, where: «'true'|event.data.n > vars.total», set: { ⟦total⟧: =event.data.n } }] }\n  - { id: a, call: act, with: { n: =vars.total } }\n`,
  },
  {
    code: 'PAWL-362',
    why: 'what was called before has sent what it was',
    file: `${WITH_ACT}events: { go: { schema: { type: object, required: [n], properties: { n: { type: integer } } } } }\nsteps:\n  - { id: b, call: act, with: { n: =vars.total } }\n  - { id: w, wait: 1h, on: [{ event: go, set: { ⟦total⟧: =event.data.n } }] }\n  - { id: a, call: act, with: { n: «=vars.total|=input.n» } }\n`,
  },
  {
    code: 'PAWL-363',
    why: 'a no that asks again, and a call behind the loop or in it',
    file: `${WITH_ACT}steps:\n  - id: s\n    scope:\n      - { id: d, approve: Go, from: ['role:x'], expires: 1h, catch: [{ on: [denied], do: [{ id: n, wait: 1m, next: d, maxJumps: 3 }] }] }\n«  - { id: a, call: act, authorizedBy: ⟦d⟧ }|      - { id: a, call: act, authorizedBy: d }»\n`,
  },
  {
    code: 'PAWL-363',
    why: 'what is caught is no no',
    file: `${WITH_ACT}steps:\n  - id: s\n    scope:\n      - { id: d, approve: Go, from: ['role:x'], expires: 1h, catch: [{ on: [«any|unknown»], do: [{ id: n, wait: 1m, next: d, maxJumps: 3 }] }] }\n  - { id: a, call: act, authorizedBy: ⟦d⟧ }\n`,
  },
  {
    code: 'PAWL-363',
    why: 'the jump goes back over the question, not to what comes behind it',
    file: `${WITH_ACT}steps:\n  - id: s\n    scope:\n      - { id: w, wait: 1h }\n      - { id: g, scope: [{ id: d, approve: Go, from: ['role:x'], expires: 1h }], catch: [{ on: [denied], do: [{ id: n, wait: 1m, next: «w, maxJumps: 3|e» }] }] }\n      - { id: e, wait: 1s }\n  - { id: a, call: act, authorizedBy: ⟦d⟧ }\n`,
  },
  {
    code: 'PAWL-363',
    why: 'a form is filled in by the yes',
    file: `${WITH_ACT}steps:\n  - id: s\n    scope:\n      - { id: d, approve: Go, from: ['role:x'], expires: 1h«|, form: { type: object, properties: { n: { type: integer } } }», catch: [{ on: [denied], do: [{ id: n, wait: 1m, next: d, maxJumps: 3 }] }] }\n  - { id: a, call: act, authorizedBy: ⟦d⟧ }\n`,
  },
  {
    code: 'PAWL-216',
    why: 'losers that nothing waits for',
    file: `${WITH_ACT}steps:\n  - { id: a, call: act }\nfinally:\n  - { id: p, parallel: { x: [{ id: b, wait: 1s }], y: [{ id: c, wait: 1s }] }, join: any, «⟦losers⟧: keep|siblings: drain» }\n`,
  },
  {
    code: 'PAWL-309',
    why: 'a var',
    file: `${WITH_ACT}steps:\n  - { id: a, call: act, compensate: { call: act, with: { n: «=⟦vars.total⟧|=effect.input.n» } } }\n`,
  },
  {
    code: 'PAWL-309',
    why: 'another step',
    file: `${WITH_ACT}steps:\n  - { id: b, call: act }\n  - { id: a, call: act, compensate: { call: act, with: { n: «'\${ ⟦steps.b.output⟧ }'|=run.key» } } }\n`,
  },
  {
    code: 'PAWL-309',
    why: 'who agrees by a var',
    file: `${WITH_ACT}steps:\n  - { id: a, call: act, compensate: { call: act, with: { n: =effect.input.n }, approve: { title: Undo, from: 'role:x', quorum: «=⟦vars.total⟧|=input.n», expires: 1h } } }\n`,
  },
  {
    code: 'PAWL-403',
    why: 'who agrees by the failure',
    file: `${WITH_ACT}steps:\n  - { id: a, call: act, compensate: { call: act, with: { n: =effect.input.n }, approve: { title: «'\${ ⟦failure⟧.code }'|'\${ run.startedBy }'», from: 'role:x', expires: 1h } } }\n`,
  },
  {
    code: 'PAWL-308',
    why: 'an undo that more must agree to than there are',
    file: `${WITH_ACT}steps:\n  - { id: a, call: act, compensate: { call: act, with: { n: =effect.input.n }, approve: { title: Undo, from: ['user:ana'], quorum: «⟦2⟧|1», expires: 1h } } }\n`,
  },
  {
    code: 'PAWL-315',
    why: 'an undo that nobody can agree to, on an action',
    file: `${HEAD}timeout: 1d\nactions:\n${ACT}  do: { http: { method: POST, url: 'http://127.0.0.1:1/do' }, idempotency: natural, compensate: { call: act, approve: { title: Undo, from: ['role:x', «⟦ana⟧|'user:ana'»], expires: 1h } } }\nsteps:\n  - { id: a, call: do }\n`,
  },
  {
    code: 'PAWL-353',
    why: 'an undo that may wait for ever',
    file: `${WITH_ACT}steps:\n  - { id: a, call: act, compensate: { call: act, with: { n: =effect.input.n }, approve: { ⟦title⟧: Undo, from: 'role:x'«|, expires: 1h» } } }\n`,
  },
  {
    code: 'PAWL-310',
    why: 'pending without a question',
    file: `${WITH_ACT}    outcome:\n      - «⟦{ when: response.status == 202, is: pending }⟧|{ when: response.status == 202, is: unknown }»\nsteps:\n  - { id: a, call: act }\n`,
  },
  {
    code: 'PAWL-351',
    why: 'no deadline',
    file: `pawl: 1\nworkflow: ⟦sample⟧\nversion: 1\n«|timeout: 1d»\nactions:\n${ACT}steps:\n  - { id: a, call: act }\n`,
  },
  {
    code: 'PAWL-352',
    why: 'neither key nor question',
    file: `${HEAD}timeout: 1d\nactions:\n  act:\n    http: { method: POST, url: 'http://127.0.0.1:1/act' }\n    idempotency: «⟦none⟧|natural»\n    compensate: none\nsteps:\n  - { id: a, call: act }\n`,
  },
  {
    code: 'PAWL-354',
    why: 'a branch on denied',
    file: `${WITH_ACT}steps:\n  - { id: d, approve: Go, from: ['role:x'], expires: 1h }\n  - choose:\n      - when: «⟦steps.d.output.decision == "denied"⟧|input.n > 3»\n        steps: [{ id: a, call: act }]\n      - else: []\n`,
  },
  {
    code: 'PAWL-314',
    why: 'one of the connection',
    file: `${HEAD}timeout: 1d\nactions:\n  act:\n    http: { method: POST, url: 'http://127.0.0.1:1/act', headers: { «⟦Host⟧|x-host»: example.com } }\n    idempotency: natural\n    compensate: none\nsteps:\n  - { id: a, call: act }\n`,
  },
  {
    code: 'PAWL-314',
    why: 'one of a proxy, in a question',
    file: `${WITH_ACT}    reconcile:\n      http: { method: GET, url: 'http://127.0.0.1:1/ask', headers: { «⟦proxy-authorization⟧|authorization»: =secrets.token } }\n      found: response.status == 200\nsteps:\n  - { id: a, call: act }\n`,
  },
  {
    code: 'PAWL-314',
    why: 'one of our own, for the key',
    file: `${HEAD}timeout: 1d\nactions:\n  act:\n    http: { method: POST, url: 'http://127.0.0.1:1/act' }\n    idempotency: { header: «⟦Pawl-Effect⟧|Idempotency-Key», remembers: 24h }\n    compensate: none\nsteps:\n  - { id: a, call: act }\n`,
  },
  {
    code: 'PAWL-355',
    why: 'slower than a tenth of the memory',
    file: `${HEAD}timeout: 1d\nactions:\n  act:\n    http: { method: POST, url: 'http://127.0.0.1:1/act' }\n    idempotency: «⟦{ header: Key, remembers: 10m }⟧|{ header: Key, remembers: 15m }»\n    compensate: none\nsteps:\n  - { id: a, call: act }\n`,
  },
  {
    code: 'PAWL-355',
    why: 'by its own word',
    file: `${HEAD}timeout: 1d\nactions:\n  act:\n    http: { method: POST, url: 'http://127.0.0.1:1/act' }\n    settlesWithin: «3h|2h»\n    idempotency: ⟦{ header: Key, remembers: 24h }⟧\n    compensate: none\nsteps:\n  - { id: a, call: act }\n`,
  },
  {
    code: 'PAWL-356',
    why: 'an error in the answer',
    file: `${WITH_ACT}    ⟦output⟧: { type: object, properties: { ok: { type: boolean } } }\n    «|outcome: [{ when: '!or(response.body.ok, true)', is: rejected, code: no }]»\nsteps:\n  - { id: a, call: act }\n`,
  },
  {
    code: 'PAWL-357',
    why: 'the own word of an action',
    file: `${WITH_ACT}    timeout: 1m\n    settlesWithin: «⟦59s⟧|60s»\nsteps:\n  - { id: a, call: act }\n`,
  },
  {
    code: 'PAWL-358',
    why: 'on a choose, whose steps fail otherwise',
    file: `${WITH_ACT}steps:\n  - id: pick\n    choose:\n      - when: input.n > 3\n        steps:\n          - { id: a, call: act, catch: [{ on: any, do: [{ fail: { code: no-stock } }] }] }\n          - fail: { code: too-late }\n      - else: []\n    catch:\n      - { on: no-stock, then: continue }\n      - { on: «⟦to-late⟧|too-late», then: end }\n`,
  },
  {
    code: 'PAWL-358',
    why: 'on an approval',
    file: `${WITH_ACT}steps:\n  - { id: d, approve: Go, from: ['role:x'], expires: 1h, catch: [{ on: [expired, «⟦rejected-by-boss⟧|denied»], then: end }] }\n  - { id: a, call: act }\n`,
  },
  {
    code: 'PAWL-358',
    why: 'of a query, which gives codes, too',
    file: `${WITH_ACT}    reconcile: { http: { method: GET, url: 'http://127.0.0.1:1/ask' }, outcome: [{ when: response.status == 404, is: rejected, code: gone }] }\nsteps:\n  - { id: a, call: act, catch: [{ on: [gone, «⟦gon⟧|query-failed»], then: end }] }\n`,
  },
  {
    code: 'PAWL-359',
    why: 'a number',
    file: `${WITH_ACT}steps:\n  - { id: a, call: act }\n  - { fail: { code: «⟦"40.2"⟧|"402"» } }\n`,
  },
  {
    code: 'PAWL-704',
    why: 'an undeclared secret',
    file: `${WITH_ACT}    auth: { bearer: «=⟦secrets.tokn⟧|=secrets.token» }\nsteps:\n  - { id: a, call: act }\n`,
  },
  {
    code: 'PAWL-704',
    why: 'an undeclared secret of a client',
    file: `${WITH_ACT}    auth: { oauth2: { tokenUrl: 'http://127.0.0.1:1/', clientId: pawl, clientSecret: «=⟦secrets.tokn⟧|=secrets.token» } }\nsteps:\n  - { id: a, call: act }\n`,
  },
  {
    code: 'PAWL-313',
    why: 'sending again what remembers no key',
    file: `${HEAD}timeout: 1d\nactions:\n  act: { http: { method: POST, url: 'http://127.0.0.1:1/' }, idempotency: «none|natural», compensate: none }\nsteps:\n  - { id: a, call: act, onUnknown: ⟦resend⟧ }\n`,
  },
  {
    code: 'PAWL-314',
    why: 'a header that carries a secret',
    file: `${HEAD}timeout: 1d\nactions:\n  act: { effect: read, http: { method: GET, url: 'http://127.0.0.1:1/' }, auth: { header: { name: «⟦Host⟧|X-Key», value: =secrets.token } } }\nsteps:\n  - { id: a, call: act }\n`,
  },
  {
    code: 'PAWL-308',
    why: 'more denials than people',
    file: `${WITH_ACT}steps:\n  - { id: a, approve: Go, from: ['user:ana'], denials: «⟦2⟧|1», expires: 1h }\n`,
  },
  {
    code: 'PAWL-316',
    why: 'two people and one form',
    file: `${WITH_ACT}steps:\n  - { id: a, approve: Go, from: ['role:x'], quorum: «2|1», expires: 1h, ⟦form⟧: { type: object, properties: { n: { type: integer } } } }\n`,
  },
  {
    code: 'PAWL-316',
    why: 'a computed quorum',
    file: `${WITH_ACT}steps:\n  - { id: a, approve: Go, from: ['role:x'], quorum: «=input.n|1», expires: 1h, ⟦form⟧: { type: object, properties: { n: { type: integer } } } }\n`,
  },
  {
    code: 'PAWL-317',
    why: 'an object without properties',
    file: `${WITH_ACT}steps:\n  - { id: a, approve: Go, from: ['role:x'], expires: 1h, form: «⟦{ type: object }⟧|{ type: object, properties: { n: {} } }» }\n`,
  },
  {
    code: 'PAWL-317',
    why: 'no object',
    file: `${WITH_ACT}steps:\n  - { id: a, approve: Go, from: ['role:x'], expires: 1h, form: «⟦{ type: string }⟧|{ type: object, properties: { n: {} } }» }\n`,
  },
  {
    code: 'PAWL-114',
    why: 'the form of an approval in a catch',
    file: `${WITH_ACT}steps:\n  - { id: a, call: act, catch: [{ on: [any], do: [{ id: b, approve: Go, from: ['role:x'], expires: 1h, form: { type: object, properties: { n: { type: «⟦int⟧|integer» } } } }] }] }\n`,
  },
  {
    code: 'PAWL-405',
    why: 'what a form cannot have given',
    file: `${WITH_ACT}steps:\n  - { id: a, approve: Go, from: ['role:x'], expires: 1h, form: { type: object, required: [n], properties: { n: { type: integer } } } }\n  - { id: b, call: act, when: '«⟦steps.a.output.form.n > "x"⟧|steps.a.output.form.n > 1»' }\n`,
  },
  {
    code: 'PAWL-358',
    why: 'a code that no step inside a choice gives',
    file: `${WITH_ACT}steps:\n  - id: c\n    choose: [{ when: input.n > 1, steps: [{ id: f, fail: { code: «none-left|no-stock» } }] }, { else: [{ id: b, call: act }] }]\n    catch: [{ on: [⟦no-stock⟧], do: [] }]\n`,
  },
  {
    code: 'PAWL-358',
    why: 'a code that is computed may be any',
    file: `${WITH_ACT}steps:\n  - { id: f, fail: { code: «none-left|"x-${'$'}{ input.n }"» }, catch: [{ on: [⟦no-stock⟧], do: [] }] }\n`,
  },
  {
    code: 'PAWL-358',
    why: 'a function throws codes of its own',
    file: `${HEAD}timeout: 1d\nactions:\n${ACT}  fun: { function: fun@1, idempotency: natural, compensate: none }\nsteps:\n  - { id: a, call: «act|fun», catch: [{ on: [⟦no-stock⟧], do: [] }] }\n`,
  },
  {
    code: 'PAWL-358',
    why: 'a query has codes, too',
    file: `${HEAD}timeout: 1d\nactions:\n  act:\n    http: { method: POST, url: 'http://127.0.0.1:1/act' }\n    idempotency: natural\n    compensate: none\n    reconcile: { http: { method: GET, url: 'http://127.0.0.1:1/act' }, outcome: [{ when: response.status == 410, is: rejected, code: «gone|no-stock» }] }\nsteps:\n  - { id: a, call: act, catch: [{ on: [⟦no-stock⟧], do: [] }] }\n`,
  },
  {
    code: 'PAWL-370',
    why: 'gone before a write has settled',
    file: `${WITH_ACT}retention: «⟦30s⟧|90s»\nsteps:\n  - { id: a, call: act }\n`,
  },
  {
    code: 'PAWL-370',
    why: 'kept for ever',
    file: `${WITH_ACT}retention: «⟦9000d⟧|7300d»\nsteps:\n  - { id: a, call: act }\n`,
  },
  {
    code: 'PAWL-341',
    why: 'a catalogue that is nowhere',
    file: `${HEAD}timeout: 1d\n«use: [⟦psp@1⟧]|use: []»\nactions:\n${ACT}steps:\n  - { id: a, call: act }\n`,
  },
  {
    code: 'PAWL-342',
    why: 'a catalogue that is named twice',
    file: `${HEAD}timeout: 1d\nuse: [psp@1, «⟦psp@1⟧|psp@2»]\nactions:\n${ACT}steps:\n  - { id: a, call: act }\n`,
  },
];
