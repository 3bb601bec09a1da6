import { expect, it } from 'vitest';
import { parseTemplate } from '../../src/definition/parse-template.ts';
import { describeMachine } from '../../src/machine/diagram.ts';
import { writtenTemplate } from '../../src/machine/export/written-template.ts';
import { lower } from '../../src/machine/lower.ts';
import { call, literal, map, parallel, workflow } from './support/definitions.ts';

it('a template is written as its author could have written it, literals that look like expressions too', () => {
  const text = { list: ['=input.n', 1, null, '${ input.a } of ${ input.b }'], plain: '==x', map: { deep: '$${ no }' } };
  const parsed = parseTemplate(text, '');
  if (!parsed.ok) throw new Error('a template that cannot be read');
  const again = parseTemplate(writtenTemplate(parsed.template), '');
  if (!again.ok) throw new Error('what was written cannot be read');
  expect(writtenTemplate(again.template)).toEqual(writtenTemplate(parsed.template));
  expect(writtenTemplate({ kind: 'literal', value: [1, { a: '=b' }, null] })).toEqual([1, { a: '==b' }, null]);
});

it('a picture says of a map and of a parallel step what each is for', () => {
  const many = map('m', [call('a')]);
  const some = parallel('p', { x: [call('b')], y: [call('c')] }, { join: { kind: 'count', count: literal(1) } });
  const { nodes } = describeMachine(lower(workflow([many, some])));
  const said = (step: string): string => JSON.stringify(nodes.find(({ id }) => id === step));
  expect(said('m')).toContain('for each item_m of [1, 2]');
  expect(said('p')).toContain('1 must succeed');
});
