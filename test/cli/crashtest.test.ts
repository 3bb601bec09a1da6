import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { LabReport } from '../../src/testing/crash-lab/lab-report.ts';
import { WORKFLOWS } from '../testing/crash-lab/unsafe-workflows.ts';
import { callCli } from './support/command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-crashtest-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return name;
}

/** The table of what was printed: its heading and its lines, until the blank one. */
function tableOf(out: string): string {
  const lines = out.split('\n').map((line) => line.trimEnd());
  const from = lines.findIndex((line) => line.startsWith('EFFECT'));
  return lines.slice(from, lines.indexOf('', from)).join('\n');
}

describe('pawl crashtest of the shipped workflows', () => {
  it.each(['order-fulfilment', 'agent-refund', 'parcel-return', 'parcel-tracking'])(
    '%s is clean, and its table is as expected',
    async (name) => {
      const path = new URL(`../../workflows/${name}.pawl.yaml`, import.meta.url);
      const { code, out, err } = await callCli(['crashtest', file(`${name}.yaml`, readFileSync(path, 'utf8'))], folder);
      expect([code, err]).toEqual([0, '']);
      expect(out).toContain('nothing lost, nothing twice, no silent stop');
      await expect(`${tableOf(out)}\n`).toMatchFileSnapshot(`golden/crashtest-${name}.txt`);
    },
    180_000,
  );
});

describe('pawl crashtest', () => {
  it('ends with 1 and names effect and boundary when something is doubled', async () => {
    const { code, out } = await callCli(['crashtest', file('keyed.yaml', WORKFLOWS.keyed), '--lie', 'keys'], folder);
    expect(code).toBe(1);
    expect(out).toContain('✘ pay (bank.pay), done, not answered: it happened 3 times');
  }, 60_000);

  it('-o json is the report, -o junit is XML with one failure a finding', async () => {
    const name = file('rejected.yaml', WORKFLOWS.fiveHundredRejected);
    const report = (await callCli(['crashtest', name, '-o', 'json'], folder)).json<LabReport>();
    expect(report).toMatchObject({ workflow: 'payment', version: 1, ok: false, problems: [], unreached: [] });
    expect(report.findings[0]).toMatchObject({ kind: 'loss', effect: 'pay', action: 'bank.pay', boundary: 'done' });
    const { code, out } = await callCli(['crashtest', name, '-o', 'junit'], folder);
    expect(code).toBe(1);
    expect(out.startsWith('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites')).toBe(true);
    expect(out.match(/<failure /g)).toHaveLength(report.findings.length);
    for (const { mend } of report.findings)
      expect(out).toContain(
        `\nmend: ${mend.replaceAll(/[<>&"]/g, (letter) => `&#${letter.charCodeAt(0)};`)}</failure>`,
      );
    expect(openTags(out)).toEqual([]);
  }, 120_000);

  it.each([
    [2, 'a scenario that names no action of it', 'keys: { bank.play: ignored }', 'there is no action bank.play'],
    [2, 'a word that no provider script has', 'provider: { bank.pay: perhaps }', '"perhaps" is no word'],
    [3, 'a scenario that is no YAML', 'keys: [', 'keys: ['],
  ])('ends with %d for %s', async (exit, _what, scenario, words) => {
    const args = ['crashtest', file('keyed.yaml', WORKFLOWS.keyed), '--scenario', file('scenario.yaml', scenario)];
    const { code, err } = await callCli(args, folder);
    expect([code, err]).toEqual([exit, expect.stringContaining(words)]);
  });

  it('--child: a parent is crashed with its children, which are given what they wait for', async () => {
    const guide = (name: string): string =>
      readFileSync(new URL(`../../docs/guides/files/${name}.pawl.yaml`, import.meta.url), 'utf8');
    const asking = guide('reserve-stock').replace(
      'steps:\n',
      "$&  - { id: ok, approve: 'Go?', from: ['role:desk'] }\n",
    );
    const parent = file('sell.yaml', guide('children'));
    expect((await callCli(['crashtest', parent], folder)).err).toContain('PAWL-241');
    const args = ['crashtest', parent, '--child', file('reserve.yaml', asking)];
    const { code, out, err } = await callCli(args, folder);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('  as it should be: COMPLETED\n  pay declined: COMPENSATED (declined)\n\n');
    expect(tableOf(out)).toMatch(/^stock {2,}✔ 1.*\npay .*\npay \(declined\).*\nundo stock {2,}✔ 1/m);
  }, 180_000);

  it('ends with 2 for a lie that is none and a file that is not there, with 3 for a workflow that is not valid', async () => {
    const codeOf = async (...args: string[]): Promise<number> => (await callCli(['crashtest', ...args], folder)).code;
    expect(await codeOf(file('keyed.yaml', WORKFLOWS.keyed), '--lie', 'often')).toBe(2);
    expect(await codeOf('nowhere.yaml')).toBe(2);
    expect(await codeOf(file('broken.yaml', 'pawl: 1\n'))).toBe(3);
  });
});

/** Tags of an XML text that are opened and not closed, or the other way round. */
function openTags(xml: string): readonly string[] {
  const open: string[] = [];
  for (const [, close, name = '', self] of xml.matchAll(/<(\/?)([a-z-]+)(?:\s[^<>]*?)?(\/?)>/g)) {
    if (self === '/') continue;
    if (close !== '/') open.push(name);
    else if (open.at(-1) === name) open.pop();
    else return [...open, `/${name}`];
  }
  return open;
}
