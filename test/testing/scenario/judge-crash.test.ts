import { expect, it } from 'vitest';
import { openLab } from '../../../src/testing/crash-lab/run-crash-lab.ts';
import { NO_SCENARIO } from '../../../src/testing/crash-lab/scenario-file.ts';
import { buildScenario } from '../../../src/testing/scenario/build-scenario.ts';
import { judgeCrash } from '../../../src/testing/scenario/judge-scenario.ts';
import { seenRejected } from '../../../src/testing/scenario/seen.ts';
import { namesOf } from '../../../src/testing/scenario/workflow-names.ts';
import { PAY } from './support/pay-workflow.ts';

it('what whoever sends something is told may not be another one after a crash, but where it was not known yet', async () => {
  const { compiled } = await openLab({ text: PAY, file: 'pay.pawl.yaml', scenario: NO_SCENARIO, lies: [] });
  const context = { names: namesOf(compiled.machine.definition), report: () => undefined };
  const missed = (word: string, answer: string): readonly string[] => {
    const events = [{ at: '1s', signal: 'calledOff', answer }];
    const scenario = buildScenario(context, '', { name: 'one', events, expect: { status: 'REJECTED AT START' } });
    const seen = { ...seenRejected({ code: 'no', message: 'no' }), told: [{ words: [word], isTaken: true }] };
    return judgeCrash({ scenario, seen, compiled }).map(({ what }) => what);
  };
  expect(missed('applied', 'applied')).toEqual([]);
  expect(missed('kept', 'applied')).toEqual(['answer']);
  expect(missed('applied', 'pending')).toEqual([]);
});
