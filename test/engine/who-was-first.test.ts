import { describe, expect, it } from 'vitest';
import type { Delivered } from '../../src/engine/deliver-event.ts';
import type { AttemptReport } from '../../src/model/outcome.ts';
import { NEVER, openSmallHouse, type SmallHouse, type SmallProcess } from './support/small-house.ts';
import { httpAction, sagaOf } from './support/workflows.ts';

const REVIEWED = [
  'pawl: 1',
  'workflow: saga',
  'version: 1',
  'timeout: 1h',
  'actions:',
  httpAction('http://shop.test', 'charge', ['compensate: none']).replace(/idempotency: .*/, 'idempotency: none'),
  'steps:',
  "  - { id: charge, call: shop.charge, review: { from: ['role:auditor'] } }",
  '  - { id: later, wait: 10m }',
  '',
].join('\n');

const HELD = sagaOf('http://shop.test', ['reserve', 'charge']).replace('steps:', 'onFailure: hold\nsteps:');

const statusOf = ({ store }: SmallHouse): string => [...store.peek().runs.values()][0]?.head.status ?? '';

/** A run with one worker, brought to where it is held. */
async function held(text: string, more: Parameters<SmallHouse['process']>[0]['outside']) {
  const house = openSmallHouse();
  const process = house.process({ works: true, outside: more ?? {} });
  const run = await house.begin(process.verbs, text);
  await house.until(() => statusOf(house) === 'HELD');
  return { house, process, run };
}

const resolve = ({ verbs }: SmallProcess, run: string, by: string, more: object = {}): Promise<Delivered> =>
  verbs.resolve(run, {
    effect: 'charge',
    as: 'confirmed',
    evidence: 'in the statement',
    output: {},
    by,
    roles: ['auditor', 'operator'],
    ...more,
  });

describe('whoever comes too late is told who was first', () => {
  it('with what became of an effect: of two people at once exactly one is heard', async () => {
    const { house, process, run } = await held(REVIEWED, {
      send: () => ({ kind: 'broken', byteWritten: true, reason: 'reset' }),
    });
    await house.world.run(() => false, house.world.nowMs() + 120_000);
    const both = await house.settled(
      Promise.all([resolve(process, run, 'ana'), resolve(process, run, 'ben', { as: 'rejected' })]),
    );
    const [first, second] = both.toSorted((a, b) => a.outcome.localeCompare(b.outcome));
    const won = both[0] === first ? { by: 'ana', as: 'confirmed' } : { by: 'ben', as: 'rejected' };
    expect(first).toMatchObject({ outcome: 'applied' });
    expect(second).toMatchObject({
      outcome: 'refused',
      code: 'not-in-doubt',
      detail: {
        message: expect.stringContaining('step charge is '),
        first: { ...won, act: 'resolve', at: expect.stringMatching(/Z$/) },
      },
    });
    const asked = await house.settled(process.verbs.reconcile(run, 'charge', 'cleo'));
    expect(asked).toMatchObject({ code: 'not-in-doubt', detail: { first: won } });
  });

  it('with a step that was held, and with the end of the run', async () => {
    const declined: AttemptReport = { kind: 'declared', outcome: 'rejected', code: 'no', afterMs: null, data: {} };
    let sent = 0;
    const send = () => {
      sent += 1;
      return sent === 1 ? declined : NEVER;
    };
    const { house, process, run } = await held(HELD, { send });
    const { verbs } = process;
    const act = (by: string) => ({ by, reason: 'because' });
    expect(await house.settled(verbs.retry(run, 'charge', act('ana')))).toMatchObject({
      code: 'not-held',
      detail: { message: 'step charge is not held', first: null },
    });
    expect(await house.settled(verbs.retry(run, 'reserve', act('ana')))).toMatchObject({ outcome: 'applied' });
    expect(await house.settled(verbs.retry(run, 'reserve', act('ben')))).toMatchObject({
      code: 'not-held',
      detail: { message: 'step reserve is not held', first: { by: 'ana', act: 'retry', as: null } },
    });
    expect(await house.settled(verbs.terminate(run, act('ana')))).toMatchObject({ outcome: 'applied' });
    expect(await house.settled(verbs.cancel(run, act('ben')))).toMatchObject({
      outcome: 'refused',
      code: 'ended',
      detail: { first: { by: 'ana', act: 'terminate', as: null } },
    });
  });
});
