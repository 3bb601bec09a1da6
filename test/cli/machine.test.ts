import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { type CommandLine, openCommandLine } from './support/command-line.ts';

let shell: CommandLine;
beforeAll(async () => {
  shell = await openCommandLine();
});
afterAll(() => shell.close());

const nowhere = { env: { PAWL_DATABASE: 'postgres://nobody@127.0.0.1:1/nothing' } };

/** An XState config whose document is its `meta.pawl`. */
function config(more: JsonObject = {}): string {
  const act = (name: string, compensate: JsonObject | string): JsonObject => ({
    [`shop.${name}`]: {
      http: { method: 'POST', url: `${shell.provider.url}/${name}` },
      idempotency: { header: 'Idempotency-Key', remembers: '24h' },
      compensate,
    },
  });
  const document = {
    pawl: 1,
    workflow: 'order',
    version: 1,
    key: 'input.id',
    timeout: '1h',
    input: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
    events: { paid: {} },
    actions: {
      ...act('reserve', { call: 'shop.release', with: { id: '=effect.output.id' } }),
      ...act('release', 'none'),
      ...act('charge', 'none'),
    },
    output: { reserved: '=steps.reserve.output.id' },
  };
  const states = {
    reserving: { invoke: { id: 'reserve', src: 'shop.reserve', input: { id: '=input.id' }, onDone: 'waiting' } },
    waiting: { on: { paid: 'charging' } },
    charging: { invoke: { id: 'charge', src: 'shop.charge', onDone: 'done' }, tags: ['busy'] },
    done: { type: 'final' },
    ...(more['states'] as JsonObject | undefined),
  };
  return `${JSON.stringify({ initial: 'reserving', states, meta: { pawl: document } }, null, 2)}\n`;
}

describe('a machine in a file of JSON', () => {
  it('is validated, drawn, exported, formatted and tested without a database', async () => {
    const file = shell.file('machine.json', config());
    expect((await shell.call(['validate', file], nowhere)).out).toBe(
      'machine.json  ok  order@1  4 states, 3 actions\n',
    );
    const explained = await shell.ok(['validate', file, '--explain'], nowhere);
    expect(explained).toContain(
      'something fails, or it is cancelled: it stands and the run is HELD if the pivot is behind',
    );
    const drawn = await shell.ok(['visualize', file, '-o', 'mermaid'], nowhere);
    for (const word of ['reserving', 'shop.reserve', 'paid', 'done', 'shop.release']) expect(drawn).toContain(word);
    expect(await shell.ok(['visualize', file], nowhere)).toContain('<svg');
    for (const form of ['xstate', 'json', 'mermaid', 'dot', 'scxml'])
      expect(await shell.ok(['export', file, '--to', form], nowhere)).toContain('reserving');
    expect((await shell.call(['fmt', '--check', file], nowhere)).code).toBe(0);
    expect(readFileSync(`${shell.folder}/${file}`, 'utf8')).toBe(config());
    shell.file(
      'order.test.yaml',
      [
        'workflow: machine.json',
        'scenarios:',
        '  - name: paid',
        '    input: { id: x }',
        '    events: [{ at: 1m, signal: paid, answer: applied }]',
        "    expect: { effects: 'reserve, charge', status: COMPLETED, steps: [reserving, waiting, charging, done] }",
        '',
      ].join('\n'),
    );
    const tested = await shell.ok(['test', 'order.test.yaml', '--crash'], nowhere);
    expect(tested).toMatch(/✔ paid {2}\d+ crashes/);
    expect(tested).toContain('steps 4 of 4');
    const crashed = await shell.ok(['crashtest', file], nowhere);
    expect(crashed).toContain('nothing lost, nothing twice');
    expect(crashed).toMatch(/^charge {2}/m);
  }, 60_000);

  it('is shown with its place and a caret where something is wrong in it', async () => {
    const wrong = { waiting: { on: { payd: 'charging' }, entry: { type: 'sendTo' }, after: { soon: 'done' } } };
    const file = shell.file('wrong.json', config({ states: wrong }));
    const { code, out, err } = await shell.call(['validate', file], nowhere);
    expect(code).toBe(3);
    const told = out + err;
    for (const word of ['PAWL-261', 'sendTo', '`soon` is a delay by name', 'wrong.json:']) expect(told).toContain(word);
    const undeclared = shell.file('undeclared.json', config({ states: { waiting: { on: { payd: 'charging' } } } }));
    const second = await shell.call(['validate', undeclared], nowhere);
    expect(second.out + second.err).toContain('PAWL-209');
    expect(second.out + second.err).toContain('did you mean');
    const bare = shell.file('bare.json', '{ "initial": "a", "states": { "a": { "type": "final" } } }\n');
    const third = await shell.call(['validate', bare], nowhere);
    expect(third.out + third.err).toContain('PAWL-264');
  });

  it('is published once, started by its name, moved by signals and shown where it is', async () => {
    const file = shell.file('machine.json', config());
    expect((await shell.call(['publish', file])).err).toMatch(/^order@1 {2}\w{12} {2}published/);
    expect((await shell.call(['publish', file])).err).toContain('there already, with the same content');
    await shell.withWorker(async () => {
      await shell.ok(['start', file, '--input', '{"id":"o-1"}']);
      await shell.ok(['signal', 'o-1', 'paid']);
      await shell.ok(['run', 'order', '--input', '{"id":"o-1"}']);
    });
    expect(await shell.ok(['show', 'o-1'])).toContain('COMPLETED');
    const drawn = await shell.ok(['visualize', '--run', 'o-1', '-o', 'mermaid']);
    expect(drawn).toContain('reserving');
    expect(shell.provider.effects()).toEqual(['reserve', 'charge']);
  }, 120_000);
});
