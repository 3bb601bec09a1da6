import type { JsonObject } from '../../model/json.ts';
import { isEnd } from '../../model/statuses.ts';
import type { ScriptTexts } from '../provider/script.ts';
import type { RunView } from './compare-book.ts';
import type { DemoApi } from './demo-api.ts';
import type { DemoHouse } from './demo-house.ts';
import type { DemoProcess } from './demo-process.ts';
import { type RunWindow, watchRun } from './watch-run.ts';

/** One story of the demo. */
export interface Scenario {
  readonly title: string;
  readonly script: ScriptTexts;
  readonly workflow: string;
  readonly input: JsonObject;
  /** The status that the story must end with. */
  readonly ends: string;
  /** What happens between start and end, told by `say`. */
  play?(stage: Stage): Promise<void>;
}

/** What a story can touch while it is played. */
export interface Stage {
  readonly house: DemoHouse;
  readonly api: DemoApi;
  readonly id: string;
  /** The only worker; a story that kills it starts another. */
  worker: DemoProcess;
  say(line: string): void;
}

const WITHIN_MS = 40_000;
const order = (orderId: string, amount: number): JsonObject => ({
  orderId,
  customerId: 'c-17',
  currency: 'EUR',
  amount,
  lines: [{ sku: 'tea', qty: 2 }],
});
const refund = (caseId: string): JsonObject => ({
  caseId,
  chargeId: 'ch_1',
  amount: 1200,
  reason: 'damaged',
  proposedBy: 'refund-agent',
});

/** What the provider does where a story says nothing else. */
const PLAIN: ScriptTexts = { 'psp/authorize': 'ok', 'psp/refunds': 'ok', 'carrier/shipments': 'ok' };

/** The stories, in the order of telling. */
export const SCENARIOS: readonly Scenario[] = [
  {
    title: 'an order is fulfilled',
    script: {},
    workflow: 'order-fulfilment',
    input: order('O-1', 4200),
    ends: 'COMPLETED',
  },
  {
    title: 'the carrier declines: what was done is undone in reverse',
    script: { 'carrier/shipments': 'declined' },
    workflow: 'order-fulfilment',
    input: order('O-2', 4200),
    ends: 'COMPENSATED',
  },
  {
    title: 'the answer of a payment is lost; the provider remembers keys, so the same key is sent again',
    script: { 'psp/authorize': 'lost-done then ok' },
    workflow: 'order-fulfilment',
    input: order('O-3', 4200),
    ends: 'COMPLETED',
  },
  {
    title: 'a refund waits for a person; its answer is lost, the provider keeps no keys, so it is asked what happened',
    script: { 'psp/refunds': 'lost-done then ok' },
    workflow: 'agent-refund',
    input: refund('case-7'),
    ends: 'COMPLETED',
    play: approveAsAna,
  },
  {
    title: 'the worker is killed while a payment is in flight; another one takes over',
    script: { 'psp/authorize': 'lost-done then ok' },
    workflow: 'order-fulfilment',
    input: order('O-5', 4200),
    ends: 'COMPLETED',
    play: killInFlight,
  },
  {
    title: 'a run sleeps, waits for an event, and goes on when it comes',
    script: {},
    workflow: 'parcel-return',
    input: { returnId: 'R-1', deposit: 500, grace: '1s' },
    ends: 'COMPLETED',
    play: bringParcel,
  },
];

/** Plays one story to its end. @throws PAWL_INVARIANT when it ends otherwise. */
export async function playScenario(
  scenario: Scenario,
  stage: Omit<Stage, 'id'>,
): Promise<{ readonly run: RunView; readonly worker: DemoProcess }> {
  const { house, api } = stage;
  await house.setScript({ ...PLAIN, ...scenario.script });
  const { workflow, input } = scenario;
  const { data: started } = await api.demo.startRun({ body: { workflow, input } });
  const full: Stage = { ...stage, id: started.id };
  await scenario.play?.(full);
  const ended = await watchRun(windowOf(api), full.id, ({ status }) => isEnd(status) || status === 'HELD', WITHIN_MS);
  return { run: ended, worker: full.worker };
}

function windowOf({ demo }: DemoApi): RunWindow {
  return { show: async (run) => (await demo.showRun({ params: { run } })).data };
}

async function approveAsAna({ api, id, say }: Stage): Promise<void> {
  const asked = await watchRun(
    windowOf(api),
    id,
    (run) => run.approvals.some(({ state }) => state === 'open'),
    WITHIN_MS,
  );
  const [approval] = asked.approvals;
  say(`waits for role ${approval?.from.join(', ') ?? ''}: ${approval?.title ?? ''}; the demo approves as ana`);
  const { step = '', subjectHash = '' } = approval ?? {};
  const params = { run: id, approval: step };
  await api.ana.vote({ params, body: { decision: 'approve', subjectHash, comment: 'seen' } });
}

async function killInFlight(stage: Stage): Promise<void> {
  const { house, api, id, say } = stage;
  await watchRun(
    windowOf(api),
    id,
    (run) => run.effects.some(({ step, state }) => step === 'authorize' && state === 'REQUESTED'),
    WITHIN_MS,
  );
  for (;;) {
    const book = await house.book();
    if (book.filter(({ operation }) => operation === 'psp/authorize').length >= 3) break;
  }
  say(`the provider has done it, the answer is on its way: SIGKILL to worker ${stage.worker.pid}`);
  await stage.worker.kill();
  stage.worker = await house.startWorker();
  say(`worker ${stage.worker.pid} finds a request without an answer: in doubt until settled`);
}

async function bringParcel({ api, id, say }: Stage): Promise<void> {
  await watchRun(windowOf(api), id, (run) => run.waitingFor.some(({ kind }) => kind === 'event'), WITHIN_MS);
  say('waits for event parcelArrived; the demo sends it');
  const data = { returnId: 'R-1', condition: 'good' };
  await api.demo.sendEvent({
    params: { run: id },
    body: { type: 'parcelArrived', data },
    idempotencyKey: 'parcel-1',
  });
}
