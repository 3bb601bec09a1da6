import { PawlError } from '../../model/errors.ts';
import { hashJson } from '../../model/hash.ts';
import type { RunId } from '../../model/ids.ts';
import type { InboxPayload } from '../../model/inbox-event.ts';
import type { Json } from '../../model/json.ts';
import type { Delivery } from '../../ports/store.ts';
import type { BegunDelivery } from '../../store/memory/database.ts';
import { pause } from './guard.ts';
import type { OutsideAct } from './scenario-parts.ts';
import type { Scene } from './scene.ts';

/** A vote before its approval is asked for finds nothing to vote on. */
const VOTE_AGAIN_MS = 1_000;
const VOTES_MAX = 20;

async function cast(scene: Scene, run: RunId, act: Extract<OutsideAct, { kind: 'vote' }>): Promise<void> {
  const { fleet } = scene;
  for (let tries = 0; tries < VOTES_MAX; tries += 1) {
    const answer = await fleet.ask((verbs) =>
      verbs.vote(run, {
        approval: null,
        decision: act.decision,
        subjectHash: null,
        principal: act.by,
        roles: ['approver'],
        comment: null,
      }),
    );
    if (!(answer instanceof PawlError)) return;
    await pause(scene, VOTE_AGAIN_MS);
  }
}

/** How long a receiver's transaction stays open at most, milliseconds: others claim, drain and release meanwhile. */
const OPEN_MS_MAX = 400;

/** Whether its transaction has taken effect: it breaks where another database has followed meanwhile. */
async function isCommitted(begun: BegunDelivery): Promise<boolean> {
  try {
    await begun.commit();
    return true;
  } catch (error) {
    if (error instanceof PawlError && error.retry !== 'never') return false;
    throw error;
  }
}

/** A receiver that stores the event itself, in a transaction that is open for a while and may break. */
async function store(scene: Scene, delivery: Delivery): Promise<void> {
  const { world } = scene;
  for (;;) {
    const begun = await scene.store.beginDelivery(delivery.part, [delivery]);
    await pause(scene, world.random.next() * OPEN_MS_MAX);
    if (!scene.plan.comes('database', 0.2)) {
      if (await isCommitted(begun)) return;
    } else begun.abort();
  }
}

/** The same event again and again, in any order with others: webhooks are sent at least once, by any road. */
async function signal(scene: Scene, run: RunId, act: Extract<OutsideAct, { kind: 'signal' }>): Promise<void> {
  const { name, no, data } = act;
  const ask = { name, data, source: 'webhook', eventId: `${name}-${no}`, by: 'psp', waitMs: 0 };
  const payload: InboxPayload = { type: 'signal', name, data, by: ask.by };
  const payloadHash = hashJson(payload as unknown as Json);
  const delivery = { part: 0, runId: run, source: 'signal:webhook', eventId: ask.eventId, payload, payloadHash };
  const once = async (): Promise<void> => {
    if (scene.world.random.next() < 0.5) await store(scene, delivery);
    else await scene.fleet.ask((verbs) => verbs.signal(run, ask));
  };
  await Promise.all(Array.from({ length: act.times }, once));
}

async function order(
  scene: Scene,
  run: RunId,
  act: Extract<OutsideAct, { kind: 'cancel' | 'compensate' | 'terminate' }>,
) {
  const { fleet } = scene;
  const how = { by: 'ops', reason: 'ordered', eventId: `${act.kind}-1` };
  if (act.kind === 'cancel') await fleet.ask((verbs) => verbs.cancel(run, how));
  else if (act.kind === 'terminate') await fleet.ask((verbs) => verbs.terminate(run, how));
  else {
    const preview = await fleet.ask((verbs) => verbs.previewCompensation(run));
    if (!(preview instanceof PawlError)) await fleet.ask((verbs) => verbs.compensate(run, how, preview.planHash));
  }
}

/** A person has the state of all runs taken whose time is over; workers do the same now and then. */
async function prune({ fleet }: Scene): Promise<void> {
  await fleet.ask((verbs) => verbs.prune({ by: 'ops', reason: 'room' }));
}

/** Does one thing to a run from outside. */
export function act(scene: Scene, run: RunId, doing: OutsideAct): Promise<void> {
  switch (doing.kind) {
    case 'vote':
      return cast(scene, run, doing);
    case 'signal':
      return signal(scene, run, doing);
    case 'prune':
      return prune(scene);
    default:
      return order(scene, run, doing);
  }
}
