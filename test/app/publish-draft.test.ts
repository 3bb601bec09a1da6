import { describe, expect, it } from 'vitest';
import { publishDraft } from '../../src/app/publish-draft.ts';
import { openApiHouse } from '../api/support/api-house.ts';

const file = (version: string, wait: string): string =>
  [
    'pawl: 1',
    'workflow: nap',
    `version: ${version} # raised by hand`,
    'timeout: 1d',
    `steps: [{ id: pause, wait: ${wait} }]`,
    '',
  ].join('\n');

describe('a draft', () => {
  it('has the number of its file while that is free, then the next one for each change; runs keep theirs', async () => {
    const { app, close } = await openApiHouse({ worker: false });
    const save = async (text: string): Promise<readonly unknown[]> => {
      const { created, said, version } = await publishDraft(app, { text, file: 'nap.pawl.yaml', by: 'ana' });
      return [said, version.version, created];
    };
    expect(await save(file('1', '1h'))).toEqual([1, 1, true]);
    const { run } = await app.start({ workflow: 'nap', version: null, input: {}, by: 'ana', keyIfNone: 'one' });
    expect(await save(file('1', '1h'))).toEqual([1, 1, false]);
    expect(await save(file('1', '2h'))).toEqual([1, 2, true]);
    expect(await save(file('1', '2h'))).toEqual([1, 2, false]);
    expect(await save(file('1', '3h'))).toEqual([1, 3, true]);
    // What was before is no version of its own again, and a number below the highest is not gone back to.
    expect(await save(file('1', '1h'))).toEqual([1, 4, true]);
    expect(await save(file('9', '1h'))).toEqual([9, 9, true]);
    expect(await save(file('5', '2h'))).toEqual([5, 10, true]);
    expect((await app.version('nap', 10)).source).toBe(file('10', '2h'));
    expect((await app.show(run.runId)).version).toBe(1);
    await expect(save(file('1', 'soon'))).rejects.toMatchObject({ code: 'PAWL_DEFINITION_INVALID' });
    await close();
  });
});
