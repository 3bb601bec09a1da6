import { describe, expect, it } from 'vitest';
import { type SourceFile, validateCatalogue } from '../../src/definition/catalogue.ts';
import { digestsOf, digestsOfCatalogue } from '../../src/definition/digest.ts';
import type { Shelf } from '../../src/definition/embed-catalogues.ts';
import { formatFile } from '../../src/definition/format-file.ts';
import { validateWorkflow } from '../../src/definition/validate-workflow.ts';
import { lower } from '../../src/machine/lower.ts';
import { invariant } from '../../src/model/errors.ts';
import { marked, shown } from './support/marked.ts';

const CONTRACT = 'idempotency: { header: Key, remembers: 24h }';
const PSP = `pawl: 1
catalogue: psp
version: 2
secrets: [pspToken]
actions:
  psp.charge:
    http: { method: POST, url: 'https://psp.example/charge' }
    auth: { bearer: =secrets.pspToken }
    ${CONTRACT}
    output: { type: object, required: [id], properties: { id: { type: string } } }
    compensate: { call: psp.refund, with: { id: =effect.output.id } }
  psp.refund:
    http: { method: POST, url: 'https://psp.example/refund' }
    auth: { bearer: =secrets.pspToken }
    ${CONTRACT}
    compensate: none
`;
const SHOP = `pawl: 1
workflow: shop
version: 1
use: [psp@2]
timeout: 1d
input: { type: object, required: [id], properties: { id: { type: string } } }
steps:
  - { id: charge, call: psp.charge, object: =input.id }
  - { id: note, fail: { code: no, message: '\${ steps.charge.output.id }' } }
`;

const psp = (text = PSP, file = 'psp.catalogue.yaml'): SourceFile => ({ file, text });
const shelf =
  (...files: readonly SourceFile[]): Shelf =>
  () =>
    files;
const told = (text: string, ...files: readonly SourceFile[]): readonly string[] =>
  validateWorkflow(text, 'shop.pawl.yaml', shelf(...files)).problems.map(
    ({ file, code, range, message, help }) => `${file}:${range.line}:${range.column} ${code} ${message} = ${help}`,
  );

function digestOf(text: string, ...files: readonly SourceFile[]): string {
  const { definition, problems } = validateWorkflow(text, 'shop.pawl.yaml', shelf(...files));
  invariant(definition !== null, 'the sample is valid', { problems: JSON.stringify(problems) });
  return digestsOf(lower(definition)).digest;
}

describe('use', () => {
  it('embeds the actions and secrets of a catalogue: types, undo and lint know them as own ones', () => {
    const { definition, problems, catalogues } = validateWorkflow(SHOP, 'shop.pawl.yaml', shelf(psp()));
    expect(problems).toEqual([]);
    expect(definition?.actions.map(({ name, pointer }) => [name, pointer])).toEqual([
      ['psp.charge', '/use/psp@2/actions/psp.charge'],
      ['psp.refund', '/use/psp@2/actions/psp.refund'],
    ]);
    expect(definition?.secrets).toEqual(['pspToken']);
    expect(catalogues.map(({ name, version, file }) => [name, version, file])).toEqual([
      ['psp', 2, 'psp.catalogue.yaml'],
    ]);
    expect(told(SHOP.replace('output.id }', 'output.nr }'), psp())).toEqual([
      expect.stringMatching(/^shop\.pawl\.yaml:9:68 PAWL-403 unknown name `nr`/),
    ]);
  });

  it('is covered by the digest of the workflow: other content of a catalogue is another content of the workflow', () => {
    const before = digestOf(SHOP, psp());
    expect(digestOf(SHOP, psp(PSP.replace('/charge', '/pay')))).not.toBe(before);
    expect(digestOf(SHOP, psp(`${PSP}\n# a comment\n`, 'elsewhere/psp.catalogue.yaml'))).toBe(before);
  });

  it('does not look for catalogues where the workflow uses none', () => {
    const refuse: Shelf = () => {
      throw new Error('looked');
    };
    expect(
      validateWorkflow('pawl: 1\nworkflow: a\nversion: 1\ntimeout: 1d\nsteps: [{ end: done }]\n', 'a', refuse).problems,
    ).toEqual([]);
  });

  it.each([
    ['psq@2', 'PAWL-341 there is no catalogue "psq" = did you mean `psp@2`?'],
    ['psp@3', 'PAWL-341 there is no version 3 of the catalogue "psp" = there is psp@2'],
    [
      'letters@1',
      'PAWL-341 there is no catalogue "letters" = there is psp; a catalogue is a file letters.catalogue.yaml beside this one, or in a folder of `catalogues` in pawl.config.yaml',
    ],
  ])('%s is refused at its place, and nothing is said of the actions that are missing', (name, words) => {
    expect(told(SHOP.replace('psp@2', name), psp())).toEqual([`shop.pawl.yaml:4:7 ${words}`]);
  });

  it('without any catalogue says where they are looked for', () => {
    expect(told(SHOP)).toEqual([
      'shop.pawl.yaml:4:7 PAWL-341 there is no catalogue "psp" = write it as psp.catalogue.yaml beside this file, or name its folder in pawl.config.yaml under `catalogues`',
    ]);
  });

  it.each([
    ['psp', 'PAWL-106'],
    ['psp@0', 'PAWL-106'],
    ['{ psp: 2 }', 'PAWL-103'],
  ])('%s is no catalogue with its version', (name, code) => {
    expect(told(SHOP.replace('psp@2', name), psp()).map((line) => line.split(' ')[1])).toEqual([code]);
  });

  it('an action of this file and of a catalogue is an error that shows both places', () => {
    const own = `actions:\n  psp.refund: { function: refund@1, idempotency: natural, compensate: none }\nsteps:`;
    const [problem, ...more] = validateWorkflow(SHOP.replace('steps:', own), 'shop.pawl.yaml', shelf(psp())).problems;
    expect(more).toEqual([]);
    expect(problem).toMatchObject({
      code: 'PAWL-342',
      file: 'shop.pawl.yaml',
      range: { line: 8, column: 3 },
      related: [{ file: 'psp.catalogue.yaml', range: { line: 12, column: 3 } }],
    });
  });

  it('an action of two catalogues is an error at the later one that shows both places', () => {
    const other = psp(PSP.replace('catalogue: psp', 'catalogue: bank'), 'bank.catalogue.yaml');
    const [problem, second, ...more] = validateWorkflow(
      SHOP.replace('[psp@2]', '[bank@2, psp@2]'),
      'shop.pawl.yaml',
      shelf(psp(), other),
    ).problems;
    expect(more).toEqual([]);
    expect(second?.code).toBe('PAWL-342');
    expect(problem).toMatchObject({
      code: 'PAWL-342',
      range: { line: 4, column: 15 },
      related: [
        { file: 'bank.catalogue.yaml', range: { line: 6, column: 3 } },
        { file: 'psp.catalogue.yaml', range: { line: 6, column: 3 } },
      ],
    });
  });

  it('a catalogue is named once, and is in one file', () => {
    expect(told(SHOP.replace('[psp@2]', '[psp@2, psp@2]'), psp())).toEqual([
      'shop.pawl.yaml:4:14 PAWL-342 psp@2 is named twice = name each catalogue once',
    ]);
    expect(told(SHOP, psp(), psp(PSP, 'b/psp.catalogue.yaml'))).toEqual([
      'shop.pawl.yaml:4:7 PAWL-342 psp@2 is in psp.catalogue.yaml and in b/psp.catalogue.yaml = keep one of the two files, or give one another version',
    ]);
  });

  it('shows what is wrong in a catalogue in its own file, with its own place, and once', () => {
    const { text, ...place } = marked(PSP.replace('=effect.output.id }', '⟦=effect.output.nr⟧ }'));
    const { problems, definition } = validateWorkflow(SHOP, 'shop.pawl.yaml', shelf(psp(text)));
    expect(definition).toBe(null);
    expect(problems.map(({ file, code, pointer }) => [file, code, pointer])).toEqual([
      ['psp.catalogue.yaml', 'PAWL-403', '/actions/psp.charge/compensate/with/id'],
    ]);
    expect(problems[0]?.range).toMatchObject({ line: place.line, endLine: place.endLine });
  });

  it('shows a warning of a catalogue once, and one that only this workflow makes in the catalogue, too', () => {
    const warned = psp(PSP.replaceAll(CONTRACT, 'idempotency: none'));
    expect(told(SHOP, warned).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      'psp.catalogue.yaml:9:18 PAWL-352',
      'psp.catalogue.yaml:15:18 PAWL-352',
    ]);
    const slow = psp(PSP.replace('    output:', '    settlesWithin: 1m\n    output:'));
    expect(told(SHOP.replace('object:', 'timeout: 2m, object:'), slow)).toEqual([
      expect.stringMatching(/^shop\.pawl\.yaml:8:\d+ PAWL-357 /),
    ]);
  });

  it('a file that cannot be read is meant by its name, and says what is wrong with it', () => {
    expect(told(SHOP, psp('catalogue: [\n'))).toContainEqual(
      expect.stringMatching(/^psp\.catalogue\.yaml:\d+:\d+ PAWL-007 /),
    );
    for (const text of ['', '- psp\n'])
      expect(told(SHOP, psp(text))).toEqual([
        'psp.catalogue.yaml:1:1 PAWL-021 there is no catalogue in this file = begin with `pawl: 1`, `catalogue: my-name`, `version: 1` and `actions:`',
      ]);
  });

  it('is kept by pawl fmt', () => {
    const { text, problems } = formatFile(SHOP, 'shop.pawl.yaml', shelf(psp()));
    expect(problems).toEqual([]);
    expect(text).toContain('use: [psp@2]');
  });
});

describe('a catalogue file', () => {
  it('is checked by itself', () => {
    const { catalogue, problems } = validateCatalogue(PSP, 'psp.catalogue.yaml');
    expect(problems).toEqual([]);
    expect(catalogue).toMatchObject({ name: 'psp', version: 2, secrets: ['pspToken'] });
  });

  it.each([
    [
      'an unknown key',
      PSP.replace('secrets:', 'secret:'),
      ['PAWL-101 4:1-4:7', 'PAWL-704 8:22-8:38', 'PAWL-704 14:22-14:38'],
    ],
    ['an undo that it lacks', PSP.replace('call: psp.refund', 'call: psp.refuse'), ['PAWL-301 11:25-11:35']],
    ['an input of a workflow', PSP.replace('{ id: =effect.output.id }', '{ id: =input.id }'), ['PAWL-403 11:56-11:58']],
    ['a value of a workflow', PSP.replace('{ id: =effect.output.id }', '{ id: =vars.id }'), ['PAWL-309 11:50-11:57']],
    ['no action', 'pawl: 1\ncatalogue: psp\nversion: 1\n', ['PAWL-102 1:1-4:1']],
    ['another language', PSP.replace('pawl: 1', 'pawl: 2'), ['PAWL-104 1:7-1:8']],
  ])('is refused with %s', (_, text, codes) => {
    const { catalogue, problems } = validateCatalogue(text, 'psp.catalogue.yaml');
    expect(catalogue).toBe(null);
    for (const [index, code] of codes.entries()) expect(shown(problems)[index]).toContain(code);
  });

  it('has a digest of its content, and one of each action that says what differs', () => {
    const digests = (text: string): ReturnType<typeof digestsOfCatalogue> => {
      const { catalogue } = validateCatalogue(text, 'psp.catalogue.yaml');
      invariant(catalogue !== null, 'the sample is valid');
      return digestsOfCatalogue(catalogue);
    };
    const before = digests(PSP);
    const after = digests(PSP.replace('/charge', '/pay'));
    expect(digests(PSP.replace('version: 2', 'version: 2\ntitle: Payments')).digest).toBe(before.digest);
    expect(after.digest).not.toBe(before.digest);
    expect(Object.keys(after.parts).filter((part) => after.parts[part] !== before.parts[part])).toEqual(['psp.charge']);
  });
});
