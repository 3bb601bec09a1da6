import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { STORE_CHECKS } from '../../src/engine/verify-store.ts';

const row = ({ name, rule, promise, mend }: (typeof STORE_CHECKS)[number]): string =>
  `| \`${name}\` | ${rule} | ${promise} | ${mend ?? ''} |`;

it('docs/reference/invariants.md lists every check with its rules, what it promises and the mend, in the order of the code', () => {
  const page = readFileSync(new URL('../../docs/reference/invariants.md', import.meta.url), 'utf8');
  expect(page.split('\n').filter((line) => line.startsWith('| `'))).toEqual(STORE_CHECKS.map(row));
});
