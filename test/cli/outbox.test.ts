import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compileSchema } from '../../src/definition/schema-validator.ts';
import type { PruneView } from '../../src/engine/prune-view.ts';
import type { MessageLineView, MessageView } from '../../src/engine/list-messages.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { type CommandLine, openCommandLine } from './support/command-line.ts';

const TELLS = [
  'pawl: 1',
  'workflow: tells',
  'version: 1',
  'timeout: 1d',
  'retention: 0s',
  'key: input.id',
  'input: { type: object, required: [id], properties: { id: { type: string } } }',
  'steps:',
  '  - { id: one, publish: order.paid, key: input.id, data: { id: =input.id } }',
  '  - { id: two, publish: order.sent, key: input.id }',
  '',
].join('\n');

let shell: CommandLine;
let first = '';
let second = '';
beforeAll(async () => {
  shell = await openCommandLine();
  await shell.ok(['publish', shell.file('tells.yaml', TELLS)]);
  await shell.ok(['start', 'tells', '--input', '{"id":"t1"}']);
  [first, second] = (await lines()).map(({ id }) => id) as [string, string];
});
afterAll(() => shell.close());

async function lines(): Promise<readonly MessageLineView[]> {
  return (await shell.call(['outbox', 'ls', '-o', 'json'])).json<readonly MessageLineView[]>();
}

const shown = async (): Promise<readonly MessageView[]> =>
  (await shell.call(['show', 't1', '-o', 'json'])).json<{ messages: readonly MessageView[] }>().messages;

it('pawl outbox ls lists what has not arrived, and says that nobody is configured to be told', async () => {
  const listed = await shell.call(['outbox', 'ls']);
  expect(listed.out).toMatch(/RUN\s+MESSAGE\s+EVENT\s+STATE\s+SENT\s+SINCE \(UTC\)\s+WHY/);
  expect(listed.out).toContain('order.paid');
  expect(listed.err).toContain('pawl.config.yaml has no `publish`');
  expect((await lines()).map(({ event, state, attempts, step }) => [event, state, attempts, step])).toEqual([
    ['order.paid', 'waiting', 0, 'one'],
    ['order.sent', 'waiting', 0, 'two'],
  ]);
  const dead = await shell.call(['outbox', 'ls', '--dead']);
  expect([dead.out, dead.err]).toEqual(['', expect.stringContaining('no message was given up')]);
});

it('pawl show and why tell of a message that has not arrived, beside the end of its run', async () => {
  const text = await shell.ok(['show', 't1']);
  expect(text).toMatch(/✉ one\s+order\.paid {2}waiting/);
  expect(text).toContain('COMPLETED');
  const why = await shell.call(['why', 't1']);
  expect(why.out).toContain('it has ended: COMPLETED');
  expect(why.err).toContain('message order.paid has not arrived: no receiver is configured here');
  expect(why.err).not.toContain('until');
  // The line that it names is one that is taken: with it there is a receiver, and nothing but a worker is missing.
  const [, line = ''] =
    /put (publish: .*) into pawl\.config\.yaml, and the key into PAWL_SECRET_SIGNING_KEY/.exec(why.err) ?? [];
  const config = shell.file('told.config.yaml', `${line}\n`);
  const told = await shell.call(['why', 't1', '--config', config], { env: { PAWL_SECRET_SIGNING_KEY: 'k' } });
  expect(told.err).toContain('message order.paid has not arrived, since');
  expect(told.err).toMatch(/moved by role:operator: pawl worker\n/);
  const view = (await shell.call(['show', 't1', '-o', 'json'])).json<JsonObject>();
  const schema = readFileSync(new URL('../../schemas/run.schema.json', import.meta.url), 'utf8');
  expect(compileSchema(JSON.parse(schema) as JsonObject)(view)).toEqual([]);
});

it('pawl outbox retry and drop need a reason, which is kept; what is over stays so', async () => {
  expect(await shell.call(['outbox', 'drop', 't1', first])).toMatchObject({ code: 2 });
  expect((await shell.call(['outbox', 'drop', 't1', 'msg_none', '--reason', 'x'])).err).toContain(
    'PAWL_MESSAGE_NOT_FOUND',
  );
  const dropped = await shell.call(['outbox', 'drop', 't1', first, '--reason', 'told by phone']);
  expect(dropped.err).toContain(`${first} is dropped`);
  const retried = await shell.call(['outbox', 'retry', 't1', second, '--reason', 'it is back', '-o', 'json']);
  expect(retried.json<MessageView>()).toMatchObject({ id: second, state: 'waiting', attempts: 0 });
  expect((await shell.call(['outbox', 'retry', 't1', first, '--reason', 'again'])).err).toContain('is dropped');
  expect((await shown()).map(({ state }) => state)).toEqual(['dropped', 'waiting']);
  const history = await shell.ok(['show', 't1', '--history']);
  expect(history).toMatch(/outbox\.drop by .*: told by phone/);
  expect(history).toMatch(/outbox\.retry by .*: it is back/);
});

it('pawl prune says what goes and why a run is kept, asks, and keeps the reason; every verb tells what is left', async () => {
  const kept = await shell.call(['prune', '--dry-run']);
  expect(kept.out).toMatch(/COMPLETED\s.*a message has not arrived/);
  expect(kept.err).toContain('0 runs may go');
  expect((await shell.call(['prune', '-o', 'json'])).json<PruneView>()).toMatchObject({
    pruned: 0,
    kept: { message: 1 },
  });
  await shell.ok(['outbox', 'drop', 't1', second, '--reason', 'told by phone']);
  const plan = (await shell.call(['prune', '--dry-run', '-o', 'json'])).json<PruneView>();
  expect(plan).toMatchObject({ dryRun: true, pruned: 1, kept: {}, runs: [{ status: 'COMPLETED', keptFor: null }] });
  for (const args of [['prune'], ['prune', '--yes']]) expect((await shell.call(args)).code).toBe(2);
  const done = await shell.call(['prune', '--yes', '--reason', 'room', '--by', 'ana', '-o', 'json']);
  expect(done.json<PruneView>()).toMatchObject({ dryRun: false, pruned: 1 });
  expect(await shell.ok(['show', 't1'])).toContain('its state was pruned');
  const view = (await shell.call(['show', 't1', '-o', 'json'])).json<JsonObject>();
  const schema = readFileSync(new URL('../../schemas/run.schema.json', import.meta.url), 'utf8');
  expect(compileSchema(JSON.parse(schema) as JsonObject)(view)).toEqual([]);
  expect(view).toMatchObject({ status: 'COMPLETED', input: null, steps: [] });
  expect(await shell.ok(['why', 't1'])).toContain('its state was pruned at');
  const history = await shell.ok(['show', 't1', '--history']);
  expect(history).toContain('transitions: pruned');
  expect(history).toContain('prune by ana: room');
  for (const args of [
    ['compensate', 't1', '--dry-run'],
    ['visualize', '--run', 't1', '-o', 'mermaid'],
  ]) {
    const refused = await shell.call(args);
    expect([refused.code, refused.err]).toEqual([5, expect.stringContaining('PAWL_RUN_PRUNED')]);
  }
  await shell.ok(['verify']);
  await shell.ok(['receipt', 'verify', 't1']);
  const again = (await shell.call(['start', 'tells', '--input', '{"id":"t1"}', '-o', 'json'])).json<JsonObject>();
  expect(again).toMatchObject({ id: view['id'] });
});
