/** A workflow of lines under its usual head. */
export function workflow(name: string, lines: readonly string[]): string {
  return ['pawl: 1', `workflow: ${name}`, 'version: 1', 'timeout: 1h', ...lines, ''].join('\n');
}

/** One action with a remembered key, as YAML lines of `actions`. */
export function action(url: string, name: string, extra: readonly string[]): readonly string[] {
  return [
    `  shop.${name}:`,
    `    http: { method: POST, url: '${url}/${name}' }`,
    '    idempotency: { header: Idempotency-Key, remembers: 24h }',
    '    timeout: 1s',
    '    settlesWithin: 1s',
    '    output: { type: object, required: [id], properties: { id: { type: string } } }',
    ...extra.map((line) => `    ${line}`),
  ];
}

const INPUT = 'input: { type: object, required: [id], properties: { id: { type: string }, note: { type: string } } }';

/** Reserve, ask a person, charge; reserving can be undone. */
export function approvedOrder(url: string): string {
  return workflow('order', [
    'key: input.id',
    INPUT,
    'actions:',
    ...action(url, 'reserve', ['compensate: { call: shop.release, with: { id: =effect.output.id } }']),
    ...action(url, 'release', ['compensate: none']),
    ...action(url, 'charge', ['compensate: none']),
    'steps:',
    "  - { id: reserve, call: shop.reserve, with: { order: =input.id }, object: 'order/${ input.id }' }",
    "  - { id: decision, approve: 'Charge order ${ input.id }?', subject: { order: =input.id }, from: ['role:approver'], expires: 1h }",
    "  - { id: charge, call: shop.charge, with: { order: =input.id }, object: 'order/${ input.id }', authorizedBy: decision }",
    'output: { charged: =steps.charge.output.id }',
  ]);
}

/** One call whose provider keeps no keys and cannot be asked: its doubt is a person's. */
export function unaskable(url: string): string {
  return workflow('payout', [
    'key: input.id',
    INPUT,
    'actions:',
    '  shop.pay:',
    `    http: { method: POST, url: '${url}/pay' }`,
    '    idempotency: none',
    '    timeout: 1s',
    '    settlesWithin: 1s',
    '    output: { type: object, required: [id], properties: { id: { type: string } } }',
    '    compensate: none',
    'steps:',
    "  - { id: pay, call: shop.pay, with: { order: =input.id }, onUnknown: review, review: { from: ['role:operator'], options: [confirmed, absent, keep-waiting] } }",
    'output: { paid: =steps.pay.output.id }',
  ]);
}

/** One call whose provider keeps no keys but can be asked, once an hour by itself. */
export function askable(url: string): string {
  return unaskable(url)
    .replace('workflow: payout', 'workflow: transfer')
    .replace(
      '    idempotency: none\n',
      [
        '    idempotency: none',
        '    reconcile:',
        `      http: { method: GET, url: '${url}/pay?order=\${ with.order }' }`,
        '      found: size(response.body.items) > 0',
        "      output: '${ response.body.items[0] }'",
        '      absent: final',
        '      every: 1h',
        '',
      ].join('\n'),
    )
    .replace(/, onUnknown: review, review: \{.*?\] \}/, '');
}

/** Ends COMPLETED at once: no action, nothing to wait for. */
export const PLAIN = workflow('plain', [
  'key: input.id',
  INPUT,
  'vars: { note: { type: string, default: none } }',
  'steps:',
  '  - { id: copy, set: { note: "${ or(input.note, \'none\') }" } }',
  'output: { note: =vars.note }',
]);

/** Ends FAILED at once. */
export const FAILING = workflow('failing', [
  'key: input.id',
  INPUT,
  'steps:',
  "  - { id: stop, fail: { code: sold-out, message: 'nothing left of ${ input.id }' } }",
]);
