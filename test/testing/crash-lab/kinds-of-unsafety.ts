import { payment } from './unsafe-workflows.ts';

const HTTP = "http: { method: POST, url: 'http://bank.example/pay' }";
const TIMES = ['settlesWithin: 3s', 'timeout: 2s'];
const NONE = 'idempotency: none';
const KEY = 'idempotency: { header: Idempotency-Key, remembers: 24h }';
const NATURAL = 'idempotency: natural';
const SHIP = [
  '  post.ship:',
  "    http: { method: POST, url: 'http://post.example/ship' }",
  `    ${KEY}`,
  '    compensate: none',
];
/** The same with a key in a header that is called so only here: what it carries says what it is. */
function shipBy(header: string): readonly string[] {
  if (header === 'Idempotency-Key') return SHIP;
  const carried = `', headers: { ${header}: '\${ effect.key }' } }`;
  return SHIP.map((line) => line.replace(KEY, NATURAL).replace("' }", carried));
}

const UNDONE = 'compensate: none';
const STATES = (words: string): string =>
  `output: { type: object, required: [status], properties: { status: { enum: [${words}] } } }`;

/** A payment whose provider is asked by its key. */
function asked(by: string, ...more: readonly string[]): string {
  return payment([HTTP, NONE, ...TIMES, ...more, ...reconcile('pay', by), UNDONE]);
}

function reconcile(path: string, by: string): readonly string[] {
  const asking = `  http: { method: GET, url: 'http://bank.example/${path}?key=\${ effect.key }' }`;
  return ['reconcile:', asking, `  ${by}`, '  absent: final', '  every: 1s'];
}

/** A payment with a table of its own. */
function table(rule: string, idempotency = KEY, ...more: readonly string[]): string {
  return payment([HTTP, idempotency, ...TIMES, ...more, `outcome: [${rule}]`, UNDONE]);
}

const FLAG = 'output: { type: object, required: [ok], properties: { ok: { type: boolean } } }';

const WORD = (word: string): string =>
  `output: { type: object, required: [lot], properties: { lot: { enum: [succeeded, ${word}] } } }`;

/** A payment and its refund at one bank, each under a key of the author's own. */
function refundUnder(key: string, header = 'Idempotency-Key'): string {
  const under = (path: string): string =>
    `http: { method: POST, url: 'http://bank.example/${path}', headers: { ${header}: '\${ with.key }' } }`;
  return payment(
    [under('pay'), NATURAL, ...TIMES, `compensate: { call: bank.refund, with: { key: '\${ ${key} }' } }`],
    ['  - { id: ship, call: post.ship, with: { no: =input.no } }'],
    ['  bank.refund:', ...[under('refund'), NATURAL, UNDONE].map((line) => `    ${line}`), ...shipBy(header)],
  ).replace('account: =input.account }', 'account: =input.account, key: =input.no }');
}

/** A payment's transport with a key of the author's own. */
function keyedBy(key: string): string {
  return `http: { method: POST, url: 'http://bank.example/pay', headers: { Idempotency-Key: '\${ ${key} }' } }`;
}

/** A payment whose body has a field more. */
function fielded(field: string): string {
  const before = 'account: =input.account }';
  return payment([HTTP, NATURAL, ...TIMES, UNDONE]).replace(before, before.replace(' }', `, ${field} }`));
}

/** A payment by a transport of its own. */
function sentBy(url: string, more = ''): string {
  return payment([`http: { method: POST, url: 'http://bank.example/${url}'${more} }`, NATURAL, ...TIMES, UNDONE]);
}

const ABSENT = '{ when: response.status == 404, is: absent }';
const DONE = '{ when: response.body.status == "done", is: confirmed }';
const refundAskedBy = (found: string): string =>
  payment(
    [
      HTTP,
      NONE,
      ...TIMES,
      'reconcile:',
      "  http: { method: GET, url: 'http://bank.example/bookings?no=${ with.no }' }",
      `  found: response.body.items.exists(i, i.type == "pay")`,
      '  absent: final',
      '  every: 1s',
      'compensate: { call: bank.refund, with: { no: =input.no } }',
    ],
    ['  - { id: ship, call: post.ship, with: { no: =input.no } }'],
    [
      '  bank.refund:',
      "    http: { method: POST, url: 'http://bank.example/refund' }",
      ...[NONE, ...TIMES].map((line) => `    ${line}`),
      '    reconcile:',
      "      http: { method: GET, url: 'http://bank.example/bookings?no=${ with.no }' }",
      `      found: ${found}`,
      '      absent: final',
      '      every: 1s',
      '    compensate: none',
      '  post.ship:',
      "    http: { method: POST, url: 'http://post.example/ship' }",
      `    ${KEY}`,
      '    compensate: none',
    ],
  );

/** A payment that says whether it is done, and is undone when nothing is shipped. */
function undonePay(table: string): string {
  return payment(
    [
      HTTP,
      KEY,
      ...TIMES,
      STATES('succeeded, pending'),
      ...(table === '' ? [] : [table]),
      'compensate: { call: bank.refund, with: { no: =input.no } }',
    ],
    ['  - { id: ship, call: post.ship, with: { no: =input.no } }'],
    [
      '  bank.refund:',
      ...["http: { method: POST, url: 'http://bank.example/refund' }", KEY, UNDONE].map((line) => `    ${line}`),
      ...SHIP,
    ],
  );
}

/** What is not safe in a workflow: its kind, where it shows, and a twin without it. */
export interface Kind {
  readonly unsafe: string;
  readonly safe: string;
  /** Of the effect that it shows at. */
  readonly label: string;
  /** Which of the lab's ways are tried. */
  readonly way: RegExp;
  /** What is found, with the boundary. */
  readonly finds: string;
  /** Words of its mend. */
  readonly mend: string;
}

/** Kinds that one effect shows, by name. */
export const KINDS: Readonly<Record<string, Kind>> = {
  'a lookup that takes all but one word for done': {
    unsafe: asked('found: response.body.items.exists(i, i.status != "failed")'),
    safe: asked('found: response.body.items.exists(i, i.status == "done")'),
    label: 'pay',
    way: /row in the lookup/,
    finds: 'sent: loss',
    mend: 'the word that says done',
  },
  'a lookup whose list of words holds what is still open': {
    unsafe: asked('found: response.body.items.exists(i, i.status in ["done", "pending"])'),
    safe: asked('found: response.body.items.exists(i, i.status in ["done", "settled"])'),
    label: 'pay',
    way: /row in the lookup/,
    finds: 'sent: loss',
    mend: 'the word that says done',
  },
  'a lookup whose rule says confirmed of what is still open': {
    unsafe: asked(`outcome: [${ABSENT}, ${DONE}, { when: response.body.status == "queued", is: confirmed }]`),
    safe: asked(`outcome: [${ABSENT}, ${DONE}, { when: response.body.status == "queued", is: pending }]`),
    label: 'pay',
    way: /row in the lookup/,
    finds: 'sent: loss',
    mend: 'the word that says done',
  },
  'a lookup whose rule says rejected of what is still open': {
    unsafe: asked(`outcome: [${ABSENT}, ${DONE}, { when: response.body.status != "done", is: rejected }]`),
    safe: asked(`outcome: [${ABSENT}, ${DONE}, { when: response.body.status == "failed", is: rejected }]`),
    label: 'pay',
    way: /row in the lookup/,
    finds: 'done: loss',
    mend: 'the word that says done',
  },
  'a lookup of what is slow that finds every row': {
    unsafe: asked('found: size(response.body.items) > 0', 'outcome: [{ when: response.status == 202, is: pending }]'),
    safe: asked(
      'found: response.body.items.exists(i, i.state == "settled")',
      'outcome: [{ when: response.status == 202, is: pending }]',
    ),
    label: 'pay',
    way: /row in the lookup/,
    finds: 'sent: loss',
    mend: 'the word that says done',
  },
  'a lookup that takes its own failure for absent': {
    unsafe: asked(
      'outcome: [{ when: response.status == 200, is: confirmed }, { when: response.status != 200, is: absent }]',
    ),
    safe: asked(`outcome: [${ABSENT}, { when: response.status == 200, is: confirmed }]`),
    label: 'pay',
    way: /its lookup failed/,
    finds: 'done: loss',
    mend: 'says nothing of the effect',
  },
  'a lookup that takes its own failure for found': {
    unsafe: asked(`outcome: [${ABSENT}, { when: response.status != 404, is: confirmed }]`),
    safe: asked(`outcome: [${ABSENT}, { when: response.status == 200, is: confirmed }]`),
    label: 'pay',
    way: /its lookup failed/,
    finds: 'sent: loss',
    mend: 'says nothing of the effect',
  },
  'a lookup that finds what another action did': {
    unsafe: refundAskedBy('size(response.body.items) > 0'),
    safe: refundAskedBy('response.body.items.exists(i, i.type == "refund")'),
    label: 'undo pay',
    way: /the request was lost, the connection broke/,
    finds: 'sent: loss',
    mend: 'ask for this effect and no other',
  },
  'a 202 that is taken for done': {
    unsafe: table('{ when: response.status < 300, is: confirmed }'),
    safe: table('{ when: response.status == 201, is: confirmed }'),
    label: 'pay',
    way: /202/,
    finds: 'sent: loss',
    mend: 'says accepted, not done',
  },
  'a refusal that is taken for done': {
    unsafe: table('{ when: response.status == 404, is: confirmed }'),
    safe: table('{ when: response.status == 404, is: rejected, code: gone }'),
    label: 'pay',
    way: /refused with/,
    finds: 'sent: loss',
    mend: 'this answer is a no',
  },
  'a conflict under a key that is taken for a no': {
    unsafe: table('{ when: response.status == 409, is: rejected, code: exists }'),
    safe: table('{ when: response.status == 422, is: rejected, code: declined }'),
    label: 'pay',
    way: /the repeat was refused/,
    finds: 'done: loss',
    mend: 'proves no no',
  },
  'a 503 without a key that is taken for a no': {
    unsafe: table('{ when: response.status == 503, is: unavailable }', NONE, 'retry: { attempts: 3, delay: 1s }'),
    safe: table('{ when: response.status == 503, is: unavailable }', KEY, 'retry: { attempts: 3, delay: 1s }'),
    label: 'pay',
    way: /503/,
    finds: 'done: double',
    mend: 'proves nothing either way',
  },
  'an answer that says failed and is taken for done': {
    unsafe: payment([HTTP, KEY, ...TIMES, STATES('succeeded, failed'), UNDONE]),
    safe: table('{ when: response.body.status == "failed", is: rejected }', KEY, STATES('succeeded, failed')),
    label: 'pay',
    way: /was answered, and/,
    finds: 'sent: loss',
    mend: 'name the words of an answer',
  },
  'an answer that says pending and is taken for a no': {
    unsafe: table('{ when: response.body.status != "succeeded", is: rejected }', KEY, STATES('succeeded, pending')),
    safe: table('{ when: response.body.status == "pending", is: unknown }', KEY, STATES('succeeded, pending')),
    label: 'pay',
    way: /was answered, and/,
    finds: 'done: loss',
    mend: 'name the words of an answer',
  },
  'an answer that says ok: false and is taken for done': {
    unsafe: payment([HTTP, KEY, ...TIMES, FLAG, UNDONE]),
    safe: table('{ when: response.status == 200 && response.body.ok == false, is: rejected }', KEY, FLAG),
    label: 'pay',
    way: /was answered, and/,
    finds: 'sent: loss',
    mend: 'name the words of an answer',
  },
  'a redirect that is taken for done': {
    unsafe: table('{ when: response.status == 302, is: confirmed }'),
    safe: table('{ when: response.status == 302, is: rejected, code: moved }'),
    label: 'pay',
    way: /refused with/,
    finds: 'sent: loss',
    mend: 'this answer is a no',
  },
  'an undo under the key of what it undoes': {
    unsafe: refundUnder('input.no'),
    safe: refundUnder('effect.key'),
    label: 'undo pay',
    way: /it was done, the connection broke/,
    finds: 'done: loss',
    mend: 'a key of its own',
  },
  'an undo under the key of what it undoes, in a header that only this workflow calls so': {
    unsafe: refundUnder('input.no', 'Lot'),
    safe: refundUnder('effect.key', 'Lot'),
    label: 'undo pay',
    way: /it was done, the connection broke/,
    finds: 'done: loss',
    mend: 'a key of its own',
  },
  'a key that an author has made and that another run has, too': {
    unsafe: payment([keyedBy('with.account'), NATURAL, ...TIMES, UNDONE]),
    safe: payment([keyedBy('with.no'), NATURAL, ...TIMES, UNDONE]),
    label: 'pay',
    way: /it was done, the connection broke/,
    finds: 'done: loss',
    mend: 'a key of its own',
  },
  'a key of the author’s own in a body': {
    unsafe: fielded('requestId: =input.account'),
    safe: fielded('requestId: =input.no'),
    label: 'pay',
    way: /it was done, the connection broke/,
    finds: 'done: loss',
    mend: 'a key of its own',
  },
  'a key of the author’s own in an object of a body': {
    unsafe: sentBy('pay', ', body: { lots: [{ idempotency_key: =with.account }] }'),
    safe: sentBy('pay', ', body: { lots: [{ idempotency_key: =with.no }] }'),
    label: 'pay',
    way: /it was done, the connection broke/,
    finds: 'done: loss',
    mend: 'a key of its own',
  },
  'a key of the author’s own in an address': {
    unsafe: sentBy('pay?a=1&clientToken=${ with.account }'),
    safe: sentBy('pay?a=1&clientToken=${ with.no }'),
    label: 'pay',
    way: /it was done, the connection broke/,
    finds: 'done: loss',
    mend: 'a key of its own',
  },
  'an answer that says pending in a field of any name and is taken for done': {
    unsafe: payment([HTTP, KEY, ...TIMES, WORD('pending'), UNDONE]),
    safe: table('{ when: response.body.lot == "pending", is: unknown }', KEY, WORD('pending')),
    label: 'pay',
    way: /was answered, and/,
    finds: 'sent: loss',
    mend: 'name the words of an answer',
  },
  'an answer in a word of its own that the table calls open, and the lookup takes for done': {
    unsafe: asked(
      'found: size(response.body.items) > 0',
      WORD('baking'),
      'outcome: [{ when: response.body.lot == "baking", is: pending }]',
    ),
    safe: asked(
      'found: response.body.items.exists(i, i.lot == "succeeded")',
      WORD('baking'),
      'outcome: [{ when: response.body.lot == "baking", is: pending }]',
    ),
    label: 'pay',
    way: /"baking".* row in the lookup|row in the lookup.*"baking"/,
    finds: 'sent: loss',
    mend: 'the word that says done',
  },
  'an undo that comes before its act is done': {
    unsafe: undonePay(''),
    safe: undonePay('outcome: [{ when: response.body.status == "pending", is: unknown }]'),
    label: 'undo pay',
    way: /^of pay: "pending" was answered/,
    finds: 'done: loss',
    mend: 'pending',
  },
  'a repeat that is known by its words and taken for a no': {
    unsafe: table(
      `{ when: 'has(response.body.error) && response.body.error == "already-paid"', is: rejected }`,
      NATURAL,
    ),
    safe: table(
      `{ when: 'has(response.body.error) && response.body.error == "already-paid"', is: confirmed }`,
      NATURAL,
    ),
    label: 'pay',
    way: /the repeat was refused/,
    finds: 'done: loss',
    mend: 'proves no no',
  },
};

/** A workflow that ships on an event. */
function shipping(event: string, steps: readonly string[], vars: readonly string[] = []): string {
  return [
    'pawl: 1',
    'workflow: shipping',
    'version: 1',
    'key: input.no',
    'timeout: 30d',
    'input: { type: object, required: [no, account], properties: { no: { type: string }, account: { type: string } } }',
    `events: { paid: { schema: { type: object, required: [no, at], properties: { no: { type: string }, at: { type: integer } } }${event} } }`,
    ...vars,
    'actions:',
    ...SHIP,
    'steps:',
    ...steps.map((step) => `  - ${step}`),
    '',
  ].join('\n');
}

const LEAVES = 'timeout: 1d, catch: [{ on: [timeout], next: end }]';
const AGAIN = '{ id: ship, call: post.ship, with: { no: =input.no }, next: hear, maxJumps: 2 }';
const ONCE = '{ id: ship, call: post.ship, with: { no: =input.no } }';

/** Kinds that the events of a run show; `relies` = it depends on a word of who sends them. */
export const HEARD = {
  loop: shipping('', [`{ id: hear, await: paid, ${LEAVES} }`, AGAIN]),
  growing: shipping(
    '',
    [
      `{ id: hear, await: paid, where: event.data.at > vars.last, ${LEAVES} }`,
      'set: { last: =steps.hear.output.at }',
      AGAIN,
    ],
    ['vars: { last: { type: integer, default: 0 } }'],
  ),
  steps: shipping('', ['{ id: hear, await: paid, timeout: 1d }', '{ id: more, await: paid, timeout: 1d }', ONCE]),
  unmatched: shipping(', by: event.data.no', ['{ id: hear, await: paid, timeout: 1d }', ONCE]),
  shared: shipping(', by: event.data.no', ['{ id: hear, await: paid, match: =input.account, timeout: 1d }', ONCE]),
  matched: shipping(', by: event.data.no', ['{ id: hear, await: paid, match: =input.no, timeout: 1d }', ONCE]),
} as const;
