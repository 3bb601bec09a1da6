import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandLine, openCommandLine } from './support/command-line.ts';
import { action, workflow } from './support/workflows.ts';

let shell: CommandLine;
beforeAll(async () => {
  shell = await openCommandLine();
  mkdirSync(join(shell.folder, 'shared'));
  shell.file('pawl.config.yaml', 'catalogues: [shared]\nprincipals: { ana: [operator] }\n');
  shell.file('shared/post.catalogue.yaml', catalogue('post', ['letter']));
  shell.file('stock.catalogue.yaml', catalogue('stock', ['reserve', 'release']));
});
afterAll(() => shell.close());

function catalogue(name: string, operations: readonly string[], version = 1): string {
  const actions = operations.flatMap((operation) => action(shell.provider.url, operation, ['compensate: none']));
  return ['pawl: 1', `catalogue: ${name}`, `version: ${version}`, 'actions:', ...actions, ''].join('\n');
}

function order(name: string, use = '[stock@1, post@1]'): string {
  return workflow(name, [
    'key: input.id',
    `use: ${use}`,
    'input: { type: object, required: [id], properties: { id: { type: string } } }',
    'steps:',
    '  - { id: reserve, call: shop.reserve, object: =input.id }',
    '  - { id: letter, call: shop.letter, object: =input.id }',
  ]);
}

const nowhere = { env: { PAWL_DATABASE: 'postgres://nobody@127.0.0.1:1/nothing' } };

describe('catalogues', () => {
  it('are found beside the workflow and in the configured folders, without a database', async () => {
    const file = shell.file('order.pawl.yaml', order('order'));
    const { code, out } = await shell.call(['validate', file, 'stock.catalogue.yaml'], nowhere);
    expect([code, out]).toEqual([
      0,
      'order.pawl.yaml  ok  order@1  2 steps, 3 actions\nstock.catalogue.yaml  ok  stock@1  2 actions\n',
    ]);
    expect(await shell.ok(['visualize', file, '-o', 'mermaid'], nowhere)).toContain('shop.letter');
    const test =
      "scenarios:\n  - { name: all, input: { id: x }, expect: { effects: 'shop.reserve, shop.letter', status: COMPLETED } }\n";
    shell.file('order.test.yaml', test);
    expect(await shell.ok(['test', 'order.test.yaml'], nowhere)).toContain('1 passed');
    expect(await shell.ok(['fmt', file, 'stock.catalogue.yaml'], nowhere)).toContain('order.pawl.yaml  formatted');
  });

  it('are taken into the crash lab', async () => {
    const one = order('one').replace(/\n.*letter, call.*/, '');
    const crashed = await shell.ok(['crashtest', shell.file('one.pawl.yaml', one)], nowhere);
    expect(crashed).toContain('nothing lost, nothing twice');
  }, 60_000);

  it('a run does what the embedded actions say', async () => {
    shell.file('stays.pawl.yaml', order('stays'));
    const out = await shell.ok(['run', 'stays.pawl.yaml', '--input', '{"id":"1"}', '-o', 'json']);
    expect(JSON.parse(out)).toMatchObject({ status: 'COMPLETED' });
    expect(shell.provider.effects()).toEqual(['reserve', 'letter']);
  });

  it('of one version have one content, whether published by themselves or with a workflow', async () => {
    await shell.ok(['publish', shell.file('first.pawl.yaml', order('first'))]);
    const again = await shell.call(['publish', 'stock.catalogue.yaml', '-o', 'json']);
    expect(again.json()).toEqual([
      { catalogue: 'stock', version: 1, digest: expect.stringMatching(/^[0-9a-f]{64}$/), created: false },
    ]);
    const other = catalogue('stock', ['reserve', 'release']).replace('/reserve', '/hold');
    shell.file('stock.catalogue.yaml', other);
    const refused = await shell.call(['publish', 'stock.catalogue.yaml']);
    expect(refused.code).toBe(5);
    expect(refused.err).toContain(
      'error PAWL-501 stock@1 is published with other content; what differs: /actions/shop.reserve/http/url: ',
    );
    expect(refused.err).toContain('(shop.reserve)\n --> stock.catalogue.yaml:3:10');
    expect(refused.err).toContain('set `version: 2`. 1 was published');
    expect(refused.err).toContain('workflows that are published keep what they have embedded');
    const through = await shell.call(['publish', shell.file('second.pawl.yaml', order('second'))]);
    expect(through.code).toBe(5);
    expect(through.err).toContain('error PAWL-501 stock@1 is published with other content');
    expect(through.err).toContain('--> stock.catalogue.yaml:3:10');
    // Nothing was published under the other content.
    expect((await shell.call(['start', 'second', '--input', '{"id":"2"}'])).code).toBe(4);
    shell.file('stock.catalogue.yaml', other.replace('version: 1', 'version: 2'));
    expect((await shell.call(['publish', 'stock.catalogue.yaml'])).err).toContain('stock@2');
    await shell.ok(['publish', shell.file('second.pawl.yaml', order('second', '[stock@2, post@1]'))]);
  });

  it('other content of a catalogue under the same version of the workflow is refused, naming what differs', async () => {
    shell.file('stock.catalogue.yaml', catalogue('stock', ['reserve'], 7));
    await shell.ok(['publish', shell.file('third.pawl.yaml', order('third', '[stock@7, post@1]'))]);
    shell.file('stock.catalogue.yaml', catalogue('stock', ['reserve'], 8));
    const refused = await shell.call(['publish', shell.file('third.pawl.yaml', order('third', '[stock@8, post@1]'))]);
    expect(refused.err).toContain('what differs: /use/0: stock@7 -> stock@8 (');
  });

  it('are no workflows: nothing starts from one, and no list of workflows shows it', async () => {
    await shell.ok(['publish', 'shared/post.catalogue.yaml']);
    expect((await shell.call(['start', 'post', '--input', '{}'])).code).toBe(4);
    expect((await shell.call(['start', 'catalogue:post', '--input', '{}'])).code).toBe(2);
    expect((await shell.call(['ls', '--workflow', 'catalogue:post'])).code).not.toBe(0);
  });

  it('shows a mistake in the file of the catalogue, with its caret', async () => {
    shell.file('broken.catalogue.yaml', catalogue('broken', ['letter']).replace('idempotency', 'idempotence'));
    shell.file('uses.pawl.yaml', order('uses', '[broken@1]'));
    for (const file of ['uses.pawl.yaml', 'broken.catalogue.yaml']) {
      const { code, out } = await shell.call(['validate', file]);
      expect(code).toBe(3);
      expect(out).toContain(' --> broken.catalogue.yaml:7:5\n6 |     http:');
      expect(out).toContain('7 |     idempotence: { header: Idempotency-Key, remembers: 24h }\n  |     ^^^^^^^^^^^\n');
    }
    const { code, err } = await shell.call(['publish', 'broken.catalogue.yaml']);
    expect(code).toBe(3);
    expect(err).toContain('--> broken.catalogue.yaml:7:5');
    expect((await shell.call(['publish', 'broken.catalogue.yaml', 'stock.catalogue.yaml'])).code).toBe(3);
  });

  it('names a configured folder that cannot be read', async () => {
    shell.file('pawl.config.yaml', 'catalogues: [nowhere]\nprincipals: { ana: [operator] }\n');
    const { code, err } = await shell.call(['validate', 'order.pawl.yaml']);
    expect(code).toBe(2);
    expect(err).toContain('nowhere cannot be read');
  });
});
