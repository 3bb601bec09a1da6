import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, createApp } from '../../src/app/create-app.ts';
import { numbersFor } from '../../src/model/numbers.ts';
import { openTestStore, type TestStore } from '../support/postgres.ts';

let opened: TestStore;
const apps: App[] = [];
beforeAll(async () => {
  opened = await openTestStore();
});
afterAll(async () => {
  for (const app of apps) await app.close(500);
  await opened.close();
});

/** Another process on the same database: a store, a cache and an app of its own. */
async function freshProcess(): Promise<App> {
  const config = {
    databaseUrl: null,
    dataDir: '/nowhere',
    functions: [],
    catalogues: [],
    principals: {},
    numbers: numbersFor(9_000),
  };
  const app = await createApp({ config, env: {}, store: await opened.again() });
  apps.push(app);
  return app;
}

const LETTER = (version: number, answer: string): string =>
  [
    'pawl: 1',
    'workflow: letter',
    `version: ${version}`,
    'title: A letter',
    'key: input.id',
    'timeout: 1h',
    'input: { type: object, required: [id], properties: { id: { type: string } } }',
    'events: { answered: { schema: { type: object, required: [text], properties: { text: { type: string } } } } }',
    'vars: { said: { type: string, default: nothing } }',
    'steps:',
    '  - { id: answer, await: answered, timeout: 30m }',
    `  - { id: say, set: { said: '${answer}' } }`,
    "output: { text: '${ steps.answer.output.text }, ${ vars.said }' }",
    '',
  ].join('\n');

const publish = (app: App, text: string) => app.publish({ text, file: 'letter.pawl.yaml', by: 'author' });
const start = async (app: App, id: string, version: number | null = null): Promise<string> =>
  (await app.start({ workflow: 'letter', version, input: { id }, by: 'starter' })).run.runId;
const signal = (app: App, run: string, text: string) =>
  app.signal(run, { name: 'answered', data: { text }, source: 'signal', eventId: null, by: 'post', waitMs: 2_000 });

describe('a published version', () => {
  it('is the same again with CRLF, a byte order mark, comments, another title and another layout: nothing happens', async () => {
    const app = await freshProcess();
    const first = await publish(app, LETTER(1, 'as one'));
    expect(first.created).toBe(true);
    const plain = LETTER(1, 'as one');
    for (const same of [
      plain,
      plain.replaceAll('\n', '\r\n'),
      `\ufeff${plain}`,
      `# a comment\n${plain.replace('timeout: 1h', 'timeout: 1h   # long enough')}`,
      plain.replace('title: A letter', 'title: Quite another title'),
      plain.replace(
        '{ id: answer, await: answered, timeout: 30m }',
        '\n      id: answer\n      await: "answered"\n      timeout: PT30M',
      ),
    ]) {
      const again = await publish(await freshProcess(), same);
      expect([again.created, again.version.digest]).toEqual([false, first.version.digest]);
    }
    expect((await app.versions()).map(({ version, source }) => [version, source])).toEqual([[1, plain]]);
  });

  it.each([
    ['graph', (text: string) => text.replace("  - { id: say, set: { said: 'as one' } }\n", '')],
    ['data', (text: string) => text.replace('required: [text], ', '')],
    ['policy', (text: string) => text.replace('timeout: 30m', 'timeout: 31m')],
  ])('is refused with other content, which names what differs: %s (bugs 63)', async (part, edit) => {
    const app = await freshProcess();
    const before = await app.version('letter', 1);
    const edited = edit(LETTER(1, 'as one'));
    expect(edited).not.toBe(LETTER(1, 'as one'));
    await expect(publish(app, edited)).rejects.toMatchObject({
      code: 'PAWL_VERSION_CONFLICT',
      details: { differs: expect.arrayContaining([part]) as unknown, published: before.digest },
    });
    expect(await app.version('letter', 1)).toEqual(before);
  });

  it('stays with its run: the old one finishes on 1, a new one starts on 2, both in one new process (bugs 64)', async () => {
    const old = await freshProcess();
    await publish(old, LETTER(1, 'as one'));
    const waiting = await start(old, 'old');
    expect((await old.show(waiting)).status).toBe('WAITING');
    await expect(publish(old, LETTER(1, 'edited in place'))).rejects.toMatchObject({ code: 'PAWL_VERSION_CONFLICT' });
    await publish(old, LETTER(2, 'as two'));
    await old.close(500);

    const fresh = await freshProcess();
    const started = await start(fresh, 'new');
    await expect(signal(fresh, waiting, 'from before')).resolves.toMatchObject({ outcome: 'applied' });
    await expect(signal(fresh, started, 'from now')).resolves.toMatchObject({ outcome: 'applied' });
    expect(await fresh.show(waiting)).toMatchObject({
      version: 1,
      status: 'COMPLETED',
      output: { text: 'from before, as one' },
    });
    expect(await fresh.show(started)).toMatchObject({
      version: 2,
      status: 'COMPLETED',
      output: { text: 'from now, as two' },
    });
  });

  it('can still be started by its number, and a key names its run whatever version it is on', async () => {
    const app = await freshProcess();
    expect(await app.show(await start(app, 'by number', 1))).toMatchObject({ version: 1 });
    const again = await app.start({ workflow: 'letter', version: 2, input: { id: 'by number' }, by: 'starter' });
    expect([again.created, again.run.version]).toEqual([false, 1]);
  });

  it('of which there is none cannot be started', async () => {
    const app = await freshProcess();
    await expect(start(app, 'none', 9)).rejects.toMatchObject({ code: 'PAWL_VERSION_NOT_FOUND' });
  });
});
