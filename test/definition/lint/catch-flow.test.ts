import { expect, it } from 'vitest';
import { validateWorkflow } from '../../../src/definition/validate-workflow.ts';

const text = (leaves: string): string => `pawl: 1
workflow: raising
version: 1
timeout: 1d
actions:
  bank.pay:
    http: { method: POST, url: 'http://bank.example/pay' }
    idempotency: natural
    compensate: none
    output: { type: object, required: [id], properties: { id: { type: string } } }
steps:
  - id: first
    call: bank.pay
    catch: [{ on: [any], do: [{ id: tell, call: bank.pay }], ${leaves} }]
  - { id: second, call: bank.pay }
output: { id: =steps.second.output.id }
`;

function codesOf(workflow: string): readonly string[] {
  return validateWorkflow(workflow, 'raising.pawl.yaml').problems.map(({ code }) => code);
}

it('an end that says its own output leads to no other', () => {
  const ends = (output: string): string =>
    text('then: raise')
      .replace(
        '  - { id: second,',
        `  - choose: [{ when: steps.first.attempts > 1, next: off }, { else: [] }]\n  - { id: second, next: end,`,
      )
      .replace('output: { id: =steps', `  - { id: off, end: { as: off${output} } }\noutput: { id: =steps`);
  expect(codesOf(ends(', output: { id: none }'))).toEqual([]);
  expect(codesOf(ends(''))).toEqual(['PAWL-207']);
});

it('an id in what a step sends is no step, and all its ways are looked at', () => {
  const called = text('then: end').replace(
    '{ id: second, call: bank.pay }',
    '{ id: second, call: bank.pay, with: { id: x } }',
  );
  expect(codesOf(called)).toEqual(['PAWL-207']);
});

it('a catch that raises leads to no output: what that reads has completed', () => {
  expect(codesOf(text('then: raise'))).toEqual([]);
  expect(codesOf(text('then: end'))).toEqual(['PAWL-207']);
});
