import { describe, expect, it } from 'vitest';
import { readYamlFile } from '../../src/definition/read-yaml-file.ts';

/** 8 levels of 9-fold aliases: 308 bytes that stand for 43 million values. */
const BOMB = ['a: &a [x, x, x, x, x, x, x, x, x]']
  .concat(
    'bcdefgh'
      .split('')
      .map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[index]}`).join(', ')}]`),
  )
  .join('\n');

const FILES: readonly (readonly [name: string, code: string, text: string])[] = [
  ['8 levels of 9-fold aliases', 'PAWL-011', BOMB],
  ['5,000 brackets', 'PAWL-002', `${'['.repeat(5_000)}${']'.repeat(5_000)}`],
  ['500,000 brackets', 'PAWL-002', '['.repeat(500_000)],
  ['5,000 braces', 'PAWL-002', '{ a: '.repeat(5_000)],
  ['100,000 dashes', 'PAWL-002', '- '.repeat(100_000)],
  ['JSON 10,000 deep', 'PAWL-002', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
  ['300 indented levels', 'PAWL-002', Array.from({ length: 300 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
  ['more than 1 MiB', 'PAWL-001', `a: ${'x'.repeat(1024 * 1024)}`],
];

/** Time of the processor, median of three, so that a busy machine is not taken for slowness. */
function medianMs(work: () => void): number {
  const times = [0, 1, 2].map(() => {
    const from = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(from);
    return (user + system) / 1_000;
  });
  return times.sort((a, b) => a - b)[1] ?? 0;
}

describe('a hostile file', () => {
  it.each(FILES)('%s: is refused at once with a limit that is named', (_name, code, text) => {
    const { problems } = readYamlFile(text, 'x');
    expect(problems.map((problem) => problem.code)).toEqual([code]);
    expect(problems[0]?.message).toMatch(/1 MiB|64 levels|more than 1000 values/);
    expect(medianMs(() => readYamlFile(text, 'x'))).toBeLessThan(100);
  });

  it('64 levels are still read', () => {
    const text = `${'['.repeat(64)}${']'.repeat(64)}`;
    expect(readYamlFile(text, 'x').problems).toEqual([]);
    expect(readYamlFile(`[${text}]`, 'x').problems.map(({ code }) => code)).toEqual(['PAWL-002']);
  });

  it.each([
    '- 007\n',
    '- !x y\n',
    '- a: b: c\n',
    '- "x\n',
    '\t- x\n',
    '- &a b\n',
    '- *a\n',
    '- ${ x\n',
    '- {{ x }}\n',
    '- #x\n',
    '%x\n',
    '---\n',
  ])('of nothing but %j: is told and never throws', (line) => {
    const { problems } = readYamlFile(line.repeat(200), 'x');
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.every(({ code }) => code.startsWith('PAWL-0'))).toBe(true);
  });
});
