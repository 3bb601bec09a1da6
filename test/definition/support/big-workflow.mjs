/**
 * A workflow of so many steps with everything in it that the checks follow: reads of earlier steps, conditions, jumps back, events,
 * choices, scopes with a catch, repeats, approvals, pivots in branches, and as many actions as it may need.
 */
export function bigWorkflow(steps) {
  const groups = Math.floor(steps / 10);
  const head = [
    'pawl: 1',
    'workflow: big',
    'version: 1',
    'timeout: 1d',
    'input: { type: object, required: [n], properties: { n: { type: integer } } }',
    'vars: { seen: { type: integer, default: 0 } }',
    'events: { ping: { schema: { type: object, required: [n], properties: { n: { type: integer } } } } }',
    'on: [{ event: ping, set: { seen: =event.data.n } }]',
    'actions:',
  ];
  const actions = Array.from({ length: groups }, (_, no) => [
    `  act.a${no}:`,
    `    http: { method: POST, url: 'http://127.0.0.1:1/a${no}' }`,
    '    idempotency: { header: Idempotency-Key, remembers: 24h }',
    '    outcome: [{ when: response.status == 402, is: rejected }]',
    '    output: { type: object, required: [id], properties: { id: { type: string }, n: { type: integer } } }',
    `    compensate: { call: act.a${no}, with: { id: =effect.output.id } }`,
  ]);
  const body = Array.from({ length: groups }, (_, no) => groupOf(no));
  return [
    ...head,
    ...actions.flat(),
    'steps:',
    ...body.flat(),
    'output: { last: "${ or(steps.s0.output, null) }" }',
    '',
  ].join('\n');
}

/** Ten steps. */
function groupOf(no) {
  const before = no === 0 ? 'input.n > 0' : `or(steps.call${no - 1}.output.n, 0) > 0`;
  return [
    `  - { id: call${no}, call: act.a${no}, with: { n: =input.n }, when: '${before}', retry: { attempts: 3 } }`,
    `  - { id: wait${no}, wait: 1m, on: [{ event: ping, where: event.data.n > ${no}, next: set${no} }] }`,
    `  - { id: set${no}, set: { seen: '\${ vars.seen + 1 }' }, when: 'vars.seen < ${no}', next: call${no}, maxJumps: 2 }`,
    `  - id: s${no}`,
    '    scope:',
    `      - { id: inner${no}, call: act.a${no}, object: 'o/${no}' }`,
    `      - id: choice${no}`,
    '        choose:',
    `          - { when: input.n > ${no}, steps: [{ id: left${no}, call: act.a${no}, intent: left, pivot: true, next: end }] }`,
    `          - { else: [{ id: right${no}, set: { seen: 1 } }] }`,
    `    output: { n: "\${ or(steps.inner${no}.output.n, 0) }" }`,
    `    catch: [{ on: [rejected], undo: true, do: [{ id: noted${no}, set: { seen: 2 } }] }]`,
    `  - { id: again${no}, repeat: 3, until: 'or(steps.turn${no}.output.n, 1) > 0', steps: [{ id: turn${no}, call: act.a${no}, intent: turn }] }`,
  ];
}
