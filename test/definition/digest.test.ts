import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { digestsOf } from '../../src/definition/digest.ts';
import { parseWorkflow } from '../../src/definition/parse-workflow.ts';
import { lower } from '../../src/machine/lower.ts';
import { hashJson } from '../../src/model/hash.ts';

const FILE = `pawl: 1
workflow: sample
version: 1
title: A sample
key: input.id
input:
  type: object
  required: [id]
  properties:
    id: { type: string }
    n: { type: integer }
constants: { from: 2026-03-29, at: 2026-03-29 00:00:00 }
timeout: 1d
actions:
  pay:
    http: { method: POST, url: 'http://127.0.0.1:1/pay', headers: { A: x, B: y } }
    idempotency: { header: Idempotency-Key, remembers: 24h }
    retry: { attempts: 3, delay: 1s }
    compensate: none
    output: { type: object }
steps:
  - { id: one, call: pay, with: { a: =input.id, b: 2 } }
  - { id: two, call: pay, with: { a: =input.id, b: 3 }, when: input.n > 1 }
`;

function digests(text: string) {
  const { definition, problems } = parseWorkflow(text, 'sample.pawl.yaml');
  if (definition === null) throw new Error(problems.map(({ message }) => message).join('; '));
  return digestsOf(lower(definition));
}
const replaced = (from: string, to: string): string => {
  if (!FILE.includes(from)) throw new Error(`the sample has no ${from}`);
  return FILE.replace(from, to);
};

describe('the digest of a version', () => {
  const base = digests(FILE);

  it.each([
    ['CRLF', FILE.replaceAll('\n', '\r\n')],
    ['a byte order mark', `\uFEFF${FILE}`],
    ['comments', FILE.replace('steps:', '# a comment\nsteps: # another')],
    [
      'another order of keys',
      replaced(
        '{ id: one, call: pay, with: { a: =input.id, b: 2 } }',
        '{ with: { b: 2, a: =input.id }, call: pay, id: one }',
      ),
    ],
    ['another order of headers', replaced('{ A: x, B: y }', '{ B: y, A: x }')],
    [
      'block instead of flow',
      replaced(
        'constants: { from: 2026-03-29, at: 2026-03-29 00:00:00 }',
        'constants:\n  at: 2026-03-29 00:00:00\n  from: 2026-03-29',
      ),
    ],
    ['quotes', replaced('idempotency: { header: Idempotency-Key', "idempotency: { header: 'Idempotency-Key'")],
    ['another title', replaced('title: A sample', 'title: Something else')],
    ['a description and labels', replaced('title: A sample', 'description: x\nlabels: { team: a }')],
    ['a default that is written', replaced('timeout: 1d', 'timeout: 1d\nonFailure: compensate')],
    ['another word for the same duration', replaced('timeout: 1d', 'timeout: 24h')],
  ])('does not change with %s', (_why, text) => {
    expect(digests(text)).toEqual(base);
  });

  it('changes with the order of lists', () => {
    const [one = '', two = ''] = FILE.split('\n').filter((line) => line.startsWith('  - { id'));
    expect(digests(FILE.replace(`${one}\n${two}`, `${two}\n${one}`)).digest).not.toBe(base.digest);
  });

  it.each([
    ['data', 'n: { type: integer }', 'n: { type: number }'],
    ['effects', 'remembers: 24h', 'remembers: 25h'],
    ['effects', 'b: 2 }', 'b: 4 }'],
    ['policy', 'attempts: 3', 'attempts: 4'],
    ['policy', 'timeout: 1d', 'timeout: 2d'],
    ['expr', 'input.n > 1', 'input.n > 2'],
    ['graph', 'id: one', 'id: uno'],
  ] as const)('says that %s differ where only %j became %j', (part, from, to) => {
    const other = digests(replaced(from, to));
    expect(other.digest).not.toBe(base.digest);
    expect(other.parts[part]).not.toBe(base.parts[part]);
    expect(other.parts.language).toBe(base.parts.language);
  });

  it.each([
    ['policy', 'remembers: 24h', 'remembers: 25h'],
    ['effects', 'attempts: 3', 'attempts: 4'],
    ['data', 'timeout: 1d', 'timeout: 2d'],
    ['graph', 'n: { type: integer }', 'n: { type: number }'],
  ] as const)('leaves %s alone where only %j became %j', (part, from, to) => {
    expect(digests(replaced(from, to)).parts[part]).toBe(base.parts[part]);
  });

  it('has the pinned engines in its part `language`: the one of the expressions and the kernel, at their versions', () => {
    const { dependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>;
    };
    const pin = (name: string): string => `${name}@${dependencies[name] ?? ''}`;
    const pinned = { expressions: pin('@marcbachmann/cel-js'), kernel: pin('xstate') };
    expect(base.parts.language).toBe(hashJson({ pawl: 1, format: 'machine/1', ...pinned }));
  });

  it('is the same in every time zone: dates are the text that was written', () => {
    expect(parseWorkflow(FILE, 'x').definition?.constants).toEqual({ from: '2026-03-29', at: '2026-03-29 00:00:00' });
  });
});
