import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { findTestFiles } from '../../src/testing/scenario/find-test-files.ts';
import { runTests } from '../../src/testing/scenario/run-tests.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const { files } = findTestFiles(ROOT, ['workflows', 'test/cases/workflows']);

it.each(files)(
  '%s: every scenario comes to what it expects',
  async (file) => {
    const report = await runTests({ files: [file], crash: false, read: (name) => readFileSync(ROOT + name, 'utf8') });
    expect(
      report.files.flatMap((one) => [...one.problems, one.unreadable].filter((problem) => problem !== null)),
    ).toEqual([]);
    const failed = report.files.flatMap(({ result }) => result?.scenarios ?? []).filter(({ ok }) => !ok);
    expect(failed).toEqual([]);
    expect(report.passed).toBeGreaterThan(0);
  },
  60_000,
);
