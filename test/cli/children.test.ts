import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compileSchema } from '../../src/definition/schema-validator.ts';
import type { RunView } from '../../src/engine/run-view.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { type CommandLine, openCommandLine } from './support/command-line.ts';

const HEAD = (name: string): readonly string[] => ['pawl: 1', `workflow: ${name}`, 'version: 1', 'timeout: 1d'];
const PART = [
  ...HEAD('part'),
  'input: { type: object, required: [item], properties: { item: { type: string } } }',
  'steps: [{ id: rest, wait: 1ms }]',
  'output: { got: =input.item }',
  '',
].join('\n');
const WHOLE = [
  ...HEAD('whole'),
  'key: input.id',
  'input: { type: object, required: [id], properties: { id: { type: string } } }',
  'steps:',
  '  - { id: part, child: part@1, with: { item: =input.id } }',
  '  - { id: loose, child: part@1, with: { item: loose }, detach: true }',
  'output: { got: =steps.part.output.got }',
  '',
].join('\n');

let shell: CommandLine;
beforeAll(async () => {
  shell = await openCommandLine();
});
afterAll(() => shell.close());

const viewOf = async (run: string): Promise<RunView> => (await shell.call(['show', run, '-o', 'json'])).json<RunView>();

it('A parent is refused before its child is published; then it runs to its end with its child', async () => {
  const file = shell.file('whole.pawl.yaml', WHOLE);
  const refused = await shell.call(['publish', file]);
  expect(refused.err).toContain('PAWL-241 no version part@1 is published');
  await shell.ok(['publish', shell.file('part.pawl.yaml', PART)]);
  const told = await shell.call(['run', file, '--input', '{"id":"w1"}', '-o', 'json']);
  expect(told.json<RunView>()).toMatchObject({ status: 'COMPLETED', output: { got: 'w1' } });
});

it('pawl show of the parent names its children and where they stand, that of a child its parent', async () => {
  const parent = await viewOf('w1');
  const [part] = parent.children ?? [];
  expect(parent.children?.map(({ step }) => step)).toEqual(['part', 'loose']);
  const text = await shell.ok(['show', 'w1']);
  expect(text).toContain(`↳ part               ${part?.id} part@1 COMPLETED`);
  const child = await viewOf(part?.id ?? '');
  expect(child).toMatchObject({ status: 'COMPLETED', parent: { id: parent.id, step: 'part', detached: false } });
  expect(await shell.ok(['show', child.id])).toContain(`↑ child of step part of ${parent.id}`);
  const schema = compileSchema(
    JSON.parse(readFileSync(new URL('../../schemas/run.schema.json', import.meta.url), 'utf8')) as JsonObject,
  );
  for (const view of [parent, child]) expect(schema(view as unknown as JsonObject)).toEqual([]);
});

it('pawl validate holds a parent against the children that are checked with it, and one that it does not know against none', async () => {
  const part = shell.file('part.pawl.yaml', PART);
  const whole = shell.file('wrong.pawl.yaml', WHOLE.replace('item: =input.id', 'item: 7'));
  const alone = await shell.call(['validate', whole]);
  expect(alone.code).toBe(0);
  for (const files of [
    [whole, part],
    [part, whole],
  ]) {
    const { code, out } = await shell.call(['validate', ...files]);
    expect(code).toBe(3);
    expect(out).toContain('wrong.pawl.yaml:8');
    expect(out).toContain('item');
  }
  expect((await shell.call(['validate', part, shell.file('whole.pawl.yaml', WHOLE)])).code).toBe(0);
});

it('pawl validate --explain says what a child may cost', async () => {
  const { out } = await shell.call(['validate', shell.file('whole.pawl.yaml', WHOLE), '--explain']);
  expect(out).toContain('part runs part@1');
  expect(out).toContain('started      once, and waited for until it tells its end');
  expect(out).toContain('undone by    itself, on its own version');
  expect(out).toContain('started      once; nobody waits for it');
});

it('pawl compensate shows below the undo of a child what that child would undo, who must agree and what stays', async () => {
  const { url } = shell.provider;
  const act = (name: string, more: string): string =>
    `  ${name}: { http: { method: POST, url: '${url}/${name}' }, idempotency: natural, ${more} }`;
  const part = [
    ...HEAD('deep'),
    'actions:',
    act('hold', 'compensate: { call: free }'),
    act('free', 'compensate: none'),
    act('tell', 'compensate: none'),
    'steps: [{ id: hold, call: hold }, { id: tell, call: tell }]',
    '',
  ].join('\n');
  const whole = [
    ...HEAD('outer'),
    'key: input.id',
    'input: { type: object, required: [id], properties: { id: { type: string } } }',
    'compensation: { order: graph }',
    'steps:',
    '  - { id: both, parallel: { one: [{ id: left, child: deep@1 }], two: [{ id: right, child: deep@1 }] } }',
    '',
  ].join('\n');
  await shell.ok(['publish', shell.file('deep.pawl.yaml', part)]);
  await shell.ok(['run', shell.file('outer.pawl.yaml', whole), '--input', '{"id":"o1"}']);
  const ids = ((await viewOf('o1')).children ?? []).map(({ id }) => id).toSorted();
  const { code, err } = await shell.call(['compensate', 'o1', '--dry-run']);
  expect(code).toBe(0);
  const lines = err.split('\n').slice(1);
  expect(
    lines.filter((line) => /^ {2}1 ↩ (left|right) {2}undo deep@1 {2}run_\S+ {2}PROPOSED$/.test(line)),
  ).toHaveLength(2);
  expect(ids.every((id) => err.includes(id))).toBe(true);
  expect(lines.filter((line) => /^ {6}1 ↩ hold {2}free {2}\S+ {2}PROPOSED$/.test(line))).toHaveLength(2);
  expect(lines.filter((line) => line === '      ! tell  tell stays done: `compensate: none`')).toHaveLength(2);
  expect(lines).toContain('  those of one number go side by side, after all before them');
});
