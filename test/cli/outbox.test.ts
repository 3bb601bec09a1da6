import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compileSchema } from '../../src/definition/schema-validator.ts';
import type { MessageLineView, MessageView } from '../../src/engine/list-messages.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { type CommandLine, openCommandLine } from './support/command-line.ts';

const TELLS = [
  'pawl: 1',
  'workflow: tells',
  'version: 1',
  'timeout: 1d',
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
