import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type House, openHouse, untilRun } from './support/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const FORK = `pawl: 1
workflow: fork
version: 1
timeout: 1h
input: { type: object, required: [n], properties: { n: { type: integer } } }
events: { go: { schema: { type: object } } }
steps:
  - id: fork
    choose:
      - when: input.n > 5
        steps: [{ id: inner, await: go }]
      - else: []
  - { id: outer, await: go }
`;

describe('the steps of a run as people see them', () => {
  it.each([
    [9, 'inner', { fork: 'active', inner: 'active', outer: 'pending' }],
    [1, 'outer', { fork: 'completed', inner: 'pending', outer: 'active' }],
  ])('with n = %s a choose is active only while its branch is: %s waits', async (n, waiting, expected) => {
    const process = await house.process();
    await process.app.publish({ text: FORK, file: 'fork.pawl.yaml', by: 'ana' });
    const { run } = await process.app.start({ workflow: 'fork', version: 1, input: { n }, by: 'ana' });
    const view = await untilRun(process, run.runId, ({ waitingFor }) =>
      waitingFor.some(({ step }) => step === waiting),
    );
    expect(Object.fromEntries(view.steps.map(({ id, status }) => [id, status]))).toEqual(expected);
  });
});
