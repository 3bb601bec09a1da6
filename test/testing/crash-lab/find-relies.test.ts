import { describe, expect, it } from 'vitest';
import { findRelies } from '../../../src/testing/crash-lab/find-relies.ts';
import { findStories } from '../../../src/testing/crash-lab/find-stories.ts';
import { Tally } from '../../../src/testing/crash-lab/lab-report.ts';
import { listCases } from '../../../src/testing/crash-lab/list-cases.ts';
import { opened, shown, tried } from './lab-support.ts';
import { WORKFLOWS } from './unsafe-workflows.ts';

const UNKNOWN =
  'outcome: [{ when: response.status == 503 || (response.status >= 300 && response.status < 400), is: unknown }]\n    compensate: none';
const DOUBTED = WORKFLOWS.keyed.replace('compensate: none', UNKNOWN);
const BY_STATUS = WORKFLOWS.lookup
  .replace('found: size(response.body.items) > 0', 'found: response.status == 200')
  .replace(/ +output: .*items\[0\].*\n/, '');
const BY_PUT = WORKFLOWS.lookup.replace('method: GET', 'method: PUT');

/** What the first effect of a workflow depends on, and how not to. */
async function promises(text: string): Promise<readonly (readonly [string, boolean])[]> {
  const lab = await opened(text);
  const [first] = listCases(lab, (await findStories(lab)).told);
  if (first === undefined) throw new Error('no effect was told');
  const relies = await findRelies(lab, [first], new Tally([first.target]));
  return relies.map(({ promise, mend }) => [promise, mend !== undefined]);
}

describe('a no that its provider gives for what is done', () => {
  const noes = [
    ['a 503 of bank.pay means that it was not done', true],
    ['a 303 of bank.pay means that it was not done', true],
  ];

  it('is a promise of each action whose table trusts it, and of none that says unknown', async () => {
    expect(await promises(WORKFLOWS.keyed)).toEqual(expect.arrayContaining(noes));
    expect(await promises(WORKFLOWS.blind)).toEqual(noes.slice(1));
    expect(await promises(DOUBTED)).toEqual([['bank.pay remembers Idempotency-Key for 24h', false]]);
  });

  it('is found and named with --lie noes, also where it is tried again until its attempts are used up', async () => {
    const retried = WORKFLOWS.keyed.replace('compensate', 'retry: { attempts: 3, delay: 1s }\n    compensate');
    for (const text of [WORKFLOWS.keyed, retried]) {
      const { findings } = await tried(await opened(text, null, ['noes']), 'pay', /each time/);
      expect(shown(findings)).toEqual(['done: loss']);
      expect(findings[0]?.way).toContain('503 was answered');
      expect(findings[0]?.mend).toContain('`unknown`');
    }
    expect((await tried(await opened(DOUBTED, null, ['noes']), 'pay', /each time/)).findings).toEqual([]);
  });
});

describe('a lookup that says 200 with nothing in it', () => {
  const promise = ['the lookup of bank.pay answers 200 only where there is something', true];

  it('is a promise of the one that goes by the status alone', async () => {
    expect(await promises(BY_STATUS)).toContainEqual(promise);
    expect(await promises(WORKFLOWS.lookup)).not.toContainEqual(promise);
  });

  it.each([
    ['--lie empty', null, ['empty']],
    ['a scenario that says empty: shown', 'lookup: { bank.pay: { empty: shown } }', []],
  ] as const)('is found and named with %s', async (_way, scenario, lies) => {
    const { findings } = await tried(await opened(BY_STATUS, scenario, lies), 'pay', /lost, the connection broke/);
    expect(findings.map(({ message }) => message)).toEqual([expect.stringContaining('a 200 with nothing in it')]);
    expect(findings[0]?.mend).toContain('not for the status alone');
    const twin = await opened(WORKFLOWS.lookup, scenario, lies);
    expect((await tried(twin, 'pay', /lost, the connection broke/)).findings).toEqual([]);
  });
});

describe('a lookup that does something', () => {
  const promise = ['the lookup of bank.pay only asks', false];

  it('is a promise of the one that asks otherwise than by GET', async () => {
    expect(await promises(BY_PUT)).toContainEqual(promise);
    expect(await promises(WORKFLOWS.lookup)).not.toContainEqual(promise);
  });

  it('is found and named with --lie reads', async () => {
    const { findings } = await tried(await opened(BY_PUT, null, ['reads']), 'pay', /it was done, the connection broke/);
    expect(shown(findings)).toEqual(['done: double']);
    expect(findings[0]?.mend).toContain('does nothing');
    const sent = await tried(await opened(BY_PUT, null, ['reads']), 'pay', /lost, the connection broke/);
    expect(sent.findings).toEqual([]);
  });
});
