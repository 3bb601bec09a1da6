import { describe, expect, it } from 'vitest';
import { digestsOf } from '../../src/definition/digest.ts';
import { validateWorkflow } from '../../src/definition/validate-workflow.ts';
import { lower } from '../../src/machine/lower.ts';
import type { WorkflowDefinition } from '../../src/model/definition.ts';
import { invariant } from '../../src/model/errors.ts';
import { doc } from './support/key-mistakes.ts';

const INPUT = 'input: { type: object, required: [account], properties: { account: { type: string } } }';

function read(lock: string): WorkflowDefinition {
  const { definition, problems } = validateWorkflow(doc(`${INPUT}\n${lock}`), 'x.pawl.yaml');
  expect(problems).toEqual([]);
  invariant(definition !== null, 'the file is valid');
  return definition;
}

describe('lock', () => {
  it.each([
    ['lock: gate', 1],
    ['lock: { name: gate }', 1],
    ['lock: { name: =input.account, limit: 3 }', 3],
    ["lock: 'account/${ input.account }'", 1],
  ])('%s is read, with its limit', (text, limit) => {
    expect(read(text).lock?.limit).toBe(limit);
  });

  it('A file without a lock says nothing of one, so that its digest is what it always was', () => {
    expect(Object.keys(read(''))).not.toContain('lock');
  });

  it('Another name, and another limit, is another content, and a matter of policy', () => {
    const digests = ['lock: gate', 'lock: { name: gate, limit: 2 }', 'lock: other', ''].map((lock) => {
      const { digest, parts } = digestsOf(lower(read(lock)));
      return [digest, parts.policy];
    });
    expect(new Set(digests.map(([digest]) => digest)).size).toBe(4);
    expect(new Set(digests.map(([, policy]) => policy)).size).toBe(4);
    expect(digestsOf(lower(read('lock: { name: gate, limit: 1 }'))).digest).toBe(digests[0]?.[0]);
  });
});
