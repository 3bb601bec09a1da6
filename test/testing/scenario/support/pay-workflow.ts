/** A payment after a wait in which it can be called off; with an undo, a catch, a jump back and a step that is never reached. */
export const PAY = `pawl: 1
workflow: pay
version: 1
key: input.id
timeout: 2d
input:
  type: object
  required: [id]
  properties: { id: { type: string }, again: { type: boolean, default: false } }
events:
  calledOff: { schema: { type: object }, keep: 1d }
actions:
  stock.hold:
    http: { method: POST, url: 'http://127.0.0.1:4171/hold' }
    idempotency: { header: Idempotency-Key, remembers: 24h }
    settlesWithin: 3s
    timeout: 2s
    output: { type: object, required: [id], properties: { id: { type: string } } }
    compensate: { call: stock.free, with: { hold: =effect.output.id } }
  stock.free:
    http: { method: POST, url: 'http://127.0.0.1:4171/free' }
    idempotency: { header: Idempotency-Key, remembers: 24h }
    settlesWithin: 3s
    timeout: 2s
    compensate: none
  bank.pay:
    http: { method: POST, url: 'http://127.0.0.1:4171/pay' }
    idempotency: none
    settlesWithin: 3s
    timeout: 2s
    output: { type: object, required: [id], properties: { id: { type: string } } }
    compensate: none
  mail.send:
    http: { method: POST, url: 'http://127.0.0.1:4171/mail' }
    idempotency: { header: Idempotency-Key, remembers: 24h }
    settlesWithin: 3s
    timeout: 2s
    compensate: none
steps:
  - { id: hold, call: stock.hold, with: { id: =input.id } }
  - id: window
    await: calledOff
    timeout: 10s
    catch: [{ on: [timeout], next: pay }]
  - { id: tell, call: mail.send, with: { text: called off }, next: off }
  - id: pay
    call: bank.pay
    with: { id: =input.id }
    pivot: true
    next: end
  - { id: off, end: { as: called-off, output: { off: true } } }
output: { payment: =steps.pay.output.id }
`;
