import { describe, expect, it } from 'vitest';
import { digestsOf } from '../../src/definition/digest.ts';
import { validateWorkflow } from '../../src/definition/validate-workflow.ts';
import { lower } from '../../src/machine/lower.ts';
import type { WorkflowDefinition } from '../../src/model/definition.ts';
import { invariant } from '../../src/model/errors.ts';
import { doc } from './support/key-mistakes.ts';

function read(text: string): WorkflowDefinition {
  const { definition, problems } = validateWorkflow(doc(text), 'x.pawl.yaml');
  expect(problems).toEqual([]);
  invariant(definition !== null, 'the file is valid');
  return definition;
}

describe('schedule', () => {
  it('has its defaults: UTC, an empty input, one at a time, the newest of what was missed', () => {
    expect(read("schedule: { cron: '30 2 * * *' }").schedule).toEqual({
      cron: '30 2 * * *',
      timezone: 'UTC',
      input: { kind: 'literal', value: {} },
      overlap: 'skip',
      catchUp: 'one',
    });
  });

  it('A file without a schedule says nothing of one, so that its digest is what it always was', () => {
    expect(Object.keys(read(''))).not.toContain('schedule');
  });

  it('Runs that queue have a lock of their workflow, whoever starts them; one that the file names stays', () => {
    const lockOf = (text: string) => read(text).lock;
    expect(lockOf("schedule: { cron: '0 * * * *', overlap: queue }")).toEqual({
      name: { kind: 'literal', value: 'schedule/sample' },
      limit: 1,
    });
    expect(lockOf("schedule: { cron: '0 * * * *', overlap: skip }")).toBeUndefined();
    expect(lockOf("lock: { name: gate, limit: 3 }\nschedule: { cron: '0 * * * *', overlap: allow }")?.limit).toBe(3);
  });

  it('Other times, zones, inputs and rules are other contents, and matters of policy', () => {
    const texts = [
      '',
      "schedule: { cron: '0 * * * *' }",
      "schedule: { cron: '1 * * * *' }",
      "schedule: { cron: '0 * * * *', timezone: Europe/Berlin }",
      "schedule: { cron: '0 * * * *', input: { n: 1 } }",
      "schedule: { cron: '0 * * * *', overlap: allow }",
      "schedule: { cron: '0 * * * *', catchUp: none }",
    ];
    const digests = texts.map((text) => digestsOf(lower(read(text))));
    expect(new Set(digests.map(({ digest }) => digest)).size).toBe(texts.length);
    expect(new Set(digests.map(({ parts }) => parts.policy)).size).toBe(texts.length);
    const spelled = read("schedule: { cron: '0 * * * *', timezone: UTC, input: {}, overlap: skip, catchUp: one }");
    expect(digestsOf(lower(spelled)).digest).toBe(digests[1]?.digest);
  });

  it('Its input reads constants, and is checked with them', () => {
    const text = (n: string): string =>
      `constants: { n: ${n} }\ninput: { type: object, required: [n], properties: { n: { type: integer, minimum: 5 } } }\nschedule: { cron: '0 * * * *', input: { n: =constants.n } }`;
    read(text('5'));
    expect(validateWorkflow(doc(text('4')), 'x').problems.map(({ code }) => code)).toEqual(['PAWL-233']);
  });
});
