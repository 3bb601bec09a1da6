import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { digestsOf } from '../../src/definition/digest.ts';
import { formatFile } from '../../src/definition/format-file.ts';
import { validateWorkflow } from '../../src/definition/validate-workflow.ts';
import { lower } from '../../src/machine/lower.ts';
import { fc } from '../support/fast-check.ts';
import { decorate, decorations } from './support/decorate.ts';

function formatted(text: string): string {
  const { text: result, problems } = formatFile(text, 'file.yaml');
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  return result ?? '';
}

function digestOf(text: string): string {
  const { definition } = validateWorkflow(text, 'file.yaml');
  if (definition === null) throw new Error('the file is not valid');
  return digestsOf(lower(definition)).digest;
}

const commentsOf = (text: string): readonly string[] => (text.match(/# .*$/gm) ?? []).sort();

const SMALL = `# yaml-language-server: $schema=x
pawl: 1
workflow: small
version: 1
actions:
  shop.pay:
    timeout: 2s
    http: { method: POST, url: 'http://x/pay' }
    idempotency: none
    settlesWithin: 3s
    compensate: none
timeout: 1h
steps:
  - call: shop.pay
    id: pay
    with: { amount: 1, list: [1, 2] }
    catch:
      - on: [rejected]
        do: [{ id: stop, fail: { code: no } }]
  - { id: nap, wait: 2s }
output: {}
`;

/** A file of free form: only its YAML is formatted. */
const free = (lines: readonly string[]): readonly string[] =>
  formatted(['list: [1]', ...lines, ''].join('\n'))
    .trimEnd()
    .split('\n')
    .slice(1);

describe('a formatted file', () => {
  it.each(['order-fulfilment', 'agent-refund', 'parcel-return', 'agent-booking', 'parcel-tracking'])(
    'keeps the digest and the comments of %s and is not changed by formatting it again',
    (name) => {
      const text = readFileSync(new URL(`../../workflows/${name}.pawl.yaml`, import.meta.url), 'utf8');
      const once = formatted(text);
      expect(digestOf(once)).toBe(digestOf(text));
      expect(commentsOf(once)).toEqual(commentsOf(text));
      expect(formatted(once)).toBe(once);
    },
  );

  it('keeps its digest and every comment wherever authors put comments and empty lines', () => {
    const keeps = (file: string, wished: Parameters<typeof decorate>[1]): void => {
      const text = decorate(file, wished);
      const once = formatted(text);
      expect(commentsOf(once)).toEqual(commentsOf(text));
      expect(formatted(once)).toBe(once);
      expect(once).not.toMatch(/\n\n\n|[ ]\n/);
      if (file === SMALL) expect(digestOf(once)).toBe(digestOf(SMALL));
    };
    fc.assert(
      fc.property(decorations, (wished) => keeps(SMALL, wished)),
      { numRuns: 2 },
    );
    // Without a workflow to be checked the same layout takes a hundredth of the time.
    const FREE = SMALL.replace('workflow:', 'other:');
    fc.assert(
      fc.property(decorations, (wished) => keeps(FREE, wished)),
      { numRuns: 25 },
    );
  });

  it('has the keys of each part in the order of the reference: a step says what it does before what may befall it', () => {
    const keys = formatted(SMALL).match(/^(?: {0,4}|.*- )[a-z.A-Z]+(?=:)/gm);
    expect(keys?.map((key) => key.trim())).toEqual([
      'pawl',
      'workflow',
      'version',
      'actions',
      'shop.pay',
      'http',
      'idempotency',
      'settlesWithin',
      'compensate',
      'timeout',
      'timeout',
      'steps',
      '- id',
      'call',
      'with',
      'catch',
      '- on',
      'output',
    ]);
  });

  it('leaves the members of maps of the author in his order', () => {
    const text = SMALL.replace('amount: 1, list: [1, 2]', 'z: 1, id: 2, a: 3');
    expect(formatted(text)).toContain('with: { z: 1, id: 2, a: 3 }');
  });

  it('leaves the order of a map in which an alias would come before its anchor', () => {
    const text = SMALL.replace(
      '    compensate: none\n',
      '    output: &any { type: object }\n    input: *any\n    compensate: none\n',
    );
    expect(formatted(text)).toContain('    output: &any { type: object }\n    input: *any\n    compensate: none\n');
    const harmless = text.replace('*any', '{ type: object }');
    expect(formatted(harmless)).toContain('    input: { type: object }\n    output: &any { type: object }\n');
  });

  it('is two blanks deeper at each level, lists under their key too', () => {
    expect(free(['a:', '     b:', '     - c', '     -   - d', '         - e'])).toEqual([
      'a:',
      '  b:',
      '    - c',
      '    - - d',
      '      - e',
    ]);
  });

  it('has what fits on one line in braces as it was, and what does not as a block, from the outside in', () => {
    const long = 'x'.repeat(60);
    expect(free([`a: {b: [${long}, c],`, `   d: {e: ${long}} }`])).toEqual([
      'a:',
      `  b: [${long}, c]`,
      `  d: { e: ${long} }`,
    ]);
    expect(free(['a: {b:', '  1}', 'c: [', '  ]', 'd: {e: , f: 1}'])).toEqual([
      'a: { b: 1 }',
      'c: []',
      'd:',
      '  e:',
      '  f: 1',
    ]);
    expect(free([`- {b: ${long}, c: ${long}}`].map((line) => `a:\n${line}`))).toEqual([
      'a:',
      `  - b: ${long}`,
      `    c: ${long}`,
    ]);
  });

  it('has quotes where a text would be read as something else', () => {
    const line = `a: ['b c', "d", '1', 'no', "it's", "e: f", '\${ g }', "=input.h", "\\n", '', 'role:i']`;
    expect(free([line])).toEqual([`a: [b c, d, '1', 'no', "it's", 'e: f', '\${ g }', =input.h, "\\n", '', 'role:i']`]);
    expect(free([`'a': 1`, `"404": 2`, `'no': 3`])).toEqual(['a: 1', `'404': 2`, `'no': 3`]);
  });

  it('keeps texts of several lines, two blanks deeper than their key', () => {
    expect(
      free(['a: |2-', '      b', '    c', '', '', 'd: >+', '    e', '', 'f: g', '    h', 'i: "j', '   k"']),
    ).toEqual(['a: |2-', '      b', '    c', '', 'd: >+', '  e', '', 'f: g', '  h', 'i: "j', '  k"']);
  });

  it('has each comment where it stood: at the top, above a key, behind a value, at the foot of a list', () => {
    const text = [
      '# of the file',
      '',
      '# of list',
      'list: [1] # one',
      'a:   # of a',
      '    # of b',
      '    b: {c: 1}    # behind b',
      '',
      '',
      '    # foot of a',
      '# of d',
      'd:',
      '- e: |   # behind e',
      '   text',
      '  # foot of the item',
      '# of f',
      'f: [1, # one',
      '  # two',
      '  2] # of f itself',
      'g:',
      '  # of g',
      '  h',
      'i: { # nothing',
      '  }',
      '# the end',
      '',
    ];
    expect(formatted(text.join('\n')).split('\n')).toEqual([
      '# of the file',
      '',
      '# of list',
      'list: [1]  # one',
      'a:  # of a',
      '  # of b',
      '  b: { c: 1 }  # behind b',
      '',
      '  # foot of a',
      '# of d',
      'd:',
      '  - e: |  # behind e',
      '      text',
      '    # foot of the item',
      '# of f',
      'f:  # of f itself',
      '  - 1  # one',
      '  # two',
      '  - 2',
      '# of g',
      'g: h',
      'i: {}  # nothing',
      '# the end',
      '',
    ]);
  });

  it('keeps an anchor that a comment parts from its value', () => {
    expect(free(['a: &x # one', '  # two', '  b: 1', 'c:', '  - &y # three', '    d: 1', '  - *x', '  - *y'])).toEqual([
      'a: &x  # one',
      '  # two',
      '  b: 1',
      'c:',
      '  - &y  # three',
      '    d: 1',
      '  - *x',
      '  - *y',
    ]);
  });

  it('has a comment of a key that becomes the first of its item above the item', () => {
    const text = SMALL.replace('    id: pay', '    # of the id\n    id: pay').replace('  - call', '\n  - call');
    expect(formatted(text)).toContain('steps:\n  # of the id\n  - id: pay\n    call: shop.pay\n');
  });

  it('keeps the header of a file at its top when another key comes first', () => {
    const text = SMALL.replace('pawl: 1\nworkflow: small\n', '\n# named so\nworkflow: small\npawl: 1\n');
    expect(formatted(text)).toMatch(/^# yaml-language-server: \$schema=x\n\npawl: 1\n# named so\nworkflow: small\n/);
    const close = SMALL.replace('pawl: 1\nworkflow: small\n', '# named so\nworkflow: small\npawl: 1\n');
    expect(formatted(close)).toMatch(/^# yaml-language-server: \$schema=x\npawl: 1\n# named so\nworkflow: small\n/);
  });

  it('ends its lines as its first line ends, and has no byte order mark', () => {
    const once = formatted(`\uFEFF${SMALL.replaceAll('\n', '\r\n')}`);
    expect(once).toBe(formatted(SMALL).replaceAll('\n', '\r\n'));
  });
});

describe('a file that cannot be formatted', () => {
  it.each([
    ['a workflow that is not valid', SMALL.replace('wait: 2s', 'wait: soon'), 'PAWL-110'],
    ['what is no YAML', 'a: [', 'PAWL-'],
    ['a list', '- 1\n', 'PAWL-021'],
    ['a workflow with a misspelled key', SMALL.replace('settlesWithin', 'setlesWithin'), 'PAWL-101'],
  ])('is %s: its problems are told', (_, text, code) => {
    const { text: result, problems } = formatFile(text, 'file.yaml');
    expect(result).toBeNull();
    expect(problems.find(({ severity }) => severity === 'error')?.code).toContain(code);
  });
});
