/** A workflow of one payment, with lines of its action and of its steps. */
export function payment(
  action: readonly string[],
  steps: readonly string[] = [],
  more: readonly string[] = [],
): string {
  return [
    'pawl: 1',
    'workflow: payment',
    'version: 1',
    'key: input.no',
    'timeout: 2d',
    'input: { type: object, required: [no, account], properties: { no: { type: string }, account: { type: string } } }',
    'actions:',
    '  bank.pay:',
    ...action.map((line) => `    ${line}`),
    ...more,
    'steps:',
    '  - { id: pay, call: bank.pay, with: { no: =input.no, account: =input.account } }',
    ...steps,
    '',
  ].join('\n');
}

const HTTP = "http: { method: POST, url: 'http://bank.example/pay' }";
const TIMES = ['settlesWithin: 3s', 'timeout: 2s'];
const KEY = 'idempotency: { header: Idempotency-Key, remembers: 24h }';

/** A reconcile that asks with these values. */
function askedBy(query: string): readonly string[] {
  return [
    'reconcile:',
    `  http: { method: GET, url: 'http://bank.example/pay?${query}' }`,
    '  found: size(response.body.items) > 0',
    "  output: '${ response.body.items[0] }'",
    '  absent: final',
    '  every: 1s',
  ];
}

const REFUND = [
  '  bank.refund:',
  "    http: { method: POST, url: 'http://bank.example/refund' }",
  '    idempotency: natural',
  '    compensate: none',
  '  post.ship:',
  "    http: { method: POST, url: 'http://post.example/ship' }",
  `    ${KEY}`,
  '    compensate: none',
];

/** Workflows by what is to be said of them; where it takes a provider that lies, `scenario` says so. */
export const WORKFLOWS = {
  keyed: payment([HTTP, KEY, ...TIMES, 'compensate: none']),
  lookup: payment([HTTP, 'idempotency: none', ...TIMES, ...askedBy('key=${ effect.key }'), 'compensate: none']),
  blind: payment([HTTP, 'idempotency: none', ...TIMES, 'compensate: none']),
  function: payment(['function: pay@1', 'idempotency: { remembers: 24h }', 'compensate: none']),
  sharedLookup: payment([
    HTTP,
    'idempotency: none',
    ...TIMES,
    ...askedBy('account=${ with.account }'),
    'compensate: none',
  ]),
  fiveHundredRejected: payment([
    HTTP,
    KEY,
    ...TIMES,
    'outcome: [{ when: response.status >= 500, is: rejected, code: broken }]',
    'compensate: none',
  ]),
  fiveHundredConfirmed: payment([
    HTTP,
    KEY,
    ...TIMES,
    'outcome: [{ when: response.status >= 500, is: confirmed }]',
    'compensate: none',
  ]),
  retriedAfter500: payment([
    HTTP,
    'idempotency: none',
    ...TIMES,
    'outcome: [{ when: response.status == 500, is: unavailable }]',
    'retry: { attempts: 3, delay: 1s }',
    'compensate: none',
  ]),
  retriedAfter202: payment([
    HTTP,
    'idempotency: none',
    ...TIMES,
    'outcome: [{ when: response.status == 202, is: unavailable }]',
    'retry: { attempts: 3, delay: 1s }',
    'compensate: none',
  ]),
  refundAfter500: payment(
    [HTTP, KEY, ...TIMES, 'compensate: { call: bank.refund, with: { id: =input.no } }'],
    ['  - { id: ship, call: post.ship, with: { no: =input.no } }'],
    REFUND.map((line) => line.replace('idempotency: natural', 'idempotency: none')).toSpliced(
      3,
      0,
      '    outcome: [{ when: response.status >= 500, is: unavailable }]',
    ),
  ),
  knownIsNo: payment([
    HTTP,
    'idempotency: natural',
    ...TIMES,
    'outcome: [{ when: response.status == 409, is: rejected, code: exists }]',
    'compensate: none',
  ]),
  impatient: payment([
    HTTP,
    'idempotency: none',
    'settlesWithin: 1s',
    'timeout: 40s',
    ...askedBy('key=${ effect.key }'),
    'retry: { attempts: 2, delay: 1s }',
    'compensate: none',
  ]),
  shortMemory: payment([
    HTTP,
    'idempotency: { header: Idempotency-Key, remembers: 20s }',
    'settlesWithin: 10s',
    'timeout: 2s',
    'compensate: none',
  ]),
  undone: payment(
    [HTTP, KEY, ...TIMES, 'compensate: { call: bank.refund, with: { id: =input.no } }'],
    ['  - { id: ship, call: post.ship, with: { no: =input.no } }'],
    REFUND,
  ),
  acceptedIsDone: payment([
    HTTP,
    KEY,
    ...TIMES,
    'outcome: [{ when: response.status == 202, is: confirmed }]',
    'compensate: none',
  ]),
  misread: payment([
    HTTP,
    KEY,
    'output: { type: object, required: [id], properties: { id: { type: string } } }',
    'outcome: [{ when: response.body.error == "declined", is: rejected }]',
    'compensate: none',
  ]),
  reading: payment(['effect: read', HTTP, 'timeout: 2s']),
} as const;
