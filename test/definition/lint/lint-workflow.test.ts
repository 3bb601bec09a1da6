import { describe, expect, it } from 'vitest';
import { validateWorkflow } from '../../../src/definition/validate-workflow.ts';
import { MISTAKES, PLACES } from './mistakes.ts';
import { type Placement, placeMistake } from './place-mistake.ts';

const PLACEMENTS: readonly Placement[] = PLACES.flatMap((place, index) => [
  { place, style: 'block', newline: '\n', wide: false, lines: index },
  { place, style: 'block', newline: '\r\n', wide: true, lines: 13 + index },
  { place, style: 'flow', newline: '\n', wide: true, lines: 0 },
  { place, style: 'flow', newline: '\r\n', wide: false, lines: index * 7 },
  { place, style: 'block', newline: '\r\n', wide: false, lines: 40 + index },
]);

const inWords = ({ place, style, newline, wide }: Placement): string =>
  `${place}, ${style} style, ${newline === '\n' ? 'LF' : 'CRLF'}${wide ? ', wide text before it' : ''}`;

describe('lint', () => {
  it('finds nothing in the sample without a mistake', () => {
    const { text } = placeMistake(
      [
        ['id', 'planted'],
        ['call', 'shop.do'],
      ],
      { place: 'top', style: 'flow', newline: '\n', wide: false, lines: 0 },
    );
    expect(validateWorkflow(text, 'sample.pawl.yaml').problems).toEqual([]);
  });

  describe.each(MISTAKES)('$code', ({ code, step, mended, notIn = [] }) => {
    const placements = PLACEMENTS.filter(({ place }) => !notIn.includes(place));

    it('is moved to 20 places or more', () => {
      const places = placements.map((placement) => placeMistake(step, placement));
      expect(new Set(places.map(({ line, column }) => `${line}:${column}`)).size).toBeGreaterThanOrEqual(20);
    });

    it.each(placements.map((placement) => ({ placement, words: inWords(placement) })))(
      'is found with its caret: $words',
      ({ placement }) => {
        const planted = placeMistake(step, placement);
        const found = validateWorkflow(planted.text, 'sample.pawl.yaml').problems.filter(
          (problem) => problem.code === code,
        );
        expect(found.map((problem) => problem.range)).toEqual([
          { line: planted.line, column: planted.column, endLine: planted.endLine, endColumn: planted.endColumn },
        ]);
        expect(found[0]?.help).not.toBe('');
      },
    );

    it('is not said of the same step without the mistake', () => {
      for (const placement of placements) {
        const { text } = placeMistake(mended, placement);
        expect(validateWorkflow(text, 'sample.pawl.yaml').problems.map((problem) => problem.code)).not.toContain(code);
      }
    });
  });
});
