/** What is handed over in the same way by all of them. */
const HEAD = [
  'pawl: 1',
  'workflow: plan',
  'version: 1',
  'key: input.no',
  'timeout: 2d',
  'input: { type: object, required: [no], properties: { no: { type: string } } }',
];
const KEY = 'idempotency: { header: Key, remembers: 24h }, timeout: 20s, settlesWithin: 20s';

function action(name: string, undo: string | null = null): string {
  const undone = undo === null ? 'none' : `{ call: ${undo}, with: { no: =input.no } }`;
  return `  ${name}: { http: { method: POST, url: 'http://p.example/${name}' }, ${KEY}, compensate: ${undone} }`;
}

function plan(actions: readonly string[], steps: readonly string[], more: readonly string[] = []): string {
  return [...HEAD, ...more, 'actions:', ...actions, 'steps:', ...steps.map((step) => `  ${step}`), ''].join('\n');
}

const CHARGES = [
  action('a.charge', 'a.refund'),
  action('a.refund'),
  action('b.charge', 'b.refund'),
  action('b.refund'),
];
const BY_NO = 'with: { no: =input.no }';

function inTime(undo: string): string {
  return plan(CHARGES, [
    '- id: first',
    '  timeout: 10s',
    `  scope: [{ id: pa, call: a.charge, ${BY_NO} }]`,
    `  catch: [{ on: [timeout]${undo}, do: [{ id: pb, call: b.charge, ${BY_NO} }] }]`,
  ]);
}

function race(losers: string): string {
  return plan(CHARGES, [
    '- id: either',
    '  join: any',
    `  losers: ${losers}`,
    '  parallel:',
    `    a: [{ id: pa, call: a.charge, ${BY_NO} }]`,
    `    b: [{ id: pb, call: b.charge, ${BY_NO} }]`,
  ]);
}

const PAID =
  'events: { paid: { schema: { type: object, required: [no], properties: { no: { type: string } } }, by: event.data.no } }';

function heard(then: string): string {
  return plan(
    [action('goods.ship'), action('psp.close')],
    [
      `- { id: hear, await: paid, match: =input.no, timeout: 1h, catch: [{ on: [timeout], ${then} }] }`,
      `- { id: ship, call: goods.ship, ${BY_NO} }`,
    ],
    [PAID],
  );
}

const TELL = (event: string): string => `- { id: tell, publish: ${event}, data: { no: =input.no } }`;
const SORRY = 'catch: [{ on: [any], do: [{ id: sorry, publish: order.off, data: { no: =input.no } }], then: raise }]';

function heldFirst(handling: string): string {
  return plan(
    [...CHARGES, action('stock.hold', 'stock.free'), action('stock.free')],
    [
      '- id: own',
      `  scope: [{ id: hold, call: stock.hold, ${BY_NO} }, { id: pay, call: a.charge, ${BY_NO} }]`,
      `  catch: [{ on: [rejected]${handling}, do: [{ id: other, call: b.charge, ${BY_NO} }] }]`,
    ],
  );
}

function asked(then: string): string {
  return plan(
    [...CHARGES],
    [
      `- { id: pay, call: a.charge, ${BY_NO} }`,
      `- { id: ok, approve: 'Go?', from: ['role:desk'], expires: 1d, catch: [{ on: [denied, expired], ${then} }] }`,
      `- { id: more, call: b.charge, ${BY_NO} }`,
    ],
  );
}

const DUE = [
  "  inv.due: { effect: read, http: { method: GET, url: 'http://p.example/due' }, output: { type: object, required: [items], properties: { items:",
  '    { type: array, minItems: 2, items: { type: object, required: [id], properties: { id: { type: string } } } } } } }',
];

function nightly(call: string, due = '- { id: due, call: inv.due }'): string {
  return plan(
    [...DUE, action('bank.pay')],
    [
      due,
      '- id: all',
      '  map: steps.due.output.items',
      '  as: invoice',
      '  key: invoice.id',
      `  steps: [{ id: pay, call: bank.pay, ${call} }]`,
    ],
  );
}

const BY_INVOICE = 'with: { invoice: =invoice.id }';

/** Plans whose books are right and whose author may not have meant them, by name, each with what is said of it and twins without it. */
export const PLANS: Readonly<
  Record<string, { readonly unsafe: string; readonly says: readonly string[]; readonly safe: readonly string[] }>
> = {
  'a call that takes longer than the scope around it may': {
    unsafe: inTime(''),
    says: ['pa: it takes longer than first may, is done all the same, and stands although first was left by timeout'],
    safe: [inTime(', undo: true')],
  },
  'a race that keeps both acts': {
    unsafe: race('keep'),
    says: ['pb: it stands at the end beside pa, where one is enough for either: `losers: keep` undoes none of them'],
    safe: [race('undo')],
  },
  'an event that comes after its timeout': {
    unsafe: heard('then: end'),
    says: ['hear: a paid that comes when hear waits no more moves nothing: its sender is told `ended`'],
    safe: [
      heard(`do: [{ id: close, call: psp.close, ${BY_NO} }], then: end`),
      heard('do: [{ id: again, await: paid, match: =input.no, timeout: 1d }]'),
    ],
  },
  'a message before what may be refused': {
    unsafe: plan([action('a.charge')], [TELL('order.paid'), `- { id: pay, call: a.charge, ${BY_NO} }`]),
    says: ['tell: what it told stands although the run is FAILED: nobody who heard it is told otherwise'],
    safe: [
      plan([action('a.charge')], [`- { id: pay, call: a.charge, ${BY_NO} }`, TELL('order.paid')]),
      plan([action('a.charge')], [TELL('order.begun'), `- { id: pay, call: a.charge, ${BY_NO}, ${SORRY} }`]),
    ],
  },
  'what is left standing by a group that has failed': {
    unsafe: heldFirst(''),
    says: ['hold: it stands although own was left by http-402, and nobody undoes it'],
    safe: [heldFirst(', undo: true')],
  },
  'what stands where the run ends for a no': {
    unsafe: asked('then: end'),
    says: ['pay: it stands although the run ends when ok fails, and nobody undoes it'],
    safe: [asked('do: [{ id: back, undo: [pay] }], then: end'), asked('then: raise')],
  },
  'runs that find the same and do it under keys of their own': {
    unsafe: nightly(BY_INVOICE),
    says: ['pay[value-1]', 'pay[value-2]'].map(
      (label) =>
        `${label.replace('value', 'id')}: another run that finds the same asks for the same, to the byte, under another key: both are done`,
    ),
    safe: [
      nightly(`reach: workflow, object: 'invoice/\${ invoice.id }', intent: pay, ${BY_INVOICE}`),
      nightly('with: { invoice: =invoice.id, no: =input.no }'),
      nightly(BY_INVOICE, '- { id: due, call: inv.due, with: { no: =input.no } }'),
    ],
  },
};
