import type { FunctionCall } from '../../../src/actions/action-function.ts';
import { Rejected } from '../../../src/actions/function-outcomes.ts';
import { type House, type Process, untilRun, untilStatus } from './house.ts';

const KEY = ['key: input.id', 'input: { type: object, required: [id], properties: { id: { type: string } } }'];

function keyed(name: string, lines: readonly string[]): string {
  return ['pawl: 1', `workflow: ${name}`, 'version: 1', 'timeout: 2h', ...KEY, ...lines, ''].join('\n');
}

function call(name: string, extra: string): string {
  return `  shop.${name}: { function: ${name}@1, timeout: 10m, settlesWithin: 1s, ${extra} }`;
}

const REMEMBERS = 'idempotency: { remembers: 24h }';

function undone(name: string): string {
  const undo = `compensate: { call: shop.un${name}, with: { id: =effect.output.id } }`;
  return [call(name, `${REMEMBERS}, ${undo}`), call(`un${name}`, `${REMEMBERS}, compensate: none`)].join('\n');
}

const ORDER = keyed('order', [
  'actions:',
  undone('reserve'),
  undone('charge'),
  call('ship', `${REMEMBERS}, compensate: none`),
  'steps:',
  ...['reserve', 'charge', 'ship'].map((step) => `  - { id: ${step}, call: shop.${step}, with: { order: =input.id } }`),
]);

const ASK = keyed('ask', [
  'events: { note: { schema: { type: object }, keep: 1h } }',
  'actions:',
  call('pay', `${REMEMBERS}, compensate: none`),
  'steps:',
  "  - { id: decision, approve: 'Pay?', subject: { order: =input.id }, from: ['role:approver'], quorum: 2, expires: 1h, timeout: 90m }",
  '  - { id: pay, call: shop.pay, with: { order: =input.id }, authorizedBy: decision }',
]);

const DOUBT = keyed('doubt', [
  'actions:',
  call('wire', 'idempotency: none, compensate: none'),
  'steps:',
  '  - { id: wire, call: shop.wire, with: { order: =input.id }, onUnknown: review }',
]);

const SLEEP = keyed('sleep', ['steps:', '  - { id: pause, wait: 1h }']);
const LISTEN = keyed('listen', [
  'events: { paid: { schema: { type: object } } }',
  'steps:',
  '  - { id: arrival, await: paid }',
]);

const GUARD = keyed('guard', [
  'lock: guard',
  'events: { paid: { schema: { type: object } } }',
  'steps:',
  '  - { id: arrival, await: paid }',
]);

const TELL = keyed('tell', [
  'steps:',
  '  - { id: one, publish: told, key: "\'k\'" }',
  '  - { id: two, publish: told, key: "\'k\'" }',
]);

const vote = (process: Process, run: string, principal: string): Promise<unknown> =>
  process.app.vote(run, {
    approval: null,
    decision: 'approve',
    subjectHash: null,
    principal,
    roles: ['approver'],
    comment: null,
  });

/** What the actions do: `ship` refuses the order `undone`, `wire` leaves everybody in doubt, or says nothing at all. */
const FUNCTIONS = {
  ...Object.fromEntries(
    ['reserve', 'unreserve', 'charge', 'uncharge', 'pay'].map((name) => [
      `${name}@1`,
      { send: () => ({ id: `${name}-1` }) },
    ]),
  ),
  'ship@1': {
    send: ({ request }: FunctionCall) => {
      if ((request as { order: string }).order === 'undone') throw new Rejected('sold-out', 'nothing left');
      return { id: 'ship-1' };
    },
  },
  'wire@1': {
    send: ({ request }: FunctionCall) =>
      (request as { order: string }).order === 'held'
        ? new Promise(() => undefined)
        : Promise.reject(new Error('the answer was lost')),
  },
};

function start(process: Process, workflow: string, id: string): Promise<unknown> {
  return process.app.start({ workflow, version: null, input: { id }, by: 'starter' });
}

/** Runs that move: a worker brings each to its end, or to where it waits. */
async function work(house: Pick<House, 'process' | 'rest'>): Promise<void> {
  const process = await house.process({ functions: FUNCTIONS });
  for (const text of [ORDER, ASK, DOUBT, SLEEP, LISTEN, GUARD, TELL])
    await process.app.publish({ text, file: 'kind.pawl.yaml', by: 'starter' });
  await process.app.runWorker();
  await start(process, 'tell', 'tells');
  await untilStatus(process, 'tells', 'COMPLETED');
  await start(process, 'guard', 'guards');
  await untilStatus(process, 'guards', 'WAITING');
  await start(process, 'guard', 'queues');
  await start(process, 'order', 'done');
  await untilStatus(process, 'done', 'COMPLETED');
  await start(process, 'order', 'undone');
  await untilStatus(process, 'undone', 'COMPENSATED');
  for (const id of ['doubts', 'stopped']) {
    await start(process, 'doubt', id);
    await untilStatus(process, id, 'HELD');
  }
  await process.app.terminate('stopped', { by: 'ana', reason: 'nobody waits for it' });
  for (const id of ['asks', 'approved']) {
    await start(process, 'ask', id);
    await vote(process, id, 'ana');
  }
  await vote(process, 'approved', 'kai');
  await untilStatus(process, 'approved', 'COMPLETED');
  await process.app.signal('asks', { name: 'note', data: {}, source: 'shop', eventId: 'n-1', by: 'ana', waitMs: 0 });
  await untilRun(process, 'asks', (view) => view.approvals.length > 0);
}

/** A worker that dies while a call is in flight: its lease and its seat stay behind. */
async function dieInFlight(house: Pick<House, 'process' | 'rest'>): Promise<void> {
  const dying = await house.process({ functions: FUNCTIONS });
  await dying.app.runWorker();
  await start(dying, 'doubt', 'held');
  await untilRun(dying, 'held', (view) => view.effects[0]?.state === 'REQUESTED');
  dying.kill();
}

/**
 * One run of each kind, by key: `done`, `undone`, `approved` (two votes), `stopped` (terminated, its effect unknown);
 * `doubts` (held in review), `asks` (one of two votes, a kept event), `sleeps`, `listens`, `guards` (holds a lock), `queues` (waits for it), `tells` (messages that nobody is told), `fresh` (to be sent, nobody works)
 * and `held` (in flight in the hands of a worker that is dead).
 */
export async function everyKind(house: Pick<House, 'process' | 'rest'>): Promise<void> {
  await work(house);
  await house.rest();
  await dieInFlight(house);
  const idle = await house.process({ functions: FUNCTIONS });
  await start(idle, 'sleep', 'sleeps');
  await start(idle, 'listen', 'listens');
  await start(idle, 'order', 'fresh');
  await house.rest();
}
