import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compileSchema } from '../../src/definition/schema-validator.ts';
import type { LockView } from '../../src/engine/list-locks.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { type CommandLine, openCommandLine } from './support/command-line.ts';

const GATED = [
  'pawl: 1',
  'workflow: gated',
  'version: 1',
  'timeout: 1d',
  'key: input.id',
  'lock: gate',
  'input: { type: object, required: [id], properties: { id: { type: string } } }',
  'events: { go: { schema: { type: object } } }',
  'steps: [{ id: ready, await: go }]',
  '',
].join('\n');

let shell: CommandLine;
beforeAll(async () => {
  shell = await openCommandLine();
  await shell.ok(['publish', shell.file('gated.yaml', GATED)]);
  for (const id of ['g1', 'g2', 'g3']) await shell.ok(['start', 'gated', '--input', JSON.stringify({ id })]);
});
afterAll(() => shell.close());

const row = (text: string): readonly string[] => text.trim().split(/\s{2,}/);

it('pawl lock ls lists each lock with its holders, and of one lock every place in the order of turns', async () => {
  const [heading = '', gate = ''] = (await shell.ok(['lock', 'ls'])).split('\n');
  expect(row(heading)).toEqual(['LOCK', 'HELD', 'WAITING', 'LIMIT', 'HOLDERS']);
  expect(row(gate).slice(0, 4)).toEqual(['gate', '1', '2', '1']);
  const places = (await shell.ok(['lock', 'ls', 'gate'])).split('\n').slice(1).map(row);
  const ids = await Promise.all(['g1', 'g2', 'g3'].map((id) => shell.ok(['ls', id, '-o', 'ids'])));
  expect(places.map(([place, run]) => [place, run])).toEqual([
    ['holds', ids[0]],
    ['1', ids[1]],
    ['2', ids[2]],
  ]);
  const why = await shell.call(['why', 'g3']);
  expect(why.out).toMatch(
    new RegExp(`^waits for the lock gate, position 2 of 2, held by ${ids[0]}, since .*: pawl lock ls 'gate'\\n$`),
  );
  expect(await shell.ok(['show', 'g3'])).toContain('for the lock gate');
  const shown = (await shell.call(['show', 'g3', '-o', 'json'])).json<JsonObject>();
  expect(shown).toMatchObject({ status: 'QUEUED', lock: { name: 'gate', limit: 1 }, waitingFor: [{ kind: 'lock' }] });
  const schema = readFileSync(new URL('../../schemas/run.schema.json', import.meta.url), 'utf8');
  expect(compileSchema(JSON.parse(schema) as JsonObject)(shown)).toEqual([]);
  expect(await shell.ok(['ls', '--status', 'QUEUED', '-o', 'ids'])).toContain(ids[2]);
});

it('pawl lock limit lets more hold it, with a reason that is kept, or gives the limit back to the files', async () => {
  const { code, err } = await shell.call(['lock', 'limit', 'gate', '2', '--reason', 'month end', '--by', 'ana']);
  expect([code, err]).toEqual([0, 'gate: 2 runs may hold it; 2 do\n']);
  const locks = (await shell.call(['lock', 'ls', '-o', 'json'])).json<readonly LockView[]>();
  expect(locks).toMatchObject([{ name: 'gate', setLimit: 2, held: 2, waiting: 1 }]);
  expect((await shell.call(['lock', 'ls', 'gate'])).err).toContain('ana set the limit to 2: month end');
  expect(row((await shell.ok(['lock', 'ls'])).split('\n')[1] ?? '')[3]).toBe('2, set');
  const back = await shell.call(['lock', 'limit', 'gate', 'files', '--reason', 'over', '--json']);
  expect(back.json<LockView>()).toMatchObject({ setLimit: null, held: 2 });
  expect((await shell.call(['lock', 'ls', 'gate'])).err).toContain('gave the limit back to the files: over');
});

it.each([
  [['lock', 'limit', 'gate', '2'], 2, '--reason TEXT'],
  [['lock', 'limit', 'gate', '2', '--reason', ' '], 2, '--reason TEXT'],
  [['lock', 'limit', 'gate', 'many', '--reason', 'x'], 2, 'whole number from 1'],
  [['lock', 'ls', 'nobody'], 4, 'nobody holds or waits for nobody'],
])('%j ends with %d and says what is missing', async (args, code, words) => {
  const called = await shell.call(args);
  expect(called.code).toBe(code);
  expect(called.err).toContain(words);
});

it('pawl lock ls of an empty house says that no lock is held', async () => {
  const empty = await openCommandLine();
  await empty.ok(['publish', empty.file('gated.yaml', GATED)]);
  expect((await empty.call(['lock', 'ls'])).err).toBe('no lock is held or waited for\n');
  expect((await empty.call(['lock', 'limit', 'gate', 'files', '--reason', 'x'])).err).toContain('0 do');
  await empty.close();
});

const QUEUED = [
  'pawl: 1',
  'workflow: queued',
  'version: 1',
  'timeout: 1d',
  'key: input.id',
  'input: { type: object, required: [id], properties: { id: { type: string } } }',
  'actions:',
  '  label.print: { worker: printers, idempotency: { remembers: 1d }, timeout: 5m, settlesWithin: 6m, compensate: none }',
  'steps: [{ id: label, call: label.print, with: { parcel: =input.id } }]',
  'output: { label: =steps.label.output.label }',
  '',
].join('\n');

it('pawl queue pull hands an attempt out, extend gives it time, and settle says what became of it: no worker of ours is there', async () => {
  await shell.ok(['publish', shell.file('queued.yaml', QUEUED)]);
  expect(await shell.call(['queue', 'ls'])).toMatchObject({ code: 0, out: '' });
  await shell.ok(['start', 'queued', '--input', '{"id":"q1"}']);
  expect((await shell.call(['why', 'q1'])).out).toContain(
    'label waits for a worker of queue printers; none has ever asked',
  );
  expect(row((await shell.ok(['queue', 'ls'])).split('\n')[1] ?? '')[1]).toBe('1');
  const pull = ['queue', 'pull', 'printers', '--lease', '2m', '-o', 'json', '--by', 'press-1'];
  const [attempt, ...more] = (await shell.call(pull)).json<readonly JsonObject[]>();
  expect(more).toEqual([]);
  expect(attempt).toMatchObject({ attempt: 1, action: 'label.print', request: { parcel: 'q1' }, runKey: 'q1' });
  expect((await shell.call(pull)).json()).toEqual([]);
  expect((await shell.call(['queue', 'pull', 'printers'])).err).toBe('nothing waits in printers\n');
  const handOut = String(attempt?.['handOut']);
  expect((await shell.call(['queue', 'extend', handOut, '--lease', '3m'])).err).toBe('✔ extended\n');
  expect((await shell.call(['why', 'q1'])).out).toContain('label is with a remote worker');
  const settle = ['queue', 'settle', handOut, '--output', '{"label":"L-1"}', '--by', 'press-1'];
  expect(await shell.call(settle)).toMatchObject({ code: 0, err: '✔ settled as confirmed\n' });
  expect((await shell.call(settle)).err).toContain('it was there before, nothing changed');
  expect((await shell.call([...settle, '--outcome', 'rejected'])).code).toBe(5);
  const shown = (await shell.call(['show', 'q1', '-o', 'json'])).json<JsonObject>();
  expect(shown).toMatchObject({ status: 'COMPLETED', output: { label: 'L-1' } });
  expect((await shell.call(['queue', 'settle', handOut.replace(/\.1\./, '.9.')])).code).toBe(5);
  expect((await shell.call(['queue', 'pull', 'printers', '--limit', 'all'])).code).toBe(2);
});
