import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseWorkflow } from '../../src/definition/parse-workflow.ts';
import { checkSnapshot } from '../../src/machine/advance.ts';
import { compileMachine } from '../../src/machine/compile.ts';
import { describeRun } from '../../src/machine/describe-run.ts';
import { describeMachine } from '../../src/machine/diagram.ts';
import { exportMachine } from '../../src/machine/export/export-machine.ts';
import { authorOf, authorStateOf } from '../../src/machine/lane-steps.ts';
import { lower } from '../../src/machine/lower.ts';
import type { WorkflowDefinition } from '../../src/model/definition.ts';
import type { Machine, MachineState } from '../../src/model/machine.ts';
import type { RunData } from '../../src/model/run.ts';
import { call, map, workflow } from './support/definitions.ts';
import { Driver } from './support/driver.ts';
import { parseXml } from './scxml/xml.ts';

const GUIDE = readFileSync(new URL('../../docs/guides/files/fan-out.pawl.yaml', import.meta.url), 'utf8');

function guide(concurrency: number): WorkflowDefinition {
  const text = GUIDE.replace('    as: line\n', `    as: line\n    concurrency: ${concurrency}\n`);
  const { definition } = parseWorkflow(text, 'fan-out.pawl.yaml');
  if (definition === null) throw new Error('the guide is not sound');
  return definition;
}

const idsOf = (state: MachineState): readonly string[] => [state.id, ...state.states.flatMap(idsOf)];

/** A machine of before there were lanes: one item after the other, whatever its file says. */
function older(): Machine {
  return { ...lower(guide(1)), definition: guide(10) };
}

describe('the lanes of a map', () => {
  it('are none where one item is done after the other', () => {
    const { root, places } = lower(guide(1));
    expect(idsOf(root).filter((id) => id.includes('@') || id.includes('$b_'))).toEqual([
      'prepared$b_box',
      'prepared$b_box$succeeded',
      'prepared$b_box$failed',
      'prepared$b_box$stopped',
      'prepared$b_label',
      'prepared$b_label$succeeded',
      'prepared$b_label$failed',
      'prepared$b_label$stopped',
    ]);
    expect(places.map(([id]) => id)).toEqual(['reserved', 'reserve', 'prepared', 'box', 'label']);
  });

  it('have copies of the steps, each under an id that tells its lane in every map around it', () => {
    const nested = workflow([map('m', [call('a'), map('n', [call('b')], { concurrency: 2 })], { concurrency: 2 })]);
    const places = new Map(lower(nested).places);
    expect([...places.keys()]).toEqual(['m', 'a', 'n', 'b', 'b@0-1', 'a@1', 'n@1', 'b@1', 'b@1-1']);
    expect(places.get('b@1-1')?.lists).toEqual(['main', 'm$b_1$item', 'n@1$b_1$item']);
    expect(['b@1-1', 'n@1$b_1$item', 'm', '$output'].map((id) => authorOf(id))).toEqual(['b', 'n', 'm', '$output']);
    expect(authorStateOf('n@1$b_1$item$stopped')).toBe('n$b_0$item$stopped');
  });

  it('have the picture of one: nothing in it is drawn for each', () => {
    expect(describeMachine(lower(guide(10)))).toEqual(describeMachine(lower(guide(1))));
    const run = describeRun(lower(guide(10)), {
      entered: ['reserved', 'reserve', 'reserve@1', 'reserved$b_0$item$succeeded'],
      undone: [],
      held: [],
    });
    const live = Object.fromEntries(run.nodes.map((node) => [node.id, node.live]));
    expect([live['reserve'], live['box']]).toEqual(['now', null]);
  });

  it('are exported as they run, under names that other tools can read', () => {
    const text = exportMachine(lower(guide(2)), 'scxml');
    expect(text).toContain('id="reserve.1"');
    expect(() => parseXml(text)).not.toThrow();
  });

  it('P08 a machine that was stored before there were lanes goes on as it was, and is drawn', () => {
    // P08: "Replaying a stored journal through the kernel gives the stored values and commands"
    const compiled = compileMachine(older());
    expect([...compiled.copies.keys()]).toEqual([...compiled.steps.keys()]);
    expect(describeMachine(older())).toEqual(describeMachine(lower(guide(1))));
  });

  it('P07 a snapshot with an item in a lane that the machine has not is refused', () => {
    // P07: "The pin is checked at load; mismatch: parked with the field named."
    const run = new Driver(workflow([map('m', [call('a')], { concurrency: 2 })]));
    expect(checkSnapshot(run.compiled, run.snapshot)).toBe(run.snapshot);
    const broken = (lanes: unknown): unknown => ({ ...run.snapshot, data: { ...run.data, lanes } as RunData });
    const refused = (lanes: unknown): unknown => {
      try {
        return checkSnapshot(run.compiled, broken(lanes));
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(refused({ m$b_2$item: { no: 0, key: 'x', value: 'x' } })).toContain('no lane');
    expect(refused({ m$b_1$item: { no: -1, key: 'x', value: 'x' } })).toContain('another shape');
    expect(refused([])).toContain('lanes that are no object');
  });
});
