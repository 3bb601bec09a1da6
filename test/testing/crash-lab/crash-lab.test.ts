import { describe, expect, it } from 'vitest';
import { validateWorkflow } from '../../../src/definition/validate-workflow.ts';
import { CannotPlay } from '../../../src/testing/crash-lab/answer-bodies.ts';
import type { Lie } from '../../../src/testing/crash-lab/lies.ts';
import type { LabReport } from '../../../src/testing/crash-lab/lab-report.ts';
import { runCrashLab } from '../../../src/testing/crash-lab/run-crash-lab.ts';
import { NO_SCENARIO, readScenario } from '../../../src/testing/crash-lab/scenario-file.ts';
import { WORKFLOWS } from './unsafe-workflows.ts';

const reports = new Map<string, Promise<LabReport>>();

/** The report of a workflow; the same is asked for once. */
function lab(text: string, scenario: string | null = null, lies: readonly Lie[] = []): Promise<LabReport> {
  const name = JSON.stringify([text, scenario, lies]);
  const report = reports.get(name) ?? runLab(text, scenario, lies);
  reports.set(name, report);
  return report;
}

function runLab(text: string, scenario: string | null, lies: readonly Lie[]): Promise<LabReport> {
  const { definition, problems } = validateWorkflow(text, 'payment.pawl.yaml');
  if (definition === null) throw new Error(JSON.stringify(problems));
  const given = scenario === null ? NO_SCENARIO : readScenario(scenario, 'scenario.yaml', definition);
  return runCrashLab({ text, file: 'payment.pawl.yaml', scenario: given, lies });
}

function found(report: LabReport): readonly string[] {
  return report.findings.map(({ effect, boundary, kind }) => `${effect}, ${boundary}: ${kind}`);
}

describe('a workflow that keeps to what its providers promise', () => {
  it.each(['keyed', 'lookup', 'blind', 'function', 'undone', 'reading'] as const)(
    '%s: nothing is found',
    async (name) => {
      const report = await lab(WORKFLOWS[name]);
      expect(found(report)).toEqual([]);
      expect([...report.problems, ...report.unreached]).toEqual([]);
      expect(report.ok).toBe(true);
    },
    60_000,
  );

  it('a provider that keeps no keys and cannot be asked: every doubt is a named review, and it happened once at most', async () => {
    const { rows } = await lab(WORKFLOWS.blind);
    const [pay] = rows;
    expect(pay?.cells.done).toEqual({ verdict: 'review', times: 1 });
    expect(pay?.cells.sent).toEqual({ verdict: 'review', times: 0 });
  }, 60_000);
});

describe('a workflow that is not safe', () => {
  it.each([
    ['sharedLookup', 'pay, sent: loss', 'what another effect did'],
    ['fiveHundredRejected', 'pay, done: loss', 'FAILED, and it happened'],
    ['fiveHundredConfirmed', 'pay, sent: loss', 'CONFIRMED, and it never happened'],
    ['retriedAfter500', 'pay, done: double', 'it happened 2 times'],
    ['retriedAfter202', 'pay, done: double', 'it happened 2 times'],
    ['acceptedIsDone', 'pay, sent: loss', 'CONFIRMED, and it never happened'],
    ['knownIsNo', 'pay, done: loss', 'FAILED, and it happened'],
    ['impatient', 'pay, done: double', 'it happened 2 times'],
    ['shortMemory', 'pay, away: double', 'it happened 2 times'],
  ] as const)(
    '%s is found and named: %s',
    async (name, finding, message) => {
      const report = await lab(WORKFLOWS[name]);
      expect(found(report)).toContain(finding);
      const named = report.findings.find(({ effect, boundary, kind }) => `${effect}, ${boundary}: ${kind}` === finding);
      expect(named?.message).toContain(message);
      expect(named?.action).toBe('bank.pay');
      expect(report.ok).toBe(false);
    },
    60_000,
  );
});

describe('a provider that does not keep its word', () => {
  it('an undo that is sent again after a 500 is found and named: it may happen twice', async () => {
    const report = await lab(WORKFLOWS.refundAfter500);
    expect(found(report)).toContain('undo pay, done: double');
    expect(report.findings.map(({ action }) => action)).toContain('bank.refund');
  }, 60_000);

  it.each([
    ['keyed', 'keys: ignored', 'pay, done: double'],
    ['keyed', 'keys: { bank.pay: ignored }', 'pay, answered: double'],
    ['lookup', 'settles: { bank.pay: 2m }', 'pay, done: loss'],
    ['lookup', 'lookup: { bank.pay: { lag: 2m } }', 'pay, done: loss'],
    ['undone', 'keys: { bank.refund: ignored }', 'undo pay, done: double'],
    ['reading', 'reads: { bank.pay: acts }', 'pay, done: double'],
  ] as const)(
    '%s with %s is found and named: %s',
    async (name, scenario, finding) => {
      expect(found(await lab(WORKFLOWS[name], scenario))).toContain(finding);
    },
    60_000,
  );

  it.each([
    ['keyed', 'keys', 'pay, done: double'],
    ['lookup', 'late', 'pay, done: loss'],
    ['lookup', 'lookup', 'pay, done: loss'],
    ['reading', 'reads', 'pay, done: double'],
  ] as const)(
    '%s with --lie %s is found and named: %s',
    async (name, lie, finding) => {
      expect(found(await lab(WORKFLOWS[name], null, [lie]))).toContain(finding);
    },
    60_000,
  );

  it('is told beforehand as a promise that the workflow depends on', async () => {
    const promises = async (name: keyof typeof WORKFLOWS): Promise<readonly string[]> =>
      (await lab(WORKFLOWS[name])).relies.map(({ promise }) => promise);
    const noes = (statuses: readonly number[]): readonly string[] =>
      statuses.map((status) => `a ${status} of bank.pay means that it was not done`);
    expect(await promises('keyed')).toEqual(['bank.pay remembers Idempotency-Key for 24h', ...noes([503, 303])]);
    expect(await promises('lookup')).toEqual([
      'a request of bank.pay takes effect within 3s, or never',
      'the lookup of bank.pay shows at once what has happened',
      'the lookup of bank.pay shows only what is done, nothing that is pending or was refused',
      ...noes([303]),
    ]);
    expect(await promises('blind')).toEqual(noes([303]));
  }, 60_000);
});

describe('what the lab cannot play', () => {
  const odd = WORKFLOWS.lookup.replace('size(response.body.items) > 0', 'response.body.state.contains("settled")');

  it('a lookup that it does not understand is said, and is played with the bodies of a scenario', async () => {
    const unplayed = await lab(odd.replace("'${ response.body.items[0] }'", "'${ response.body }'"));
    expect(unplayed.problems.join()).toContain('lookup: { bank.pay: { found: …, absent: … } }');
    const scenario = 'lookup: { bank.pay: { found: { state: settled, id: $id }, absent: { state: none } } }';
    const played = await lab(odd.replace("'${ response.body.items[0] }'", "'${ response.body }'"), scenario);
    expect([...played.problems, ...found(played)]).toEqual([]);
  }, 60_000);

  it('an input that cannot be made is asked for', async () => {
    const text = WORKFLOWS.keyed.replace('no: { type: string }', 'no: { type: string, minLength: 9, pattern: ^abc }');
    await expect(lab(text)).rejects.toThrow(CannotPlay);
  });

  it('names of a scenario that the workflow does not have are refused', async () => {
    expect(() => lab(WORKFLOWS.keyed, 'keys: { bank.play: ignored }')).toThrow('there is no action bank.play');
    expect(() => lab(WORKFLOWS.keyed, 'kays: ignored')).toThrow('/kays is not allowed');
  });
});
