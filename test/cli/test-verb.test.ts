import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stampFiles, untilChanged } from '../../src/cli/watch-files.ts';
import type { TestReport } from '../../src/testing/scenario/run-tests.ts';
import { PAY } from '../testing/scenario/support/pay-workflow.ts';
import { callCli } from './support/command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return name;
}

const scenario = (name: string, effects: string): string =>
  `  - name: ${name}\n    input: { id: P-1 }\n    expect: { effects: '${effects}', status: COMPLETED }\n`;

const GOOD = `scenarios:\n${scenario('silence means yes', 'hold, pay')}`;
const BAD = `scenarios:\n${scenario('silence means no', 'hold, tell')}`;

beforeAll(() => {
  file('good/pay.pawl.yaml', PAY);
  file('good/pay.test.yaml', GOOD);
  file('bad/deep/other.test.yaml', `workflow: ../../good/pay.pawl.yaml\n${BAD}`);
  file('good/node_modules/pay.test.yaml', BAD);
});

describe('pawl test of the shipped workflows', () => {
  it.each(['agent-booking', 'parcel-tracking'])(
    '%s does what its scenarios say, with a crash at every boundary',
    async (name) => {
      for (const kind of ['pawl', 'test'])
        file(
          `${name}.${kind}.yaml`,
          readFileSync(new URL(`../../workflows/${name}.${kind}.yaml`, import.meta.url), 'utf8'),
        );
      const { code, out } = await callCli(['test', `${name}.test.yaml`, '--crash'], folder);
      expect([code, out]).toEqual([0, expect.stringMatching(/[45] passed, 59 crashes/)]);
      for (const kind of ['pawl', 'test']) rmSync(join(folder, `${name}.${kind}.yaml`));
    },
    60_000,
  );
});

describe('pawl test', () => {
  it('searches this folder, plays what it finds, shows expected beside got under the line, and ends with 1', async () => {
    const { code, out, err } = await callCli(['test'], folder);
    expect([code, err]).toEqual([1, '']);
    expect(out).toBe(`bad/deep/other.test.yaml  pay@1
  ✘ silence means no

error PAWL-650 effects not as expected: after \`hold\` came \`bank.pay\`, expected \`tell\`
 --> bad/deep/other.test.yaml:5:24
4 |     input: { id: P-1 }
5 |     expect: { effects: 'hold, tell', status: COMPLETED }
  |                        ^^^^^^^^^^^^
  = help: mend the workflow, or what is expected of it
      expected  hold, tell
      got       hold, bank.pay
good/pay.test.yaml  pay@1
  ✔ silence means yes

pay@1: steps 3 of 5, compensations 0 of 1, catches 1 of 1
  steps never visited: tell; off
  compensations never visited: hold

1 passed, 1 failed
`);
  });

  it.each([
    ['a file', 'good/pay.test.yaml'],
    ['a folder', 'good'],
    ['a pattern over folders', '**/pay.test.yaml'],
    ['a pattern within a name', 'good/p?y.*.yaml'],
  ])('takes %s', async (_what, argument) => {
    const { code, out } = await callCli(['test', argument, '-o', 'json'], folder);
    const report = JSON.parse(out) as TestReport;
    expect([code, report.files.map((one) => one.file), report.passed]).toEqual([0, ['good/pay.test.yaml'], 1]);
  });

  it('--crash kills the worker at every boundary, and says how often', async () => {
    const { code, out } = await callCli(['test', 'good', '--crash'], folder);
    expect(code).toBe(0);
    expect(out).toMatch(/✔ silence means yes {2}(\d+) crashes\n[\s\S]*1 passed, \1 crashes\n$/);
  });

  it('says where a worker was killed when that has changed what happened', async () => {
    const text = `scenarios:\n${scenario('one', 'hold, pay')}    provider: { stock.hold: { key: ignored } }\n`;
    const { code, out } = await callCli(
      ['test', file('doubled.test.yaml', `workflow: good/pay.pawl.yaml\n${text}`), '--crash'],
      folder,
    );
    rmSync(join(folder, 'doubled.test.yaml'));
    expect(code).toBe(1);
    expect(out).toContain(
      '✘ killed after hold was sent\n      effects\n      expected  hold, pay\n      got       hold x3, pay',
    );
  });

  it('-o junit has a suite a file and a case a scenario', async () => {
    const { code, out } = await callCli(['test', '-o', 'junit'], folder);
    expect(code).toBe(1);
    expect(out).toContain('<testsuite name="bad/deep/other.test.yaml" tests="1" failures="1">');
    expect(out).toContain('<failure message="effects: expected hold, tell, got hold, bank.pay (');
    expect(out).toContain('<testsuite name="good/pay.test.yaml" tests="1" failures="0">');
  });

  it('ends with 2 where there is no test file, or no workflow to it; with 3 where one of them is not valid', async () => {
    const place = 'odd/one.test.yaml';
    const ends = async (text: string): Promise<readonly [number, string]> => {
      const { code, out, err } = await callCli(['test', file(place, text)], folder);
      return [code, out + err];
    };
    expect((await callCli(['test', 'nowhere'], folder)).code).toBe(2);
    expect((await callCli(['test', 'nowhere/*.test.yaml'], folder)).code).toBe(2);
    expect(await ends(GOOD)).toEqual([2, expect.stringContaining('odd/one.pawl.yaml: there is no such file')]);
    expect(await ends('scenaros: []\n')).toEqual([3, expect.stringContaining('did you mean `scenarios`?')]);
    file('odd/one.pawl.yaml', 'pawl: 1\n');
    expect(await ends(GOOD)).toEqual([3, expect.stringContaining('odd/one.pawl.yaml:1:1')]);
    const junit = await callCli(['test', place, '-o', 'junit'], folder);
    expect(junit.out).toContain('<testcase classname="odd/one.test.yaml" name="the file can be played">');
    rmSync(join(folder, 'odd'), { recursive: true });
  });

  it('that is told to end gives up at once what it plays, with 143 or 130', async () => {
    for (const name of ['a', 'b']) file(`ended/${name}.test.yaml`, `workflow: ../good/pay.pawl.yaml\n${GOOD}`);
    for (const [reason, exit] of [
      ['SIGTERM', 143],
      ['SIGINT', 130],
    ] as const) {
      const stopping = new AbortController();
      const onWrite = (text: string): void => {
        if (text.includes('✔')) stopping.abort(reason);
      };
      const { code, out, err } = await callCli(['test', 'ended'], folder, { stopped: stopping.signal, onWrite });
      expect([code, out.match(/^ended.*yaml/gm)]).toEqual([exit, ['ended/a.test.yaml']]);
      expect(err).toBe('interrupted: what was not played says nothing\n');
    }
    rmSync(join(folder, 'ended'), { recursive: true });
  });

  it('--watch plays again when a file changes, and ends when it is interrupted', async () => {
    file('watched/pay.pawl.yaml', PAY);
    file('watched/pay.test.yaml', BAD);
    const stopping = new AbortController();
    let rounds = 0;
    const onWrite = (text: string): void => {
      if (!text.includes('waiting for a change')) return;
      rounds += 1;
      if (rounds === 1) file('watched/pay.test.yaml', GOOD);
      else stopping.abort();
    };
    const { code, out } = await callCli(['test', 'watched', '--watch'], folder, { stopped: stopping.signal, onWrite });
    expect(code).toBe(0);
    expect(out.match(/✘ silence means no|✔ silence means yes/g)).toEqual(['✘ silence means no', '✔ silence means yes']);
    rmSync(join(folder, 'watched'), { recursive: true });
  });
});

describe('files that are watched', () => {
  it('are told when one is written, comes or goes; not when it was stopped before', async () => {
    const [here, missing] = [join(folder, 'here.yaml'), join(folder, 'missing.yaml')];
    const { signal } = new AbortController();
    const changed = async (act: () => void): Promise<boolean> => {
      const waiting = untilChanged(stampFiles([here, missing]), signal);
      act();
      return waiting;
    };
    writeFileSync(here, 'a');
    expect(await changed(() => writeFileSync(here, 'ab'))).toBe(true);
    expect(await changed(() => writeFileSync(missing, ''))).toBe(true);
    expect(await changed(() => rmSync(here))).toBe(true);
    const stopping = new AbortController();
    const waiting = untilChanged(stampFiles([here]), stopping.signal);
    stopping.abort();
    expect(await waiting).toBe(false);
    expect(await untilChanged(stampFiles([here]), stopping.signal)).toBe(false);
    rmSync(missing);
  });
});

describe('docs/guides/testing.md', () => {
  it('has commands that end and say as it does', async () => {
    const guide = readFileSync(new URL('../../docs/guides/testing.md', import.meta.url), 'utf8');
    const own = mkdtempSync(join(tmpdir(), 'pawl-testing-guide-'));
    for (const [, name = '', text = ''] of guide.matchAll(/`([\w.-]+\.yaml)`[^`]*?^```yaml\n([\s\S]*?)^```$/gm))
      writeFileSync(join(own, name), text);
    const blocks = [...guide.matchAll(/^```console\n\$ npx pawl (.*)\n([\s\S]*?)^```$/gm)];
    expect(blocks).toHaveLength(3);
    for (const [, asked = '', shown = ''] of blocks) {
      const [command = '', exit = '0'] = asked.split(/\s+# exit /);
      const { code, out, err } = await callCli(command.split(' '), own);
      expect(code, `${command}\n${err}`).toBe(Number(exit));
      for (const line of shown.trimEnd().split('\n')) expect(out, command).toContain(line);
    }
    rmSync(own, { recursive: true });
  });
});
