import { expect, it } from 'vitest';
import { explore } from './explore.ts';
import { judgeWakeUps } from './judge-variant.ts';
import { WakeUpProtocol } from './wake-up-protocol.ts';
import { WAKE_UP_VARIANTS } from './wake-up-variants.ts';

it.each(WAKE_UP_VARIANTS)('$id ($says) has the states and the dead ends that are known of it', (variant) => {
  expect(judgeWakeUps(variant).differences).toEqual([]);
});

it('P16 without disowning, a claim whose answer was lost holds the run for ever', () => {
  // P16: "A process owns exactly the runs it holds in memory: with each heartbeat it disowns every lease in its name that it does not hold"
  const variant = WAKE_UP_VARIANTS.find(({ rules }) => !rules.disowns);
  const found = variant && explore(new WakeUpProtocol(variant.rules), { statesMax: 10_000 });
  expect(found?.violations[0]?.steps).toEqual([
    'a delivery writes its rows',
    'a delivery commits',
    'worker 0 claims, the answer is lost',
  ]);
});
